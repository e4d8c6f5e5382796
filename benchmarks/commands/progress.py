"""The line on standard error that shows what a benchmark is doing."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from retick.cli.terminal import working

__all__ = ["progress"]


@contextmanager
def progress(title: str) -> Iterator[Callable[[str], None]]:
    """Show ``title`` while the block runs; call what it yields with a text to show behind the title."""
    with working(title) as show:
        yield lambda text: show(f"{title}: {text}")
