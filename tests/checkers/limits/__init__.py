"""Every limit of a match, its links, spectators, join tokens, relays, routes and compact snapshots, and what passes it.

A limit that no test ever passes is where the next surprise waits. Each row names the limit, how it is made small, and
the test or the cheat that passes it. ``other_numbers`` has the numbers of the same modules that are no limits. A test
reads all constants of these packages, and fails when one is in neither table.
"""

from tests.checkers.limits.limit import Limit
from tests.checkers.limits.matches import MATCH_LIMITS
from tests.checkers.limits.online import ONLINE_LIMITS
from tests.checkers.limits.snapshots import SNAPSHOT_LIMITS

__all__ = ["LIMITS", "Limit", "rendered"]

LIMITS: tuple[Limit, ...] = MATCH_LIMITS + ONLINE_LIMITS + SNAPSHOT_LIMITS
"""One row for each limit."""


def rendered() -> str:
    """The table as it stands in docs/internals/limits.md."""
    lines = ["| limit | of what | value | made small by | passed by |", "|---|---|---|---|---|"]
    for row in LIMITS:
        path = row.where.partition(":")[2]
        test = row.passed_by.rpartition("::")[2].replace("cheat:", "the cheat ")
        value = f"{row.value:,}" if isinstance(row.value, int) else f"{row.value:g}"
        lines.append(f"| `{path}` | {row.what} | {value} | {row.small} | {test} |")
    return "\n".join(lines)
