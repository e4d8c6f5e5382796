"""The room without a page: files in, frames out, and the newest wish first."""

import json
from pathlib import Path
from typing import Any

import pytest

from retick.games.fighter import Fighter
from retick.games.fighter.bots import bout
from retick.replay import Replay, ReplayPlayer, dumps, sealed
from retick.studio.room import FeedError
from retick.studio.shown import LONGEST_VALUE
from tests.studio.replay.driving import Driven, drive
from tests.studio.replay.slow_game import FAILS_AT, Slow

BUNDLE = Path(__file__).parents[2] / "vectors" / "desync" / "fighter-v1.desync"
MATCH = sealed(Replay(seed=3, frames=bout(3, 600)), Fighter(), every=100)
OWN = "tests.studio.replay.slow_game:Slow"


def fields_at(replay: Replay, frame: int, game: Any = None) -> dict[str, str]:
    player = ReplayPlayer(replay, Fighter() if game is None else game)
    player.seek(frame)
    return {name: str(value) for name, value in player.fields().items()}


def test_a_replay_shows_any_frame_as_the_library_has_it_and_is_verified() -> None:
    async def script(room: Driven) -> None:
        room.open(dumps(MATCH))
        opened = (await room.next("opened"))["opened"]
        assert (opened["known"], opened["fighter"], opened["format"], opened["note"]) == (True, True, "rtk", "")
        timeline = await room.verdict()
        assert (timeline["last"], timeline["verdict"]["word"]) == (600, "verified")
        for frame in (0, 600, 1, 599, 250):
            shown = await room.shown(frame)
            assert dict(shown["views"][0]["fields"]) == fields_at(MATCH, frame)
            assert shown["views"][1] is None

    drive(script)


def test_a_recording_whose_checksum_is_wrong_says_where() -> None:
    async def script(room: Driven) -> None:
        room.open(dumps(MATCH.replace(checkpoints={**MATCH.checkpoints, 300: 7})))
        found = (await room.verdict())["verdict"]
        assert (found["word"], found["last_good"], found["first_bad"]) == ("differs", 200, 300)

    drive(script)


def test_of_many_wishes_only_the_newest_is_answered() -> None:
    async def script(room: Driven) -> None:
        room.open(dumps(MATCH))
        await room.verdict()
        for frame in range(500):
            room.say("show", frame=frame)
        assert (await room.next("frame"))["frame"] == 499

    drive(script)


def test_a_wrong_file_is_an_error_and_what_is_open_stays_open() -> None:
    async def script(room: Driven) -> None:
        room.open(dumps(MATCH))
        await room.next("opened")
        for data in (b"", b"no replay", b"RTK\n", b"RPLK" + bytes(9), b"PK\3\4" + bytes(40), dumps(MATCH)[:30]):
            room.open(data, name="wrong.bin")
            assert "wrong.bin" in (await room.next("error"))["text"]
        assert dict((await room.shown(5))["views"][0]["fields"]) == fields_at(MATCH, 5)

    drive(script)


def test_a_frame_that_a_recording_does_not_have_is_shown_as_nothing() -> None:
    async def script(room: Driven) -> None:
        room.open(dumps(MATCH))
        await room.next("opened")
        assert (await room.shown(601))["views"] == [None, None]

    drive(script)


@pytest.mark.parametrize("fields", [{}, {"frame": -1}, {"frame": 1 << 32}, {"frame": "5"}, {"frame": 1.5}])
def test_a_wish_that_is_no_frame_is_refused(fields: dict[str, Any]) -> None:
    async def script(room: Driven) -> None:
        with pytest.raises(FeedError, match="frame must be"):
            room.say("show", **fields)

    drive(script)


def test_an_unknown_message_and_an_unknown_slot_are_refused() -> None:
    async def script(room: Driven) -> None:
        for kind, fields in (("open", {"path": "/etc/passwd"}), ("close", {"slot": 2}), ("example", {})):
            with pytest.raises(FeedError):
                room.say(kind, **fields)

    drive(script)


def test_a_desync_bundle_shows_the_planted_field_and_the_frames_before() -> None:
    async def script(room: Driven) -> None:
        room.open(BUNDLE.read_bytes(), name="x.desync")
        bundle = (await room.next("opened"))["opened"]["bundle"]
        assert [name for name, _, differs in bundle["fields"] if differs] == ["p1.x"]
        assert (bundle["frame"], bundle["agreed"], len(bundle["sides"])) == (41, 40, 2)
        assert (await room.verdict())["verdict"]["first_bad"] == 41
        here = (await room.shown(41))["views"][0]
        assert dict(here["fields"])["p1.x"] in next(values for name, values, _ in bundle["fields"] if name == "p1.x")
        assert (await room.shown(40))["views"][0]["recorded"] is not None

    drive(script)


def test_two_recordings_are_compared_and_shown_beside_each_other() -> None:
    async def script(room: Driven) -> None:
        frames = bytearray(MATCH.frames)
        frames[4 * 200] ^= 3
        other = MATCH.replace(frames=bytes(frames), checkpoints={})
        room.open(dumps(MATCH), slot=0)
        room.open(dumps(other), slot=1)
        compared = (await room.next("compared"))["compared"]
        assert (compared["same"], compared["input_frame"], compared["frame"]) == (False, 200, 201)
        shown = await room.shown(compared["frame"])
        ours, theirs = (dict(view["fields"]) for view in shown["views"])
        assert shown["differs"] == [name for name in ours if ours[name] != theirs[name]]
        assert {name for name, _, _ in compared["fields"]} == set(shown["differs"])
        room.say("close", slot=1)
        await room.next("opened", lambda message: message["opened"] is None)
        assert room.room.hello()["compared"] is None

    drive(script)


def test_two_recordings_that_cannot_be_compared_are_an_error_and_both_are_shown() -> None:
    async def script(room: Driven) -> None:
        room.open(dumps(MATCH), slot=0)
        room.open(dumps(Replay(seed=1, frames=[(1, 2)] * 9, game_id="another")), slot=1)
        assert "two games" in (await room.next("error"))["text"]
        first, second = (await room.shown(4))["views"]
        assert first["fields"]
        assert (second["fields"], second["inputs"][4]) == ([], [4, ["0001", "0002"]])

    drive(script)


def test_a_recording_of_an_unknown_game_shows_its_header_and_its_inputs() -> None:
    async def script(room: Driven) -> None:
        room.open(dumps(Replay(seed=77, frames=[(1, 2)] * 9, game_id="os:system", checkpoints={0: 1})))
        opened = (await room.next("opened"))["opened"]
        assert (opened["known"], opened["fighter"]) == (False, False)
        assert "retick studio module:Class" in opened["note"]
        assert ["seed", "77"] in opened["facts"]
        timeline = await room.next("timeline")
        assert timeline["timeline"]["inputs"] == [[1] * 9, [2] * 9]

    drive(script)


def test_two_recordings_of_an_unknown_game_are_compared_by_their_inputs() -> None:
    async def script(room: Driven) -> None:
        for slot, pressed in ((0, 1), (1, 5)):
            frames = [(1, 2)] * 4 + [(pressed, 2)] * 4
            room.open(dumps(Replay(seed=7, frames=frames, game_id="not.here")), slot=slot)  # type: ignore[arg-type]  # packed there
        compared = (await room.next("compared"))["compared"]
        assert (compared["frame"], compared["inputs"], compared["fields"]) == (4, [["1", "2"], ["5", "2"]], [])

    drive(script)


def test_a_recording_of_another_version_of_a_game_is_shown_without_states() -> None:
    async def script(room: Driven) -> None:
        room.open(dumps(MATCH.replace(game_version=9)))
        opened = (await room.next("opened"))["opened"]
        assert opened["known"] is False
        assert "version 9" in opened["note"]

    drive(script)


def test_the_users_own_game_is_shown_and_its_failure_is_told_with_its_line() -> None:
    game = Slow()
    match = Replay(seed=3, frames=[(1, 2)] * (FAILS_AT + 100), game_id=game.game_id, game_version=1)

    async def script(room: Driven) -> None:
        room.open(dumps(match))
        opened = (await room.next("opened"))["opened"]
        assert (opened["known"], opened["fighter"]) == (True, False)
        assert "slow_game.py" in (await room.next("error"))["text"]
        fields = dict((await room.shown(40))["views"][0]["fields"])
        assert fields["total"] == fields_at(match, 40, game)["total"]
        assert len(fields["words"]) == LONGEST_VALUE
        problem = (await room.shown(FAILS_AT + 50))["views"][0]["problem"]
        assert "ZeroDivisionError: no such frame" in problem
        assert (await room.shown(FAILS_AT))["views"][0]["frame"] == FAILS_AT

    drive(script, game=OWN)


def test_a_long_match_opens_and_seeks() -> None:
    match = sealed(Replay(seed=5, frames=bout(5, 3000) * 12), Fighter())

    async def script(room: Driven) -> None:
        room.open(dumps(match))
        assert (await room.next("opened"))["opened"]["timeline"]["last"] == 36_000
        for frame in (36_000, 18_001, 35_999, 2):
            assert dict((await room.shown(frame))["views"][0]["fields"]) == fields_at(match, frame)
        room.say("close", slot=0)

    drive(script)


def test_a_page_that_comes_back_finds_everything_in_hello() -> None:
    async def script(room: Driven) -> None:
        room.say("example", slot=0)
        room.say("example", slot=1)
        compared = await room.next("compared")
        await room.shown(123)
        hello = json.loads(json.dumps(room.room.hello()))
        assert [slot["name"] for slot in hello["slots"]] == ["example-1.rtk", "example-2.rtk"]
        assert (hello["frame"], hello["compared"]) == (123, compared["compared"])
        assert hello["slots"][0]["timeline"]["verdict"]["word"] == "verified"
        assert hello["rules"]["player_width"] == 600

    drive(script)
