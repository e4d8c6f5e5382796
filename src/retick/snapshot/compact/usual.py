"""The usual packet as a whole, both ways (a compiled kernel).

Most packets have the usual history, or one of even distances, and nothing is wrong with them. No entity comes or goes,
or the caller has a structure of its own that says so. These methods code such
packets with little around the body, and give None for all others: then :class:`PayloadCodec` does the packet, with
every check in its place and the right error. So nothing here decides what is an error, and leaving this module out
changes only the speed.
"""

from collections.abc import Callable
from typing import Any

from retick.snapshot.compact.head import (
    CARRIED,
    CHECK,
    CHECK_BYTES,
    EVEN,
    HISTORY,
    SHORT_HEADS,
    USUAL,
    USUAL_AGES,
    Head,
    check_of,
    split_check,
    with_check,
)

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.retick.snapshot.compact.body import Body
    from cython.cimports.retick.snapshot.compact.frames import same_shape
    from cython.cimports.retick.snapshot.compact.numbers import FRAMES
    from cython.cimports.retick.snapshot.compact.statistics import Statistics
    from cython.cimports.retick.snapshot.kernels import status as st
    from cython.cimports.retick.snapshot.kernels.columns import Columns
    from cython.cimports.retick.snapshot.kernels.copies import copy_columns
    from cython.cimports.retick.snapshot.kernels.table import FieldTable
else:
    from retick.snapshot.compact.body import Body
    from retick.snapshot.compact.frames import same_shape
    from retick.snapshot.compact.numbers import FRAMES
    from retick.snapshot.compact.statistics import Statistics
    from retick.snapshot.kernels import status as st
    from retick.snapshot.kernels.columns import Columns
    from retick.snapshot.kernels.copies import copy_columns
    from retick.snapshot.kernels.table import FieldTable

    NO_CUT = 0x40000000

__all__ = ["Encoded", "Usual"]


@cython.cclass
class Encoded:
    """A payload, and what both ends have after it; see the .pxd for what each member holds."""

    if not cython.compiled:
        __slots__ = ("cut", "payload", "statistics")
        payload: bytes
        statistics: Statistics
        cut: bool

    def __init__(self, payload: bytes, statistics: Statistics, cut: bool) -> None:
        self.payload = payload
        self.statistics = statistics
        self.cut = cut


@cython.cclass
class Usual:
    """Codes the usual packets of one codec; see the .pxd for what each member holds."""

    if not cython.compiled:
        body: Body
        table: FieldTable
        start: Statistics
        sealed: bool
        entity_bits: int
        most_changes: int
        most_entities: int
        most_bytes: int
        longest: int
        ticks: int
        _ages: Any
        _factors: Any
        _factors_of: Any
        _or_plain: Any
        _sizes: tuple[int, int]

    def __init__(
        self,
        body: Body,
        table: FieldTable,
        start: Statistics,
        limits: Any,
        sealed: bool,
        entity_bits: int,
        factors_of: Callable[[int, tuple[int, ...]], Any],
        or_plain: Callable[[Any, Any, Any, bytes, Any], tuple[bytes, Any]],
    ) -> None:
        """``or_plain`` gives the payload and the statistics of the plain form, where it is shorter."""
        self.body = body
        self.table = table
        self.start = start
        self.sealed = sealed
        self.entity_bits = entity_bits
        self.most_changes = min(limits.max_entities_update, NO_CUT)
        self.most_entities = min(limits.max_total_entities_after_apply, NO_CUT)
        self.most_bytes = min(limits.max_section_bytes, NO_CUT)
        self.longest = min(limits.max_section_len, NO_CUT)
        self.ticks = -1
        self._ages = USUAL_AGES
        self._factors_of = factors_of
        self._or_plain = or_plain
        self._sizes = (len(start.models), len(start.weights))

    def encode(self, base: Any, current: Any, history: Any, carried: Any, structure: bytes) -> Any:
        """The packet, or None."""
        if len(history) != FRAMES or not (self.takes(base) and self.takes(current)):
            return None
        ages: Any = self.ages_of(base, history)
        here: Columns = base
        there: Columns = current
        ticks: cython.longlong = current.tick
        start: Statistics = self.start
        statistics: Statistics
        payload: bytes
        ticks -= base.tick
        if ages is None or base.tick == 0 or not same_shape(here, there):
            return None
        if carried is not None:
            if not self.knows(carried):
                return None
            start = carried
        statistics = start.copy()
        head: bytes = (
            Head(ages, carried is not None, None, structure).to_bytes()
            if structure
            else SHORT_HEADS[ages, carried is not None]
        )
        self.body.budget = NO_CUT
        payload = self.body.encode(statistics, here, history, self.factors(ticks, ages), there, NO_CUT, head)
        changes: cython.Py_ssize_t = self.body.changes
        if self.body.fault.status != st.OK or changes > self.most_changes:
            return None
        is_long: cython.bint = (
            8 * (len(payload) - len(head)) > changes * self.entity_bits or len(payload) > self.longest
        )
        if is_long and not structure:
            payload, statistics = self._or_plain(base, current, carried, payload, statistics)
        statistics.lineage = check_of(payload, start.lineage, current.tick, base.tick)
        if not self.sealed:
            payload = with_check(payload, statistics.lineage)
        return Encoded(payload, statistics, False) if len(payload) <= self.most_bytes else None

    def decode(self, base: Any, tick: Any, data: Any, held: Callable[[int], Any], carried: Any) -> Any:
        """The snapshot and the statistics of a packet, or None."""
        if type(data) is not bytes or not 1 <= len(data) <= self.most_bytes or tick >> 32 or not self.takes(base):
            return None
        form: cython.int = data[0]
        payload: bytes = data
        check: Any = None
        if not self.sealed:
            if not form & CHECK or len(data) < 1 + CHECK_BYTES:
                return None
            payload, check = split_check(data, True)
            form = payload[0]
        first: cython.int = 1
        body_at: cython.int = 1
        if form & ~CARRIED & 0xFF == EVEN and len(payload) > 1:
            first = payload[1]
            body_at = 2
        elif form & ~CARRIED & 0xFF != USUAL:
            return None
        if base.count > self.most_entities:
            return None
        start: Statistics = self.start
        statistics: Statistics
        if form & CARRIED:
            if carried is None or not self.knows(carried):
                return None
            start = carried
        lineage: Any = check_of(payload, start.lineage, tick, base.tick)
        if check is not None and check != lineage:
            return None
        here: Columns = base
        at: cython.longlong = base.tick
        ticks: cython.longlong = tick
        second: cython.int = 2 * first if form & HISTORY == EVEN else USUAL_AGES[1]
        third: cython.int = 3 * first if form & HISTORY == EVEN else USUAL_AGES[2]
        history: list[Any] = [held(at - first), held(at - second), held(at - third)]
        ages: Any = self.ages_of(base, history)
        if ages != (first, second, third):
            return None
        statistics = start.copy()
        statistics.lineage = lineage
        target: Columns = copy_columns(type(base), here, tick)
        status: cython.int = self.body.decode(
            statistics, here, history, self.factors(ticks - at, ages), target, NO_CUT, payload, body_at
        )
        if status != st.OK or self.body.changes > self.most_changes:
            return None
        return target, statistics

    def takes(self, snapshot: Any) -> cython.bint:
        """Whether this is a snapshot of the codec's own table, its ids ascending."""
        if not isinstance(snapshot, Columns):
            return False
        columns: Columns = snapshot
        if columns.table is not self.table:
            return False
        disorder: cython.Py_ssize_t = columns.first_disorder()
        return disorder == 0

    def ages_of(self, base: Any, history: Any) -> Any:
        """The ages of the history frames, if they are the usual or even ones; else None."""
        index: cython.int
        for index in range(FRAMES):
            if not self.takes(history[index]):
                return None
        at: Any = base.tick
        ages: Any = (at - history[0].tick, at - history[1].tick, at - history[2].tick)
        return ages if (ages, True) in SHORT_HEADS else None

    def knows(self, statistics: Any) -> cython.bint:
        """Whether these are statistics of the codec's plan."""
        if not isinstance(statistics, Statistics):
            return False
        given: Statistics = statistics
        sizes: tuple[int, int] = (len(given.models), len(given.weights))
        return sizes == self._sizes

    def factors(self, ticks: cython.longlong, ages: Any) -> Any:
        """The numbers of a packet so many ticks after its baseline; most are as many as those before them."""
        if ticks != self.ticks or ages != self._ages or ticks < 0:
            self._factors = self._factors_of(ticks, ages)
            self.ticks = ticks
            self._ages = ages
        return self._factors
