"""The only way from a command to the screen: no other module of ``retick.cli`` prints, and a test says so.

Theory of operation. Names, reasons and errors come from files, arguments and other peers. A terminal takes some
characters as commands: escape sequences, line ends, controls that reverse the direction of text. So every text is made
safe at the place where it is printed, and a command that is written tomorrow cannot forget it. A line goes through
``say``, JSON through ``say_json``, pictures and tables through a ``Screen``, whose own sequences (colours, cursor) are
the only ones that reach the terminal. Markup such as ``[red]`` is plain text everywhere.
"""

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn, TextIO

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

__all__ = [
    "Screen",
    "count",
    "json_text",
    "safe",
    "say",
    "say_json",
    "working",
]


def safe(text: str) -> str:
    """``text`` with every character escaped that is not printable: all controls, line ends, bidi, lone surrogates."""
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in text)


def say(*lines: str, err: bool = False) -> None:
    """Print lines on standard output or standard error, at once. A line end inside of a line is escaped too."""
    stream = sys.stderr if err else sys.stdout
    for line in lines:
        print(_encodable(safe(line), stream), file=stream)
    stream.flush()


def say_json(value: Any, *, indent: int | None = None) -> None:
    """Print a value as JSON, in plain ASCII."""
    say(*json_text(value, indent=indent).split("\n"))


def json_text(value: Any, *, indent: int | None = None, default: Callable[[Any], Any] | None = None) -> str:
    """JSON in printable ASCII: the encoder leaves DEL as it is."""
    return json.dumps(value, indent=indent, default=default).replace("\x7f", "\\u007f")


def _encodable(text: str, stream: TextIO) -> str:
    """What the terminal's encoding does not have is escaped, too."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)


def _safe_lines(text: str) -> str:
    return text if text.isprintable() else "\n".join(map(safe, text.split("\n")))


class Screen(Console):
    """A console for pictures, tables and lines with a style; whatever it renders is safe."""

    def __init__(self, *, stderr: bool = False) -> None:
        super().__init__(stderr=stderr, markup=False, emoji=False, highlight=False)

    def tell(self, *parts: str | tuple[str, str], style: str = "") -> None:
        """Print one line that is never wrapped; a part is a text, or a text and its style."""
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
        """Before the layout is made, so that its widths are right."""
        return super().render_str(_safe_lines(text), **options)

    def on_broken_pipe(self) -> NoReturn:
        """``exit_codes`` decides how a command ends, and not the console."""
        raise BrokenPipeError


@contextmanager
def working(title: str) -> Iterator[Callable[[str], None]]:
    """Show ``title`` on standard error while the block runs; call what it yields with a text to show in its place."""
    with Screen(stderr=True).status(Text(safe(title))) as status:
        yield lambda text: status.update(Text(safe(text)))


# Numbers with their nouns: 1 frame, 2 frames.


def count(number: int, noun: str, nouns: str = "") -> str:
    """``number`` and the noun in its form for that number; ``nouns`` is its plural where that is not just an s more."""
    return f"{number} {noun if number == 1 else nouns or f'{noun}s'}"
