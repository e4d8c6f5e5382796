"""What a player saw counts on the server: a real server, real clients, and runners that are drawn in the past."""

from collections.abc import Sequence
from typing import Annotated, Any

import pytest

from retick.authority.client import WorldClient, WorldClientConfig, play
from retick.authority.server import WorldServerConfig
from retick.sim import F64, I8, U16, U32, Command, Most, Player, Range, ServerOnly, Thing, World
from retick.sim.contract import CueCancelled, CueConfirmed
from tests.authority.meeting import Meeting

BODY = 24.0
RUN = 5.0
X = Annotated[F64, Range(0, 1023, step=1 / 16)]


class Wish(Command):
    right: Annotated[I8, Range(-1, 1)] = 0
    fire: bool = False
    at_ball: bool = False
    aim: Annotated[U16, Range(0, 1023)] = 0


class Runner(Thing):
    """Others are drawn in the past, oneself in the present."""

    predicted = False
    player: Player
    x: X


class Ball(Thing):
    """Everybody knows where it goes, and sees it in the present."""

    x: X
    way: I8 = 1


class Clock(Thing):
    predicted = False
    ticks: U32 = 0


class Tally(Thing):
    """What the server found, of one player's shots."""

    player: Player
    shots: U32 = 0
    seen: U32 = 0
    now: U32 = 0
    ball_seen: U32 = 0
    own: U32 = 0
    farthest: U32 = 0


class Gallery(World):
    num_players = 2
    game_id, game_version = "test.gallery", 1
    command = Wish
    runners: Annotated[list[Runner], Most(2)]
    balls: Annotated[list[Ball], Most(1)]
    clock: Clock
    tallies: Annotated[list[Tally], ServerOnly, Most(2)]

    def start(self, seed: int) -> None:
        self.balls.append(Ball(x=500.0))

    def join(self, player: int) -> None:
        self.runners.append(Runner(player=player, x=500.0))
        self.tallies.append(Tally(player=player))

    def advance(self, inputs: Sequence[Wish]) -> None:
        for runner in self.runners:
            if inputs[runner.player].fire:
                self.judge(runner.player, inputs[runner.player])
        for runner in self.runners:
            runner.x = min(max(runner.x + RUN * inputs[runner.player].right, 0.0), 1000.0)
        for ball in self.balls:
            ball.way = -1 if ball.x > 900 else 1 if ball.x < 100 else ball.way
            ball.x += RUN * ball.way
        self.clock.ticks += 1

    def judge(self, player: int, wish: Wish) -> None:
        seen = self.seen_by(player)
        if not wish.at_ball and hit(others(seen, player), wish.aim):
            self.cue("hit", player)
        for tally in self.tallies:  # only the server has them
            if tally.player == player:
                self.count(tally, seen, wish)

    def count(self, tally: Tally, seen: "Gallery", wish: Wish) -> None:
        tally.farthest = max(tally.farthest, self.clock.ticks - seen.clock.ticks)
        if wish.at_ball:
            tally.ball_seen += hit(seen.balls, wish.aim)
            return
        tally.shots += 1
        tally.seen += hit(others(seen, tally.player), wish.aim)
        tally.now += hit(others(self, tally.player), wish.aim)
        mine = [[each.x for each in world.runners if each.player == tally.player] for world in (self, seen)]
        tally.own += mine[0] == mine[1]


def others(world: Gallery, player: int) -> list[Runner]:
    return [runner for runner in world.runners if runner.player != player]


def hit(things: Sequence[Any], aim: int) -> bool:
    return any(abs(thing.x - aim) <= BODY / 2 for thing in things)


def runs(client: WorldClient) -> Wish:
    """To and fro, for so long that nobody can say where it is now."""
    return Wish(right=1 if client.frame // 50 % 2 else -1)


def shoots(client: WorldClient) -> Wish:
    """At what it sees, in the middle of a way; and at the ball."""
    seat, world = client.local_players[0], client.world
    wish = Wish(right=1 if client.frame // 30 % 2 else -1)
    if client.frame % 7 == 0:
        targets = [runner.x for runner in world.runners if runner.player != seat]
        return Wish(right=wish.right, fire=bool(targets), aim=round(targets[0]) if targets else 0)
    if client.frame % 7 == 3 and world.balls:
        return Wish(right=wish.right, fire=True, at_ball=True, aim=round(world.balls[0].x))
    return wish


def tally_of(meeting: Meeting, client: WorldClient) -> Tally:
    found: Tally = next(each for each in meeting.room.world.tallies if each.player == client.local_players[0])
    return found


@pytest.mark.long
@pytest.mark.parametrize(("latency", "loss"), [(0.02, 0.0), (0.06, 0.05)])
def test_a_hit_that_the_player_saw_counts_with_seen_by_and_not_without(latency: float, loss: float) -> None:
    meeting = Meeting(Gallery, seed=2, latency=latency, loss=loss)
    meeting.join("target", runs)
    early: dict[int, bool] = {}

    def look(_client: WorldClient) -> None:
        for cue in shooter.cues:
            early.setdefault(cue.frame, cue.frame > meeting.room.tick)

    shooter = meeting.join("shooter", shoots, look)
    meeting.run(2.0)
    tally = tally_of(meeting, shooter.client)
    before = tally.shots, tally.seen, tally.now, tally.ball_seen, tally.own
    meeting.run(15.0)
    shots, seen, now, ball_seen, own = (
        after - was for after, was in zip(
            (tally.shots, tally.seen, tally.now, tally.ball_seen, tally.own), before, strict=True
        )
    )  # fmt: skip
    assert shots > 100
    assert seen >= 0.97 * shots
    assert now <= 0.15 * shots
    # The ball is drawn in the present, and so are one's own things: nothing of that is put back.
    assert ball_seen >= 0.97 * shots
    assert own == shots
    # And the client knows at once what it has hit.
    cues = [cue for cue in shooter.cues if cue.frame > 120]
    hits = [cue.frame for cue in cues if isinstance(cue, CueConfirmed) and cue.cue[0] == "hit"]
    assert len(hits) >= 0.9 * shots
    assert [cue for cue in cues if isinstance(cue, CueCancelled)] == []
    assert sum(early[frame] for frame in hits) >= 0.97 * len(hits)


@pytest.mark.parametrize(("latency", "least", "most"), [(0.02, 10, 26), (0.15, 25, 42)])
def test_a_client_that_claims_to_see_the_far_past_gets_no_more_than_the_link_allows(
    latency: float, least: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = play.encode_input
    monkeypatch.setattr(play, "encode_input", lambda frame, bits: real(frame._replace(viewed=16 * 300), bits))
    meeting = Meeting(Gallery, seed=2, latency=latency, config=WorldServerConfig(most_rewind=5.0))
    liar = meeting.join("liar", shoots)
    meeting.join("target", runs)
    meeting.run(8.0)
    found = tally_of(meeting, liar.client).farthest
    # Round trip, 0.15 s of drawing, the lead of the inputs, and 3 ticks.
    assert least <= found <= most


def test_nobody_sees_further_back_than_the_server_says() -> None:
    meeting = Meeting(Gallery, seed=2, latency=0.06, config=WorldServerConfig(most_rewind=0.1))
    meeting.join("target", runs)
    shooter = meeting.join("shooter", shoots)
    meeting.run(6.0)
    tally = tally_of(meeting, shooter.client)
    assert tally.farthest == 5  # six states are kept, and the newest is the present
    assert tally.seen < 0.5 * tally.shots


def test_who_says_that_it_sees_the_present_is_believed() -> None:
    meeting = Meeting(Gallery, seed=2, latency=0.06)
    meeting.join("target", runs)
    shooter = meeting.join("shooter", shoots, config=WorldClientConfig(views_past=False))
    meeting.run(6.0)
    assert tally_of(meeting, shooter.client).farthest == 0
