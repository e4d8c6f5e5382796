"""An audit that follows imports reads the files of the same package, and no others."""

from pathlib import Path

from retick.audit import audit_static


def test_following_reads_what_is_imported_from_the_same_package(project: Path) -> None:
    alone = audit_static("mygame.sim")
    assert alone.ok
    followed = audit_static("mygame.sim", follow=True)
    assert sorted(Path(path).name for path in followed.files) == [
        "__init__.py",
        "__init__.py",
        "clock.py",
        "sim.py",
        "speed.py",
    ]
    assert [finding.rule for finding in followed.findings] == ["clock", "float"]


def test_following_a_script_reads_its_neighbours(project: Path) -> None:
    followed = audit_static("script.py", follow=True)
    assert [Path(path).name for path in followed.files] == ["script.py", "beside.py"]
