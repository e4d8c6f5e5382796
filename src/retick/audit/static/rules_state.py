"""The rules for ``step``: it must change neither the state and inputs that it gets, nor its game object.

They apply to ``step``, ``run``, ``checksum``, ``fields`` and ``pack_state`` of a class that has a ``step``, and to a
module-level function called ``step``. A step whose only argument besides ``self`` is the inputs belongs to a mutable
world, which may change itself.
"""

import ast
from collections.abc import Iterator

from retick.audit.static.argument_changes import FunctionChanges
from retick.audit.static.parsed_file import Hit, ParsedFile
from retick.audit.static.scopes import parameters_of

__all__ = ["check"]

_CONTRACT = frozenset({"step", "run", "checksum", "fields", "pack_state"})


def check(source: ParsedFile) -> Iterator[Hit]:
    """The places that break the rules state-mutation and hidden-state."""
    function_changes = FunctionChanges(source)
    for node in source.walk():
        if isinstance(node, ast.ClassDef):
            methods = [part for part in node.body if isinstance(part, ast.FunctionDef)]
            step = next((method for method in methods if method.name == "step"), None)
            if step is not None:
                pure = len(parameters_of(step)) > 2 or source.is_decorated(step, "builtins.staticmethod")
                for method in methods:
                    if method.name in _CONTRACT:
                        yield from _check_method(source, function_changes, method, pure)
        elif isinstance(node, ast.FunctionDef) and node.name == "step" and source.scope(node).is_module:
            for change in function_changes.changes(node):
                yield Hit(change.node, "state-mutation", f"{change.what} in `step`")


def _check_method(
    source: ParsedFile, function_changes: FunctionChanges, method: ast.FunctionDef, pure: bool
) -> Iterator[Hit]:
    parameters = parameters_of(method)
    static = source.is_decorated(method, "builtins.staticmethod")
    itself = None if static or not parameters else parameters[0].arg
    for change in function_changes.changes(method):
        if change.parameter != itself:
            yield Hit(change.node, "state-mutation", f"{change.what} in `{method.name}`")
        elif pure:
            yield Hit(change.node, "hidden-state", f"{change.what} in `{method.name}`")
