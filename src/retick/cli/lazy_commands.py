"""Commands that are imported when they are used: ``retick --version`` need not load every benchmark."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any, ClassVar

import typer
from typer.core import TyperGroup

__all__ = ["LazyGroup"]


class LazyGroup(TyperGroup):
    """A group of commands that are named here, and imported when one of them is asked for."""

    places: ClassVar[Mapping[str, str]] = {}
    """Each command and where it is: ``module:function``, or ``module:app`` for a group below this one."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = _Commands(self.places)  # type: ignore[assignment]  # nobody adds to it


class _Commands(Mapping[str, Any]):
    """Commands by name, made at first use."""

    def __init__(self, places: Mapping[str, str]) -> None:
        self._places = places
        self._made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            module, _, member = self._places[name].partition(":")
            self._made[name] = _command(name, getattr(import_module(module), member))
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


def _command(name: str, found: Any) -> Any:
    """What typer makes of a function or of an app of its own."""
    if not isinstance(found, typer.Typer):
        alone = typer.Typer(add_completion=False)
        alone.command(name)(found)
        found = alone
    else:
        found._add_completion = False
    command = typer.main.get_command(found)
    command.name = name
    return command
