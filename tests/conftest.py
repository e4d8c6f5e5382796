"""Settings for all tests, and what is left out where the kernels' sources run."""

import gc
import signal
from collections.abc import Iterator

import pytest
from hypothesis import settings

import retick
from tests.twin import Twin

# No test asserts times: an example that takes long on a busy machine is not a failure.
settings.register_profile("retick", deadline=None, max_examples=25)
# For make test-pure: the same properties have run compiled.
settings.register_profile("quick", deadline=None, max_examples=10)
# For make soak: --hypothesis-profile=soak
settings.register_profile("soak", deadline=None, max_examples=400)
settings.load_profile("retick")

# A shell starts what runs in the background with SIGINT ignored, and every process below inherits that: programs that
# the tests interrupt would never end.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def twin() -> Iterator[Twin]:
    """A process with the sources of the kernels; its start takes a second, so there is one for all tests."""
    with Twin() as other:
        yield other


# Modules and collected tests stay until the end. A garbage collector that walks through all of them again and again
# takes a quarter of the whole time.
gc.disable()


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if retick.is_compiled():
        return
    reason = pytest.mark.skip(reason="says something about the compiled kernels, and the sources run here")
    for item in items:
        if item.get_closest_marker("compiled_only"):
            item.add_marker(reason)
