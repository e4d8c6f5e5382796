"""Which format is written and which is recognised, whatever kind of buffer the bytes come in."""

import pytest

from retick import errors, replay
from retick.replay import rplk
from retick.replay.formats import Format

DATA = replay.dumps(replay.Replay(seed=1, frames=[(2, 1)]))


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_any_buffer_is_read(kind: type) -> None:
    assert replay.loads(kind(DATA)) == replay.loads(DATA)


def test_text_is_no_replay() -> None:
    with pytest.raises(errors.UsageError):
        replay.loads("RPLK")  # type: ignore[arg-type]  # an untyped caller


def test_rplk_is_chosen_only_when_nothing_is_lost() -> None:
    plain = replay.Replay(seed=1, frames=[(2, 1)])
    assert replay.format_of(replay.dumps(plain)) == "rplk"
    extras = {
        "game_id": "x",
        "game_version": 1,
        "local_players": (0,),
        "checkpoints": {0: 1},
        "metadata": {"a": "b"},
        "truncated": True,
        "arrivals": (replay.Arrival(0, 1, 0, 1),),
    }
    for name, value in extras.items():
        noted = plain.replace(**{name: value})
        assert replay.format_of(replay.dumps(noted)) == "rtk"
        assert rplk.extras(noted) == [name]
        assert replay.dumps(noted, format="rplk") == replay.dumps(plain)


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(errors.UsageError):
        replay.dumps(replay.Replay(seed=1, frames=b""), format="zip")  # type: ignore[arg-type]  # an untyped caller


@pytest.mark.parametrize("form", ["rplk", "rtk"])
def test_a_view_is_read_as_the_bytes_that_it_shows(form: Format) -> None:
    match = replay.Replay(seed=9, frames=[(1, 2)] * 6, metadata={"pad": "four"} if form == "rtk" else {})
    data = replay.dumps(match, format=form)
    spread = bytes(octet for pair in zip(data, data, strict=True) for octet in pair)
    views = [memoryview(data), memoryview(bytearray(data)), memoryview(spread)[::2]]
    if len(data) % 4 == 0:
        views.append(memoryview(data).cast("I"))
    for view in views:
        assert replay.loads(view) == match
        assert replay.format_of(view) == form


@pytest.mark.parametrize("start", [b"", b"R", b"RT", b"RTK", b"RPL"])
def test_the_start_of_a_magic_is_a_file_that_was_cut_off(start: bytes) -> None:
    with pytest.raises(errors.Truncated):
        replay.format_of(start)


@pytest.mark.parametrize("start", [b"RIFF", b"PK\3\4", b"rplk", b"X"])
def test_other_bytes_are_no_replay(start: bytes) -> None:
    with pytest.raises(errors.BadMagic, match="neither RPLK nor RTK"):
        replay.format_of(start)
