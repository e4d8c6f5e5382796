"""How much of the decoders is reached."""

from fuzz.coverage_report import Row, measure, missing_lines, table
from fuzz.targets import matching


def test_lines_and_branches_of_the_functions_that_were_entered_are_counted() -> None:
    rows = measure(matching(["wire/varuint"]), 500)
    (row,) = [row for row in rows if row.module == "retick.wire.varint"]
    assert row.functions == 1, "encode_varuint, which the law calls, is not counted"
    assert 10 < row.lines <= row.all_lines
    assert 6 < row.branches <= row.all_branches


def test_the_table_adds_up_and_says_what_is_missing() -> None:
    rows = [Row("retick.a", 1, 5, 10, 2, 4, ["decode: 7, 8"]), Row("retick.b", 2, 10, 10, 0, 0, [])]
    lines = table(rows).splitlines()
    assert lines[-1].split()[:3] == ["all", "3", "15"]
    assert "50.0%" in lines[1]
    assert missing_lines(rows) == "retick.a\n  decode: 7, 8"
