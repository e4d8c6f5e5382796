"""What the session tests share: bots that press, meshes that play, and packets by hand."""

from collections.abc import Callable
from random import Random
from typing import Any

from retick.games.fighter import Fighter
from retick.games.fighter.bots import STYLES, Bot
from retick.rollback.events import DesyncDetected
from retick.rollback.match.config import MatchConfig
from retick.rollback.match.match import Match
from retick.rollback.match.peer import MatchPeer
from retick.rollback.session.inside import inside_of
from retick.rollback.session.peer import Peer
from retick.testing.mesh import Mesh, Press
from retick.transport.conditions import Conditions
from retick.wire import rbn1
from tests.toys import Tally

EXTENSIONS = rbn1.TIME_SYNC | rbn1.WIDE_INPUTS
LINK = Conditions(latency=0.05, jitter=0.005)
LOSSY = Conditions(latency=0.05, jitter=0.005, loss=0.02)
STAY = MatchConfig(end_when_alone=False, disconnect_after=3.0)
"""A match goes on when everyone else is lost, which is found out after three seconds."""


def fighting(seed: int = 1) -> Press:
    """Both seats of the fighter, played by bots."""
    bots = [Bot.seeded(seed, player, STYLES[(seed + player) % len(STYLES)]) for player in (0, 1)]

    def press(player: int, state: Any) -> int:
        buttons, bots[player] = bots[player].decide(state)
        return buttons

    return press


def fighting_mesh(conditions: Conditions | None = None, *, seed: int = 1, config: MatchConfig | None = None) -> Mesh:
    """Two peers that have started a match of the fighter."""
    mesh = Mesh(Fighter, seed=seed, conditions=conditions, config=config, press=fighting(seed))
    mesh.start()
    return mesh


def tally_press(player: int, state: Any) -> int:
    """Something new every few frames, so that guesses are often wrong."""
    return (state.frame // 3 * 7 + player * 13) % 251


def lone_match(game: Callable[[], Any] = Tally, *, config: MatchConfig | None = None, extensions: int = 0) -> Match:
    """A match of one peer, seat 0, with another, "them", that the test plays by hand."""
    match = Match(game(), seed=1, local_players=(0,), config=config or MatchConfig(input_delay=0))
    match.add_peer(MatchPeer("them", (1,)), extensions=extensions)
    return match


def packet(start: int, inputs: tuple[int, ...], *, ack: int = 0, checksum: tuple[int, int] | None = None) -> bytes:
    frame, value = checksum or (None, None)
    return rbn1.encode(rbn1.InputPacket(start, ack, inputs, frame, value))


def presses(seed: int) -> Press:
    """Every seat presses something or nothing, by dice."""
    dice = Random(seed)
    return lambda player, state: dice.choice((0, 1, 2, 8, 9)) if dice.random() < 0.5 else player


def started_mesh(players: int, *, seed: int = 1, conditions: Conditions = LOSSY, config: MatchConfig = STAY) -> Mesh:
    """Peers of a tally that has begun."""
    mesh = Mesh(lambda: Tally(players), seed=seed, conditions=conditions, config=config, press=presses(seed))
    mesh.start()
    return mesh


def playing_mesh(players: int, *, seed: int = 1, conditions: Conditions = LINK, game: Any = None) -> Mesh:
    """Peers of a tally, or another game, that have played for a second."""
    dice = Random(seed)
    mesh = Mesh(
        game or (lambda: Tally(players)),
        seed=seed,
        conditions=conditions,
        config=STAY,
        press=lambda player, state: dice.choice((0, 1, 2, 9)),
    )
    mesh.start()
    mesh.play(60)
    return mesh


def leave(mesh: Mesh, name: str) -> None:
    """Lose a peer, and wait until the others have dropped it."""
    mesh.crash(name)
    mesh.run(5.0)


def with_a_free_seat(players: int, *, game: Any = None) -> Mesh:
    """As playing_mesh, but the last peer was lost and dropped."""
    mesh = playing_mesh(players, game=game)
    leave(mesh, f"peer{players - 1}")
    return mesh


def towards(mesh: Mesh, sender: str, receiver: str) -> Peer:
    """The receiver as the sender knows it."""
    found: Peer = inside_of(mesh[sender].session).peers[mesh[receiver].session.peer_id]
    return found


def assert_all_play(mesh: Mesh, number: int) -> None:
    """Everyone who is there plays the match of this number, and goes on in it as one."""
    assert {peer.name: inside_of(peer.session).match.number for peer in mesh.alive} == {
        peer.name: number for peer in mesh.alive
    }
    mesh.play(max(peer.final_frame for peer in mesh.alive) + 120, limit=6.0)
    mesh.verify()
    assert len({peer.session.gone for peer in mesh.alive}) == 1


def assert_nobody_saw_a_desync(mesh: Mesh) -> None:
    for peer in mesh.peers.values():
        assert peer.events_of(DesyncDetected) == []
