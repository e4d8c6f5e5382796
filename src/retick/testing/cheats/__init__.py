"""Cheating peers: each speaks the real protocol and breaks one rule, chosen by name and driven by a seed.

``CHEATS`` has them all by name. ``retick.testing.cheat_chaos`` plays matches of honest machines with one of them. Knows
sessions and their messages; no honest session knows anything of this package.
"""

from retick.testing.cheats.cheat import Cheat, CheatingSession
from retick.testing.cheats.deceit import DECEITS
from retick.testing.cheats.departures import DEPARTURES
from retick.testing.cheats.equivocation import EQUIVOCATIONS
from retick.testing.cheats.floods import FLOODS
from retick.testing.cheats.silence import SILENCES
from retick.testing.cheats.watching import WATCHERS, CheatingSpectator

__all__ = ["CHEATS", "Cheat", "CheatingSession", "CheatingSpectator"]

CHEATS: dict[str, type[Cheat]] = {**SILENCES, **DECEITS, **EQUIVOCATIONS, **FLOODS, **DEPARTURES, **WATCHERS}
"""All cheats by name."""
