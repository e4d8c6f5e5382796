"""Agreement on machines that are lost: from which frame on their players are simulated on neutral input.

Theory of operation. Machines that lose another one may have received different inputs from it. Each survivor stops
listening to the lost machine and tells all others who is lost, up to which frame it knows the lost players' inputs,
and the newest of these inputs. What one of them knows all of them learn, so the agreed frame is the first that
nobody knows. A survivor decides once every other survivor has named the same set of lost machines. If another
machine is lost meanwhile, the set grows and all speak again; a frame that somebody has decided already comes out the
same, because nobody's knowledge of a lost machine grows by anything but these messages.
"""

from collections.abc import Iterable

from retick.errors import RetickError
from retick.rollback.engine import RollbackEngine
from retick.rollback.membership import KNOWN_INPUTS, Drop, Known

__all__ = ["Departures"]


class Departures:
    """Who is lost, what each survivor said of it, and what was decided."""

    def __init__(self) -> None:
        self.lost: dict[int, tuple[int, ...]] = {}
        """Lost machines and the players they had."""
        self.decided: dict[int, int] = {}
        """Lost players and the first frame on neutral input."""
        self.refused = 0
        """Inputs of lost players, told by others, that contradict what is known here."""
        self._heard: dict[int, Drop] = {}

    def lose(self, machine: int, players: tuple[int, ...]) -> bool:
        """Note a lost machine; False if it was known to be lost."""
        if machine in self.lost:
            return False
        self.lost[machine] = players
        self._heard.pop(machine, None)
        return True

    @property
    def undecided(self) -> bool:
        """Whether some lost player's last frame is not agreed yet."""
        return any(player not in self.decided for players in self.lost.values() for player in players)

    def view(self, engine: RollbackEngine, commits: Iterable[tuple[int, int, int]]) -> Drop:
        """What to tell the others now."""
        players = [player for players in self.lost.values() for player in players]
        known = tuple(self._known(engine, player) for player in players)
        return Drop(frozenset(self.lost), known, tuple(commits))

    def _known(self, engine: RollbackEngine, player: int) -> Known:
        missing = self.decided.get(player, engine.first_missing(player))
        first = max(missing - KNOWN_INPUTS, engine.start_frame)
        return Known(player, missing, tuple(engine.inputs_of(player, first, missing)))

    def hear(self, machine: int, drop: Drop, engine: RollbackEngine) -> None:
        """Take in what a survivor says: its knowledge becomes ours."""
        self._heard[machine] = drop
        lost_players = {player for players in self.lost.values() for player in players}
        for player, missing, inputs in drop.known:
            if player in lost_players and player not in self.decided:
                try:
                    engine.add_remote_inputs(player, missing - len(inputs), inputs)
                except RetickError:
                    self.refused += 1

    def decide(self, survivors: Iterable[int], engine: RollbackEngine) -> dict[int, int]:
        """The players that can be dropped now, each with its frame; nothing until all survivors agree who is lost."""
        heard = [self._heard.get(machine) for machine in survivors]
        lost = frozenset(self.lost)
        if any(drop is None or drop.lost != lost for drop in heard):
            return {}
        frames: dict[int, int] = {}
        for players in self.lost.values():
            for player in players:
                if player not in self.decided:
                    told = [known.missing for drop in heard if drop for known in drop.known if known.player == player]
                    frames[player] = max([engine.first_missing(player), *told])
        self.decided |= frames
        return frames

    def forget_player(self, player: int) -> None:
        """A seat is taken again."""
        self.decided.pop(player, None)
        self.lost = {
            machine: tuple(other for other in players if other != player) for machine, players in self.lost.items()
        }
