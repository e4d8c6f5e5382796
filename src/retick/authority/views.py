"""What each receiver of a world gets at a tick: the entities that it sees, in packets of bounded size, and its cues.

Theory of operation. A :class:`Stage` surveys the world once a tick. For each client a :class:`Receiver` asks the world
what the player sees, and keeps the cues that the client has not got. Its ``DeltaSender`` knows what the client holds,
and makes the delta.
"""

import struct
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import Any, Final, NamedTuple

from retick.authority.compact import CompactTables
from retick.authority.delta_sender import DeltaSender
from retick.authority.deltas import priorities, restricted, watched
from retick.authority.frames import MOST_CUES, encode_snapshot
from retick.authority.layout import FIRST_SEAT, WireField, WorldComponent, WorldLayout
from retick.authority.rows import Rows, Survey
from retick.authority.survey import survey
from retick.errors import EncodeError, UsageError
from retick.sim.world import NOBODY, World
from retick.sim.world.interest import axes_of
from retick.wire.values import encode_value

BUDGET: Final = 1100
"""The most bytes of a snapshot's payload."""
MOST_WAITING_CUES: Final = 512
"""The most unacknowledged cues of one receiver; the oldest are dropped and counted."""
_HEAD: Final = 23
"""The most bytes before cues and body."""
_SINGLE: Final = struct.Struct("<f")


def _is_own(world: World, name: str) -> bool:
    """Whether a game has overridden a hook."""
    return getattr(type(world), name) is not getattr(World, name)


def encode_cue(cue: Hashable) -> bytes:
    """Encode a cue; its floats are rounded to binary32, since they are only seen and heard."""
    try:
        return encode_value(_coarse(cue))
    except EncodeError as error:
        raise UsageError(f"cue{cue!r} cannot be sent: {error}") from None


def _coarse(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_coarse, value))
    if not isinstance(value, float):
        return value
    try:
        return _SINGLE.unpack(_SINGLE.pack(value))[0]
    except OverflowError:
        return value


class Stage:
    """A room's world, surveyed once a tick for all receivers."""

    def __init__(self, layout: WorldLayout, world: World) -> None:
        self.layout = layout
        self.world = world
        self._axes = axes_of(type(world))
        self._where = [self._position_of(component) for component in layout.components]
        self.hidden = bytes(component.hidden for component in layout.components)
        self._survey: Survey | None = None

    @property
    def current(self) -> Survey:
        """The survey of the newest tick; the next call of ``survey`` may change it."""
        if self._survey is None:
            raise UsageError("look at the world first: survey(tick, seats)")
        return self._survey

    def survey(self, tick: int, seats: Sequence[int | None]) -> Survey:
        """Survey the world as it is now; ``seats``: each player's last input, None if nobody is connected.

        Changes the numbers of the last survey in place; see :class:`Survey`.
        """
        if len(seats) != self.layout.players:
            raise UsageError(f"there are {self.layout.players} seats, not {len(seats)}")
        last, self._survey = self._survey, None  # a survey that fails midway is not continued
        self._survey = survey(self.layout, self._where, self._axes, self.world, tick, seats, FIRST_SEAT, last)
        return self._survey

    def _position_of(self, component: WorldComponent) -> Any:
        """How kernels find the positions of a component's things: slots, or a function; None if they have none."""
        interest = self.world.interest
        if interest is None or component.kind is None or component.part < 0:
            return None
        if not interest.has_position(component.kind):
            return None
        return component.position_slots(interest.fields) or interest.position

    def urgent(self, seat: int, player: int) -> Any:
        """The priority of each entity to a player; None if all are equally urgent."""
        interest = self.world.interest
        # A thing without an owner is not a default viewpoint: a spectator has one only if the game says so.
        if interest is None or (seat < 0 and not _is_own(self.world, "viewpoint")):
            return None
        point = self.world.viewpoint(player)
        if point is None:
            return None
        if len(point) != self._axes:
            raise UsageError(f"viewpoint({player}) gives {', '.join(interest.fields)}, not {point!r}")
        return priorities(self.current, seat, point, interest.full, interest.none)


class _Waiting(NamedTuple):
    """A cue that is not acknowledged."""

    serial: int
    tick: int
    data: bytes


class Receiver:
    """The server's end of one client's snapshots."""

    def __init__(
        self, stage: Stage, seat: int | None, *, budget: int = BUDGET, compact: CompactTables | None = None
    ) -> None:
        """``seat``: None for a spectator, who is NOBODY to the world's hooks. ``compact``: given for a client that
        reads compact snapshots."""
        self._stage = stage
        self._seat = -1 if seat is None else seat
        self.player = NOBODY if seat is None else seat
        """The player number for the world's hooks."""
        self._budget = budget
        self._sender = DeltaSender(stage.layout, compact)
        self._cues: list[_Waiting] = []
        self._next_cue = 0
        self.cues_dropped = 0
        """Cues that the client will never get, because too many waited."""
        check_budget(stage.layout, budget)

    @property
    def waiting(self) -> int:
        """How many entities did not fit into the last snapshot."""
        return self._sender.waiting

    def acknowledge(self, tick: int) -> None:
        """Note that the client has used the snapshot of this tick. Unknown and old ticks change nothing."""
        self._sender.acknowledge(tick)
        while self._cues and self._cues[0].serial < self._sender.heard:
            del self._cues[0]

    def hear(self, tick: int, cue: bytes) -> None:
        """Add a cue for the client, which happened at a tick: see :func:`encode_cue`."""
        if len(self._cues) == MOST_WAITING_CUES:
            del self._cues[0]
            self.cues_dropped += 1
        self._cues.append(_Waiting(self._next_cue, tick, cue))
        self._next_cue += 1

    def listen(self, tick: int, cues: Iterable[tuple[Any, bytes]]) -> None:
        """Add the cues of a tick that the world lets the player hear; each comes with its bytes."""
        hears = self._stage.world.hears if _is_own(self._stage.world, "hears") else None
        for cue, data in cues:
            if hears is None or hears(self.player, cue):
                self.hear(tick, data)

    def rows(self) -> tuple[Rows, dict[int, float]]:
        """What the player sees in the newest survey, and the priority of each entity; empty if all are the same."""
        stage, seat = self._stage, self._seat
        current = stage.current
        urgent = stage.urgent(seat, self.player)
        visible = None
        if _is_own(stage.world, "visible"):
            visible = stage.world.visible if seat >= 0 else self._visible_to_nobody
        picked, seen = watched(current, seat, urgent, stage.hidden, visible)
        made = restricted(current, seat, picked, seen, stage.layout)
        given = {} if urgent is None else {current.ids[index]: urgent[index] for index in picked}
        return made, given

    def _visible_to_nobody(self, _seat: int, thing: Any) -> bool:
        return bool(self._stage.world.visible(NOBODY, thing))

    def snapshot(self, *, margin: int = 0, newest: int = 0) -> bytes:
        """The payload for the tick of the newest survey, to be sent now."""
        tick = self._stage.current.tick
        cues, size = self._next_cues()
        rows, urgent = self.rows()
        heard = cues[-1].serial + 1 if cues else (self._cues[0].serial if self._cues else self._next_cue)
        delta = self._sender.encode(rows, urgent, self._budget - _HEAD - size, heard)
        return encode_snapshot(
            tick=tick,
            back=delta.back,
            apart=delta.apart,
            margin=margin,
            newest=newest,
            serial=cues[0].serial if cues else 0,
            cues=[(cue.tick, cue.data) for cue in cues],
            body=delta.data,
        )

    def _next_cues(self) -> tuple[list[_Waiting], int]:
        """The oldest cues that take at most a third of the budget, and their bytes. One always fits."""
        chosen: list[_Waiting] = []
        size = 0
        for cue in self._cues[:MOST_CUES]:
            needed = 5 + len(cue.data)
            if chosen and size + needed > self._budget // 3:
                break
            chosen.append(cue)
            size += needed
        return chosen, size


def check_budget(layout: WorldLayout, budget: int) -> None:
    """Refuse a world with an entity that may not fit beside a cue."""
    for component in layout.components:
        bits = 160 + sum(map(_most_bits, component.fields))
        needed = _HEAD + max(budget // 3, 256) + bits // 8
        if needed > budget:
            raise UsageError(
                f"{layout.world.__name__}: a snapshot of {budget} bytes cannot hold an entity of {component.name}, "
                f"which takes up to {bits // 8}: {_advice(component)}"
            )


def _most_bits(made: WireField) -> int:
    """The most bits of a value, with its form and two bits to skip to it; without the id and the counts."""
    return made.bits + 3 + 2


def _advice(component: WorldComponent) -> str:
    """Advice on how to shorten the entities of a component."""
    sizes: Counter[str] = Counter()
    for made in component.fields:
        if "[" in made.name:
            sizes[made.name.split("[")[0]] += _most_bits(made)
    for name, bits in sizes.most_common(1):
        if 2 * bits > sum(map(_most_bits, component.fields)):
            return f"{name} takes most of it, {bits // 8} bytes: say how much it holds at most, as in Most(16)"
    return "give fields a Range with a step, and lists and texts a smaller Most"
