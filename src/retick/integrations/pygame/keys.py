"""Which keys are held, from the events of the window."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Self

import pygame
from pygame.event import Event

from retick.errors import UsageError

__all__ = [
    "Buttons",
    "HeldKeys",
    "Keyboard",
    "Keys",
]


class Keys:
    """``keys[pygame.K_LEFT]`` is True while the key is held, and for one frame after a tap between two frames."""

    def __init__(self) -> None:
        self._held: set[int] = set()
        self._tapped: set[int] = set()
        self._asked: set[int] = set()

    def __getitem__(self, key: int) -> bool:
        self._asked.add(key)
        return key in self._held or key in self._tapped

    def is_used(self, key: int) -> bool:
        """Whether the game has ever asked for this key: then it means nothing else."""
        return key in self._asked

    def handle(self, event: Event) -> None:
        """Note an event of the keyboard. A window that is no longer in front hears of no key that is released."""
        if event.type == pygame.KEYDOWN:
            self._held.add(event.key)
            self._tapped.add(event.key)
        elif event.type == pygame.KEYUP:
            self._held.discard(event.key)
        elif event.type == pygame.WINDOWFOCUSLOST:
            self.release_all()

    def frame_read(self) -> None:
        """A frame has read the keys: what was only tapped is over."""
        self._tapped.clear()

    def release_all(self) -> None:
        """No key is held any more."""
        self._held.clear()
        self._tapped.clear()


# Keys as the bits of an input, for games that read ``keys[pygame.K_w]``.

MOST_KEYS = 64
"""Bits of the widest input."""


class HeldKeys:
    """``held[pygame.K_w]`` is True if that key is held in this input."""

    __slots__ = ("_bits", "_pressed")

    def __init__(self, bits: dict[int, int], pressed: int) -> None:
        self._bits = bits
        self._pressed = pressed

    def __getitem__(self, key: int) -> bool:
        try:
            return self._pressed & self._bits[key] != 0
        except KeyError:
            raise UsageError(f"{_named(key)} is none of the keys of this Keyboard or Buttons: add it there") from None


class Buttons:
    """The keys of one person: the first is bit 0 of the input, the next bit 1, and so on.

    It is a ``press`` function for ``play``, and ``held(pressed)`` reads an input by the keys again::

        BUTTONS = Buttons(pygame.K_a, pygame.K_d, pygame.K_SPACE)

        def advance(self, inputs):
            for tank, pressed in zip(self.tanks, inputs):
                tank.update(BUTTONS.held(pressed))   # in which keys[pygame.K_a] is what it was

        play(Tanks, draw, BUTTONS)

    A second person at the same keyboard has other keys in the same order: ``play(Tanks, draw, (BUTTONS, ARROWS))``. The
    game goes on reading by the first ones, whoever pressed.
    """

    def __init__(self, *keys: int) -> None:
        if not 1 <= len(set(keys)) == len(keys) <= MOST_KEYS:
            raise UsageError(f"Buttons takes 1 to {MOST_KEYS} different keys, not {_listed(keys)}")
        self.bits = {key: 1 << index for index, key in enumerate(keys)}
        """The bit of each key."""

    def __call__(self, keys: Keys) -> int:
        """The input: the bits of all keys that are held."""
        return sum(bit for key, bit in self.bits.items() if keys[key])

    def held(self, pressed: int) -> HeldKeys:
        """What an input says about each key."""
        return HeldKeys(self.bits, pressed)


class Keyboard(tuple[Buttons, ...]):
    """The keys of all people, for a game that two or more played at one keyboard: one seat after the other.

    It is the ``press`` of ``play``, and ``held(inputs)`` is one keyboard again, as if all sat at it::

        KEYBOARD = Keyboard({"left": pygame.K_a, "right": pygame.K_d}, {"left": pygame.K_LEFT, "right": pygame.K_RIGHT})

        def advance(self, inputs):
            self.update(1 / 60, KEYBOARD.held(inputs))   # in which keys[pygame.K_LEFT] is a key of seat 1

        play(Tanks, draw, KEYBOARD)

    Online there is one person at each keyboard, who may use the keys of any seat.
    """

    __slots__ = ()

    def __new__(cls, *people: Mapping[str, int] | Iterable[int]) -> Self:
        seats = [list(_keys_of(one, people[0])) for one in people]
        every = [key for keys in seats for key in keys]
        if not seats or len(set(every)) < len(every) or any(len(keys) != len(seats[0]) for keys in seats):
            raise UsageError(
                "a Keyboard has as many keys for everybody, and each key once, not "
                f"{' and '.join(_listed(keys) for keys in seats) or 'nobody'}"
            )
        return super().__new__(cls, (Buttons(*keys) for keys in seats))

    def held(self, inputs: Sequence[int]) -> HeldKeys:
        """What the inputs of all seats say about each key."""
        if len(inputs) != len(self):
            raise UsageError(f"this Keyboard has the keys of {len(self)} seats, and there are {len(inputs)}")
        bits = {key: bit << MOST_KEYS * seat for seat, one in enumerate(self) for key, bit in one.bits.items()}
        return HeldKeys(bits, sum(pressed << MOST_KEYS * seat for seat, pressed in enumerate(inputs)))

    def went_down(self, inputs: Sequence[int], before: Sequence[int]) -> HeldKeys:
        """Which keys went down in this frame, as KEYDOWN says it: held now, and not in the frame ``before``.

        ``before`` are the inputs of that frame, which are state: the world declares ``before: list[int]``, and writes
        ``self.before = inputs`` afterwards. Before the first frame the list is empty, and no key was held.
        """
        if not before:
            return self.held(inputs)
        if len(before) != len(inputs):
            raise UsageError(f"there are {len(inputs)} inputs, and {len(before)} of the frame before")
        return self.held([now & ~then for now, then in zip(inputs, before, strict=True)])


def _named(key: object) -> str:
    """A key as people call it."""
    name = pygame.key.name(key) if isinstance(key, int) and 0 <= key < 1 << 31 else ""
    return f"the key {name!r}" if name else f"key {key!r}"


def _listed(keys: Iterable[object]) -> str:
    return ", ".join(_named(key) for key in keys) or "none"


def _keys_of(person: Mapping[str, int] | Iterable[int], first: Mapping[str, int] | Iterable[int]) -> Iterable[int]:
    """The keys of a person, in the order in which the first person has them."""
    if not isinstance(person, Mapping) or not isinstance(first, Mapping):
        return person  # type: ignore[return-value]  # a mapping among lists is refused by its names
    if person.keys() != first.keys():
        raise UsageError(f"a Keyboard has the same names for everybody, not {list(first)} and {list(person)}")
    return [person[name] for name in first]
