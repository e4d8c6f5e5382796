"""Test tools for games, which Retick uses for its own tests too: sync tests, matches on bad networks, planted errors.

May import every package below the apps; none of them imports it. ``retick.testing.strategies`` needs hypothesis.

- ``determinism``: does a game repeat itself? Finds a failure and makes it small.
- ``mesh``: peers on bad links in one process, on virtual time.
- ``world_mesh``: a server of a declared world and its clients on bad links.
- ``online_mesh``: the same peers behind home routers, who meet at a relay.
- ``scenarios``: links, cuts, crashes and returns of a match, drawn from a seed.
- ``strategies``: Hypothesis strategies for inputs and the order of their arrival.
- ``plugin``: the pytest fixtures.
"""

from typing import TYPE_CHECKING

from retick._lazy import lazy

if TYPE_CHECKING:
    from retick.testing.determinism import Failure, assert_deterministic, find_failure, random_inputs, shrink
else:
    __getattr__, __dir__ = lazy(
        __name__,
        {
            "retick.testing.determinism": "Failure assert_deterministic find_failure random_inputs shrink",
        },
    )

__all__ = ["Failure", "assert_deterministic", "find_failure", "random_inputs", "shrink"]
