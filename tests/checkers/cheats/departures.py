"""Cheats that leave in the worst moment: in the middle of an agreement, or with a goodbye to only some."""

from collections.abc import Iterable

from retick.link import Reason
from retick.rollback.match.match import Match
from retick.rollback.session.messages.kinds import MessageKind
from retick.rollback.session.peer import Peer
from tests.checkers.cheats.cheat import Cheat, kind_of

__all__ = ["DEPARTURES"]


def leaving_at(kind: MessageKind, *, before: bool, to_one: bool = False) -> type[Cheat]:
    """A cheat that is gone when it is to send this kind: before it did, after the first peer got it, or after all."""

    class Leaves(Cheat):
        rule = f"is gone {'before' if before else 'right after'} {kind.name}" + (" has reached one peer" * to_one)
        needs_return = kind not in (MessageKind.READY, MessageKind.START)
        in_lobby = kind in (MessageKind.READY, MessageKind.START)
        hosts = kind in (
            MessageKind.START,
            MessageKind.WELCOME,
            MessageKind.STATE,
            MessageKind.MEET,
            MessageKind.PROPOSE,
            MessageKind.COMMIT,
        )
        never_hosts = kind is MessageKind.PROMISE
        roles = ("newcomer",) if kind is MessageKind.JOINED else ("player",)
        least_peers = 2 if in_lobby else 4

        def message(self, peer: Peer, data: bytes) -> Iterable[bytes]:
            if kind_of(data) is not kind:
                return () if self.broken else (data,)
            if before or (to_one and self.broken):
                self.session.leave_soon()
                return self.withheld()
            self.session.leave_soon()
            return self.instead(data)

    return Leaves


class LeavesAfterStart(Cheat):
    rule = "is gone as soon as the match has begun"
    in_lobby = True
    roles = ("player",)

    def act(self, match: Match, now: float) -> None:
        self.broken += 1
        self.session.vanish()


class LeavesWithoutGoodbye(Cheat):
    rule = "is gone without a goodbye"

    def act(self, match: Match, now: float) -> None:
        self.broken += 1
        self.session.vanish()


class SaysGoodbyeToSome(Cheat):
    rule = "says goodbye to one peer and plays on with the others"
    least_peers = 3

    def act(self, match: Match, now: float) -> None:
        victim = self.victim
        if not self.broken and victim is not None and victim.connection is not None:
            self.broken += 1
            victim.connection.close(Reason.GOODBYE, "bye")


class SaysGoodbyeAndStays(Cheat):
    rule = "says goodbye to all, one after the other, a second apart"

    def act(self, match: Match, now: float) -> None:
        if self.others and now > self.broken + self.session.begun_at and self.others[0].connection is not None:
            self.broken += 1
            self.others[0].connection.close(Reason.GOODBYE, "bye")


DEPARTURES: dict[str, type[Cheat]] = {
    "leaves-after-start": LeavesAfterStart,
    "leaves-without-goodbye": LeavesWithoutGoodbye,
    "leaves-before-ready": leaving_at(MessageKind.READY, before=True),
    "leaves-with-start": leaving_at(MessageKind.START, before=False, to_one=True),
    "leaves-after-promise": leaving_at(MessageKind.PROMISE, before=False),
    "leaves-before-promise": leaving_at(MessageKind.PROMISE, before=True),
    "leaves-before-drop": leaving_at(MessageKind.DROP, before=True),
    "leaves-in-drop": leaving_at(MessageKind.DROP, before=False, to_one=True),
    "leaves-after-propose": leaving_at(MessageKind.PROPOSE, before=False),
    "leaves-in-commit": leaving_at(MessageKind.COMMIT, before=False, to_one=True),
    "leaves-after-commit": leaving_at(MessageKind.COMMIT, before=False),
    "leaves-in-state": leaving_at(MessageKind.STATE, before=False),
    "leaves-after-joined": leaving_at(MessageKind.JOINED, before=False),
    "says-goodbye-to-some": SaysGoodbyeToSome,
    "says-goodbye-one-by-one": SaysGoodbyeAndStays,
}
