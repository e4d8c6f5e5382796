"""Tracks held keys, and packs keys into inputs. A key is the number that the framework of the window gives it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NoReturn, Self

from retick.errors import UsageError


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
        """Whether the game has ever asked for this key, so that it must not mean anything else."""
        return key in self._asked

    def down(self, key: int) -> None:
        """Note that a key went down."""
        self._held.add(key)
        self._tapped.add(key)

    def up(self, key: int) -> None:
        """Note that a key was released."""
        self._held.discard(key)

    def frame_read(self) -> None:
        """Forget taps; call this when a frame has read the keys."""
        self._tapped.clear()

    def release_all(self) -> None:
        """Forget all held keys: a window without focus is not told when they are released."""
        self._held.clear()
        self._tapped.clear()


# Keys as the bits of an input, for games that read ``keys[pygame.K_w]``.

MOST_KEYS = 64
"""Most bits of an input."""


class HeldKeys(dict[int, bool]):
    """``held[pygame.K_w]`` is True if that key is held in this input. Equal inputs share one, so it never changes."""

    __slots__ = ()

    def __missing__(self, key: int) -> bool:
        raise UsageError(f"{_named(key)} is not a key of this Keyboard or Buttons: add it there")

    def _refuse(self, *_args: object, **_named: object) -> NoReturn:
        raise UsageError("the keys of an input are what a player pressed: a game only reads them")

    __setitem__ = __delitem__ = __ior__ = clear = pop = popitem = setdefault = update = _refuse


class HeldTable:
    """The keys of inputs that were read before: few different ones occur, and a rollback reads the same ones again."""

    MOST = 1024

    def __init__(self) -> None:
        self._known: dict[object, HeldKeys] = {}

    def read(self, inputs: Sequence[int], people: Sequence["Buttons"]) -> HeldKeys:
        """The keys of one input for each person."""
        seats = tuple(inputs)
        known = self._known.get(seats)
        if known is None:
            if len(self._known) >= HeldTable.MOST:
                self._known.clear()
            pairs = zip(people, seats, strict=True)
            known = HeldKeys({key: pressed & bit != 0 for one, pressed in pairs for key, bit in one.bits.items()})
            self._known[seats] = known
        return known


class Buttons:
    """The keys of one person: the first is bit 0 of the input, the next bit 1, and so on.

    It is a ``press`` function for ``play``, and ``held(pressed)`` reads an input by the keys again; with pygame::

        BUTTONS = Buttons(pygame.K_a, pygame.K_d, pygame.K_SPACE)

        def advance(self, inputs):
            for tank, pressed in zip(self.tanks, inputs):
                tank.update(BUTTONS.held(pressed))   # there, keys[pygame.K_a] works as before

        play(Tanks, draw, BUTTONS)

    A second person at the same keyboard has other keys in the same order: ``play(Tanks, draw, (BUTTONS, ARROWS))``. The
    game reads all inputs with the first ones, whoever pressed.
    """

    def __init__(self, *keys: int) -> None:
        if not 1 <= len(set(keys)) == len(keys) <= MOST_KEYS:
            raise UsageError(f"Buttons takes 1 to {MOST_KEYS} different keys, not {_listed(keys)}")
        self.bits = {key: 1 << index for index, key in enumerate(keys)}
        """The bit of each key."""
        self._table = HeldTable()

    def __call__(self, keys: Keys) -> int:
        """The input of one frame: the bits of all held keys."""
        return sum(bit for key, bit in self.bits.items() if keys[key])

    def held(self, pressed: int) -> HeldKeys:
        """Read an input by its keys."""
        return self._table.read((pressed,), (self,))


class Keyboard(tuple[Buttons, ...]):
    """The keys of all people, seat by seat, for a game that several people used to play at one keyboard.

    It is the ``press`` of ``play``, and ``held(inputs)`` acts as one keyboard with everybody's keys::

        KEYBOARD = Keyboard({"left": pygame.K_a, "right": pygame.K_d}, {"left": pygame.K_LEFT, "right": pygame.K_RIGHT})

        def advance(self, inputs):
            self.update(1 / 60, KEYBOARD.held(inputs))   # there, keys[pygame.K_LEFT] is a key of seat 1

        play(Tanks, draw, KEYBOARD)

    Online there is one person at each keyboard, who may use the keys of any seat.
    """

    _table: HeldTable

    def __new__(cls, *people: Mapping[str, int] | Iterable[int]) -> Self:
        seats = [list(_keys_of(one, people[0])) for one in people]
        every = [key for keys in seats for key in keys]
        if not seats or len(set(every)) < len(every) or any(len(keys) != len(seats[0]) for keys in seats):
            raise UsageError(
                "a Keyboard must have the same number of keys for everybody, and each key once, not "
                f"{' and '.join(_listed(keys) for keys in seats) or 'nobody'}"
            )
        made = super().__new__(cls, (Buttons(*keys) for keys in seats))
        made._table = HeldTable()
        return made

    def held(self, inputs: Sequence[int]) -> HeldKeys:
        """Read the inputs of all seats by their keys."""
        if len(inputs) != len(self):
            raise UsageError(f"this Keyboard has keys for {len(self)} seats, not for {len(inputs)}")
        return self._table.read(inputs, self)

    def went_down(self, inputs: Sequence[int], before: Sequence[int]) -> HeldKeys:
        """The keys that went down in this frame, as for KEYDOWN: held now, but not in the frame before.

        ``before`` has the inputs of the last frame. They are state: the world declares ``before: list[int]`` and sets
        ``self.before = inputs`` afterwards. In the first frame the list is empty: no key was held.
        """
        if not before:
            return self.held(inputs)
        if len(before) != len(inputs):
            raise UsageError(f"there are {len(inputs)} inputs now, but {len(before)} from the frame before")
        return self.held([now & ~then for now, then in zip(inputs, before, strict=True)])


_names: list[Callable[[int], str]] = []


def name_keys(name: Callable[[int], str]) -> None:
    """Let errors name keys as a framework does: ``name(key)`` returns the name, or an empty text if it has none."""
    _names.append(name)


def _named(key: object) -> str:
    """Name a key as people do."""
    known = isinstance(key, int) and 0 <= key < 1 << 31
    name = next(filter(None, (name(key) for name in _names if known)), "")  # type: ignore[arg-type] # it is a number
    return f"the key {name!r}" if name else f"key {key!r}"


def _listed(keys: Iterable[object]) -> str:
    return ", ".join(_named(key) for key in keys) or "none"


def _keys_of(person: Mapping[str, int] | Iterable[int], first: Mapping[str, int] | Iterable[int]) -> Iterable[int]:
    """The keys of a person, in the same order as the first person's."""
    if not isinstance(person, Mapping) or not isinstance(first, Mapping):
        return person  # type: ignore[return-value]  # a mapping among lists is refused by its names
    if person.keys() != first.keys():
        raise UsageError(f"a Keyboard must have the same names for everybody, not {list(first)} and {list(person)}")
    return [person[name] for name in first]
