"""Checkers that are shipped: what Retick tests itself with, for users to test their own games with.

Knows every package below the apps; nothing in those packages knows it. The hypothesis strategies are in
``retick.testing.strategies``, which needs hypothesis.
"""

from retick.testing.determinism import Failure, assert_deterministic, find_failure, random_inputs, shrink

__all__ = ["Failure", "assert_deterministic", "find_failure", "random_inputs", "shrink"]
