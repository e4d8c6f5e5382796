"""Games as PettingZoo environments, for agents that learn on the same game that people play.

:class:`SimulationEnv` makes a parallel environment of any simulation; the module ``fighter_v0`` is the reference
fighter with observations, rewards and a picture. It knows nothing about networks or about how agents learn.
"""

from retick.errors import MissingExtra

try:
    import pettingzoo  # noqa: F401 - only to see whether it is installed
except ModuleNotFoundError:
    raise MissingExtra("environments for agents need pettingzoo: pip install pettingzoo numpy") from None

from retick.integrations.pettingzoo.environment import SimulationEnv

__all__ = ["SimulationEnv"]
