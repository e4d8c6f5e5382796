"""Numbers with their nouns: 1 frame, 2 frames."""

__all__ = ["count"]


def count(number: int, noun: str, nouns: str = "") -> str:
    """``number`` and the noun in its form for that number; ``nouns`` is its plural where that is not just an s more."""
    return f"{number} {noun if number == 1 else nouns or f'{noun}s'}"
