"""Wrong codes: how many an address may try, and all addresses together. Only proven addresses come here."""

from collections.abc import Hashable
from math import ceil

from retick.link.handshake.door import Budget
from retick.relay.config import RelayConfig

__all__ = ["Guesses"]

ORIGINS_KEPT = 4096
"""Addresses whose wrong codes are remembered; the one that tried longest ago is forgotten first."""


class Guesses:
    """Budgets of wrong codes by origin, and one for all."""

    def __init__(self, config: RelayConfig) -> None:
        self._config = config
        self._each: dict[Hashable, Budget] = {}
        self._all: Budget | None = None

    def seconds_to_wait(self, origin: Hashable, now: float) -> int:
        """0 if this origin may try a code now."""
        if self._all is None:
            self._all = Budget(self._config.wrong_codes_a_second, now)
        own = self._each.get(origin)
        if own is not None and not _has_one(own, now):
            return ceil(self._config.wrong_code_seconds)
        return 0 if _has_one(self._all, now) else 1

    def count_wrong(self, origin: Hashable, now: float) -> None:
        config = self._config
        own = self._each.pop(origin, None) or Budget(1 / config.wrong_code_seconds, now, most=config.wrong_codes)
        self._each[origin] = own
        if len(self._each) > ORIGINS_KEPT:
            del self._each[next(iter(self._each))]
        own.spend(now)
        if self._all is not None:
            self._all.spend(now)


def _has_one(budget: Budget, now: float) -> bool:
    if budget.spend(now):
        budget.give_back(1)
        return True
    return False
