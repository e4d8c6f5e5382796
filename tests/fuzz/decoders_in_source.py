"""Finds the functions of src/retick that read bytes from outside, by their names and parameters."""

import ast
import re
from collections.abc import Iterator
from functools import cache

from tests.sources import SOURCE, parsed

PACKAGES = (
    "wire", "link", "rollback", "snapshot", "replay", "authority", "transport", "games", "sim", "audit", "packets",
    "tokens", "relay", "host", "netrunner", "routes", "verify", "serving",
)  # fmt: skip
READS = re.compile(
    r"(try_)?(decode|unpack|loads?|read|parse|split|explain|inspect|kind_of|alarm_in|version_fault)(_\w+)?$"
    r"|receive_datagram$|apply_(delta|frame)$|\w+_from_json$|from_bytes$|_host_in$|(show|open_token)$"
)
GIVEN = {
    "data",
    "raw",
    "octets",
    "message",
    "packet",
    "payload",
    "text",
    "row",
    "body",
    "path",
    "saved",
    "info",
    "token",
}
"""Names of parameters that hold what came from outside."""


def _takes_bytes(function: ast.FunctionDef) -> bool:
    return bool(GIVEN & {each.arg for each in (*function.args.posonlyargs, *function.args.args)})


def functions_in(text: str) -> Iterator[str]:
    """Names of the readers in a module; those of classes with the class."""
    for node in parsed(text).body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            inside = [(f"{node.name}.{each.name}", each) for each in node.body if isinstance(each, ast.FunctionDef)]
        else:
            inside = [(node.name, node)] if isinstance(node, ast.FunctionDef) else []
        for name, function in inside:
            if READS.match(function.name) and _takes_bytes(function):
                yield name


@cache
def decoders() -> frozenset[str]:
    """ "module:name" of every reader."""
    found = set()
    for package in PACKAGES:
        for path in sorted((SOURCE / package).rglob("*.py")):
            module = ".".join(("retick", *path.relative_to(SOURCE).with_suffix("").parts))
            found |= {f"{module}:{name}" for name in functions_in(path.read_text("utf-8"))}
    return frozenset(found)
