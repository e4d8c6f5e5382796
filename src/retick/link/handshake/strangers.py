"""The door: decides by address which HELLOs with a valid cookie are answered.

One stranger must not use up what all share. A stranger is an IPv4 address, or the /64 network of an IPv6 address:
whoever has one of its addresses has them all. Only proven addresses get here, so nobody can spend another's budget.
"""

from collections.abc import Hashable
from typing import NamedTuple

from retick.link.addresses import is_loopback, origin_of
from retick.link.config import LinkConfig
from retick.link.connection import Connection
from retick.link.layout import State
from retick.link.reasons import Reason, describe
from retick.link.request import Refuse

_ORIGINS_KEPT = 1024
"""How many addresses have their budget remembered."""
_BANS_KEPT = 4096
KEY_IS_BANNED = "refused: this key is banned"


class RateBudget:
    """A token bucket: it fills at ``rate`` a second, up to ``most`` or one second's worth."""

    __slots__ = ("_left", "_most", "_rate", "_spent_at")

    def __init__(self, rate: float, now: float, *, most: float | None = None) -> None:
        self._rate = rate
        self._most = self._left = rate if most is None else most
        self._spent_at = now

    def give_back(self, amount: int) -> None:
        """Return what turned out to be well spent."""
        self._left = min(self._most, self._left + amount)

    def spend(self, now: float) -> bool:
        self._left = min(self._most, self._left + max(0.0, now - self._spent_at) * self._rate)
        self._spent_at = now
        if self._left < 1.0:
            return False
        self._left -= 1.0
        return True


class StrangerLimits:
    """Budgets, connection counts and bans of one endpoint."""

    def __init__(self, config: LinkConfig) -> None:
        self._config = config
        self._all: RateBudget | None = None
        self._each: dict[Hashable, RateBudget] = {}
        self._inside: dict[Hashable, list[Connection]] = {}
        self._banned: dict[Hashable, None] = {}
        self._banned_keys: dict[Hashable, None] = {}
        """Banned fingerprints, oldest first."""

    def may_answer(self, address: Hashable, now: float) -> bool:
        """Whether there is budget for an answer to this address; if so, spend it."""
        if not is_loopback(address):
            # The address's own budget first: its excess must not come out of the shared one.
            origin = origin_of(address)
            own = self._each.pop(origin, None) or RateBudget(self._config.handshake_rate_per_address, now)
            self._each[origin] = own
            if len(self._each) > _ORIGINS_KEPT:
                del self._each[next(iter(self._each))]
            if not own.spend(now):
                return False
        if self._all is None:
            self._all = RateBudget(self._config.handshake_rate, now)
        return self._all.spend(now)

    def is_crowded(self, address: Hashable) -> bool:
        """Whether this address has reached its limit of unconfirmed connections."""
        waiting = sum(1 for each in self._from(address) if each.state is State.ACCEPTED)
        return waiting >= self._config.max_unconfirmed_per_address

    def is_full_for(self, address: Hashable) -> bool:
        """Whether this address has reached its limit of connections."""
        return len(self._from(address)) >= self._config.max_connections_per_address

    def _from(self, address: Hashable) -> list[Connection]:
        return [] if is_loopback(address) else self._inside.get(origin_of(address), [])

    def enter(self, connection: Connection, address: Hashable) -> None:
        self._inside.setdefault(origin_of(address), []).append(connection)

    def leave(self, connection: Connection, address: Hashable) -> None:
        """Note the end of a connection; ``address`` is the one with which it entered."""
        origin = origin_of(address)
        inside = self._inside.get(origin, [])
        if connection in inside:
            inside.remove(connection)
        if not inside:
            self._inside.pop(origin, None)

    def ban(self, address: Hashable) -> None:
        _keep(self._banned, origin_of(address))

    def ban_key(self, fingerprint: str) -> None:
        _keep(self._banned_keys, fingerprint)

    def is_banned_key(self, fingerprint: str | None) -> bool:
        return fingerprint in self._banned_keys

    def is_banned(self, address: Hashable) -> bool:
        return origin_of(address) in self._banned


def _keep(banned: dict[Hashable, None], who: Hashable) -> None:
    """Note a ban; beyond the limit the oldest is forgotten."""
    banned.pop(who, None)
    banned[who] = None
    if len(banned) > _BANS_KEPT:
        del banned[next(iter(banned))]


# Recent refusals and their reasons, for the log of a server. They are counted by text; the number of texts is bounded.

MOST_TEXTS = 16
"""The most different texts between two calls of ``take``; others are counted together."""
OTHERS = "for other reasons"


class RecentRefusal(NamedTuple):
    """All refusals with one text since the last call of ``take``."""

    text: str
    """The text that the refused were told."""
    times: int
    """How many refusals had this text."""
    address: Hashable
    """The address of the last one; not proven if it asked with another form of the link."""


class Refusals:
    """Counts refusals by text."""

    def __init__(self) -> None:
        self._found: dict[str, RecentRefusal] = {}

    def note(self, refusal: Refuse, address: Hashable) -> None:
        """Count a refusal; a redirection to another port is none."""
        if refusal.reason == Reason.REDIRECT:
            return
        text = refusal.text or describe(refusal.reason)
        if text not in self._found and len(self._found) >= MOST_TEXTS:
            text = OTHERS
        before = self._found.get(text)
        self._found[text] = RecentRefusal(text, 1 + (before.times if before is not None else 0), address)

    def take(self) -> list[RecentRefusal]:
        """Drain the refusals since the last call."""
        found, self._found = self._found, {}
        return list(found.values())
