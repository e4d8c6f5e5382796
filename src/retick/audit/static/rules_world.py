"""Rules about the world outside: clocks, randomness, environment, concurrency, I/O, output and engines.

Most are found where a name is used, since an unused import harms nobody and each use may need its own answer.
Engines are found where they are imported, once. Annotations are not uses: a parameter may be called a Path.
"""

import ast
from collections.abc import Iterator

from retick.audit.static.scopes import absolute_module
from retick.audit.static.source import Hit, Source
from retick.audit.static.world_names import world_rule

__all__ = ["check"]

_FILE_METHODS = frozenset({"read_text", "read_bytes", "write_text", "write_bytes"})

_DOES = {
    "clock": "reads a clock",
    "random": "draws from outside of the state",
    "environment": "reads the environment",
    "concurrency": "runs concurrently",
    "io": "does I/O",
    "output": "writes output",
}


def check(source: Source) -> Iterator[Hit]:
    yield from _imports(source)
    yield from _uses(source)
    for node in source.walk():
        if isinstance(node, ast.AsyncFunctionDef | ast.AsyncFor | ast.AsyncWith | ast.Await):
            yield Hit(node, "concurrency", "asynchronous code")
        elif isinstance(node, ast.Attribute) and node.attr in _FILE_METHODS and not source.resolve(node):
            yield Hit(node, "io", f"`.{node.attr}()` does I/O")


def _imports(source: Source) -> Iterator[Hit]:
    for node in source.walk():
        for module in _modules_imported(source, node):
            rule = world_rule(module)
            if rule == "engine":
                yield Hit(node, "engine", f"`import {module}`")
            elif rule and isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
                yield Hit(node, rule, f"`from {module} import *`")


def _modules_imported(source: Source, node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [absolute_module(node, source.package)] if isinstance(node, ast.ImportFrom) else []


def _uses(source: Source) -> Iterator[Hit]:
    for node, names in source.references():
        if source.in_annotation(node) or _is_caught(source, node):
            continue
        for name in names:
            rule = world_rule(name)
            # A parameter that is annotated with a class is no use of it; what is called on it is.
            if rule and rule != "engine" and not name.endswith("()"):
                plain = name.replace("()", "").removeprefix("builtins.")
                yield Hit(node, rule, f"`{plain}` {_DOES[rule]}")
                break


def _is_caught(source: Source, node: ast.expr) -> bool:
    """An exception that is only caught, as in ``except asyncio.CancelledError``."""
    above = source.parent(node)
    if isinstance(above, ast.Tuple):
        above = source.parent(above)
    return isinstance(above, ast.ExceptHandler)
