"""The process with the other form of the kernels, for many stories."""

from collections.abc import Iterator

import pytest

from tests.twin import Twin


@pytest.fixture(scope="package")
def twin() -> Iterator[Twin]:
    with Twin() as other:
        yield other
