"""Hours of virtual play at normal settings, with machines that come and go: longer than any history, ring or table.

Machines leave with a goodbye or crash, stay away for a while and come back, each for itself, as long as two are left;
half of them with the tokens of their seats, some before the others have noticed. Applications pause now and then.
What each of them recorded is kept when it goes. In the end all records must be parts of one match, and a run of the
game without a network over these inputs must give the same checksums.
"""

from dataclasses import dataclass
from random import Random

from retick.link.request import NO_SEAT_TOKEN
from retick.rollback.match.config import MatchConfig
from retick.rollback.session.inside import inside_of
from retick.testing.mesh import Mesh, MeshHung, MeshPeer
from retick.transport.conditions import Conditions
from tests.checkers.arenas import arena_for
from tests.checkers.chaos import ChaosFailure, pressed_by_bots

__all__ = ["LongPlay", "play_long"]

LINK = Conditions(latency=0.03, jitter=0.005, loss=0.02)
LONGEST_STAY = 240.0
"""Seconds for which a machine plays at most before it goes, if enough others are there."""
LONGEST_AWAY = 150.0
"""Seconds for which it is away at most: two departures may lie further apart than inputs are remembered."""
MOST_HOLDS = 100
"""Pauses by applications: a match can be paused 256 times."""
RETURN_SECONDS = 60.0
"""Seconds after which a machine that asks for its seat must have one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LongPlay:
    """What happened."""

    frames: int
    """Frames of the match, all of them compared."""
    goodbyes: int
    """Departures with a goodbye."""
    crashes: int
    """Departures without one."""
    checksum: int
    """Of the last state."""


class _Ledger:
    """What all machines recorded, as one match."""

    def __init__(self) -> None:
        self.rows: dict[int, tuple[int, ...]] = {}
        self.checksums: dict[int, int] = {}

    def keep(self, peer: MeshPeer) -> None:
        """Add a machine's record; ChaosFailure where it contradicts the others."""
        for frame, row in peer.rows.items():
            if self.rows.setdefault(frame, row) != row:
                raise ChaosFailure(f"inputs of frame {frame}: {row} at {peer.name}, {self.rows[frame]} elsewhere")
        for frame, checksum in peer.checksums.items():
            if self.checksums.setdefault(frame, checksum) != checksum:
                raise ChaosFailure(f"the state before frame {frame} differs at {peer.name}")


class _Hours:
    """One long match."""

    def __init__(self, seed: int, players: int, config: MatchConfig) -> None:
        self.dice = Random(f"long play {seed}")
        self.arena = arena_for(players)
        press = pressed_by_bots(self.arena, seed)
        self.mesh = Mesh(self.arena.game, seed=seed, conditions=LINK, config=config, press=press)
        self.ledger = _Ledger()
        self.goodbyes = self.crashes = self.holds = 0
        self.seed_of_match = 0
        self.end = 0.0

    def play(self, seconds: float) -> LongPlay:
        mesh = self.mesh
        mesh.start()
        self.seed_of_match = inside_of(mesh.alive[0].session).match.seed
        self.end = mesh.network.now + seconds
        for name in mesh.peers:
            self._stay(name)
        self._hold(next(iter(mesh.peers)))
        mesh.run(seconds)
        mesh.run_until(self._all_play, limit=LONGEST_AWAY + RETURN_SECONDS, what="everybody is back")
        mesh.run(3.0)
        for peer in mesh.alive:
            self.ledger.keep(peer)
        return self._compare()

    def _all_play(self) -> bool:
        return all(peer.alive and peer.playing for peer in self.mesh.peers.values())

    def _stay(self, name: str) -> None:
        """A machine plays for a while, and then goes."""
        self.mesh.at(self.dice.uniform(5.0, LONGEST_STAY), lambda: self._go(name))

    def _go(self, name: str) -> None:
        mesh, peer = self.mesh, self.mesh[name]
        playing = sum(other.playing for other in mesh.alive)
        if mesh.network.now >= self.end:
            return
        if playing < 3 or not peer.playing:
            # Somebody must keep the match: it stays for another while.
            self._stay(name)
            return
        self.ledger.keep(peer)
        token = peer.session.seat_token if self.dice.random() < 0.5 else NO_SEAT_TOKEN
        if self.dice.random() < 0.5:
            self.goodbyes += 1
            peer.session.close("until later")
            mesh.at(1.0, lambda: mesh.crash(name))
        else:
            self.crashes += 1
            mesh.crash(name)
        longest = mesh.config.disconnect_after if self.dice.random() < 0.3 else LONGEST_AWAY
        mesh.at(self.dice.uniform(2.0, longest), lambda: self._come_back(name, token))

    def _hold(self, name: str) -> None:
        """An application pauses the match for a moment."""
        peer = self.mesh[name]
        if peer.alive and peer.playing:
            self.holds += 1
            peer.session.pause()
            self.mesh.at(self.dice.uniform(0.1, 2.0), peer.session.resume)
        if self.holds < MOST_HOLDS:
            self.mesh.at(self.dice.uniform(5.0, LONGEST_STAY), lambda: self._hold(name))

    def _come_back(self, name: str, token: bytes) -> None:
        asked = self.mesh.network.now
        self.mesh.restart(name, seat_token=token)
        self._look_whether_back(name, asked)

    def _look_whether_back(self, name: str, asked: float) -> None:
        if self.mesh[name].playing:
            self._stay(name)
        elif self.mesh.network.now > asked + RETURN_SECONDS:
            raise ChaosFailure(f"{name} does not get back in; {self.mesh.describe()}")
        else:
            self.mesh.at(1.0, lambda: self._look_whether_back(name, asked))

    def _compare(self) -> LongPlay:
        """Run the game over what was recorded, without a network."""
        rows, checksums = self.ledger.rows, self.ledger.checksums
        sim = self.arena.game()
        state = sim.initial_state(self.seed_of_match)
        for frame in range(len(rows)):
            if frame not in rows:
                raise ChaosFailure(f"nobody has recorded frame {frame}")
            if sim.checksum(state) != checksums.get(frame, sim.checksum(state)):
                raise ChaosFailure(f"the state before frame {frame} differs from a run without a network")
            state = sim.step(state, rows[frame])
        return LongPlay(frames=len(rows), goodbyes=self.goodbyes, crashes=self.crashes, checksum=sim.checksum(state))


def play_long(seconds: float, *, seed: int = 1, players: int = 4, config: MatchConfig | None = None) -> LongPlay:
    """Play so many virtual seconds; ChaosFailure if machines come apart or do not get back in."""
    try:
        return _Hours(seed, players, config or MatchConfig()).play(seconds)
    except MeshHung as error:
        raise ChaosFailure(str(error)) from error
