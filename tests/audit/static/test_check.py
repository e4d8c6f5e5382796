"""All rules over one file, several files and a package."""

from pathlib import Path

from retick.audit import audit_source, audit_static


def test_a_package_declares_its_floats_in_its_init(tmp_path: Path) -> None:
    package = tmp_path / "game"
    (package / "motor").mkdir(parents=True)
    (package / "__init__.py").write_text("# retick: floats -- the server decides\n")
    (package / "motor" / "__init__.py").write_text("")
    (package / "motor" / "run.py").write_text("import time\nspeed = 0.5\nnow = time.time()\n")
    found = audit_static(str(package)).findings
    assert [(Path(finding.path).name, finding.rule) for finding in found] == [("run.py", "clock")]
    alone = audit_static(str(package / "motor" / "run.py")).findings
    assert [finding.rule for finding in alone] == ["clock"]
    (package / "motor" / "run.py").write_text("speed = 1\n")
    found = audit_static(str(package)).findings
    assert [(Path(finding.path).name, finding.rule) for finding in found] == [("__init__.py", "allow-unused")]


def test_what_does_not_parse_is_a_finding() -> None:
    for text, line in (("x = 1\ndef (:\n", 2), ("x = '\0'\n", 1)):
        (finding,) = audit_source(text).findings
        assert (finding.line, finding.rule) == (line, "syntax")


def test_a_file_that_is_not_utf8_is_a_finding(tmp_path: Path) -> None:
    (tmp_path / "latin.py").write_bytes(b"x = '\xe4'\n")
    assert [finding.rule for finding in audit_static(str(tmp_path / "latin.py")).findings] == ["syntax"]


def test_a_file_with_a_byte_order_mark_is_read_like_any_other(tmp_path: Path) -> None:
    path = tmp_path / "game.py"
    path.write_bytes(b"\xef\xbb\xbfSPEED = 1.5\n")
    assert [(one.line, one.rule) for one in audit_static(str(path)).findings] == [(1, "float")]


def test_findings_are_sorted_by_place_and_each_is_reported_once() -> None:
    report = audit_source("import time\ny = time.time() / 0.5\nx = 1.5\n", path="game.py")
    assert report.files == ("game.py",)
    assert [(one.line, one.rule) for one in report.findings] == [
        (2, "clock"),
        (2, "division"),
        (2, "float"),
        (3, "float"),
    ]


def test_a_file_that_is_nested_too_deeply_to_be_read_is_a_finding() -> None:
    for text in ("x = " + "-" * 20_000 + "1\n", "x = a" + ".a" * 20_000 + "\n", "x = 1" + "+1" * 5_000 + "\n"):
        (finding,) = audit_source(text).findings
        assert (finding.rule, finding.what) == ("syntax", "expressions nested too deeply")


def test_progress_names_each_file_and_how_many_there_are(project: Path) -> None:
    told: list[str] = []
    audit_static("mygame", progress=told.append)
    assert told[0].startswith("looking for source in ")
    assert told[-1] == f"file 6 of 6: {Path('mygame', 'rules', 'speed.py')}"


def test_floats_of_an_engines_game_that_is_not_ported_yet_are_one_finding() -> None:
    text = "import pygame\nSPEED = 1.5\n\ndef step(s, i):\n    return s / 2 + SPEED * 0.5 + pygame.K_a\n"
    [finding] = audit_source(text).findings
    assert (finding.line, finding.rule) == (2, "float")
    assert finding.what == "the literal 1.5, the first of floats on 2 lines"
    assert len(audit_source(text.replace("import pygame", "import pygame, retick.sim")).findings) == 3
