"""Cheating peers: each speaks the real protocol and breaks one rule, chosen by name and driven by a seed.

``CHEATS`` has them all by name. ``cheats.match`` plays matches of honest machines with one of them, drawn by
``cheats.scenarios``, watched by ``cheats.referee`` within ``cheats.bounds``. Knows sessions and their messages; no
session knows anything of this package.
"""

from tests.checkers.cheats.cheat import Cheat, CheatingSession
from tests.checkers.cheats.deceit import DECEITS
from tests.checkers.cheats.departures import DEPARTURES
from tests.checkers.cheats.equivocation import EQUIVOCATIONS
from tests.checkers.cheats.floods import FLOODS
from tests.checkers.cheats.silence import SILENCES
from tests.checkers.cheats.watching import WATCHERS, CheatingSpectator

__all__ = ["CHEATS", "Cheat", "CheatingSession", "CheatingSpectator"]

CHEATS: dict[str, type[Cheat]] = {**SILENCES, **DECEITS, **EQUIVOCATIONS, **FLOODS, **DEPARTURES, **WATCHERS}
"""All cheats by name."""
