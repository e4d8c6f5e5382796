"""What a decision means: who is lost, at which frame a lost player's inputs end, and where all pause.

It is a function of the statements and of what was decided before, the same on all peers; docs/formats/membership.md has
the rules in words. Nothing here looks at what only one peer knows, but for the peer itself: who is connected to it by
statements stays with it.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple, TypeVar

from retick.rollback.session.agreement import most_liars
from retick.rollback.session.messages.agreement import OfferedState, ReadyNewcomer, Statement, Tail, Wishes
from retick.rollback.session.messages.roster import MemberTerms
from retick.rollback.session.peer import HOST_ID, LAST_PEER_ID

Wish = TypeVar("Wish")


class SlotMembers(NamedTuple):
    """Who takes part in a slot, as all of them know alike."""

    terms: Mapping[int, MemberTerms]
    """The members by peer id."""
    open_players: Mapping[int, int]
    """Lost players whose cut is not decided, with the peer that had each."""
    free: Collection[int]
    """The seats that nobody plays."""
    num_players: int
    """The seats of the game."""
    tick_rate: int
    """Frames a second."""

    @property
    def spread(self) -> int:
        """The most frames by which what two honest members know of a third one differs."""
        reaches = sorted((each.reach.frames for each in self.terms.values()), reverse=True)
        return sum(reaches[:2])

    @property
    def longest_tail(self) -> int:
        """The inputs in a tail, if the match has so many: it then covers all that other members may lack."""
        return 2 * self.spread


class Cut(NamedTuple):
    """The frame from which a lost player has neutral input, and the player's agreed inputs before it."""

    player: int
    frame: int
    inputs: tuple[int, ...]
    """Those of the frames before ``frame``, the last one first missing."""
    claimed: int
    """The highest first missing frame that any honest member can have stated."""
    claimed_by: frozenset[int]
    """The members that say they have all inputs before the cut."""

    @property
    def first(self) -> int:
        """The frame of the first of the inputs."""
        return self.frame - len(self.inputs)


class Decided(NamedTuple):
    """What follows from the decision of a slot."""

    lost: frozenset[int]
    cuts: tuple[Cut, ...]
    wishes: dict[int, Wishes]
    resync: OfferedState | None
    """The state from which all go on in the next match."""
    rematch: tuple[int, ...] | None
    """The order of seats of the next match; None if it does not begin."""
    newcomer: ReadyNewcomer | None
    first_frame: int
    """The frame from which the newcomer plays."""
    paused_by: frozenset[int]
    """The peers that wish a pause, and for which not most others have waited long enough."""
    pause_at: int
    """The frame before which all stop if anybody does."""


def connected(own: int, peer_ids: Collection[int], said: Mapping[int, Statement]) -> set[int]:
    """The peers to which a chain leads from this one; two that do not name each other as unheard hear each other."""
    broken = {frozenset((author, peer_id)) for author, each in said.items() for peer_id, _ in each.unheard}
    found, ends = {own}, [own]
    while ends:
        end = ends.pop()
        beside = {peer_id for peer_id in peer_ids if peer_id not in found and frozenset((end, peer_id)) not in broken}
        found |= beside
        ends += beside
    return found


def decided(own: int, members: SlotMembers, lost: Collection[int], said: Mapping[int, Statement]) -> Decided:
    """What follows from a decision, whose own losses are ``lost``."""
    remaining = members.terms.keys() - set(lost)
    if own in remaining:
        remaining = connected(own, remaining, said)
    gone = frozenset(members.terms.keys() - remaining)
    voices = {author: each for author, each in said.items() if author in remaining}
    cuts = tuple(_cuts(members, gone, said, voices))
    wishes = {author: each.wishes for author, each in voices.items()}
    resync = _all_want([each.resync for each in wishes.values()])
    rematch = _all_want([each.rematch for each in wishes.values()])
    if rematch is not None and len(rematch) not in (0, members.num_players):
        rematch = None
    is_followed = resync is not None or rematch is not None
    return Decided(
        lost=gone,
        cuts=cuts,
        wishes=wishes,
        resync=resync,
        rematch=None if resync is not None else rematch,
        newcomer=None if is_followed or gone or members.open_players else _newcomer(members, voices),
        first_frame=_first_frame(own, members, voices),
        paused_by=frozenset(peer_id for peer_id, each in wishes.items() if each.pause and not is_over(peer_id, wishes)),
        pause_at=_furthest(voices, max(most_liars(len(members.terms)), 1), members.tick_rate),
    )


def is_over(peer_id: int, wishes: Mapping[int, Wishes]) -> bool:
    """Whether more than half of the others no longer wait for the pause of this peer."""
    others = [each for author, each in wishes.items() if author != peer_id]
    return 2 * sum(peer_id in each.go_on for each in others) > len(others)


def _all_want(wanted: list[Wish | None]) -> Wish | None:
    """What all want alike; None if they do not."""
    return wanted[0] if wanted and all(each == wanted[0] for each in wanted) else None


def _newcomer(members: SlotMembers, voices: Mapping[int, Statement]) -> ReadyNewcomer | None:
    """The newcomer that all are ready for, if its id and its seats are free."""
    newcomer = _all_want([each.newcomer for each in voices.values()])
    if newcomer is None or newcomer.peer_id in members.terms or not HOST_ID < newcomer.peer_id <= LAST_PEER_ID:
        return None
    return newcomer if set(newcomer.terms.players) <= set(members.free) else None


def _first_frame(own: int, members: SlotMembers, voices: Mapping[int, Statement]) -> int:
    """The frame from which a newcomer plays, which no honest member may have run.

    A stop that is too far only keeps the newcomer out, as each member can. One that is too near must not count: of two
    members each goes by its own, and of four the second-highest counts, which is not below that of every honest one.
    """
    most = members.spread + members.tick_rate
    if len(voices) == 2 and own in voices:
        # Two honest ones are never further apart than that.
        return min(max(each.stop for each in voices.values()), voices[own].stop + most)
    liars = max(most_liars(len(members.terms)), 1)
    return _furthest(voices, max(min(liars, len(voices) - 1 - liars), 0), most)


def _furthest(voices: Mapping[int, Statement], at: int, most: int) -> int:
    """The last stop, but at most ``most`` frames behind the one that has ``at`` others in front of it."""
    stops = sorted((each.stop for each in voices.values()), reverse=True) or [0]
    return min(stops[0], stops[min(at, len(stops) - 1)] + most)


# The cut of a lost player.
#
# Theory of operation. The inputs that honest members have of a lost player end within ``spread`` frames of each other,
# and no honest member has run a final frame more than one reach behind what another one misses. So the cut is looked
# for around the lower median of what they miss: from ``spread`` frames before it, which all honest tails cover, to one
# reach behind it. In each frame the input that most tails show counts. Where two inputs are shown equally often, or
# none is, the player's inputs end.


def _cuts(
    members: SlotMembers, gone: Iterable[int], said: Mapping[int, Statement], voices: Mapping[int, Statement]
) -> Iterable[Cut]:
    owners = {player: peer_id for peer_id in gone for player in members.terms[peer_id].players}
    owners |= members.open_players
    for player in sorted(owners):
        tails = {author: tail for author, each in voices.items() for tail in each.tails if tail.player == player}
        if not tails or (tails.keys() != voices.keys() and player not in members.open_players):
            continue  # the next slot asks for them; who states none in that one has none
        own = said.get(owners[player])
        last = (
            [tail for tail in own.tails if tail.player == player] if own is not None and own.leaves is not None else []
        )
        yield _cut(player, tails, last, members)


def _cut(player: int, tails: Mapping[int, Tail], last: list[Tail], members: SlotMembers) -> Cut:
    """The cut of a player; ``last`` is what its own peer has stated when it left."""
    missing = sorted(tail.missing for tail in tails.values())
    base = missing[(len(missing) - 1) // 2]
    frame = max(base - members.spread, 0)
    most = base + max(members.terms[author].reach.frames for author in tails)
    inputs: list[int] = []
    while frame < most:
        shown = _shown(frame, tails.values()) or _shown(frame, last)
        if len(shown) == 1 or (shown and shown[0][1] > shown[1][1]):
            inputs.append(shown[0][0])
        elif shown or inputs or frame >= base:
            break
        frame += 1  # frames that most members have, and none shows, were before the states that they began with
    claimed_by = frozenset(author for author, tail in tails.items() if tail.missing >= frame)
    return Cut(player, frame, tuple(inputs), min(missing[-1], base + members.spread), claimed_by)


def _shown(frame: int, tails: Iterable[Tail]) -> list[tuple[int, int]]:
    """The inputs that are shown for a frame, each with the number of tails that show it, most first."""
    return Counter(
        tail.inputs[frame - tail.first] for tail in tails if tail.first <= frame < tail.missing
    ).most_common()
