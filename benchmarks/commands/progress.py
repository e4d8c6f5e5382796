"""The progress line of a benchmark on standard error."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from retick.cli.terminal import working

__all__ = ["progress"]


@contextmanager
def progress(title: str) -> Iterator[Callable[[str], None]]:
    """Show ``title`` while the block runs; call the yielded function to show a text after it."""
    with working(title) as show:
        yield lambda text: show(f"{title}: {text}")
