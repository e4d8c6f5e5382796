"""Two sides of a fight on a virtual clock: how they end, and what they say when they cannot."""

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from retick import replay
from retick.games.fighter import Fighter
from retick.link import Reason
from retick.playing.confirmed_match import ConfirmedFight, FollowedMatch
from retick.playing.controllers import BotController, StyleName
from retick.playing.match_driver import LAN_SILENCE, MatchDriver, Result
from retick.playing.network_report import NetworkReport
from retick.replay import LiveRecording
from retick.rollback.lan import LanSession
from retick.rollback.match.alarm import AlarmState
from retick.rollback.session.inside import inside_of
from retick.rollback.session.messages.kinds import NO_INPUTS
from retick.rollback.session.session import RollbackSession
from retick.transport import Conditions, Impaired, MemoryHub
from retick.wire import rbn1

FRAME = 1 / 60


class Wire:
    """What MatchDriver needs of a Poll, over a hub and a clock that the test moves."""

    def __init__(self, world: "World", endpoint: Any) -> None:
        self.world = world
        self.endpoint = endpoint
        self.closed = False

    def clock(self) -> float:
        return self.world.now

    def poll(self, now: float) -> list[Any]:
        self.world.hub.exchange(now=now)
        events: list[Any] = self.endpoint.events()
        return events

    def flush(self, now: float) -> None:
        self.world.hub.exchange(now=now)

    def close(self) -> None:
        self.closed = True


class World:
    """Host and joiner."""

    def __init__(
        self, *, frames: int = 120, lan: bool = False, joiner_game: Any = None, latency: float = 0.0, record: Any = None
    ) -> None:
        self.now = 1.0
        self.latency = latency
        self.hub = MemoryHub()
        self.sides = [self._side(lan, place, frames, joiner_game, record) for place in (0, 1)]

    def _side(self, lan: bool, place: int, frames: int, joiner_game: Any, record: Any) -> MatchDriver:
        game = (place and joiner_game) or Fighter()
        address = "host" if place else None
        recording = None if record is None else record(place)
        followed = FollowedMatch(lambda seed, state, frame: ConfirmedFight(seed, frames=frames), recording)
        if lan:
            session: Any = LanSession(game, host_address=address, record=followed)
        else:
            entropy = Random(place).randbytes
            session = RollbackSession(game, entropy=entropy, host_address=address, record=followed)
        end = Impaired(session, outgoing=Conditions(latency=self.latency)) if self.latency else session
        self.hub.attach("joiner" if place else "host", end)
        return MatchDriver(
            session,
            Wire(self, end),  # type: ignore[arg-type]  # has all of Poll that a MatchDriver uses
            controller=lambda seed, player: BotController(seed, player, StyleName.RUSHER),
            followed=followed,
        )

    def run(self, seconds: float, until: Callable[[], bool] = lambda: False) -> None:
        for _ in range(round(seconds / FRAME)):
            if until():
                return
            self.now += FRAME
            for driver in self.sides:
                driver.turn()

    def finished(self) -> bool:
        return all(driver.over for driver in self.sides)


class Cheating(Fighter):
    """Plays by other rules than it says: from a frame on, player 1 gains a point of health."""

    def step(self, state: Any, inputs: Any, /) -> Any:
        after = super().step(state, inputs)
        return after.replace(p1=after.p1.replace(hp=after.p1.hp + 1)) if state.frame == 40 else after


def test_both_peers_end_at_the_same_frame_with_the_same_checksum() -> None:
    world = World()
    world.run(10, world.finished)
    host, joiner = world.sides
    assert host.agreed
    assert joiner.agreed
    assert host.result == joiner.result
    assert host.result is not None
    assert host.result.frame == 120
    assert (host.players, joiner.players) == ((0,), (1,))
    assert host.why == joiner.why == ""


def test_the_checksum_of_the_end_is_that_of_the_inputs_run_again() -> None:
    world = World()
    world.run(10, world.finished)
    confirmed, result = world.sides[1].confirmed, world.sides[1].result
    assert confirmed is not None
    assert result is not None
    verdict = replay.verify(confirmed.replay(), Fighter(), expected_checksum=result.checksum)
    assert verdict.ok
    assert verdict.frames == 120


def test_a_game_that_cheats_ends_the_match_with_the_same_report_on_both_peers() -> None:
    world = World(joiner_game=Cheating(), frames=600)
    world.run(12, world.finished)
    assert world.finished()
    assert world.sides[0].desync_report == world.sides[1].desync_report
    assert "p1.hp: 100 at peer 0, 101 at peer 1" in world.sides[0].desync_report
    assert all("the peers diverge at frame 41" in driver.why for driver in world.sides)
    assert not any(driver.agreed or driver.result for driver in world.sides)


def test_a_desync_that_nobody_helps_to_explain_still_ends_the_match_in_words() -> None:
    world = World(joiner_game=Cheating(), frames=6000)
    world.run(5, lambda: any(driver.desync for driver in world.sides))
    finder = next(driver for driver in world.sides if driver.desync)
    world.hub.detach("joiner" if finder is world.sides[0] else "host")
    world.sides = [finder]
    world.run(12, world.finished)
    assert finder.over
    assert finder.why


def test_a_false_alarm_does_not_end_the_match() -> None:
    world = World(frames=900)
    world.run(2)
    host = world.sides[0]
    match = inside_of(host.session).match
    assert match is not None
    # A packet as the joiner sends them, with a checksum that is not true for a frame that is not yet compared.
    frame = match.engine.final_state_frame // 16 * 16 + 16
    known = match.engine.first_missing(1) - 1
    inputs = tuple(match.engine.inputs_of(1, known, known + 1))
    assert match.receive(match.exchanges[0], rbn1.encode(rbn1.InputPacket(known, 0, inputs, frame, 1)), world.now)
    world.run(2)
    world.run(30, world.finished)
    assert match.alarm.state is AlarmState.FALSE
    assert all(driver.agreed and not driver.why and not driver.desync_report for driver in world.sides)
    assert host.notice == ""


def test_a_claim_of_another_end_is_not_agreement() -> None:
    world = World()
    world.run(10, world.finished)
    driver = world.sides[0]
    assert driver.result is not None
    driver.received_results[1] = Result(driver.result.frame, driver.result.checksum ^ 1)
    assert not driver.agreed
    driver.received_results.clear()
    assert not driver.agreed


def test_a_peer_that_leaves_is_noticed_at_once() -> None:
    world = World(frames=600)
    world.run(2)
    world.sides[1].leave(clock=lambda: world.now, linger=0.0)
    world.run(1)
    assert world.sides[0].over
    assert world.sides[0].reason == Reason.GOODBYE
    assert not world.sides[0].agreed


def test_on_a_slow_link_a_peer_stays_until_its_result_has_arrived() -> None:
    world = World(frames=30, latency=1.0)
    host, joiner = world.sides
    send = host.session.send_message  # type: ignore[union-attr]  # not the LAN's session

    def send_in_vain(data: bytes) -> bool:
        host.wire.endpoint.outgoing.cut_until = world.now + 1.0  # type: ignore[attr-defined]  # it is an Impaired
        return send(data)

    host.session.send_message = send_in_vain  # type: ignore[union-attr, method-assign]  # the first copy is lost
    world.run(60, lambda: host.over)
    assert not joiner.received_results

    def wait(longest: float = 0.0) -> None:
        world.now += FRAME
        joiner.turn()

    host.wait = wait  # type: ignore[method-assign]  # time is the test's
    host.leave(clock=lambda: world.now)
    world.hub.detach("host")
    world.run(20, lambda: joiner.over)
    assert joiner.agreed
    assert joiner.reason in (0, Reason.GOODBYE)


def test_a_peer_that_vanishes_is_dropped_after_a_while_and_shown_meanwhile() -> None:
    world = World(frames=6000)
    world.run(2)
    world.hub.detach("joiner")
    world.sides.pop()
    world.run(3)
    assert world.sides[0].notice
    assert not world.sides[0].over
    world.run(10)
    assert world.sides[0].over
    assert world.sides[0].reason == Reason.TIMEOUT


def test_a_host_waits_on_when_somebody_leaves_before_the_match() -> None:
    world = World()
    world.hub.detach("joiner")
    world.sides.pop()
    world.run(20)
    assert not world.sides[0].over


def test_a_host_does_not_wait_for_ever_for_one_that_is_there_and_plays_nothing() -> None:
    world = World()
    world.sides.pop()
    world.run(20)
    assert world.sides[0].over
    assert world.sides[0].reason == NO_INPUTS


def test_a_lan_match_ends_when_the_other_has_all_inputs() -> None:
    world = World(lan=True)
    world.run(10, world.finished)
    assert world.sides[0].result is not None
    assert world.sides[0].result == world.sides[1].result
    assert all(not driver.received_results for driver in world.sides)


def test_a_lan_joiner_gives_up_without_an_answer_and_a_lan_host_when_the_joiner_vanishes() -> None:
    alone = World(lan=True)
    alone.hub.detach("host")
    del alone.sides[0]
    alone.run(LAN_SILENCE + 1)
    assert alone.sides[0].reason == Reason.NO_ANSWER
    left = World(lan=True, frames=6000)
    left.run(2)
    left.hub.detach("joiner")
    left.sides.pop()
    left.run(LAN_SILENCE + 1)
    assert left.sides[0].reason == Reason.TIMEOUT


def test_a_recording_holds_every_final_frame_whatever_ended_the_match(tmp_path: Path) -> None:
    file = tmp_path / "match.rtk"
    world = World(frames=6000, record=lambda place: LiveRecording(file.with_suffix(f".{place}")))
    world.run(3)
    for driver in world.sides:
        driver.save_recording()
    first, second = (replay.load(file.with_suffix(f".{seat}")) for seat in (0, 1))
    shorter = min(len(first.frames), len(second.frames))
    assert shorter > 4 * 100
    assert first.frames[:shorter] == second.frames[:shorter]
    assert replay.verify(first, Fighter()).compared >= 2


def test_a_report_survives_the_way_through_a_pipe() -> None:
    world = World()
    world.run(1)
    report = world.sides[0].report()
    assert NetworkReport.loads(report.dumps()) == report
    assert report.fighter_state() == world.sides[0].session.state


def test_a_report_calls_no_frame_confirmed_that_was_not_run_yet() -> None:
    world = World()
    ahead = 0
    for _ in range(60):
        world.run(FRAME)
        for driver in world.sides:
            if driver.confirmed is not None:
                report = driver.report()
                assert report.confirmed < report.frame
                ahead += driver.session.stats(now=world.now).confirmed_frame >= report.frame
    assert ahead
