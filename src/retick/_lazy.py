"""Names of a package that are imported when they are first used, so that a program loads no more than it runs.

Such a package imports its names for type checkers only, and hands everybody else the modules where they are::

    if TYPE_CHECKING:
        from retick.verify.rows import Row
    else:
        __getattr__, __dir__ = lazy(__name__, {"retick.verify.rows": "Row"})

A test compares both with the package's ``__all__``.
"""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazy(package: str, names: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Make ``__getattr__`` and ``__dir__`` of a package; ``names`` has each module's names in one text."""
    homes = {name: module for module, listed in names.items() for name in listed.split()}
    own = vars(sys.modules[package])

    def get(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        # retick: allow global-state -- a name that was found once never changes
        own[name] = getattr(import_module(homes[name]), name)
        return own[name]

    def names_of_package() -> list[str]:
        return sorted({*own, *homes})

    return get, names_of_package
