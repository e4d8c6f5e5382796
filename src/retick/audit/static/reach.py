"""Finds the code that is part of a simulation, because a game can reach it; the rest is windows, tests and scripts.

Theory of operation. Every statement of a module, and every method of a class, is a *unit*. A unit mentions names of its
module, names of other modules, and attributes. The search begins with the games: the named class, or else every class
that has ``step`` or ``advance`` or is a ``World``. From there it follows

- names, to the units that bind or change them in their module, and through imports to other files;
- a class, to its body and to its methods, except those that only the window uses (``draw``, ``press``, ``hear`` and
  what only these call), unless the simulation mentions them;
- a class to its subclasses, and a decorator of the same source to what it decorates, since a registry may call it.

If the source cannot tell, code counts as simulation: a file that no game reaches is left out only if it uses a game, a
session or an engine itself, as windows and tests do. Without any game everything is simulation, except the window's
functions, the main block, and functions that only these call.
"""

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from retick.audit.static.declared_fields import inherits
from retick.audit.static.parsed_file import ParsedFile, root_name
from retick.audit.static.rules_outside import outside_rule
from retick.audit.static.scopes import is_main_block

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_DEFINITIONS = (*_FUNCTIONS, ast.ClassDef)
_WORD = re.compile(r"[A-Za-z_]\w*")


@dataclass(eq=False, slots=True)
class Unit:
    """A statement of a module, a class without its methods, or a method; it is reached as a whole or not at all."""

    module: int
    """Number of the unit's file."""
    node: ast.stmt
    owner: "Unit | None" = None
    """The class, for a method."""
    binds: set[str] = field(default_factory=set)
    """Names of the module that the unit binds, or changes when the module is imported."""
    names: set[str] = field(default_factory=set)
    """Names of its own module that the unit mentions."""
    dotted: set[str] = field(default_factory=set)
    """Dotted names of other modules that the unit mentions."""
    attributes: set[str] = field(default_factory=set)
    """Attributes that the unit mentions, also as text for ``getattr``."""
    own_attributes: set[str] = field(default_factory=set)
    """Attributes of ``self`` and ``cls`` that the unit mentions."""
    bases: list[str] = field(default_factory=list)
    """Names and dotted names of a class's bases."""
    decorators: list[str] = field(default_factory=list)
    methods: list["Unit"] = field(default_factory=list)
    is_main: bool = False
    """Whether the unit runs only when the file is started as a program."""

    @property
    def is_class(self) -> bool:
        return isinstance(self.node, ast.ClassDef)

    @property
    def is_function(self) -> bool:
        return isinstance(self.node, _FUNCTIONS)

    @property
    def name(self) -> str:
        return str(getattr(self.node, "name", ""))

    @property
    def line(self) -> int:
        return self.node.lineno

    def nodes(self) -> Iterator[ast.AST]:
        """The unit's nodes; for a class, without its methods."""
        apart = {method.node for method in self.methods}
        waiting: list[ast.AST] = [self.node]
        while waiting:
            node = waiting.pop()
            yield node
            waiting += [child for child in ast.iter_child_nodes(node) if child not in apart]


def units_of(module: int, source: ParsedFile) -> list[Unit]:
    """All units of a file, without imports, which are followed where their names are used."""
    found: list[Unit] = []
    for statement in source.tree.body:
        if isinstance(statement, ast.Import | ast.ImportFrom):
            continue
        unit = Unit(module, statement)
        found.append(unit)
        if isinstance(statement, ast.ClassDef):
            unit.methods = [Unit(module, one, owner=unit) for one in statement.body if isinstance(one, _FUNCTIONS)]
            unit.bases = [name for base in statement.bases for name in _names_of(source, base)]
            found += unit.methods
        if isinstance(statement, _DEFINITIONS):
            unit.binds = {statement.name}
            unit.decorators = [name for one in statement.decorator_list for name in _names_of(source, one)]
        else:
            unit.binds = _changed_names(source, statement)
            unit.is_main = is_main_block(statement)
    for unit in found:
        _note_mentions(source, unit)
    return found


def _names_of(source: ParsedFile, node: ast.expr) -> list[str]:
    node = node.func if isinstance(node, ast.Call) else node
    return [*source.resolve(node), *([node.id] if isinstance(node, ast.Name) else [])]


def _changed_names(source: ParsedFile, statement: ast.stmt) -> set[str]:
    """The variables that a statement binds, or may change by a call or by assigning to a part of them."""
    found: set[str] = set()
    for node in ast.walk(statement):
        if isinstance(node, _DEFINITIONS):
            found.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            found |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del):
            found.add(node.id)
        elif isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del):
            found |= _root_of(source, node)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            found |= _root_of(source, node.func)
    return found


def _root_of(source: ParsedFile, node: ast.expr) -> set[str]:
    """The variable at the root of a chain, unless it is imported, since such a call changes no variable here."""
    root = root_name(node)
    return {root.id} if root and not source.imported_as(root.id) else set()


def _note_mentions(source: ParsedFile, unit: Unit) -> None:
    for node in unit.nodes():
        if isinstance(node, ast.Name):
            found = source.scope(node).find(node.id)
            if found is None or found[0].is_module:
                unit.names.add(node.id)
                if not isinstance(source.parent(node), ast.Attribute):
                    unit.dotted.update(source.resolve(node))
        elif isinstance(node, ast.Attribute):
            _note_attribute(source, unit, node)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            words = _WORD.findall(node.value)
            if source.in_annotation(node):
                unit.names.update(words)
            elif words == [node.value]:
                unit.attributes.add(node.value)


def _note_attribute(source: ParsedFile, unit: Unit, node: ast.Attribute) -> None:
    imported = source.resolve(node)
    if imported:
        if not isinstance(source.parent(node), ast.Attribute):
            unit.dotted.update(imported)
    elif isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"):
        unit.own_attributes.add(node.attr)
    else:
        unit.attributes.add(node.attr)


_STEPS = frozenset({"step", "advance", "advance_slots"})
_WORLD = frozenset({"World"})
_CONTRACT = _STEPS | {
    "checksum", "cues", "fields", "initial_state", "load", "pack_state", "reset", "run", "save", "start",
    "unpack_state",
}  # fmt: skip
"""Methods of a game that are simulation even if the window calls them, too."""
_PROGRAMS = frozenset({
    "audit", "authority", "games", "integrations", "replay", "rollback", "testing", "transport",
})  # fmt: skip
"""Packages of this library that programs import, but games do not."""
_DEEPEST = 8
"""Most modules through which an imported name is followed."""
_WINDOW = frozenset({"bot", "draw", "hear", "press", "render", "result"})
"""Functions and methods that the window calls; they are simulation only if the simulation calls them."""


class SourceOf(NamedTuple):
    """One parsed file, with its import root and module name."""

    root: str
    module: str
    source: ParsedFile


def set_aside_unreached(files: Sequence[SourceOf], game: tuple[int, str] | None = None) -> set[int]:
    """Set aside what no game reaches; return the numbers of the files without any simulation.

    ``game`` has the number of the file with the game and its name there, if one was named.
    """
    reach = _Reach(files, game)
    reach.follow(reach.roots)
    above = reach.files_above()
    for number in reach.files_without_reached() - above:
        reach.follow(reach.all_of(number))
    for unit in reach.all_units:
        if unit not in reach.reached:
            files[unit.module].source.set_aside(unit.nodes())
    return above


class _Reach:
    """The units of all files, and those reached so far."""

    def __init__(self, files: Sequence[SourceOf], game: tuple[int, str] | None) -> None:
        self._files = files
        self._by_module: dict[str, list[int]] = {}
        for number, file in enumerate(files):
            self._by_module.setdefault(file.module, []).append(number)
        self._units = [units_of(number, file.source) for number, file in enumerate(files)]
        self.all_units = [unit for units in self._units for unit in units]
        self.reached: set[Unit] = set()
        self._binding: dict[tuple[int, str], list[Unit]] = {}
        self._methods: dict[str, list[Unit]] = {}
        for unit in self.all_units:
            for name in unit.binds:
                self._binding.setdefault((unit.module, name), []).append(unit)
            if unit.owner is not None:
                self._methods.setdefault(unit.name, []).append(unit)
        self._heirs: dict[Unit, list[Unit]] = {}
        self._decorated: dict[Unit, list[Unit]] = {}
        for unit in self.all_units:
            for users, names in ((self._heirs, unit.bases), (self._decorated, unit.decorators)):
                for found in self._named(unit, names, names):
                    users.setdefault(found, []).append(unit)
        named = self._binding.get((game[0], game[1].split(".")[0]), []) if game else []
        games = [unit for unit in self.all_units if self._is_game(unit)]
        self.roots = named or games
        self._games = {*games, *named}
        self._window = {unit for unit in self._called_by(self._is_window) if unit.owner is not None}
        self._scripts = self._called_by(lambda unit: unit.is_main or self._is_window(unit))
        self._mentioned: set[str] = set()
        self._waiting: list[Unit] = []

    def _is_game(self, unit: Unit) -> bool:
        if not isinstance(unit.node, ast.ClassDef):
            return False
        steps = any(method.name in _STEPS for method in unit.methods)
        return steps or inherits(self._files[unit.module].source, unit.node, _WORLD)

    def _is_window(self, unit: Unit) -> bool:
        return unit.is_function and unit.name in _WINDOW

    def _called_by(self, begins: Callable[[Unit], bool]) -> set[Unit]:
        """The units where ``begins`` is true, and the functions and methods that they call by name, even indirectly."""
        found: set[Unit] = set()
        waiting = [unit for unit in self.all_units if begins(unit)]
        while waiting:
            unit = waiting.pop()
            if unit in found:
                continue
            found.add(unit)
            called = self._named(unit, unit.names, unit.dotted)
            for attribute in unit.attributes | unit.own_attributes:
                called += self._methods.get(attribute, [])
            waiting += [one for one in called if one.is_function]
        return found

    def _named(self, unit: Unit, names: Iterable[str], dotted: Iterable[str]) -> list[Unit]:
        """The units that bind or change these names of the unit's file, and these dotted names of other files."""
        found: list[Unit] = []
        for name in names:
            found += self._binding.get((unit.module, name), [])
        for name in dotted:
            found += self._dotted(self._files[unit.module].root, name)
        return found

    def _dotted(self, root: str, dotted: str, depth: int = 0) -> list[Unit]:
        parts = dotted.replace("()", "").split(".")
        for end in range(len(parts), 0, -1):
            numbers = self._files_called(root, ".".join(parts[:end]))
            if not numbers:
                continue
            if end == len(parts):
                return [unit for number in numbers for unit in self._units[number] if unit.owner is None]
            found: list[Unit] = []
            for number in numbers:
                found += self._binding.get((number, parts[end]), [])
                for elsewhere in self._files[number].source.imported_as(parts[end]) if depth < _DEEPEST else ():
                    found += self._dotted(root, ".".join([elsewhere, *parts[end + 1 :]]), depth + 1)
            return found
        return []

    def _files_called(self, root: str, module: str) -> list[int]:
        """The files with this module name; only the one below the same root, if there is one."""
        numbers = self._by_module.get(module, [])
        return [number for number in numbers if self._files[number].root == root] or numbers

    def all_of(self, number: int) -> list[Unit]:
        """All units of a file, except its window, its main block and what only these call."""
        return [
            unit
            for unit in self._units[number]
            if unit.owner is None and not unit.is_main and not (unit.is_function and unit in self._scripts)
        ]

    def follow(self, begin: Iterable[Unit]) -> None:
        """Reach these units, and what can be reached from them."""
        self._waiting += begin
        while self._waiting:
            unit = self._waiting.pop()
            if unit not in self.reached and not unit.is_main:
                self.reached.add(unit)
                self._waiting += self._reached_from(unit)

    def _reached_from(self, unit: Unit) -> Iterator[Unit]:
        yield from self._named(unit, unit.names, unit.dotted)
        yield from self._decorated.get(unit, [])
        yield from self._heirs.get(unit, [])
        yield from (method for method in unit.methods if self._is_simulation(method))
        attributes = set(unit.attributes)
        if unit.owner is None:
            attributes |= unit.own_attributes
        else:
            yield unit.owner
            for attribute in unit.own_attributes:
                yield from self._own_methods(unit.owner, attribute)
        for attribute in attributes - self._mentioned:
            self._mentioned.add(attribute)
            for method in self._methods.get(attribute, []):
                if method.owner in self.reached and self._is_simulation(method):
                    yield method

    def _is_simulation(self, method: Unit) -> bool:
        """Whether a method of a reached class is simulation: it is, unless only the window uses it."""
        if method not in self._window or method.name in _CONTRACT or method.name.startswith("__"):
            return True
        # Other objects may have a draw(), too; a game's draw() belongs to the window unless the game itself calls it.
        return method.name in self._mentioned and not (self._is_window(method) and method.owner in self._games)

    def _own_methods(self, owner: Unit, name: str) -> Iterator[Unit]:
        """The methods that ``self.name`` may mean: of the class, its subclasses and its bases."""
        family, waiting = {owner}, [owner]
        while waiting:
            one = waiting.pop()
            near = set(self._heirs.get(one, [])).union(self._named(one, one.bases, one.bases)) - family
            waiting += near
            family |= near
        return (method for unit in family for method in unit.methods if method.name == name)

    def files_without_reached(self) -> set[int]:
        """The files without a reached unit."""
        return set(range(len(self._files))) - {unit.module for unit in self.reached}

    def files_above(self) -> set[int]:
        """The files without a reached unit that use a game, a session or an engine themselves."""
        games = {unit.module for unit in self._games}
        above: set[int] = set()
        left = self.files_without_reached()
        while more := {number for number in left - above if self._stands_above(number, games | above)}:
            above |= more
        return above

    def _stands_above(self, number: int, below: set[int]) -> bool:
        file = self._files[number]
        for dotted in file.source.imports():
            # Without a game, a file that imports an engine may be a game that is not ported yet.
            if outside_rule(dotted) == "engine" and self.roots:
                return True
            parts = dotted.split(".")
            if parts[0] == "retick" and _PROGRAMS.intersection(parts[1:2]) and not file.module.startswith("retick"):
                return True
            for end in range(len(parts), 0, -1):
                if numbers := self._files_called(file.root, ".".join(parts[:end])):
                    if below.intersection(numbers):
                        return True
                    break
        return False
