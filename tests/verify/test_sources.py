"""Sources as batches: what is read, in which order, and what is left out."""

from pathlib import Path

from retick.verify.batch import Batch
from retick.verify.reading import Files
from retick.verify.sources import Sources, is_many
from tests.verify.matches import COUNT, packed


def paths(*given: str | Path, **options: object) -> list[str]:
    units = Sources(given, **options).units()  # type: ignore[arg-type]  # as given
    return [entry.path for unit in units for entry in (unit if isinstance(unit, Files) else unit.entries)]


def test_a_folder_is_read_in_order_of_names_with_the_folders_in_it(tmp_path: Path) -> None:
    for name in ("b.rplk", "a/2.rtk", "a/1.rplk", "c.txt", "a/note"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "loop").symlink_to(tmp_path, target_is_directory=True)
    assert paths(tmp_path) == [str(tmp_path / name) for name in ("a/1.rplk", "a/2.rtk", "b.rplk")]
    assert paths(str(tmp_path / "*.rplk")) == [str(tmp_path / "b.rplk")]


def test_files_travel_in_batches_and_an_archive_ends_one(folder: Path, tmp_path: Path) -> None:
    tar = packed(folder, tmp_path / "all.tar")
    one = folder / "000000.rplk"
    units = list(Sources([folder, tar, one], files=5).units())
    assert [len(unit) if isinstance(unit, Files) else len(unit.entries) for unit in units] == [5, 5, 2, COUNT, 1]


def test_what_is_done_is_left_out_and_its_buffer_is_given_back(folder: Path, tmp_path: Path) -> None:
    tar = packed(folder, tmp_path / "all.tar")
    done = {f"{tar}!000003.rplk"}
    (unit,) = Sources([tar], is_done=done.__contains__).units()
    assert isinstance(unit, Batch)
    assert unit.done is not None
    assert len(unit.entries) == COUNT - 1
    assert list(Sources([tar, folder], is_done=lambda path: True).units()) == []


def test_buffers_of_an_archive_are_used_again(folder: Path, tmp_path: Path) -> None:
    tar = packed(folder, tmp_path / "all.tar")
    places = set()
    for unit in Sources([tar], piece=2048).units():
        assert isinstance(unit, Batch)
        assert isinstance(unit.data, memoryview)
        assert unit.done is not None
        places.add(id(unit.data.obj))
        unit.done()
    assert len(places) < COUNT / 2


def test_files_are_counted_and_archives_are_not(folder: Path, tmp_path: Path) -> None:
    assert Sources([folder, folder / "000000.rplk"]).count() == COUNT + 1
    assert Sources([], manifest=folder / "manifest.csv").count() == COUNT
    assert Sources([folder, tmp_path / "all.tar"]).count() is None
    assert Sources(["memory://x/"]).count() is None


def test_one_file_is_not_many(folder: Path) -> None:
    assert not is_many(str(folder / "000000.rplk"))
    assert not is_many("gone.rplk")
    assert all(map(is_many, [str(folder), "x.tar", "x.tgz", "x.parquet", "a*.rplk", "s3://x"]))


def test_an_entry_that_is_wrong_has_the_path_that_its_replay_would_have(folder: Path, tmp_path: Path) -> None:
    name = sorted(folder.glob("*.rplk"))[0].name
    (tmp_path / "below").mkdir()
    manifest = tmp_path / "below" / "manifest.csv"
    manifest.write_text(f"path,seed,checksum\n{name},1,no number\n,1,0\n", encoding="utf-8")
    (files,) = Sources([], manifest=manifest).units()
    assert isinstance(files, Files)
    assert [entry.path for entry in files] == [str(tmp_path / "below" / name), f"{manifest}:2"]
    assert all(entry.is_manifests_fault for entry in files)
