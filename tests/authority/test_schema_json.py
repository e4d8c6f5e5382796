"""The tables as JSON: they survive JSON, and a reader in another language has every number that the layout has."""

import json
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from retick.authority import frames, messages
from retick.authority.compact import CompactTables
from retick.authority.layout import WorldLayout, layout_of
from retick.authority.schema_json import tables_of
from retick.snapshot.compact.defaults import prediction_of
from tests.authority.declarations import worlds
from tests.authority.gallery import Gallery
from tests.authority.worlds import Court

LARGEST_EXACT = 2**53
"""What a JSON number holds for every reader."""


def numbers_in(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [each for part in value.values() for each in numbers_in(part)]
    if isinstance(value, list):
        return [each for part in value for each in numbers_in(part)]
    return [value] if isinstance(value, int | float) else []


def check(layout: WorldLayout) -> None:
    tables = tables_of(layout)
    assert json.loads(json.dumps(tables, allow_nan=False)) == tables
    assert all(abs(number) <= LARGEST_EXACT for number in numbers_in(tables))
    assert int(tables["hash"], 16) == layout.hash
    assert [each["name"] for each in tables["components"]] == [each.name for each in layout.components]
    for index, (entry, component) in enumerate(zip(tables["components"], layout.components, strict=True)):
        assert entry["index"] == index
        assert ("holder" in entry) == component.has_holder
        for field, made in zip(entry["fields"], component.fields, strict=True):
            span, default = int(field["span"]), int(field["default"])
            assert (field["name"], field["code"], field["bits"]) == (made.name, made.code, made.bits)
            assert (span, default, field.get("owner_only", False)) == (made.span, made.default, made.secret)
            assert 0 <= default <= span < 1 << made.bits
            assert float(field["low"]) == float(made.low)


@given(st.data())
@settings(max_examples=40, suppress_health_check=list(HealthCheck), deadline=None)
def test_the_tables_of_any_world_are_json_with_all_its_numbers(data: st.DataObject) -> None:
    check(layout_of(data.draw(worlds())))


def test_the_tables_of_worlds_with_every_kind_of_field() -> None:
    check(layout_of(Court))
    check(layout_of(Gallery))


def test_kinds_and_reasons_are_those_that_are_sent() -> None:
    tables = tables_of(layout_of(Court))
    assert tables["payloads"] == {
        "INPUT": frames.INPUT,
        "SNAPSHOT": frames.SNAPSHOT,
        "NOTE": frames.NOTE,
        "COMPACT": frames.COMPACT,
    }
    sent = {"MESSAGE": messages.RoomMessage(b""), "LOST": messages.LossNotice(messages.Gone.TOO_MANY, 1)}
    for name, message in sent.items():
        assert messages.encode_message(message)[0] == tables["messages"][name]
    assert tables["lost_reasons"] == {"TOO_MANY": 0, "TOO_LONG": 1}
    assert tables["room_over_reasons"]["DROPPED"] == messages.Ended.DROPPED


def test_fields_of_the_owner_and_members_of_an_enum_are_named() -> None:
    tables = tables_of(layout_of(Court))
    fields = [field for entry in tables["components"] for field in entry["fields"]]
    assert any(field.get("owner_only") for field in fields)
    assert ["RED", "BLUE", "NONE"] in [field.get("members") for field in fields]


def test_compact_fields_groups_and_hash_are_those_of_the_codec() -> None:
    for kind in (Court, Gallery):
        layout = layout_of(kind)
        tables, compact = tables_of(layout), CompactTables(layout)
        marked = [
            (component["name"], field["name"].replace(".", "_"))
            for component in tables["components"]
            for field in component["fields"]
            if field.get("compact")
        ]
        assert marked == [(owner.name, item.name) for owner, item in compact.schema.fields]
        assert tables["compact"]["hash"] == f"{compact.hash:016x}"
        numbers = [number for group in tables["compact"]["groups"] for number in group["fields"]]
        assert sorted(numbers) == list(range(len(marked)))
        names = {type(group.predictor).__name__ for group in prediction_of(compact.schema).groups}
        assert {group["kind"] for group in tables["compact"]["groups"]} == names
