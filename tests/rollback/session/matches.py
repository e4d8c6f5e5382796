"""What the session tests share: bots that press, meshes that fight, and packets by hand."""

from collections.abc import Callable
from typing import Any

from retick.games.fighter import Fighter
from retick.games.fighter.bots import STYLES, Bot
from retick.rollback.match.config import MatchConfig
from retick.rollback.match.match import Match
from retick.rollback.match.peer import MatchPeer
from retick.testing.mesh import Mesh, Press
from retick.transport.conditions import Conditions
from retick.wire import rbn1
from tests.toys import Tally

EXTENSIONS = rbn1.TIME_SYNC | rbn1.WIDE_INPUTS


def fighting(seed: int = 1) -> Press:
    """Both seats of the fighter, played by bots."""
    bots = [Bot.seeded(seed, player, STYLES[(seed + player) % len(STYLES)]) for player in (0, 1)]

    def press(player: int, state: Any) -> int:
        buttons, bots[player] = bots[player].decide(state)
        return buttons

    return press


def fighting_mesh(conditions: Conditions | None = None, *, seed: int = 1, config: MatchConfig | None = None) -> Mesh:
    """Two machines that have started a match of the fighter."""
    mesh = Mesh(Fighter, seed=seed, conditions=conditions, config=config, press=fighting(seed))
    mesh.start()
    return mesh


def tally_press(player: int, state: Any) -> int:
    """Something new every few frames, so that guesses are often wrong."""
    return (state.frame // 3 * 7 + player * 13) % 251


def lone_match(game: Callable[[], Any] = Tally, *, config: MatchConfig | None = None, extensions: int = 0) -> Match:
    """A match of one machine, seat 0, with another that the test plays by hand under the key "them"."""
    match = Match(game(), seed=1, local_players=(0,), config=config or MatchConfig(input_delay=0))
    match.add_peer(MatchPeer("them", (1,)), extensions=extensions)
    return match


def packet(start: int, inputs: tuple[int, ...], *, ack: int = 0, checksum: tuple[int, int] | None = None) -> bytes:
    frame, value = checksum or (None, None)
    return rbn1.encode(rbn1.InputPacket(start, ack, inputs, frame, value))
