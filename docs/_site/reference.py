"""The API reference: one page for each package, with the names in its ``__all__`` and no others.

A name that several packages export is described once, in the package nearest to the root that is not the root itself.
"""

import ast
import importlib
import inspect
import pkgutil
import textwrap
from functools import cache
from itertools import pairwise
from types import ModuleType

import retick

APPS = ("retick.cli", "retick.studio")
"""Programs: their interface is the command line."""

MODULES = (
    "retick.audit.desync.bundle",
    "retick.errors",
    "retick.games.runner.locomotion",
    "retick.integrations.pettingzoo.fighter_v0",
    "retick.integrations.vector",
    "retick.testing.mesh",
    "retick.testing.scenarios",
    "retick.transport.conditions",
    "retick.wire.rbn1",
)
"""Modules that the documentation imports by their own name, though they are no packages."""

LONGEST_VALUE = 200
"""Characters of a constant's value that help a reader; longer ones are tables."""


def public_modules() -> list[ModuleType]:
    packages = [name for _, name, is_package in pkgutil.walk_packages(retick.__path__, "retick.") if is_package]
    names = [name for name in {*packages, *MODULES} if not name.startswith(APPS)]
    modules = [importlib.import_module(name) for name in sorted(names, key=lambda name: (name.count("."), name))]
    return [module for module in modules if hasattr(module, "__all__")]


def reference_pages() -> dict[str, str]:
    """The text of each page, by the name of its module."""
    pages: dict[str, str] = {}
    homes: dict[tuple[str, int], str] = {}  # by name and identity: constants may be the same object
    for module in public_modules():
        own = [name for name in module.__all__ if (name, id(getattr(module, name))) not in homes]
        if own:
            homes.update({(name, id(getattr(module, name))): module.__name__ for name in own})
            pages[module.__name__] = page_of(module, own)
    pages["retick"] = root_page(homes)
    return dict(sorted(pages.items()))


def page_of(module: ModuleType, names: list[str]) -> str:
    entries = [entry_of(module, name) for name in names]
    return f"{title(module.__name__)}\n.. automodule:: {module.__name__}\n\n" + "\n".join(entries)


def root_page(homes: dict[tuple[str, int], str]) -> str:
    """The root's names are those of its packages: each with a link to where it is described."""
    lines = [f"{title('retick')}\n.. automodule:: retick\n", ".. autofunction:: is_compiled\n"]
    for name in retick.__all__:
        home = homes.get((name, id(getattr(retick, name))))
        if home is not None:
            lines.append(f"- :py:obj:`retick.{name} <{home}.{name}>`, of :py:mod:`{home}`")
    return "\n".join(lines) + "\n"


def title(text: str) -> str:
    return f"{text}\n{'=' * len(text)}\n"


def entry_of(module: ModuleType, name: str) -> str:
    value = getattr(module, name)
    if inspect.isclass(value) and value.__name__ == name:
        kind = "exception" if issubclass(value, BaseException) else "class"
        return f".. auto{kind}:: {name}\n{which_members(value)}\n"
    if inspect.isroutine(value):
        return f".. autofunction:: {name}\n"
    return f".. py:data:: {name}\n\n{textwrap.indent(text_under(module, name), '   ')}\n"


def which_members(value: type) -> str:
    # What comes from a base with an entry of its own is described there, and what is not Retick's elsewhere.
    public = public_classes()
    others = [base for base in value.__mro__[1:] if base in public or not base.__module__.startswith("retick")]
    bases = "   :show-inheritance:\n" if set(value.__bases__) & public else ""
    return f"   :members:\n   :inherited-members: {', '.join(base.__name__ for base in others)}\n{bases}"


@cache
def public_classes() -> frozenset[type]:
    named = (getattr(module, name) for module in public_modules() for name in module.__all__)
    return frozenset(value for value in named if inspect.isclass(value))


def text_under(module: ModuleType, name: str) -> str:
    """The docstring beneath a constant, in the module from which the package imports it; without one, its value."""
    body = ast.parse(inspect.getsource(module)).body
    body = [inner for node in body for inner in (node.body if isinstance(node, ast.If) else [node])]
    for node, following in pairwise([*body, ast.Pass()]):
        match node:
            case ast.ImportFrom(module=str(home)) if name in {alias.name for alias in node.names}:
                ours = home.startswith("retick")
                return text_under(importlib.import_module(home), name) if ours else f"``{home}.{name}``, as it is."
            case ast.Assign(targets=[ast.Name(id=target)], value=value) if target == name:
                return docstring(following) or short(value)
            case ast.AnnAssign(target=ast.Name(id=target), value=ast.expr() as value) if target == name:
                return docstring(following) or short(value)
    return ""


def short(value: ast.expr) -> str:
    text = ast.unparse(value)
    return f"``{text}``" if len(text) <= LONGEST_VALUE else ""


def docstring(node: ast.stmt) -> str:
    match node:
        case ast.Expr(value=ast.Constant(value=str(text))):
            return inspect.cleandoc(text)
    return ""
