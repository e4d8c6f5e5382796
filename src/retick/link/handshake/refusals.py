"""Who was refused lately and why, for the log of a server. Refusals are counted by text; the texts are bounded."""

from collections.abc import Hashable
from typing import NamedTuple

from retick.link.reasons import Reason, describe
from retick.link.request import Refuse

__all__ = ["Refusal", "Refusals"]

MOST_TEXTS = 16
"""Different texts between two calls of ``take``; further ones are counted together."""
OTHERS = "for other reasons"


class Refusal(NamedTuple):
    """All refusals with one text since the last look."""

    text: str
    """What those who asked were told."""
    times: int
    """How often."""
    address: Hashable
    """Of the last one. Who asks with another form of the link has not proved its address."""


class Refusals:
    """Counts by text."""

    def __init__(self) -> None:
        self._found: dict[str, Refusal] = {}

    def note(self, refusal: Refuse, address: Hashable) -> None:
        """One was refused; to be sent to another port is no refusal."""
        if refusal.reason == Reason.REDIRECT:
            return
        text = refusal.text or describe(refusal.reason)
        if text not in self._found and len(self._found) >= MOST_TEXTS:
            text = OTHERS
        before = self._found.get(text)
        self._found[text] = Refusal(text, 1 + (before.times if before is not None else 0), address)

    def take(self) -> list[Refusal]:
        """Those since the last call."""
        found, self._found = self._found, {}
        return list(found.values())
