"""The ready-made ``admit`` of a server: lets in each player who shows a valid join token, once.

Theory of operation. A token that opens, and is valid now, for this server and for this room, is remembered until it
expires, with the address that it came from. A heap orders the remembered tokens by expiry, so that each call forgets
the expired ones.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from heapq import heappop, heappush
from math import ceil
from typing import Final

from retick.errors import DecodeError, Truncated, UsageError
from retick.link import Refuse
from retick.link.addresses import origin_of
from retick.tokens.codec import MOST_USED, TOLERANCE, JoinToken, key_id_of, open_token, show

# What a server asks about an applicant, and the answers it can get.


@dataclass(frozen=True, slots=True, kw_only=True)
class Applicant:
    """Someone who wants to join a room. ``admit`` of a server gets it, and answers with a Pass or a Refuse."""

    room: str
    """The name of the room."""
    address: Hashable
    """The client's address, proven."""
    fingerprint: str | None = None
    """The fingerprint of the client's lasting key, proven: 32 hexadecimal digits. None without one or if unsealed."""
    name: str = ""
    """The name that the client gave, in a declared world. Nothing proves it."""
    watches: bool = False
    """True if the client wants to watch, without a seat; only in a declared world."""
    token: bytes = field(default=b"", repr=False)
    """The unopened join token, at most 700 bytes; empty without one."""
    server_key: bytes | None = None
    """The public key of the server that asks; None if it has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pass:
    """Accepts an applicant, and says what is known about the player."""

    player: int | None = None
    """The player id of the join token, 64 bits; None without one."""
    data: bytes = field(default=b"", repr=False)
    """The application's own bytes from the join token."""
    ticket: bytes = b""
    """Names the join token: a client that shows the same one again gets the same seat. Empty without one."""
    fingerprint: str | None = None
    """The fingerprint of the client's lasting key; the server sets it."""

    def __post_init__(self) -> None:
        if self.player is not None and not 0 <= self.player < 1 << 64:
            raise UsageError(f"a player id has 64 bits, {self.player} does not fit")


# retick: floats -- seconds of the clock


NEEDED: Final = "a join token is needed here: ask the game's backend for one"
CUT: Final = "the join token is cut short: copy all of it"
NO_TOKEN: Final = "this is not a join token: use the one that the backend gave"
OTHER_KEY: Final = "the join token was made with another key: backend and server must share one"
CHANGED: Final = "the join token was changed after it was made: ask the backend for a new one"
OTHER_SERVER: Final = "the join token is for another server: dial the address that it names"
USED: Final = "the join token was used from another address: each is good once, ask for a new one"


@dataclass(slots=True)
class _Used:
    """Tokens that were used and have not expired."""

    origins: dict[bytes, Hashable] = field(default_factory=dict)
    """Each nonce, with the address that its token came from."""
    ends: list[tuple[float, bytes]] = field(default_factory=list)
    """A heap of nonces with the times when they may be forgotten."""

    def forget(self, now: float) -> None:
        while self.ends and self.ends[0][0] < now:
            del self.origins[heappop(self.ends)[1]]

    def note(self, nonce: bytes, origin: Hashable, until: float) -> None:
        self.origins[nonce] = origin
        heappush(self.ends, (until, nonce))


class Tokens:
    """Pass it to a server: ``Server(…, admit=Tokens(key, clock=time.time), key_pair=…)``. ``repr`` hides its keys.

    It is called with an Applicant, so your own ``admit`` can call it and then decide on its answer.
    """

    def __init__(
        self, *keys: bytes, clock: Callable[[], float], tolerance: float = TOLERANCE, most_used: int = MOST_USED
    ) -> None:
        """``keys``: the token key shared with the backend, then older ones. ``clock()``: seconds since 1970, as
        ``time.time``. ``tolerance``: seconds by which it may differ from the backend's clock. ``most_used``: how many
        used tokens are remembered until they expire; while there are that many, new ones must wait.
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
        """Return a Pass for a good token; otherwise a Refuse that says what is wrong and what to do."""
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
        """Open a token; returns it, or the reason why it does not open."""
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
        """Say why an opened token is not valid here and now; None if it is."""
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
