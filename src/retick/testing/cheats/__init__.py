"""Cheating peers: each speaks the real protocol and breaks one rule, chosen by name and driven by a seed.

``CHEATS`` has them all by name. ``cheats.match`` plays matches of honest machines with one of them, drawn by
``cheats.scenarios``, watched by ``cheats.referee`` within ``cheats.bounds``. Knows sessions and their messages; no
session knows anything of this package.
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
