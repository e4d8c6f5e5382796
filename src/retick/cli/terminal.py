"""The only way from a command to the screen: no other module of ``retick.cli`` prints, and a test checks it.

A line goes through ``say`` and JSON through ``say_json``, see :mod:`retick.playing.printing`. Pictures and tables go
through a ``Screen``: only its own sequences (colours, cursor) reach the terminal, and markup such as ``[red]`` is plain
text.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from retick.playing.printing import count, json_text, safe, say, say_json

__all__ = [
    "Screen",
    "count",
    "json_text",
    "safe",
    "say",
    "say_json",
    "working",
]


def _safe_lines(text: str) -> str:
    return text if text.isprintable() else "\n".join(map(safe, text.split("\n")))


class Screen(Console):
    """A console for pictures, tables and styled lines; everything that it renders is safe."""

    def __init__(self, *, stderr: bool = False) -> None:
        super().__init__(stderr=stderr, markup=False, emoji=False, highlight=False)

    def tell(self, *parts: str | tuple[str, str], style: str = "") -> None:
        """Print one line without wrapping; a part is a text, or a text and its style."""
        text = Text(style=style)
        for part in parts:
            words, look = (part, "") if isinstance(part, str) else part
            text.append(safe(words), look)
        self.print(text, soft_wrap=True)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            if segment.control or segment.text.isprintable():
                yield segment
            else:
                yield Segment(_safe_lines(segment.text), segment.style)

    def render_str(self, text: str, **options: Any) -> Text:
        """Make a text safe before the layout, so that its widths are right."""
        return super().render_str(_safe_lines(text), **options)

    def on_broken_pipe(self) -> NoReturn:
        """Let ``exit_codes`` decide how the command ends."""
        raise BrokenPipeError


@contextmanager
def working(title: str) -> Iterator[Callable[[str], None]]:
    """Show ``title`` on standard error while the block runs; call the yielded function to show another text."""
    with Screen(stderr=True).status(Text(safe(title))) as status:
        yield lambda text: status.update(Text(safe(text)))
