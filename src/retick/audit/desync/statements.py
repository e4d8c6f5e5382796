"""The text of the statement that begins on a line, for reports that name lines."""

import ast
import linecache
from functools import lru_cache

__all__ = ["statement_at"]

LONGEST = 300
"""Characters that are shown."""


def statement_at(filename: str, line: int) -> str:
    """The statement that begins on ``line``, in one line; otherwise, and for blocks, the text of the line itself."""
    end = _ends(filename).get(line, line)
    lines = (linecache.getline(filename, number).strip() for number in range(line, end + 1))
    return " ".join(lines).strip()[:LONGEST]


@lru_cache(maxsize=256)
def _ends(filename: str) -> dict[int, int]:
    """The last line of each statement that has several lines and no statements in it, by its first line."""
    try:
        tree = ast.parse("".join(linecache.getlines(filename)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    return {
        node.lineno: node.end_lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.stmt) and not hasattr(node, "body") and (node.end_lineno or 0) > node.lineno
        if node.end_lineno is not None
    }
