"""Vectors, rectangles and texts as fields: how each is checked and packed.

These are values: what is written is copied, so that no two fields share one.
"""

from dataclasses import dataclass
from typing import Any

from retick.errors import UsageError
from retick.sim.kinds import REAL, Kind, kind_of
from retick.sim.shapes import FRect, Rect, Vector2
from retick.sim.shapes.shape import Shape, blank
from retick.sim.widths import I32

__all__ = ["TEXT_BYTES", "Form", "TextForm", "form_of"]

TEXT_BYTES = 255
"""Bytes of a text that is declared as plain ``str``."""

_WHOLE = kind_of(I32)
assert _WHOLE is not None


@dataclass(frozen=True, slots=True)
class Form:
    """A vector or a rectangle."""

    shape: type[Shape]
    text: str
    """As in the text of a declaration (docs/formats/world.md)."""
    names: tuple[str, ...]
    """Of its numbers, in the order in which they are packed."""
    kind: Kind
    """Of each number."""

    @property
    def zero(self) -> Shape:
        """What a field starts with if nothing else is said."""
        return self.blank()

    def blank(self) -> Shape:
        """A new one, all zero."""
        return blank(self.shape)  # type: ignore[no-any-return]  # mypy sees kernels untyped

    def checked(self, value: Any, where: str) -> Shape:
        """A copy of ``value`` as the field holds it, or a UsageError that names the field."""
        if not isinstance(value, int | float):  # one number would be a vector of twice this number
            try:
                return self.shape(value)  # type: ignore[call-arg]  # all shapes take one argument
            except (TypeError, ValueError, OverflowError):
                pass
        what = f"{len(self.names)} {'floats' if self.kind.is_real else 'integers of 32 bits'}"
        raise UsageError(f"{where}: {value!r} is not a {self.shape.__name__}, and not {what}")


@dataclass(frozen=True, slots=True)
class TextForm:
    """A text of so many bytes."""

    most: int
    zero: str = ""

    @property
    def text(self) -> str:
        """As in the text of a declaration."""
        return f"text({self.most})"

    def checked(self, value: Any, where: str) -> str:
        """``value`` itself, or a UsageError that names the field."""
        if not isinstance(value, str):
            raise UsageError(f"{where}: {value!r} is not a str")
        try:
            size = len(value.encode())
        except UnicodeEncodeError:
            raise UsageError(f"{where}: {value!r} is no text: it has half of a character") from None
        if size > self.most:
            raise UsageError(f"{where} holds at most {self.most} bytes of UTF-8, not {size}")
        return str(value)


_FORMS = {
    Vector2: Form(Vector2, "vector2", ("x", "y"), REAL),
    Rect: Form(Rect, "rect", ("x", "y", "w", "h"), _WHOLE),
    FRect: Form(FRect, "frect", ("x", "y", "w", "h"), REAL),
}


def form_of(hint: Any, most: int | None) -> Form | TextForm | None:
    """The form that an annotation names; None if it names none."""
    if hint is str:
        return TextForm(TEXT_BYTES if most is None else most)
    return _FORMS.get(hint) if isinstance(hint, type) else None
