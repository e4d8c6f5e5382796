"""Batches become rows, whichever way they take."""

from retick.games.fighter import Fighter
from retick.games.fighter.bots import bout
from retick.replay import ReadLimits, Replay, dumps, sealed, verify
from retick.verify.batch import Batch, BatchEntry
from retick.verify.judge import Judge
from tests.verify.matches import Turned


def batch_of(*replays: tuple[bytes, int | None]) -> Batch:
    data, entries = b"", []
    for number, (replay, checksum) in enumerate(replays):
        entries.append(BatchEntry(f"m{number}", len(data), len(data) + len(replay), None, checksum))
        data += replay
    return Batch(data, entries)


def test_both_ways_say_the_same() -> None:
    game = Fighter()
    plain = Replay(seed=3, frames=bout(3, 60))
    final = verify(plain, game).checksum
    batch = batch_of(
        (dumps(plain), final),
        (dumps(plain), None),
        (dumps(plain), final ^ 1),
        (dumps(sealed(plain, game)), None),
        (dumps(sealed(plain, game)), final ^ 1),
        (b"RPLK", 5),
        (b"", None),
    )
    fast = Judge(lambda replay: game, plain=game).rows(batch)
    assert fast == Judge(lambda replay: game).rows(batch)
    assert [row.verdict for row in fast] == ["ok", "unknown", "differs", "ok", "differs", "corrupt", "corrupt"]


def test_a_changed_game_never_takes_the_compiled_way() -> None:
    plain = Replay(seed=3, frames=bout(3, 60))
    batch = batch_of((dumps(plain), verify(plain, Turned()).checksum))
    (row,) = Judge(lambda replay: Turned(), plain=Turned()).rows(batch)
    assert row.verdict == "ok"


def test_limits_hold_on_both_ways() -> None:
    game = Fighter()
    batch = batch_of((dumps(Replay(seed=3, frames=bout(3, 60))), 1))
    for limits in (ReadLimits(max_frames=59), ReadLimits(max_bytes=100), ReadLimits(free_frames=0, growth=0)):
        (row,) = Judge(lambda replay: game, plain=game, limits=limits).rows(batch)
        assert row.verdict == "corrupt"


def test_an_entry_with_a_problem_is_a_row_with_it() -> None:
    game = Fighter()
    entries = [BatchEntry("a", problem="gone"), BatchEntry("b", problem="odd", is_manifests_fault=True)]
    for plain in (None, game):
        rows = Judge(lambda replay: game, plain=plain).rows(Batch(b"", entries))
        assert [(row.verdict, row.reason) for row in rows] == [("unreadable", "gone"), ("manifest", "odd")]
