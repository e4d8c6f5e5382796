"""What one machine may do in one step, whatever the others do: invariants that need no look at a second machine."""

from collections.abc import Iterator

from retick.rollback.session.messages.kinds import MessageKind
from tests.checkers.membership.machine import Result
from tests.checkers.membership.view import View

__all__ = ["broken_by"]


def broken_by(before: View, after: View, result: Result) -> Iterator[str]:
    """The invariants of docs/formats/membership.md, by their numbers, that a step from one view to the next breaks."""
    if not (before.is_playing and after.is_playing):
        return
    members = {peer_id for peer_id, _ in after.players}
    taken_back = set(before.unheard) & members - set(after.unheard)
    if taken_back:
        yield f"(1) it no longer names {sorted(taken_back)} as unheard"
    if after.unconnected:
        yield f"(3) {list(after.unconnected)} are not lost, and no chain leads to them"
    joined = {fact[2] for fact in result.facts if fact[0] == "joined"}
    returned = set(before.gone) - set(after.gone) - joined
    if returned:
        yield f"(4) the players {sorted(returned)} were dropped, and are not any more"
    sent = {item[1][0] for _, _, item in result.posted if item[0] == "message"}
    if (
        before.is_undecided
        and after.is_undecided
        and sent & {MessageKind.PROMISE, MessageKind.MEET, MessageKind.COMMIT}
    ):
        yield "(8) it lets somebody in while a drop is not decided"
    if MessageKind.COMMIT in sent and set(before.unheard) & {peer_id for peer_id, _ in before.players}:
        yield "(9) it gives a COMMIT and does not hear every player"
