"""Games from a declaration: name the numbers of state and command, and the packets follow.

Knows motors by their Protocol; knows no link, no server and no client.
"""

from retick.authority.declared.fields import Angle, Flag, Real, Whole
from retick.authority.declared.profile import DeclaredProfile

__all__ = ["Angle", "DeclaredProfile", "Flag", "Real", "Whole"]
