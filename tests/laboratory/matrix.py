"""The matrix of kinds of routers, in real namespaces: who plays directly, and who through the relay.

``python -m tests.laboratory.matrix`` plays all pairs and writes the table into docs/guides/internet.md.
"""

import sys
from itertools import product
from pathlib import Path

from retick.transport import NatKind
from tests.laboratory.namespaces import Laboratory, why_not
from tests.laboratory.online_matches import play

__all__ = ["KINDS", "expected", "measure", "table", "table_in"]

KINDS = (NatKind.FULL_CONE, NatKind.ADDRESS_RESTRICTED, NatKind.PORT_RESTRICTED, NatKind.SYMMETRIC)
AT_ONCE = 4
"""Matches at the same time."""
PAGE = Path(__file__).parents[2] / "docs" / "guides" / "internet.md"
BEGIN, END = "<!-- matrix: python -m tests.laboratory.matrix -->\n", "<!-- end of matrix -->"

Pair = tuple[NatKind, NatKind]


def expected(pair: Pair) -> str:
    """A direct path exists, unless one is symmetric and the other lets in only ports that it sent to."""
    strict = {NatKind.PORT_RESTRICTED, NatKind.SYMMETRIC}
    return "relayed" if NatKind.SYMMETRIC in pair and set(pair) <= strict else "direct"


def measure(*pairs: Pair) -> dict[Pair, str]:
    """Play a match for each pair (who hosts comes first); how both reached each other at its end."""
    found = {}
    for few in (pairs[at : at + AT_ONCE] for at in range(0, len(pairs), AT_ONCE)):
        with Laboratory(*(kind for pair in few for kind in pair)) as lab:
            lab.relay()
            matches = play(lab, *((2 * number + 1, 2 * number + 2) for number in range(len(few))))
        for pair, (one, other) in zip(few, matches, strict=True):
            assert one.end == other.end, (pair, one, other)
            assert one.way == other.way, (pair, one, other)
            found[pair] = one.way
    return found


def table(found: dict[Pair, str]) -> str:
    """As Markdown."""
    lines = ["| who hosts ↓, who joins → | " + " | ".join(kind.value for kind in KINDS) + " |", "|---|---|---|---|---|"]
    for kind in KINDS:
        lines.append(f"| **{kind.value}** | " + " | ".join(found[kind, other] for other in KINDS) + " |")
    return "\n".join(lines) + "\n"


def table_in(page: str) -> str:
    """The table that a page has."""
    return page.partition(BEGIN)[2].partition(END)[0]


def main() -> None:
    reason = why_not()
    if reason is not None:
        sys.exit(f"there can be no laboratory here: {reason}")
    found = measure(*product(KINDS, KINDS))
    page = PAGE.read_text("utf-8")
    head, rest = page.split(BEGIN)
    PAGE.write_text(head + BEGIN + table(found) + END + rest.partition(END)[2], "utf-8")
    wrong = [f"{one.value}/{other.value}" for (one, other), way in found.items() if way != expected((one, other))]
    sys.exit(f"not as expected: {', '.join(wrong)}" if wrong else 0)


if __name__ == "__main__":
    main()
