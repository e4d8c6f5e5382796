"""The rules of the static audit, which rules.toml lists. Allow comments name rules by their ids."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

from retick._regular_files import read_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One thing that a simulation must not do."""

    id: str
    """The rule's name in reports and allow comments."""
    reason: str
    """Why breaking the rule breaks a match."""
    advice: str
    """What to do instead."""


def _read() -> dict[str, dict[str, Rule]]:
    tables = tomllib.loads(read_text(Path(__file__).with_name("rules.toml")))
    return {group: {name: Rule(id=name, **words) for name, words in rules.items()} for group, rules in tables.items()}


_READ = _read()

RULES: dict[str, Rule] = _READ["rules"]
"""The rules that an allow comment can name."""

META_RULES: dict[str, Rule] = _READ["meta"]
"""The rules about allow comments and unreadable files; they cannot be silenced."""

FLOAT_RULES = frozenset({"float", "division"})
"""The rules that do not apply if the state has floats, or with a ``retick: floats`` comment."""
