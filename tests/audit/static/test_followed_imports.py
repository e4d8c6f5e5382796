"""An audit that follows imports reads the files of the same package, and no others."""

from pathlib import Path

from retick.audit import audit_static


def test_following_reads_what_is_imported_from_the_same_package(project: Path) -> None:
    alone = audit_static("mygame.sim", follow=False)
    assert alone.ok
    followed = audit_static("mygame.sim")
    assert sorted(Path(path).name for path in followed.files) == [
        "__init__.py",
        "__init__.py",
        "clock.py",
        "sim.py",
        "speed.py",
    ]
    assert [finding.rule for finding in followed.findings] == ["clock", "float"]


def test_following_a_script_reads_its_neighbours(project: Path) -> None:
    followed = audit_static("script.py")
    assert [Path(path).name for path in followed.files] == ["script.py", "beside.py"]


def test_what_a_package_around_imports_is_followed_only_if_the_package_itself_is_imported(project: Path) -> None:
    (project / "mygame" / "__init__.py").write_text("from mygame import drawing\n")
    assert "drawing.py" not in {Path(path).name for path in audit_static("mygame.sim").files}
    (project / "mygame" / "clock.py").write_text("from mygame import VERSION\n")
    assert "drawing.py" in {Path(path).name for path in audit_static("mygame.sim").files}


def test_modules_that_import_each_other_are_read_once(project: Path) -> None:
    (project / "beside.py").write_text("import script\n")
    assert [Path(path).name for path in audit_static("script.py").files] == ["script.py", "beside.py"]
