"""A capture over time: every bit is counted once in each view, and memory does not grow with the capture."""

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.packets import timeline
from retick.packets.formats import Explainer
from retick.packets.timeline import OTHER, CaptureTimeline, costs_of, kind_of
from retick.snapshot import Codec, Component, Field, Schema, Snapshot, UInt
from retick.snapshot.inspect import SnapshotExplainer
from retick.transport.capture import Recorded, read_capture
from retick.wire.explain import explain_rbn1
from tests.netrunner.test_explain import PACKETS_SENT
from tests.packets.test_formats import in_a_link, match_capture

SCHEMA = Schema([Component(1, [Field(1, UInt(10), name="x"), Field(2, UInt(30), name="y")], name="position")])
SNAPSHOT = Codec(SCHEMA).encode_full(Snapshot.of(SCHEMA, tick=7, entities={3: {1: (5, 6)}}))


def over_time(records: list[Recorded], seconds: float = 1.0, slices: int = 8) -> CaptureTimeline:
    made = CaptureTimeline(Explainer(SnapshotExplainer(SCHEMA, keep_all=False)), seconds, slices=slices)
    for record in records:
        made.add(record)
    return made


@given(
    st.lists(
        st.builds(
            Recorded,
            st.floats(-1, 3),
            st.booleans(),
            st.sampled_from(["a", "b"]),
            st.binary(max_size=60) | st.sampled_from([SNAPSHOT, *map(in_a_link, PACKETS_SENT)]),
        ),
        max_size=12,
    )
)
def test_each_view_has_every_bit_once(records: list[Recorded]) -> None:
    found = over_time(records).to_json(3)
    for view in found["views"].values():
        assert sum(sum(series["bits"]) for series in view) == 8 * sum(len(record.data) for record in records)
        assert all(series["total"] == sum(series["bits"]) for series in view)
        assert len(view) <= 4


def test_a_match_is_shown_by_kind_component_and_field() -> None:
    found = over_time(list(read_capture(match_capture()))).to_json(50)
    names = {view: {series["name"] for series in rows} for view, rows in found["views"].items()}
    assert {"PAYLOAD RBN1", "CONTROL", "HELLO"} <= names["kind"]
    assert {"link", "rbn1", "session"} <= names["component"]
    assert {"rbn1 input", "sequence", "rbn1 start frame"} <= names["field"]
    assert found["bad"] == 0


def test_a_snapshot_is_shown_by_component_and_field_of_its_schema() -> None:
    found = over_time([Recorded(0.0, True, "a", SNAPSHOT)]).to_json(50)
    fields = {series["name"]: series["total"] for series in found["views"]["field"]}
    assert (fields["position.x"], fields["position.y"]) == (10, 30)
    assert {"name": "position", "total": 40, "bits": [40] + [0] * 7} in found["views"]["component"]


def test_names_beyond_the_limit_are_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timeline, "MOST_NAMES", 2)
    found = over_time([Recorded(0.0, True, "a", in_a_link(data)) for data in PACKETS_SENT]).to_json(50)
    assert [series["name"] for series in found["views"]["field"]][-1] == OTHER
    assert len(found["views"]["field"]) == 3


def test_bytes_of_no_format_cost_too() -> None:
    found = explain_rbn1(b"RBN1\x01")
    assert costs_of(found, 9, None)[OTHER, OTHER] == 32
    assert kind_of(found) == "RBN1"


def test_memory_does_not_grow_with_the_capture() -> None:
    records = list(read_capture(match_capture()))
    peaks = []
    for times in (1, 8):
        tracemalloc.start()
        over_time(records * times)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < peaks[0] + (1 << 17)
