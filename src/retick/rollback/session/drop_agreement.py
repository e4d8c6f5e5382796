"""Agreement on lost peers: the frame from which their players are simulated on neutral input.

Theory of operation. Peers that lose another one may have received different inputs from it. Each survivor tells all
others who is lost, up to which frame it knows the lost players' inputs, and the newest of these inputs. What one of
them knows, all of them learn, from this message or by asking (``forwarding``), so the agreed frame is the first that
nobody knows. A survivor decides once every other survivor has named the same set of lost peers and it has all inputs
that they claim to know. If another peer is lost meanwhile, the set grows and all send again; a frame that somebody has
already decided is named as decided, and stands.
"""

from collections.abc import Iterable, Mapping
from contextlib import suppress

from retick.errors import InputConflict
from retick.rollback.engine.engine import RollbackEngine
from retick.rollback.session.messages.decisions import KNOWN_INPUTS, Drop, Known

OURSELVES = -1
"""Used for ourselves in place of a peer id."""


def learn_inputs(
    engine: RollbackEngine, player: int, first: int, inputs: tuple[int, ...]
) -> tuple[int, InputConflict | None]:
    """Store inputs of a player that another peer knows; returns how many were new, and the conflict with ours, if any.

    The player's peer may have sent us other inputs. Ours stand, even behind a gap that it left; those that we lack
    are the same for all. The peer that told us is not to blame.
    """
    # With a shorter history than the sender's, not all of them may fit: the rest is asked for later.
    inputs = inputs[: max(engine.frame + engine.history + 1 - first, 0)]
    if not inputs:
        return 0, None
    try:
        return engine.add_remote_inputs(player, first, inputs), None
    except InputConflict as conflict:
        news = 0
        for frame, value in enumerate(inputs, first):
            with suppress(InputConflict):
                news += engine.add_remote_inputs(player, frame, (value,))
        return news, conflict


class DropAgreement:
    """Tracks who is lost, the DROP message of each survivor, and what was decided. ``drops`` does the sending."""

    def __init__(self) -> None:
        self.lost: dict[int, tuple[int, ...]] = {}
        """Lost peers and the players they had."""
        self.decided: dict[int, int] = {}
        """Dropped players with their first frame on neutral input."""
        self.refused = 0
        """How many inputs of lost players, sent by other survivors, contradicted what is known here."""
        self.ahead: dict[int, Drop] = {}
        """DROP messages of peers that already play the next match, for which we still wait for a message."""
        self._received: dict[int, Drop] = {}
        self._sent: dict[int, int] = {}
        """Lost players, with the first missing frame that we sent to the others."""
        self._first_known: dict[int, dict[int, int]] = {}
        """Lost players, with the first missing frame that each survivor, or we, named first."""
        self._serial = 0

    def add_lost(self, peer_id: int, players: tuple[int, ...]) -> bool:
        """Note a lost peer; False if it was known to be lost."""
        if peer_id in self.lost:
            return False
        self.lost[peer_id] = players
        self._received.pop(peer_id, None)
        return True

    def take_back(self) -> dict[int, tuple[int, ...]]:
        """Take back the lost peers whose drop is not agreed; returns them with their players."""
        undecided = self._undecided()
        back = {peer_id: players for peer_id, players in self.lost.items() if set(players) & undecided}
        for peer_id in back:
            del self.lost[peer_id]
        return back

    @property
    def lost_players(self) -> set[int]:
        """The players of lost peers, dropped or not."""
        return {player for players in self.lost.values() for player in players}

    @property
    def undecided(self) -> bool:
        """Whether the last frame of some lost player is not agreed yet."""
        return bool(self._undecided())

    def carried_over(self) -> dict[int, tuple[int, ...]]:
        """Peers whose drop is not agreed yet, with their players; without those dropped before the next match.

        All that already play it must report this: they agreed on it before they began.
        """
        named = [drop.before for drop in self.ahead.values()]
        before = frozenset.intersection(*named) if named else frozenset()
        return {
            peer_id: players
            for peer_id, players in self.lost.items()
            if peer_id not in before and any(player not in self.decided for player in players)
        }

    def view(
        self, engine: RollbackEngine, commits: Iterable[tuple[int, int, int]], match: int, unheard: Mapping[int, int]
    ) -> Drop:
        """Make the DROP message to send to the others now."""
        undecided = sorted(self._undecided())
        known = tuple(_known(engine, player) for player in undecided)
        self._sent = {each.player: each.missing for each in known}
        self._note_known(OURSELVES, known)
        self._serial += 1
        return Drop(
            lost=frozenset(self.lost),
            known=known,
            commits=tuple(commits),
            match=match,
            before=frozenset(peer_id for peer_id, players in self.lost.items() if not players),
            unheard=tuple(sorted(unheard.items())),
            decided=tuple((player, self.decided[player]) for player in sorted(self.lost_players - set(undecided))),
            serial=self._serial,
        )

    def receive(self, peer_id: int, drop: Drop) -> None:
        """Receive a survivor's DROP message. Its inputs are used when all survivors agree.

        They may lead us beyond inputs that only we have, behind a gap that the lost peer left. Nobody else will use
        these, and no frame may run with them before it is decided.
        """
        self._received[peer_id] = drop
        self._note_known(peer_id, drop.known)

    def _note_known(self, peer_id: int, known: Iterable[Known]) -> None:
        for each in known:
            self._first_known.setdefault(each.player, {}).setdefault(peer_id, each.missing)

    def takes_back(self, peer_id: int, drop: Drop) -> bool:
        """Whether a survivor has stopped naming a lost peer whose drop is undecided here."""
        before = self._received.get(peer_id)
        if before is None or before.match != drop.match:
            return False
        undecided = self._undecided()
        return any(
            peer in before.lost and peer not in drop.lost and set(players) & undecided
            for peer, players in self.lost.items()
        )

    def disagreeing(self, survivors: Iterable[int], match: int) -> list[int]:
        """The survivors whose newest DROP does not name the same lost peers as we do, in this match."""
        lost = frozenset(self.lost)
        received = {peer_id: self._received.get(peer_id) for peer_id in survivors}
        return [
            peer_id for peer_id, drop in received.items() if drop is None or (drop.lost, drop.match) != (lost, match)
        ]

    def losers_of(self, peer_id: int) -> list[int]:
        """The peers whose newest DROP names this one as lost."""
        return [by for by, drop in self._received.items() if peer_id in drop.lost]

    def has_decided(self, peer_id: int, match: int) -> bool:
        """Whether a survivor has dropped all players whose drop is undecided here, with the same lost peers."""
        drop = self._received.get(peer_id)
        if drop is None or (drop.lost, drop.match) != (frozenset(self.lost), match):
            return False
        return self._undecided() <= {player for player, _ in drop.decided}

    def unproved(self, survivors: Iterable[int], engine: RollbackEngine) -> list[int]:
        """The survivors that claim inputs of undecided players that we have not received, and could hold."""
        end = engine.frame + engine.history
        undecided = {player for player in self._undecided() if engine.first_missing(player) <= end}
        return [
            peer_id
            for peer_id, drop in self._of(survivors).items()
            if any(
                player in undecided and frame > engine.first_missing(player)
                for player, frame in (*drop.decided, *((each.player, each.missing) for each in drop.known))
            )
        ]

    def decide(self, survivors: Iterable[int], engine: RollbackEngine, match: int) -> dict[int, int]:
        """The players that can be dropped now, each with its frame.

        None until all survivors agree who is lost, and we have all the inputs that they claim to know.
        """
        survivors = list(survivors)
        if not self.undecided or self.disagreeing(survivors, match):
            return {}
        received = self._of(survivors)
        undecided = self._undecided()
        for drop in received.values():
            for player, missing, inputs in drop.known:
                if player in undecided:
                    _, conflict = learn_inputs(engine, player, missing - len(inputs), inputs)
                    self.refused += conflict is not None
        frames = {player: self._frame_of(player, received, engine) for player in undecided}
        for player, frame in frames.items():
            if frame > min(engine.first_missing(player), engine.frame + engine.history):
                return {}
        self.decided |= frames
        for player in frames:
            self._first_known.pop(player, None)
        return frames

    def _frame_of(self, player: int, received: dict[int, Drop], engine: RollbackEngine) -> int:
        """The agreed frame: a survivor's decision if it can have known what all of us did, else what one peer knows.

        Inputs that a lost peer sent to one of us alone, behind a gap that the others have filled, must not be used: no
        other peer has them.
        """
        first_known = self._first_known.get(player, {})
        decided = [
            frame
            for drop in received.values()
            for one, frame in drop.decided
            if one == player
            and all(known <= frame for by, known in first_known.items() if by == OURSELVES or by in received)
        ]
        if decided:
            return max(decided)
        known = [each.missing for drop in received.values() for each in drop.known if each.player == player]
        return max([*known, self._sent.get(player, engine.first_missing(player))])

    def _of(self, survivors: Iterable[int]) -> dict[int, Drop]:
        return {peer_id: self._received[peer_id] for peer_id in survivors if peer_id in self._received}

    def _undecided(self) -> set[int]:
        return {player for player in self.lost_players if player not in self.decided}

    def undecided_players(self) -> list[int]:
        """The lost players whose last frame is not agreed yet."""
        return sorted(self._undecided())

    def restore_player(self, player: int) -> None:
        """Note that a free seat is played again."""
        self.decided.pop(player, None)
        self._first_known.pop(player, None)
        self.lost = {
            peer_id: tuple(other for other in players if other != player) for peer_id, players in self.lost.items()
        }

    def forget_decided(self) -> None:
        """Stop naming peers whose drop was agreed: all players now count the same peers."""
        self.lost = {
            peer_id: players
            for peer_id, players in self.lost.items()
            if any(player not in self.decided for player in players)
        }

    def forget(self, peer_id: int) -> None:
        """Forget a dropped peer's id, which a newcomer gets."""
        self.lost.pop(peer_id, None)
        self._received.pop(peer_id, None)

    def start_over(self, lost: dict[int, tuple[int, ...]], free: Iterable[int]) -> None:
        """Begin another match; nobody plays the seats ``free``, and the drop of ``lost`` is still to be agreed."""
        self.lost = {peer_id: lost.get(peer_id, ()) for peer_id in self.lost}
        self.decided = dict.fromkeys(free, 0)
        self._received, self._sent, self._first_known = {}, {}, {}


def _known(engine: RollbackEngine, player: int) -> Known:
    """What we know of a player. Inputs from before our history are not sent: a peer that still needs them asks."""
    missing = engine.first_missing(player)
    first = min(max(missing - KNOWN_INPUTS, engine.start_frame, engine.frame - engine.history), missing)
    return Known(player, missing, tuple(engine.inputs_of(player, first, missing)))
