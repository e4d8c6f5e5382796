"""Rules about everything outside of a simulation: clocks, randomness, environment, concurrency, I/O, pickles.

Most findings are at the use of a name, because an unused import does no harm and each use may need its own comment.
Engines have rules of their own. Annotations are not uses: a parameter may be annotated with Path.
"""

import ast
from collections.abc import Iterator

from retick.audit.static.outside_names import outside_rule
from retick.audit.static.parsed_file import Hit, ParsedFile
from retick.audit.static.scopes import absolute_module

__all__ = ["check"]

_FILE_METHODS = frozenset({"read_text", "read_bytes", "write_text", "write_bytes"})

_DOES = {
    "clock": "reads a clock",
    "random": "draws from outside of the state",
    "environment": "reads the environment",
    "concurrency": "runs concurrently",
    "io": "does I/O",
    "output": "writes output",
    "pickle": "runs code that is in the data",
}


def check(source: ParsedFile) -> Iterator[Hit]:
    """The places that break the rules clock, random, environment, concurrency, io, output and pickle."""
    yield from _imports(source)
    yield from _uses(source)
    for node in source.walk():
        if isinstance(node, ast.AsyncFunctionDef | ast.AsyncFor | ast.AsyncWith | ast.Await):
            yield Hit(node, "concurrency", "asynchronous code")
        elif isinstance(node, ast.Attribute) and node.attr in _FILE_METHODS and not source.resolve(node):
            yield Hit(node, "io", f"`.{node.attr}()` does I/O")


def _imports(source: ParsedFile) -> Iterator[Hit]:
    for node in source.walk():
        for module in _modules_imported(source, node):
            rule = outside_rule(module)
            if rule and rule != "engine" and isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
                yield Hit(node, rule, f"`from {module} import *`")


def _modules_imported(source: ParsedFile, node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [absolute_module(node, source.package)] if isinstance(node, ast.ImportFrom) else []


def _uses(source: ParsedFile) -> Iterator[Hit]:
    for node, names in source.references():
        if source.in_annotation(node) or _is_caught(source, node):
            continue
        for name in names:
            rule = outside_rule(name)
            # A parameter annotated with a class does not use that class; calls of its methods do.
            if rule and rule != "engine" and not name.endswith("()"):
                plain = name.replace("()", "").removeprefix("builtins.")
                yield Hit(node, rule, f"`{plain}` {_DOES[rule]}")
                break


def _is_caught(source: ParsedFile, node: ast.expr) -> bool:
    """An exception that is only caught, as in ``except asyncio.CancelledError``."""
    above = source.parent(node)
    if isinstance(above, ast.Tuple):
        above = source.parent(above)
    return isinstance(above, ast.ExceptHandler)
