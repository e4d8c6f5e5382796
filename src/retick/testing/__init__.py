"""Test tools for games, which Retick uses for its own tests too: sync tests, matches on bad networks, planted errors.

May import every package below the apps; none of them imports it. ``retick.testing.strategies`` needs hypothesis.

- ``determinism``: does a game repeat itself? Finds a failure and makes it small.
- ``mesh``: peers on bad links in one process, on virtual time.
- ``world_mesh``: a server of a declared world and its clients on bad links.
- ``scenarios``, ``chaos``, ``arenas``: matches under troubles drawn from a seed.
- ``cheats``: peers that break one rule of the protocol, and matches of honest machines with one of them.
- ``long_play``: hours of one match, with machines that come and go.
- ``limits``: every limit of a match, and what passes it.
- ``tampered``: games that go wrong on purpose, to see whether a check finds it.
- ``scenario_b``, ``weather``, ``course_clients``: a server and its clients on bad networks.
"""

from retick.testing.determinism import Failure, assert_deterministic, find_failure, random_inputs, shrink

__all__ = ["Failure", "assert_deterministic", "find_failure", "random_inputs", "shrink"]
