"""The rules that ``step`` must obey: it changes neither the state and inputs that it got, nor its game object.

Looked at are ``step``, ``run``, ``checksum``, ``fields`` and ``pack_state`` of a class that has a ``step``, and a
function called ``step`` on its own. A step with one argument beside ``self`` belongs to a mutable world, which may
change itself.
"""

import ast
from collections.abc import Iterator

from retick.audit.static.scopes import parameters_of
from retick.audit.static.source import Hit, Source
from retick.audit.static.tracing import Summaries

__all__ = ["check"]

_CONTRACT = frozenset({"step", "run", "checksum", "fields", "pack_state"})


def check(source: Source) -> Iterator[Hit]:
    summaries = Summaries(source)
    for node in source.walk():
        if isinstance(node, ast.ClassDef):
            methods = [part for part in node.body if isinstance(part, ast.FunctionDef)]
            step = next((method for method in methods if method.name == "step"), None)
            if step is not None:
                pure = len(parameters_of(step)) > 2 or source.is_decorated(step, "builtins.staticmethod")
                for method in methods:
                    if method.name in _CONTRACT:
                        yield from _check_method(source, summaries, method, pure)
        elif isinstance(node, ast.FunctionDef) and node.name == "step" and source.scope(node).is_module:
            for change in summaries.changes(node):
                yield Hit(change.node, "state-mutation", f"{change.what} in `step`")


def _check_method(source: Source, summaries: Summaries, method: ast.FunctionDef, pure: bool) -> Iterator[Hit]:
    parameters = parameters_of(method)
    static = source.is_decorated(method, "builtins.staticmethod")
    itself = None if static or not parameters else parameters[0].arg
    for change in summaries.changes(method):
        if change.origin != itself:
            yield Hit(change.node, "state-mutation", f"{change.what} in `{method.name}`")
        elif pure:
            yield Hit(change.node, "hidden-state", f"{change.what} in `{method.name}`")
