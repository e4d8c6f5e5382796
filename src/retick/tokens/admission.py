"""Lets in who shows a join token, once: the ready-made ``admit`` of a server.

Theory of operation. A token that has opened, and is of now, this server and this room, is remembered with the address
that it came from until it could not be used any more. A heap has the remembered ones in the order in which they expire,
so that each call forgets those that are over.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from heapq import heappop, heappush
from math import ceil
from typing import Final

from retick.errors import DecodeError, Truncated, UsageError
from retick.link import Refuse
from retick.link.handshake.strangers import origin_of
from retick.tokens.codec import MOST_USED, TOLERANCE, JoinToken, key_id_of, open_token, show

__all__ = [
    "Applicant",
    "Pass",
    "Tokens",
]


# What a server asks about one who wants to come in, and what it is answered.


@dataclass(frozen=True, slots=True, kw_only=True)
class Applicant:
    """One who wants to join a room. ``admit`` of a server gets it, and answers with a Pass or a Refuse."""

    room: str
    """The name of the room."""
    address: Hashable
    """Where its client is; proven."""
    fingerprint: str | None = None
    """Of the client's lasting key, if it has one: 32 hexadecimal digits; proven. None on a plain link."""
    name: str = ""
    """As the client gave it; only in a declared world. Anybody may claim any name."""
    watches: bool = False
    """It wants to watch, without a seat; only in a declared world."""
    token: bytes = field(default=b"", repr=False)
    """The join token as it came, at most 700 bytes, not opened; empty without one."""
    server_key: bytes | None = None
    """The public key of the server that asks; None if it has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pass:
    """The answer yes, and what is known of the one who comes in."""

    player: int | None = None
    """The player id of the join token, 64 bits; None without one."""
    data: bytes = field(default=b"", repr=False)
    """The application's own bytes of the join token."""
    ticket: bytes = b""
    """Names the join token: whoever shows it again gets the same seat. Empty without one."""
    fingerprint: str | None = None
    """Of the client's lasting key; the server sets it."""

    def __post_init__(self) -> None:
        if self.player is not None and not 0 <= self.player < 1 << 64:
            raise UsageError(f"a player id has 64 bits, {self.player} does not fit")


# retick: floats -- seconds of the clock


NEEDED: Final = "a join token is needed here: ask the game's backend for one"
CUT: Final = "the join token is cut short: take the whole of it"
NO_TOKEN: Final = "this is no join token: take what the backend gave"
OTHER_KEY: Final = "the join token was made with another key: backend and server must share one"
CHANGED: Final = "the join token was changed after it was made: ask the backend for a new one"
OTHER_SERVER: Final = "the join token is for another server: dial the address that it names"
USED: Final = "the join token was used from another address: each is good once, ask for a new one"


@dataclass(slots=True)
class _Used:
    """Tokens that were used and could be shown again."""

    origins: dict[bytes, Hashable] = field(default_factory=dict)
    """Nonce to the address that the token came from."""
    ends: list[tuple[float, bytes]] = field(default_factory=list)
    """A heap: when each may be forgotten."""

    def forget(self, now: float) -> None:
        while self.ends and self.ends[0][0] < now:
            del self.origins[heappop(self.ends)[1]]

    def note(self, nonce: bytes, origin: Hashable, until: float) -> None:
        self.origins[nonce] = origin
        heappush(self.ends, (until, nonce))


class Tokens:
    """Give it to a server: ``Server(…, admit=Tokens(key, clock=time.time), key_pair=…)``. Its keys are in no ``repr``.

    It is a function of an Applicant, so that another one can ask it first, and then decide on what it answers.
    """

    def __init__(
        self, *keys: bytes, clock: Callable[[], float], tolerance: float = TOLERANCE, most_used: int = MOST_USED
    ) -> None:
        """``keys``: the token key that the backend has, and older ones. ``clock()`` gives seconds since 1970:
        ``time.time``. ``tolerance``: seconds that it may differ from the backend's. ``most_used``: tokens that are
        remembered until they expire; when there are more, new ones have to wait.
        """
        if not keys:
            raise UsageError("Tokens needs the token key that the backend has: retick token keygen makes one")
        if not tolerance >= 0 or most_used < 1:
            raise UsageError(f"tolerance is 0 s or more and most_used 1 or more, not {tolerance:g} and {most_used}")
        self._keys = {key_id_of(key): key for key in keys}
        self._clock = clock
        self._tolerance = tolerance
        self._most_used = most_used
        self._used = _Used()

    def __repr__(self) -> str:
        return f"Tokens({', '.join(self._keys)}, tolerance={self._tolerance:g})"

    def __call__(self, applicant: Applicant) -> Pass | Refuse:
        """A Pass for one who shows a good token; else a Refuse that says what is wrong and what to do."""
        opened = self._open(applicant.token)
        if isinstance(opened, str):
            return Refuse(text=opened)
        now = self._clock()
        self._used.forget(now)
        fault = self._fault(opened, applicant, now)
        if fault is not None:
            return Refuse(text=fault)
        if opened.nonce not in self._used.origins:
            self._used.note(opened.nonce, origin_of(applicant.address), opened.expires_at + self._tolerance)
        return Pass(player=opened.player, data=opened.data, ticket=opened.nonce)

    def _open(self, token: bytes) -> JoinToken | str:
        """The token, or why it does not open."""
        if not token:
            return NEEDED
        try:
            key = self._keys.get(show(token).key_id)
        except Truncated:
            return CUT
        except DecodeError:
            return NO_TOKEN
        if key is None:
            return OTHER_KEY
        try:
            return open_token(token, key)
        except DecodeError:
            return CHANGED

    def _fault(self, token: JoinToken, applicant: Applicant, now: float) -> str | None:
        """Why a token that has opened is not good here and now."""
        used = self._used
        if token.server_key != applicant.server_key:
            return OTHER_SERVER
        if token.issued_at > now + self._tolerance:
            early = ceil(token.issued_at - now - self._tolerance)
            return f"the join token is valid only in {early} s: the clock of the backend or of the server is wrong"
        if token.expires_at < now - self._tolerance:
            return f"the join token has expired {ceil(now - token.expires_at)} s ago: ask the backend for a new one"
        if token.room != applicant.room:
            return f"the join token is for room {token.room!r}: join that one, or ask for another token"
        if token.nonce in used.origins:
            return None if used.origins[token.nonce] == origin_of(applicant.address) else USED
        if len(used.origins) >= self._most_used:
            return f"too many join tokens are in use: try again in {max(1, ceil(used.ends[0][0] - now))} s"
        return None
