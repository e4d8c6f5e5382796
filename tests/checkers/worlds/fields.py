"""What the generator knows of a declared field and of a class."""

from dataclasses import dataclass, field

__all__ = ["ClassSpec", "FieldSpec"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldSpec:
    """One field."""

    name: str
    kind: str
    """int, float, bool, enum, text, vector, rect, frect, ref, cache, part, things or values."""
    hint: str
    """Its annotation."""
    default: str = ""
    """Its default as source; empty without one."""
    optional: bool = False
    low: int = 0
    high: int = 0
    """The bounds of an integer."""
    most: int = 0
    """The most items of a list, or bytes of a text."""
    inner: str = ""
    """The name of the class of a thing, of items or of a reference's target, or of an enum."""
    of: "FieldSpec | None" = None
    """What a list of values holds."""

    @property
    def is_needed(self) -> bool:
        """Whether a new thing must be given a value."""
        if self.default or self.kind in ("cache", "part", "things", "values"):
            return False
        return self.kind == "ref" or not (self.optional or "Jumps" in self.hint or "Player" in self.hint)


@dataclass(slots=True)
class ClassSpec:
    """One class."""

    name: str
    fields: dict[str, FieldSpec]
    """All fields, the inherited ones too, in their order."""
    has_own_init: bool = False
    names: list[str] = field(default_factory=list)
    """Constants, properties and methods without arguments."""
    bases: tuple[str, ...] = ()

    def of_kind(self, *kinds: str) -> list[FieldSpec]:
        return [each for each in self.fields.values() if each.kind in kinds]
