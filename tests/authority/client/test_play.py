"""A stay in a room: how far ahead, which packets, and what a snapshot must not do."""

from typing import Any

import pytest

from retick.authority.client.config import WorldClientConfig, WorldClientStats
from retick.authority.client.cue_book import CueBook
from retick.authority.client.picture import PictureScreen, WorldPicture
from retick.authority.client.play import LAST_SNAPSHOT, LONGEST_PROBE, Play
from retick.authority.frames import decode_input
from retick.authority.layout import layout_of
from retick.authority.messages import RoomWelcome
from retick.authority.views import Receiver, Stage
from retick.errors import DecodeError, NotSynchronized
from retick.sim.world import hosting
from tests.authority.client.yard import RIGHT, TELEPORT, Yard

LAYOUT = layout_of(Yard)


class Room:
    """A world, one receiver of it, and a stay."""

    def __init__(self, rate: int = 60, **config: Any) -> None:
        self.world = Yard()
        hosting.begin(self.world, 1)
        hosting.player_joins(self.world, 0)
        self.stage = Stage(LAYOUT, self.world)
        self.receiver = Receiver(self.stage, 0)
        self.events: list[Any] = []
        self.stats = WorldClientStats()
        self.play = Play(
            Yard(), LAYOUT, RoomWelcome(0, 4, rate, 3, 0), WorldClientConfig(**config), self.stats, CueBook(6),
            self.events.append,
        )  # fmt: skip
        self.tick = 0

    def snapshot(self, *, margin: int = 0, newest: int = 0, ticks: int = 3) -> bytes:
        for _ in range(ticks):
            self.tick += 1
            hosting.tick(self.world, (0, 0, 0, 0))
        self.stage.survey(self.tick, [0, None, None, None])
        payload = self.receiver.snapshot(margin=margin, newest=newest)
        self.receiver.acknowledge(self.tick)
        return payload


def test_the_first_tick_waits_for_the_answer_to_a_probe_or_for_a_moment() -> None:
    room = Room()
    play = room.play
    assert not play.due(0.0)
    assert play.probe(0.0) is None
    play.receive(room.snapshot(), 0.0)
    probe = play.probe(0.0)
    assert probe is not None
    asked = decode_input(probe, LAYOUT.input_bits)
    assert (asked.tick, asked.held, asked.inputs) == (4, 3, (0,))
    assert not play.due(0.1)
    play.receive(room.snapshot(margin=-7, newest=4), 0.1)
    assert play.probe(0.1) is None
    assert play.due(0.1)
    play.advance(RIGHT, 0.1, 0.1)
    assert play.next_tick > 4 + 7 + 6
    silent = Room()
    silent.play.receive(silent.snapshot(), 0.0)
    silent.play.probe(0.0)
    assert not silent.play.due(LONGEST_PROBE)
    assert silent.play.due(LONGEST_PROBE + 0.01)


def test_no_tick_is_run_too_far_ahead_of_the_snapshots() -> None:
    room = Room(most_ahead=20)
    play = room.play
    play.receive(room.snapshot(), 0.0)
    play.probe(0.0)
    now, ran = 1.0, 0
    while now < 3.0:
        while play.due(now):
            play.advance(0, now, 0.05)
            ran += 1
        now += 1 / 60
    assert play.next_tick == 3 + 20 + 1
    assert room.stats.stalls == 1
    assert [type(each).__name__ for each in room.events] == ["SnapshotsMissing"]
    with pytest.raises(NotSynchronized, match="snapshots are missing"):
        play.advance(0, now, 0.05)
    assert len(play._own) <= 21
    assert len(play._prediction.history) <= 22
    play.receive(room.snapshot(), now)
    assert [type(each).__name__ for each in room.events] == ["SnapshotsMissing", "SnapshotsBack"]
    play.settle(now)
    assert len(play._prediction.history) <= 22


def test_packets_go_out_thirty_times_a_second_with_what_is_not_acknowledged() -> None:
    for rate, most in ((60, 2), (30, 1), (128, 4), (500, 4)):
        room = Room(rate)
        play = room.play
        play.receive(room.snapshot(), 0.0)
        play.probe(0.0)
        packets = []
        now = 0.01
        for number in range(24):
            at = play.next_at
            now = max(now, at if at is not None else now)
            payload = play.advance(number, now, 0.0)
            if payload is not None:
                packets.append(decode_input(payload, LAYOUT.input_bits))
        assert {b.tick - a.tick for a, b in zip(packets, packets[1:], strict=False)} == {most}  # noqa: RUF007 - short
        assert all(len(each.inputs) == 8 for each in packets[8:])


def test_a_snapshot_so_late_that_no_input_could_follow_is_refused() -> None:
    room = Room()
    payload = bytearray(room.snapshot())
    payload[1:5] = (LAST_SNAPSHOT + 1).to_bytes(4, "little")
    with pytest.raises(DecodeError):
        room.play.receive(bytes(payload), 0.0)
    assert not room.play.is_ready


def test_of_several_snapshots_at_once_only_the_newest_is_run() -> None:
    room = Room()
    play = room.play
    play.receive(room.snapshot(), 0.0)
    play.probe(0.0)
    for _ in range(10):
        play.advance(0, 0.01, 0.0)
    before = room.stats.resimulated
    for _ in range(3):
        play.receive(room.snapshot(), 0.15)
    assert room.stats.resimulated == before
    play.settle(0.15)
    assert room.stats.resimulated - before <= play.next_tick - 1 - 12


def test_a_teleport_that_was_predicted_to_another_place_is_not_smoothed() -> None:
    room = Room()
    play = room.play
    play.receive(room.snapshot(), 0.0)
    play.probe(0.0)
    play.advance(0, 0.01, 0.0)
    for _ in range(4):
        play.advance(TELEPORT, 0.02, 0.0)
    walker = play._prediction.world.walkers[0]
    assert (walker.jumps, round(walker.x)) == (1, 500)
    # At the server it jumped too, and not as far.
    there = room.world.walkers[0]
    there.x, there.jumps, there.reload = 490.0, 1, 29
    play.receive(room.snapshot(), 0.05)
    play.settle(0.05)
    assert room.stats.teleports == 1
    assert room.stats.last_correction == 0.0
    canvas = WorldPicture(Yard, PictureScreen(Yard))
    play.draw(canvas, 0.05)
    assert canvas.world.walkers[0].x == 490.0
