"""Prints what pip must install for an extra of pyproject.toml, quoted for a shell: ``python scripts/needs.py studio``.

An extra may name others of ours, as in ``retick[cli]``; pip of older Pythons cannot install the needs of a project
without the project.
"""

import re
import sys
import tomllib
from pathlib import Path
from shlex import quote

PROJECT = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text("utf-8"))["project"]


def needs(extra: str) -> list[str]:
    """The requirements of an extra, those of the extras that it names included."""
    found: list[str] = []
    for need in PROJECT["optional-dependencies"][extra]:
        others = re.fullmatch(r"retick\[([\w,]+)\]", need)
        found += [need] if others is None else [each for other in others[1].split(",") for each in needs(other)]
    return found


if __name__ == "__main__":
    print(*sorted({quote(need) for need in (*PROJECT["dependencies"], *needs(sys.argv[1]))}))
