"""The entropy-coded body: every entity of the baseline, and what changed in it (a compiled kernel).

One walk serves both directions: while encoding it reads the target's values, while decoding it writes them. The target
has the entities and components of the baseline, row by row.
"""

from array import array
from typing import Any

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.retick.snapshot.compact.coder import Coder
    from cython.cimports.retick.snapshot.compact.entity import Entity
    from cython.cimports.retick.snapshot.compact.frames import Frames
    from cython.cimports.retick.snapshot.compact.logs import log_of
    from cython.cimports.retick.snapshot.compact.numbers import CHOICE
    from cython.cimports.retick.snapshot.compact.plan import Plan
    from cython.cimports.retick.snapshot.compact.statistics import Statistics
    from cython.cimports.retick.snapshot.kernels import status as st
    from cython.cimports.retick.snapshot.kernels.arrays import uchars
    from cython.cimports.retick.snapshot.kernels.columns import Columns
    from cython.cimports.retick.snapshot.kernels.fault import Fault
    from cython.cimports.retick.snapshot.kernels.table import FieldTable
else:
    from retick.snapshot.compact.coder import Coder
    from retick.snapshot.compact.entity import Entity
    from retick.snapshot.compact.frames import Frames
    from retick.snapshot.compact.logs import log_of
    from retick.snapshot.compact.motion import wrapped
    from retick.snapshot.compact.numbers import CHOICE
    from retick.snapshot.compact.plan import Plan
    from retick.snapshot.compact.statistics import Statistics
    from retick.snapshot.kernels import status as st
    from retick.snapshot.kernels.arrays import uchars
    from retick.snapshot.kernels.columns import Columns
    from retick.snapshot.kernels.fault import Fault
    from retick.snapshot.kernels.table import FieldTable

__all__ = ["Body"]


@cython.cclass
class Body:
    """Codes the changes of one packet; see the .pxd for what each member holds."""

    if not cython.compiled:
        plan: Plan
        entity: Entity
        coder: Coder
        frames: Frames
        fault: Fault
        changes: int
        fitting: int
        budget: int
        most_changes: int
        levels: Any
        _levels_owner: Any
        _factors: Any

    def __init__(self, plan: Plan, table: FieldTable, acceleration: Any) -> None:
        self.plan = plan
        self.entity = Entity(plan, table, acceleration)
        self.coder = self.entity.coder
        self.frames = self.entity.frames
        self.fault = self.entity.fault
        self.budget = self.most_changes = 0
        self._levels_owner = array("B")
        self._factors = None

    def note_costs(self, costs: Any) -> None:
        """From here on add the bits of each group to this list, the flags of entities at its end; None stops it."""
        self.entity.costs = costs

    def encode(
        self,
        statistics: Statistics,
        base: Columns,
        history: Any,
        factors: Any,
        target: Columns,
        cut: cython.Py_ssize_t,
        head: bytes,
    ) -> bytes:
        """``head`` and the bytes of the body; ``statistics`` learn from it. A status that is not OK is in ``fault``."""
        self.start(statistics, base, history, factors, target)
        self.coder.begin_encoding(head)
        # The target has the baseline's rows, so that it is compared as if it were the baseline.
        self.frames.differ(target, 0)
        self.fault.status = self.walk(cut)
        return self.coder.finish()

    def decode(
        self,
        statistics: Statistics,
        base: Columns,
        history: Any,
        factors: Any,
        target: Columns,
        cut: cython.Py_ssize_t,
        data: bytes,
        start: cython.Py_ssize_t,
    ) -> cython.int:
        """Write what the body says into ``target``, a copy of ``base``. The status; if it is not OK, see ``fault``."""
        self.start(statistics, base, history, factors, target)
        self.coder.begin_decoding(data, start)
        self.fault.status = self.walk(cut)
        if self.fault.status == st.OK and self.coder.at < len(data):
            self.fault.extra = 8 * (len(data) - self.coder.at)
            self.fault.status = st.TRAILING_BYTES
        return self.fault.status

    def start(self, statistics: Statistics, base: Columns, history: Any, factors: Any, target: Columns) -> cython.void:
        self.coder.use(statistics.models, statistics.weights)
        self.frames.use(base, history, target)
        if factors is not self._factors:
            self._factors = factors
            self.entity.motion.use(factors.ahead, factors.back, factors.ticks)
            self.entity.rotation.use(factors.turns)

    def walk(self, cut: cython.Py_ssize_t) -> cython.int:
        """All entities before ``cut``."""
        coder: Coder = self.coder
        frames: Frames = self.frames
        index: cython.Py_ssize_t = 0
        end: cython.Py_ssize_t = cut if cut < frames.count else frames.count
        status: cython.int
        worst: cython.Py_ssize_t = 128 * self.plan.scalar_count + 64
        spent: cython.double = 0.0
        counting: cython.bint = self.entity.costs is not None
        self.changes = 0
        self.fitting = 0
        self.find_levels(end)
        while index < end:
            if coder.encoding:
                coder.make_room(worst + 2 * (end - index))  # the flag of an entity takes at most eleven bits
            if counting:
                spent = coder.bits_written()
            index = coder.until_changed(self.levels, frames.ways, index, end)
            if counting:
                self.entity.costs[self.plan.group_count] += coder.bits_written() - spent
            if index < end and not coder.overrun:
                self.changes += 1
                status = self.entity.code(index)
                if status != st.OK:
                    return status
            if coder.overrun:
                self.fault.needed, self.fault.available = 8, 0
                return st.UNEXPECTED_EOF
            index += 1
            if coder.at <= self.budget and self.changes <= self.most_changes:
                self.fitting = index
        return st.OK

    def find_levels(self, end: cython.Py_ssize_t) -> cython.void:
        """Of each entity before ``end`` how likely it has changed: its speed or its rest, and its first flag."""
        plan: Plan = self.plan
        frames: Frames = self.frames
        index: cython.Py_ssize_t
        row: cython.longlong
        flags: cython.p_longlong = cython.NULL
        flag: cython.int
        level: cython.int
        if len(self._levels_owner) < end:
            self._levels_owner = array("B", bytes(end))
        self.levels = uchars(self._levels_owner)
        # A byte may be any byte, to a C compiler: what stands in a local variable is not read again after each.
        levels: cython.p_uchar = self.levels
        rests: cython.p_uchar = frames.rest
        used: cython.int = frames.used
        dense: cython.bint = frames.dense
        flagged: cython.bint = plan.flag_group >= 0
        if flagged:
            flags = frames.base.columns[plan.field[plan.first[plan.flag_group]]]
        for index in range(end):
            flag = 0
            if flagged:
                row = index if dense else frames.row(0, plan.component[plan.flag_group], index)
                if row >= 0:
                    flag = flags[row] if 0 <= flags[row] < 3 else 3
            level = 19
            if used:
                level = 15 + rests[index] if rests[index] else self.speed_of(index)
            levels[index] = 4 * level + flag

    def speed_of(self, index: cython.Py_ssize_t) -> cython.int:
        """The logs of all that an entity has moved since the newest history frame, in 16 levels."""
        plan: Plan = self.plan
        frames: Frames = self.frames
        group: cython.int
        scalar: cython.int
        number: cython.int
        component: cython.int
        here: cython.longlong
        there: cython.longlong
        way: cython.longlong = 0
        if frames.dense:
            for number in range(plan.tracked_count):
                scalar = plan.tracked[number]
                way += _way(frames.cells[4 * scalar][index], frames.cells[4 * scalar + 1][index])
            return way >> 4 if way < 256 else 15
        for component in range(frames.table.component_count):
            here = frames.row(0, component, index)
            there = frames.row(1, component, index)
            if here < 0 or there < 0:
                continue
            for number in range(frames.group_starts[component], frames.group_starts[component + 1]):
                group = frames.group_list[number]
                if plan.kind[group] != CHOICE:
                    for scalar in range(plan.first[group], plan.first[group] + plan.count[group]):
                        way += _way(frames.cells[4 * scalar][here], frames.cells[4 * scalar + 1][there])
        return way >> 4 if way < 256 else 15


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _way(here: cython.longlong, there: cython.longlong) -> cython.int:
    """The log of how far two values are apart."""
    way: cython.longlong = here - there
    if not cython.compiled:
        way = wrapped(way)
    return log_of(way)
