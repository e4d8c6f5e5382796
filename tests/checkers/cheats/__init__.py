"""Cheats: peers that speak the real protocol and break rules, composed by a seed; and the matches that test them.

``composed`` says what a rule is, ``forging`` makes what is false, ``scenarios`` draws whole matches, ``match`` plays
one, watched by ``referee`` within ``bounds``; ``shrink`` finds the shortest that still fails, ``flaws`` plants errors
in the session that must be found. Knows sessions and their messages; no session knows anything of this package.
"""

from tests.checkers.cheats.cheat import Cheat, CheatingSession
from tests.checkers.cheats.composed import CHEATS, CheatingSpectator, ComposedCheat, Rule

__all__ = ["CHEATS", "Cheat", "CheatingSession", "CheatingSpectator", "ComposedCheat", "Rule"]
