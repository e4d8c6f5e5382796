"""What is known of a file, whatever is missing in it."""

from pathlib import Path

from retick.audit.desync.bundle import Bundle, load_bundle
from retick.replay import Replay
from retick.studio.replay.slot import Games, Opened, Slot

BUNDLE = load_bundle(Path(__file__).parents[2] / "vectors" / "desync" / "fighter-v1.desync")


def slot_of(replay: Replay | None, bundle: Bundle | None = None) -> Slot:
    return Slot(Opened(name="x", size=9, format="rtk", replay=replay, bundle=bundle), Games(None))


def test_a_bundle_without_frames_has_its_report() -> None:
    slot = slot_of(None, Bundle(report=BUNDLE.report, peer_id=1))
    shown = slot.describe()
    assert (shown["known"], shown["players"], shown["timeline"], shown["facts"]) == (False, 0, None, [])
    assert "no frames" in shown["note"]
    assert [name for name, *_ in shown["bundle"]["fields"]] == ["p1.x"]
    assert not slot.has(0)


def test_a_bundle_whose_state_is_damaged_shows_its_report_and_says_so() -> None:
    broken = Bundle(report=BUNDLE.report, peer_id=1, around=BUNDLE.around, differing_state=b"no state")
    shown = slot_of(BUNDLE.around, broken).describe()
    assert (shown["known"], shown["bundle"]["complete"]) == (True, False)
    assert "cannot be read" in shown["note"]


def test_a_recording_that_starts_from_a_damaged_state_is_shown_by_its_inputs() -> None:
    slot = slot_of(Replay(seed=1, frames=[(1, 2)] * 5, start_frame=10, start_state=b"?", game_id="retick.fighter"))
    assert (slot.has(9), slot.has(10), slot.has(15), slot.has(16)) == (False, True, True, False)
    assert slot.describe()["known"] is False
    assert list(slot.seek(12)) == []
    assert slot.view(12)["inputs"][2] == [12, ["0001", "0002"]]
