"""A program: pieces of source that declare classes, and pieces that use them."""

import base64
import marshal
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

__all__ = ["Program"]


@dataclass(frozen=True, slots=True)
class Program:
    """Units of source. Each runs as a whole, and one that raises ends there; the next one runs all the same."""

    classes: tuple[str, ...]
    operations: tuple[str, ...]

    @property
    def code(self) -> str:
        """The compiled program, for a process of the same Python."""
        units = [_compiled(text, f"unit {number}") for number, text in enumerate((*self.classes, *self.operations))]
        first = len(self.classes)
        return base64.b64encode(marshal.dumps((units[:first], units[first:]))).decode()

    def __str__(self) -> str:
        """The source, with the numbers by which stories name its units."""
        units = (*self.classes, *self.operations)
        return "\n".join(f"# [{number}]\n{text}" for number, text in enumerate(units))


@lru_cache(4096)  # while a program is shrunk, most of its units stay
def _compiled(text: str, name: str) -> Any:
    return compile(text, name, "exec", dont_inherit=True)
