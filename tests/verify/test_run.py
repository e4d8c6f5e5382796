"""One run over many recordings: the same rows from every engine, and a row for whatever is wrong."""

import builtins
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from retick import is_compiled
from retick.errors import MissingExtra, UsageError
from retick.games.fighter import Fighter
from retick.replay import Row, load, save, sealed, verify_many
from retick.verify import Run
from tests.verify.matches import COUNT, Deadly, Raising, Turned, packed, parquet_of

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:pyarrow")


def rows_of(*given: Any, **named: Any) -> list[Row]:
    return list(Run(*given, **named))


def by_name(rows: list[Row]) -> dict[str, Row]:
    return {row.path.replace("!", "/").rsplit("/", 1)[1]: row for row in rows}


def told(rows: list[Row]) -> list[tuple[Any, ...]]:
    """All but the paths, which differ from source to source."""
    return [row[1:] for row in rows]


def test_folder_pattern_manifest_tar_and_parquet_give_the_same_rows(folder: Path, tmp_path: Path) -> None:
    manifest = folder / "manifest.csv"
    rows = rows_of([folder], manifest=manifest)
    assert [row.verdict for row in rows] == ["ok"] * COUNT
    assert [row.seed for row in rows] == list(range(1, COUNT + 1))
    assert all(row.checksum == row.expected and row.compared == 1 and row.frames == 120 for row in rows)
    assert told(rows_of(manifest=manifest)) == told(rows)
    assert sorted(told(rows_of(str(folder / "*.rplk"), manifest=manifest)), key=repr) == sorted(told(rows), key=repr)
    for mode, name in (("w", "a.tar"), ("w:gz", "a.tar.gz"), ("w:xz", "a.tar.xz"), ("w:bz2", "a.tar.bz2")):
        archive = packed(folder, tmp_path / name, mode)
        found = rows_of([archive], manifest=manifest)
        assert told(found) == told(rows)
        assert found[0].path == f"{archive}!000000.rplk"


def test_parquet_archives_have_their_own_checksums(folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    rows = rows_of([parquet_of(folder, tmp_path / "a.parquet")])
    assert told(rows) == told(rows_of([folder], manifest=folder / "manifest.csv"))


@pytest.mark.parametrize("game", ["retick.fighter", Fighter, Fighter(), None])
def test_threads_and_processes_give_equal_rows_in_the_order_of_the_sources(folder: Path, game: object) -> None:
    manifest = folder / "manifest.csv"
    one, other = (rows_of([folder], game, engine=each, manifest=manifest) for each in ("threads", "processes"))
    assert one == other
    assert [row.path for row in one] == sorted(row.path for row in one)


def test_verify_many_is_where_people_look_for_it(folder: Path) -> None:
    rows = verify_many(folder, "retick.games.fighter:Fighter", manifest=folder / "manifest.csv")
    assert Counter(row.verdict for row in rows) == {"ok": COUNT}


def test_a_changed_fighter_is_found(folder: Path) -> None:
    rows = rows_of([folder], Turned, manifest=folder / "manifest.csv")
    assert {row.verdict for row in rows} == {"differs"}
    assert "should be 0x" in rows[0].reason
    assert rows[0].first_bad_frame == 120


def test_whatever_is_wrong_with_one_match_is_a_row_and_no_stop(folder: Path) -> None:
    (folder / "000001.rplk").write_bytes(b"no replay")
    good = (folder / "000002.rplk").read_bytes()
    (folder / "000002.rplk").write_bytes(good[:-1] + b"\x80")
    (folder / "000003.rplk").write_bytes(good[:40])
    (folder / "000004.rplk").write_bytes(b"")
    (folder / "000005.rplk").unlink()
    whole = sealed(load(folder / "000006.rplk"), Fighter())
    save(folder / "000006.rtk", whole.replace(game_id="somebody.else"))
    save(folder / "000007.rtk", whole.replace(checkpoints={60: 7, 120: whole.final_checksum}))
    manifest = folder / "manifest.csv"
    text = manifest.read_text().splitlines()
    text[9] = "000008.rplk,9,0xNOTHEX"
    text[10] = "000009.rplk,1234,0x00000001"
    text[11] = "000010.rplk,0,0x00000001"
    text[12] = "000011.rplk,12,0x00000001"
    manifest.write_text("\n".join([*text, "gone.rplk,5,"]))
    found = by_name(
        [
            row._replace(path=row.path if "/" in row.path else f"/{row.path}")
            for row in rows_of([folder], manifest=manifest)
        ]
    )
    words = {
        "000000.rplk": ("ok", ""),
        "000001.rplk": ("corrupt", "neither RPLK nor RTK"),
        "000002.rplk": ("corrupt", "CRC of the RPLK payload"),
        "000003.rplk": ("corrupt", "takes 480 bytes of payload, not 8"),
        "000004.rplk": ("corrupt", "4 bytes that name its format"),
        "000005.rplk": ("unreadable", "no source has it"),
        "000006.rplk": ("ok", ""),
        "000006.rtk": ("unknown", "'somebody.else', which is not known here"),
        "000007.rplk": ("ok", ""),
        "000007.rtk": ("differs", "frame 60 should be 0x00000007"),
        "000008.rplk": ("manifest", "up to eight hex digits, not '0xNOTHEX'"),
        "000009.rplk": ("differs", "the manifest says seed 1234, but the recording has 10"),
        "000010.rplk": ("manifest", "seed must be from 1 to 4294967295, not '0'"),
        "000011.rplk": ("differs", "frame 120 should be 0x00000001"),
        "gone.rplk": ("unreadable", "no source has it"),
    }
    assert {name: row.verdict for name, row in found.items()} == {name: verdict for name, (verdict, _) in words.items()}
    for name, (_, reason) in words.items():
        assert reason in found[name].reason, name


def test_a_manifest_alone_has_a_row_for_a_missing_file(folder: Path) -> None:
    (folder / "000005.rplk").unlink()
    rows = rows_of(manifest=folder / "manifest.csv")
    assert len(rows) == COUNT
    assert (rows[5].verdict, rows[5].reason) == ("unreadable", "No such file or directory")


@pytest.mark.parametrize("engine", ["threads", "processes"])
def test_a_game_that_raises_in_the_middle_is_a_row_that_says_where(folder: Path, engine: str) -> None:
    rows = rows_of([folder], "tests.verify.matches:Raising", engine=engine, manifest=folder / "manifest.csv")
    assert [row.verdict for row in rows] == ["ok", "failed"] * (COUNT // 2)
    assert "RuntimeError: the clock struck thirteen" in rows[1].reason
    assert "in frame 30 of the run with seed 2" in rows[1].reason
    assert Raising.__name__ in rows[1].reason


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such signal")
def test_a_game_that_ends_its_process_costs_only_its_own_match(folder: Path) -> None:
    rows = rows_of([folder], "tests.verify.matches:Deadly", engine="processes", manifest=folder / "manifest.csv")
    assert [row.verdict for row in rows] == ["ok", "ok", "failed", *["ok"] * (COUNT - 3)]
    assert rows[2].reason == "the process that ran it died"
    assert Deadly.__name__ == "Deadly"


def test_sources_that_are_not_there_are_rows(tmp_path: Path) -> None:
    missing = [tmp_path / "no.tar", tmp_path / "none.rplk", tmp_path / "*.rtk", "nothing://there/x.rplk"]
    rows = rows_of(missing)
    assert [row.verdict for row in rows] == ["unreadable"] * 4
    assert "No such file" in rows[0].reason
    assert rows[2].reason == "no file matches the pattern"


def test_an_archive_that_is_cut_off_has_its_good_part_and_a_row_of_its_own(folder: Path, tmp_path: Path) -> None:
    archive = packed(folder, tmp_path / "a.tar")
    archive.write_bytes(archive.read_bytes()[:5000])
    rows = rows_of([archive], manifest=folder / "manifest.csv")
    assert Counter(row.verdict for row in rows)["ok"] == 4
    own = [row for row in rows if row.path == str(archive)]
    assert [row.verdict for row in own] == ["unreadable"]
    assert "cut off" in own[0].reason


def test_what_is_done_is_not_run_again(folder: Path) -> None:
    done = {str(folder / "000000.rplk"), str(folder / "000007.rplk")}
    rows = rows_of([folder], manifest=folder / "manifest.csv", is_done=done.__contains__)
    assert len(rows) == COUNT - 2
    assert not done & {row.path for row in rows}


def test_misuse_is_said_at_once(folder: Path, tmp_path: Path) -> None:
    for named in ({"engine": "steam"}, {"workers": 0}, {"address": "auto"}, {"game": "no_such_module:Game"}):
        with pytest.raises(UsageError):
            Run([folder], **named)  # type: ignore[arg-type]  # some of them are wrong
    with pytest.raises(UsageError, match="nothing to verify"):
        Run([])
    with pytest.raises(UsageError, match="by import path"):
        Run([folder], type("Local", (Fighter,), {"made": lambda: 0})())
    (tmp_path / "manifest.csv").write_text("name,sum\na,b\n")
    with pytest.raises(UsageError, match="must name the columns path, seed, checksum"):
        Run([folder], manifest=tmp_path / "manifest.csv")


def test_a_run_that_is_left_in_the_middle_ends_its_engine(folder: Path) -> None:
    batches = Run([folder], workers=1, manifest=folder / "manifest.csv").batches()
    assert next(batches)
    batches.close()  # type: ignore[attr-defined]  # it is a generator


@pytest.mark.compiled_only
def test_auto_takes_threads_for_a_compiled_game_and_processes_for_one_in_python(folder: Path) -> None:
    assert is_compiled()
    assert Run([folder], "retick.fighter").engine == "threads"
    assert Run([folder], "retick.scramble").engine == "threads"
    assert Run([folder], Turned).engine == "processes"


def test_a_missing_library_is_named_with_the_line_that_installs_it(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = builtins.__import__

    def without(name: str, *given: Any, **named: Any) -> Any:
        if name.split(".")[0] == "ray":
            raise ModuleNotFoundError(name)
        return known(name, *given, **named)

    for module in ("pyarrow", "pyarrow.parquet", "pyarrow.lib", "fsspec"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtra, match="pip install pyarrow"):
        rows_of([tmp_path / "a.parquet"])
    with pytest.raises(MissingExtra, match="pip install fsspec"):
        rows_of(["s3://bucket/a.rplk"])
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtra, match="pip install ray"):
        rows_of([folder], engine="ray")
