"""The lines of a game's file that are no part of the game: a script below it that plays a match or prints.

Such lines run once, when the file is imported, and can reach the simulation only through a variable of the module. So
in a file that has a game, a statement of the module is script if no function and no class reads what it binds or
changes, directly or through other variables. A file without a game has none: its variables are for others to import.
"""

import ast
from collections.abc import Iterator

__all__ = ["is_game", "script_lines"]

_STEPS = frozenset({"step", "advance", "advance_slots"})
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def script_lines(tree: ast.Module) -> Iterator[ast.AST]:
    """Every node of the statements that are no part of the game."""
    if not any(is_game(statement) for statement in tree.body):
        return
    statements = [one for one in tree.body if not isinstance(one, (*_DEFINITIONS, ast.Import, ast.ImportFrom))]
    touched = {id(one): _touched(one) for one in statements}
    needed = {name for one in tree.body if isinstance(one, _DEFINITIONS) for name in _names(one)} | {"__all__"}
    waiting = statements
    while found := [one for one in waiting if touched[id(one)] & needed or _defines(one)]:
        waiting = [one for one in waiting if one not in found]
        needed.update(name for one in found for name in _names(one))
    for statement in waiting:
        yield from ast.walk(statement)


def is_game(statement: ast.stmt) -> bool:
    """Whether it is a class that runs frames."""
    return isinstance(statement, ast.ClassDef) and any(
        isinstance(one, ast.FunctionDef) and one.name in _STEPS for one in statement.body
    )


def _names(node: ast.AST) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)} | _exported(node)


def _exported(node: ast.AST) -> set[str]:
    """The names in ``__all__``, which other files import."""
    if not (isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"):
        return set()
    return {part.value for part in ast.walk(node) if isinstance(part, ast.Constant) and isinstance(part.value, str)}


def _touched(statement: ast.stmt) -> set[str]:
    """The variables that a statement binds, or may change by a call or an assignment to a part of them."""
    found: set[str] = set()
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del):
            found.add(node.id)
        elif isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del):
            found |= _names(node)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            found |= _names(node.func)
    return found


def _defines(statement: ast.stmt) -> bool:
    """Whether it has functions, classes or imports inside, under an ``if`` for example."""
    return any(isinstance(node, (*_DEFINITIONS, ast.Import, ast.ImportFrom)) for node in ast.walk(statement))
