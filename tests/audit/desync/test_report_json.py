"""A report as JSON: it comes back as it was, and nothing else is read."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.audit.desync.report_json import report_from_json, report_to_json
from retick.errors import DecodeError, InvalidValue
from retick.rollback.desync.report import DesyncReport, FieldValues, report_lines
from tests.audit.desync.desyncs import bundles
from tests.rollback.desync.planted import FieldChanged

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@pytest.fixture(scope="module")
def report() -> DesyncReport:
    return bundles([FieldChanged(), FieldChanged(at=40)], last_agreed=32)[0].report


@given(data=st.data())
def test_a_report_with_anything_in_one_place_is_read_or_refused(report: DesyncReport, data: Any) -> None:
    raw = json.loads(json.dumps(report_to_json(report)))
    assert report_from_json(raw) == report
    raw[data.draw(st.sampled_from(sorted(raw)))] = data.draw(JSON)
    try:
        found = report_from_json(raw)
    except DecodeError:
        return
    assert report_lines(found)


def test_values_of_all_kinds_come_back(report: DesyncReport) -> None:
    values = ((0, -(2**200)), (1, 1.5), (2, "text"), (3, None))
    report = replace(report, fields=(FieldValues(name="x", values=values),))
    assert report_from_json(json.loads(json.dumps(report_to_json(report)))) == report


@pytest.mark.parametrize("text", ["\x1b[2J", "x" * 300])
def test_what_would_upset_a_terminal_is_refused(report: DesyncReport, text: str) -> None:
    raw = json.loads(json.dumps(report_to_json(report)))
    raw["fields"][0]["name"] = text
    with pytest.raises(DecodeError):
        report_from_json(raw)


@pytest.mark.parametrize("key", ["machines", "partings", "left_out"])
def test_a_missing_or_an_additional_key_is_refused(report: DesyncReport, key: str) -> None:
    raw = json.loads(json.dumps(report_to_json(report)))
    with pytest.raises(DecodeError, match="a report must have exactly the keys machines, silent"):
        report_from_json({**raw, "more": 1})
    del raw[key]
    with pytest.raises(DecodeError):
        report_from_json(raw)


def test_a_first_difference_that_no_parting_shows_is_refused(report: DesyncReport) -> None:
    raw = json.loads(json.dumps(report_to_json(report)))
    for changed in ({"partings": []}, {"first_differing": 40}, {"first_differing": None}):
        with pytest.raises(InvalidValue, match="the first parting"):
            report_from_json(raw | changed)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_a_number_that_is_none_is_refused(report: DesyncReport, number: str) -> None:
    raw = json.loads(json.dumps(report_to_json(report)))
    raw["fields"][0]["values"] = json.loads(f"[[0, {number}]]")
    with pytest.raises(InvalidValue):
        report_from_json(raw)
