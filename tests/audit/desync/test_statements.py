"""The text of the statement on a line."""

from pathlib import Path

from retick.audit.desync.line_trace import LONGEST, statement_at

SOURCE = """\
x = call(
    1,
    y=2,
)
if (
    x
):
    z = 3
"""


def test_a_statement_over_several_lines_is_shown_whole_and_a_block_by_its_line(tmp_path: Path) -> None:
    file = tmp_path / "source.py"
    file.write_text(SOURCE)
    assert statement_at(str(file), 1) == "x = call( 1, y=2, )"
    assert statement_at(str(file), 3) == "y=2,"
    assert statement_at(str(file), 5) == "if ("
    assert statement_at(str(file), 8) == "z = 3"
    assert statement_at(str(file), 99) == ""


def test_a_long_statement_is_cut_and_a_file_that_is_no_python_is_read_by_lines(tmp_path: Path) -> None:
    (tmp_path / "long.py").write_text("x = [\n" + "    12345,\n" * 100 + "]\n")
    assert len(statement_at(str(tmp_path / "long.py"), 1)) == LONGEST
    (tmp_path / "no.py").write_text("x = (\n")
    assert statement_at(str(tmp_path / "no.py"), 1) == "x = ("
    assert statement_at(str(tmp_path / "missing.py"), 1) == ""
