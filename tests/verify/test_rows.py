"""Rows and their lines."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import InvalidValue
from retick.verify.rows import FIELDS, VERDICTS, Row, read_row, row_line

NUMBER = st.none() | st.integers(0, 0xFFFFFFFF)
ROWS = st.builds(
    Row, st.text(), st.sampled_from(VERDICTS), st.text(),
    NUMBER, NUMBER, NUMBER, NUMBER, st.integers(0, 9), NUMBER, NUMBER
)  # fmt: skip


@given(ROWS)
def test_a_line_is_the_row_in_ascii_json_in_the_order_of_its_fields(row: Row) -> None:
    line = row_line(row)
    assert line.isascii()
    assert "\n" not in line
    assert tuple(json.loads(line)) == FIELDS
    assert read_row(line) == row


@given(st.text() | st.binary())
def test_any_other_text_is_refused(text: str | bytes) -> None:
    with pytest.raises(InvalidValue):
        read_row(text)


@pytest.mark.parametrize(
    "change",
    [
        {"path": 5},
        {"verdict": "fine"},
        {"frames": "3"},
        {"frames": -1},
        {"compared": None},
        {"more": 1},
        {"seed": True},
    ],
)
def test_a_row_with_a_wrong_value_is_refused(change: dict[str, object]) -> None:
    row = json.loads(row_line(Row("a", "ok"))) | change
    with pytest.raises(InvalidValue, match="not a row of results"):
        read_row(json.dumps(row))
    with pytest.raises(InvalidValue):
        read_row("[" * 100_000)
