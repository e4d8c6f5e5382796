"""The running total: how many packets each target has read, kept here and shown in docs/internals/fuzzing.md."""

import json
from collections.abc import Mapping
from pathlib import Path

__all__ = ["PAGE", "add", "packets", "rendered", "shown"]

FILE = Path(__file__).parent / "totals.json"
PAGE = Path(__file__).parents[1] / "docs" / "internals" / "fuzzing.md"
BEGIN, END = "<!-- fuzz totals: python -m fuzz run --record -->\n", "<!-- end of fuzz totals -->"


def packets() -> dict[str, int]:
    """Number of packets by target."""
    found: dict[str, int] = json.loads(FILE.read_text("utf-8")) if FILE.exists() else {}
    return found


def add(more: Mapping[str, int]) -> None:
    """Add to the total, in the file and on the page."""
    total = packets()
    for name, count in more.items():
        total[name] = total.get(name, 0) + count
    FILE.write_text(json.dumps(dict(sorted(total.items())), indent=1) + "\n", "utf-8")
    page = PAGE.read_text("utf-8")
    head, _, rest = page.partition(BEGIN)
    if rest:
        PAGE.write_text(head + BEGIN + rendered() + END + rest.partition(END)[2], "utf-8")


def rendered() -> str:
    """Write the table by family."""
    families: dict[str, list[int]] = {}
    for name, count in packets().items():
        families.setdefault(name.partition("/")[0], []).append(count)
    lines = ["| decoders | targets | packets |", "|---|---:|---:|"]
    lines += [f"| {family} | {len(counts)} | {sum(counts):,} |" for family, counts in sorted(families.items())]
    everything = [count for counts in families.values() for count in counts]
    lines.append(f"| **all** | **{len(everything)}** | **{sum(everything):,}** |")
    return "\n".join(lines) + "\n"


def shown() -> str:
    """The table on the page."""
    return PAGE.read_text("utf-8").partition(BEGIN)[2].partition(END)[0]
