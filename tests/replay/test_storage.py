"""Files: whole under their final name or not there at all, whatever happens in between."""

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from retick.errors import DecodeError, EncodeError, LimitExceeded, UsageError
from retick.replay import ReadLimits, Recorder, RecordingFile, Replay, format_of, load, save, storage
from tests.full_disk import full_after

MATCH = Replay(seed=1, frames=[(2, 1)] * 50)
RICH = MATCH.replace(game_id="x", checkpoints={50: 3})


@pytest.mark.parametrize("match", [MATCH, RICH])
def test_what_is_saved_is_loaded(tmp_path: Path, match: Replay) -> None:
    save(tmp_path / "match", match)
    assert load(tmp_path / "match") == match
    assert load(str(tmp_path / "match"), strict=True) == match
    assert os.listdir(tmp_path) == ["match"]


def test_the_name_chooses_the_format_and_an_argument_overrules_it(tmp_path: Path) -> None:
    cases = [("a.rtk", None, "rtk"), ("b.RPLK", None, "rplk"), ("c", None, "rplk"), ("d.rtk", "rplk", "rplk")]
    for name, wanted, expected in cases:
        save(tmp_path / name, MATCH, format=wanted)  # type: ignore[arg-type]  # an untyped caller
        assert format_of((tmp_path / name).read_bytes()) == expected
    with pytest.raises(EncodeError):
        save(tmp_path / "e.rplk", MATCH.replace(start_state=b"x"))
    assert not (tmp_path / "e.rplk").exists()


class PowerCut(BaseException):
    """Not an Exception: nobody handles a power cut."""


@pytest.mark.parametrize("moment", ["write", "fsync", "replace"])
def test_a_crash_while_saving_leaves_the_old_file_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    path = tmp_path / "match.rtk"
    save(path, MATCH)
    old = path.read_bytes()

    def cut(*_args: Any) -> None:
        raise PowerCut

    if moment == "write":
        monkeypatch.setattr(storage, "_write_all", cut)
    else:
        monkeypatch.setattr(storage.os, moment, cut)
    # A power cut does not run our cleaning up either.
    monkeypatch.setattr(Path, "unlink", lambda *_args, **_kw: None)
    with pytest.raises(PowerCut):
        save(path, RICH)
    assert path.read_bytes() == old
    monkeypatch.undo()
    save(path, RICH)
    assert load(path) == RICH


def test_an_error_while_saving_leaves_no_litter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_fd: int) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(storage.os, "fsync", full)
    with pytest.raises(OSError, match="no space"):
        save(tmp_path / "match.rtk", MATCH)
    assert os.listdir(tmp_path) == []


def test_the_bytes_are_on_the_disk_before_the_file_has_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []
    fsync, replace = os.fsync, os.replace
    monkeypatch.setattr(storage.os, "fsync", lambda fd: (calls.append("fsync"), fsync(fd))[1])
    monkeypatch.setattr(storage.os, "replace", lambda a, b: (calls.append("replace"), replace(a, b))[1])
    save(tmp_path / "match.rtk", MATCH)
    assert calls[:2] == ["fsync", "replace"]


def test_a_file_over_the_limit_is_not_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "big"
    path.write_bytes(b"RPLK" + bytes(5 * storage.PIECE))
    with pytest.raises(LimitExceeded) as caught:
        load(path, limits=ReadLimits(max_bytes=1000))
    assert caught.value.actual == storage.PIECE


def test_a_file_that_is_no_replay_is_a_decode_error_and_a_missing_one_an_os_error(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"hello, world")
    with pytest.raises(DecodeError):
        load(tmp_path / "x")
    with pytest.raises(OSError, match="missing"):
        load(tmp_path / "missing")


def test_a_live_recording_has_its_name_only_when_it_is_finished(tmp_path: Path) -> None:
    path = tmp_path / "live.rtk"
    with RecordingFile(path, Recorder(seed=1, block_frames=10)) as file:
        for frame in range(25):
            file.recorder.add_frame((frame, 0))
            file.write()
        assert not path.exists()
        so_far = load(file.part)
        assert (len(so_far), so_far.truncated) == (20, True)
        file.finish(99)
    done = load(path, strict=True)
    assert (len(done), done.final_checksum) == (25, 99)
    assert os.listdir(tmp_path) == ["live.rtk"]


@pytest.mark.parametrize("every", [1, 30, 60])
def test_a_killed_program_loses_what_came_after_its_last_write_and_29_frames(tmp_path: Path, every: int) -> None:
    file = RecordingFile(tmp_path / "live.rtk", Recorder(seed=1))
    for frame in range(1, 500):
        file.recorder.add_frame((frame, 0))
        if frame % 60 == 0:
            file.recorder.add_checksum(frame, frame)
        if frame % every == 0:
            file.write()
            assert len(load(file.part)) >= frame - 29
    assert file.part.stat().st_size < 24 * 500
    file.close()


def test_a_match_that_ends_in_an_exception_keeps_all_that_was_recorded(tmp_path: Path) -> None:
    path = tmp_path / "live.rtk"
    recorder = Recorder(seed=1)
    recorder.add_packed(bytes(100))
    with pytest.raises(RuntimeError), RecordingFile(path, recorder) as file:
        raise RuntimeError
    assert not path.exists()
    left = load(file.part)
    assert (len(left), left.truncated) == (25, True)


def test_an_earlier_unfinished_recording_is_never_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "live.rtk"
    first, second = (RecordingFile(path, Recorder(seed=seed)) for seed in (1, 2))
    assert first.part != second.part
    second.finish()
    first.close()
    first.close()
    assert load(path).seed == 2
    assert load(first.part).seed == 1
    with pytest.raises(UsageError):
        first.finish()
    with pytest.raises(UsageError):
        second.finish()


def record(path: Path, frames: int) -> tuple[RecordingFile | None, list[OSError]]:
    """Record as a match does, which goes on after an error: the file, and what the disk refused."""
    refused: list[OSError] = []
    try:
        file = RecordingFile(path, Recorder(seed=1))
    except OSError as error:
        return None, [error]
    for frame in range(frames):
        file.recorder.add_frame((frame, 0))
        file.recorder.flush()
        try:
            file.write()
        except OSError as error:
            refused.append(error)
    if not file.failed:
        try:
            file.finish(7)
        except OSError as error:
            refused.append(error)
    file.close()
    return file, refused


def test_a_disk_that_is_full_at_any_byte_leaves_a_file_that_is_good_up_to_there(tmp_path: Path) -> None:
    whole = tmp_path / "whole.rtk"
    assert record(whole, 6)[1] == []
    size = whole.stat().st_size
    for room in range(size):
        with full_after(room):
            file, refused = record(tmp_path / f"{room}.rtk", 6)
        (error,) = refused
        assert (error.errno, error.filename) == (errno.ENOSPC, str(tmp_path / f"{room}.rtk.1.part"))
        assert not (tmp_path / f"{room}.rtk").exists()
        if file is None:
            assert not list(tmp_path.glob(f"{room}.rtk*"))
            continue
        assert file.failed
        assert file.part.read_bytes() == whole.read_bytes()[:room]
        good = load(file.part)
        assert good.truncated
        assert good.frames == load(whole).frames[: len(good.frames)]


def test_a_save_on_a_full_disk_names_the_file_and_leaves_nothing(tmp_path: Path) -> None:
    with full_after(20), pytest.raises(OSError, match=r"match\.rtk"):
        save(tmp_path / "match.rtk", MATCH)
    assert list(tmp_path.iterdir()) == []
