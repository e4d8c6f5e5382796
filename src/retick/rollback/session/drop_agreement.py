"""Agreement on lost peers: from which frame on their players are simulated on neutral input.

Theory of operation. Peers that lose another one may have received different inputs from it. Each survivor stops
listening to the lost peer and tells all others who is lost, up to which frame it knows the lost players' inputs, and
the newest of these inputs. What one of them knows all of them learn, so the agreed frame is the first that nobody
knows. A survivor decides once every other survivor has named the same set of lost peers. If another peer is lost
meanwhile, the set grows and all send again; a frame that somebody has decided already comes out the same, because
knowledge of a lost peer grows only by these messages.
"""

from collections.abc import Iterable
from contextlib import suppress

from retick.errors import InputConflict
from retick.rollback.engine.engine import RollbackEngine
from retick.rollback.session.messages.drop import KNOWN_INPUTS, Drop, Known

__all__ = ["DropAgreement"]


class DropAgreement:
    """Who is lost, the DROP message of each survivor, and what was decided. Sends nothing: ``drops`` does."""

    def __init__(self) -> None:
        self.lost: dict[int, tuple[int, ...]] = {}
        """Lost peers and the players they had."""
        self.decided: dict[int, int] = {}
        """Dropped players and the first frame on neutral input."""
        self.refused = 0
        """Inputs of lost players, sent by other survivors, that contradict what is known here."""
        self.ahead: dict[int, Drop] = {}
        """DROP messages of peers that play the next match already; we still wait for a message to begin it."""
        self._received: dict[int, Drop] = {}
        self._sent: dict[int, int] = {}
        """Lost players, and the first missing frame of each that we sent to the others."""

    def add_lost(self, peer_id: int, players: tuple[int, ...]) -> bool:
        """Note a lost peer; False if it was known to be lost."""
        if peer_id in self.lost:
            return False
        self.lost[peer_id] = players
        self._received.pop(peer_id, None)
        return True

    @property
    def lost_players(self) -> set[int]:
        """The players of lost peers, dropped or not."""
        return {player for players in self.lost.values() for player in players}

    @property
    def undecided(self) -> bool:
        """Whether some lost player's last frame is not agreed yet."""
        return bool(self._undecided())

    def carried_over(self) -> dict[int, tuple[int, ...]]:
        """Peers whose drop is not agreed yet, with their players; not those that were dropped before the next match."""
        before = {peer_id for drop in self.ahead.values() for peer_id in drop.before}
        return {
            peer_id: players
            for peer_id, players in self.lost.items()
            if peer_id not in before and any(player not in self.decided for player in players)
        }

    def view(self, engine: RollbackEngine, commits: Iterable[tuple[int, int, int]], match: int) -> Drop:
        """The DROP message to send to the others now."""
        players = [player for players in self.lost.values() for player in players]
        known = tuple(self._known(engine, player) for player in players)
        self._sent = {each.player: each.missing for each in known}
        before = frozenset(peer_id for peer_id, players in self.lost.items() if not players)
        return Drop(frozenset(self.lost), known, tuple(commits), match, before)

    def _known(self, engine: RollbackEngine, player: int) -> Known:
        missing = self.decided.get(player)
        if missing is None:
            missing = min(engine.first_missing(player), _furthest_sent(engine))
        first = max(missing - KNOWN_INPUTS, engine.start_frame)
        return Known(player, missing, tuple(engine.inputs_of(player, first, missing)))

    def receive(self, peer_id: int, drop: Drop, engine: RollbackEngine) -> None:
        """A survivor's DROP message: add the inputs that it knows to ours."""
        lost_players = self.lost_players
        for player, missing, inputs in drop.known:
            if player in lost_players and player not in self.decided:
                self._learn(engine, player, missing - len(inputs), inputs)
        self._received[peer_id] = drop

    def _learn(self, engine: RollbackEngine, player: int, first: int, inputs: tuple[int, ...]) -> None:
        try:
            engine.add_remote_inputs(player, first, inputs)
        except InputConflict:
            # The lost peer sent us other inputs. What we have stands, also behind a gap that it left; what we have not
            # is the same for all. The sender of this DROP is not to blame.
            self.refused += 1
            for frame, value in enumerate(inputs, first):
                with suppress(InputConflict):
                    engine.add_remote_inputs(player, frame, (value,))

    def unproved(self, survivors: Iterable[int], engine: RollbackEngine, match: int) -> list[int]:
        """Once all survivors have sent theirs: those that claim to know inputs that nobody has shown."""
        return [
            peer_id
            for peer_id, drop in self._all_received(survivors, match).items()
            for known in drop.known
            if known.player in self._undecided() and known.missing > engine.first_missing(known.player)
        ]

    def decide(self, survivors: Iterable[int], engine: RollbackEngine, match: int) -> dict[int, int]:
        """The players that can be dropped now, each with its frame; nothing until all survivors agree who is lost."""
        survivors = list(survivors)
        received = self._all_received(survivors, match)
        if len(received) < len(survivors):
            return {}
        # What one peer knows all have received. Inputs that a lost peer sent to one of us alone, behind a gap that the
        # others have filled, were sent to nobody: they must not be used.
        known = [
            *self._sent.items(),
            *((each.player, each.missing) for drop in received.values() for each in drop.known),
        ]
        frames = {
            player: max((missing for one, missing in known if one == player), default=engine.first_missing(player))
            for player in self._undecided()
        }
        self.decided |= frames
        return frames

    def _all_received(self, survivors: Iterable[int], match: int) -> dict[int, Drop]:
        """The message of each survivor; empty until all have named the same peers."""
        received = {peer_id: self._received.get(peer_id) for peer_id in survivors}
        lost = frozenset(self.lost)
        agreeing = {
            peer_id: drop for peer_id, drop in received.items() if drop and drop.lost == lost and drop.match == match
        }
        return agreeing if len(agreeing) == len(received) else {}

    def _undecided(self) -> list[int]:
        return [player for players in self.lost.values() for player in players if player not in self.decided]

    def restore_player(self, player: int) -> None:
        """A free seat is played again."""
        self.decided.pop(player, None)
        self.lost = {
            peer_id: tuple(other for other in players if other != player) for peer_id, players in self.lost.items()
        }

    def forget_decided(self) -> None:
        """All players count the same peers: those whose drop was agreed need not be named any more."""
        self.lost = {
            peer_id: players
            for peer_id, players in self.lost.items()
            if any(player not in self.decided for player in players)
        }

    def forget(self, peer_id: int) -> None:
        """A newcomer gets the id of a peer that was dropped."""
        self.lost.pop(peer_id, None)
        self._received.pop(peer_id, None)

    def start_over(self, lost: dict[int, tuple[int, ...]], free: Iterable[int]) -> None:
        """Another match begins; nobody plays the seats ``free``, and the drop of ``lost`` is still to be agreed."""
        self.lost = {peer_id: lost.get(peer_id, ()) for peer_id in self.lost}
        self.decided = dict.fromkeys(free, 0)
        self._received, self._sent = {}, {}


def _furthest_sent(engine: RollbackEngine) -> int:
    """The frame up to which we send others what we know: a peer that is behind us must be able to use and hold it.

    A survivor is behind by the prediction window and the input delay at most, and may miss the lost player's inputs for
    another window. A lost peer may have sent us inputs up to the end of our history. So many would not fit there, and
    one DROP does not carry them all; what is not sent is not used here either.
    """
    behind = (engine.prediction_window or 0) + engine.local_frontier - engine.frame
    return engine.frame + max(min(engine.history, KNOWN_INPUTS) - 2 * behind, 0)
