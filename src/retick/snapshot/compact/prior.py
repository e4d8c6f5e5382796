"""The prior that comes with the library: trained on the seeded generators in ``benchmarks/``, for any schema."""

from base64 import b85decode
from functools import cache

from retick.snapshot.compact.generic import GENERIC
from retick.snapshot.compact.statistics import Prior

__all__ = ["generic_prior"]


@cache
def generic_prior() -> Prior:
    return Prior.from_bytes(b85decode(GENERIC))
