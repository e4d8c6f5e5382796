"""Codes of rooms as people read, say and type them: eight characters of Crockford's base 32."""

from typing import Final

from retick.errors import UsageError
from retick.wire.relay import CODE_SIZE

__all__ = ["ALPHABET", "code_text", "parse_code"]

ALPHABET: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Without I, L, O and U; the first three are read as the digits that they look like."""
_LENGTH: Final = CODE_SIZE * 8 // 5
_READ_AS: Final = str.maketrans("OIL", "011", "- ")


def code_text(code: bytes) -> str:
    """Five bytes as eight characters."""
    number = int.from_bytes(code, "big")
    return "".join(ALPHABET[number >> shift & 31] for shift in range(5 * (_LENGTH - 1), -1, -5))


def parse_code(text: str) -> bytes:
    """The five bytes of a code as somebody typed it; a UsageError that says what is wrong."""
    letters = text.upper().translate(_READ_AS)
    wrong = next((letter for letter in letters if letter not in ALPHABET), None)
    if wrong is not None:
        raise UsageError(
            f"{wrong!r} is in no code: a code has {_LENGTH} characters, digits and letters without I, L, O and U"
        )
    if len(letters) != _LENGTH:
        raise UsageError(f"a code has {_LENGTH} characters, such as 4XK7-M2QP, not {len(letters)}")
    number = 0
    for letter in letters:
        number = number << 5 | ALPHABET.index(letter)
    return number.to_bytes(CODE_SIZE, "big")
