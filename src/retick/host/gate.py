"""The gate of a server: keeps out banned players, and asks the application about all others."""

from collections.abc import Callable
from dataclasses import replace
from traceback import format_exception, format_exception_only
from typing import Final, TypeAlias

from retick.errors import UsageError
from retick.host.config import FAULTS
from retick.host.events import AdmitFailed, PlayerJoined
from retick.link import LinkConfig, Refuse
from retick.tokens import Applicant, Pass, Tokens

Admit: TypeAlias = Callable[[Applicant], Pass | Refuse]
NOBODY: Final = Pass()
"""A Pass without any knowledge of the player."""
BANS_KEPT: Final = 4096
"""The most bans of one room, player ids and keys together; beyond that, the oldest is forgotten."""
BANNED: Final = "you were shown out of this room"
UNDECIDED: Final = "the server cannot decide who comes in: try again later"


def with_pass(joined: PlayerJoined, known: Pass) -> PlayerJoined:
    """Add what is known about the player to the event of their joining."""
    return replace(joined, player=known.player, data=known.data, fingerprint=known.fingerprint)


class Gate:
    """Asks ``admit`` about each new player; without it everybody may come in."""

    def __init__(self, admit: Admit | None, link: LinkConfig, report: Callable[[AdmitFailed], None]) -> None:
        if isinstance(admit, Tokens) and link.key_pair is None:
            raise UsageError("Tokens come only to a server with a key: give it key_pair=32 random bytes that it keeps")
        self.server_key: bytes | None = None
        """The public half of the server's key."""
        if link.key_pair is not None:
            from retick.link.sealing.primitives import public_key_of  # here, because it imports cryptography

            self.server_key = public_key_of(link.key_pair)
        self._admit = admit
        self._report = report
        self._bans: dict[str, dict[int | str, None]] = {}
        """For each room, the player ids and fingerprints of banned players, oldest first."""

    def ban(self, room: str, known: Pass) -> None:
        """Ban a player from a room, for as long as the room lives."""
        banned = self._bans.setdefault(room, {})
        for mark in (known.player, known.fingerprint):
            if mark is not None:
                banned.pop(mark, None)
                banned[mark] = None
                if len(banned) > BANS_KEPT:
                    del banned[next(iter(banned))]

    def forget(self, room: str) -> None:
        """Forget the bans of a room that has ended."""
        self._bans.pop(room, None)

    def is_banned(self, room: str, known: Pass) -> bool:
        """Whether the player with this Pass is banned from the room."""
        banned = self._bans.get(room, {})
        return any(mark is not None and mark in banned for mark in (known.player, known.fingerprint))

    def ask(self, applicant: Applicant) -> Pass | Refuse:
        """The application's answer, unless the applicant is banned. If ``admit`` raises, report it and refuse."""
        if self.is_banned(applicant.room, Pass(fingerprint=applicant.fingerprint)):
            return Refuse(text=BANNED)
        try:
            answer = Pass() if self._admit is None else self._admit(applicant)
            if not isinstance(answer, Pass | Refuse):
                raise UsageError(f"admit answers with a Pass or a Refuse, not with a {type(answer).__name__}")
        except FAULTS as error:
            self._report(
                AdmitFailed(
                    room=applicant.room,
                    error=format_exception_only(error)[-1].strip(),
                    traceback="".join(format_exception(error)),
                )
            )
            return Refuse(text=UNDECIDED)
        if isinstance(answer, Refuse):
            return answer
        if self.is_banned(applicant.room, answer):
            return Refuse(text=BANNED)
        return replace(answer, fingerprint=applicant.fingerprint)


# Limits how much a client may send: packets beyond its credit are not read, so that a flood costs others nothing.


class Credit:
    """Grows with every tick up to a burst; each packet costs one."""

    __slots__ = ("_burst", "_left", "_per_tick")

    # retick: allow float -- a rate of packets; nothing is simulated from it
    def __init__(self, burst: float, per_tick: float) -> None:
        self._burst = max(1.0, burst)
        self._per_tick = per_tick
        self._left = self._burst

    def earn(self, ticks: int = 1) -> None:
        """Add the credit of some ticks."""
        self._left = min(self._burst, self._left + ticks * self._per_tick)

    def grant(self) -> bool:
        """Whether there is credit for a packet; if so, spend it."""
        if self._left < 1.0:
            return False
        self._left -= 1.0
        return True
