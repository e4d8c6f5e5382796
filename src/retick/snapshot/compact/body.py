"""The entropy-coded body: every entity of the baseline, and what changed in it (a compiled kernel).

One walk serves both directions: while encoding it reads the target's values, while decoding it writes them. The target
has the entities and components of the baseline, row by row.
"""

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
    from cython.cimports.retick.snapshot.compact.numbers import CHANGED_MODELS, CHOICE
    from cython.cimports.retick.snapshot.compact.plan import Plan
    from cython.cimports.retick.snapshot.kernels import status as st
    from cython.cimports.retick.snapshot.kernels.columns import Columns
    from cython.cimports.retick.snapshot.kernels.fault import Fault
    from cython.cimports.retick.snapshot.kernels.table import FieldTable
else:
    from retick.snapshot.compact.coder import Coder
    from retick.snapshot.compact.entity import Entity
    from retick.snapshot.compact.frames import Frames
    from retick.snapshot.compact.logs import log_of
    from retick.snapshot.compact.motion import wrapped
    from retick.snapshot.compact.numbers import CHANGED_MODELS, CHOICE
    from retick.snapshot.compact.plan import Plan
    from retick.snapshot.kernels import status as st
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
        crossed: int
        budget: int

    def __init__(self, plan: Plan, table: FieldTable, acceleration: Any) -> None:
        self.plan = plan
        self.entity = Entity(plan, table, acceleration)
        self.coder = self.entity.coder
        self.frames = self.entity.frames
        self.fault = self.entity.fault
        self.budget = 0

    def note_costs(self, costs: Any) -> None:
        """From here on add the bits of each group to this list, the flags of entities at its end; None stops it."""
        self.entity.costs = costs

    def encode(self, statistics: Any, base: Columns, history: Any, factors: Any, target: Columns, cut: Any) -> bytes:
        """The bytes of the body; ``statistics`` learn from it. A status that is not OK is in ``fault``."""
        self.start(statistics, base, history, factors, target)
        self.coder.begin_encoding()
        # The target has the baseline's rows, so that it is compared as if it were the baseline.
        self.frames.differ(target, 0)
        self.fault.status = self.walk(cut)
        return self.coder.finish()

    def decode(
        self,
        statistics: Any,
        base: Columns,
        history: Any,
        factors: Any,
        target: Columns,
        cut: Any,
        data: Any,
        start: Any,
    ) -> None:
        """Write what the body says into ``target``, a copy of ``base``. A status that is not OK is in ``fault``."""
        self.start(statistics, base, history, factors, target)
        self.coder.begin_decoding(data, start)
        self.fault.status = self.walk(cut)
        if self.fault.status == st.OK and self.coder.at < len(data):
            self.fault.extra = 8 * (len(data) - self.coder.at)
            self.fault.status = st.TRAILING_BYTES

    def start(self, statistics: Any, base: Columns, history: Any, factors: Any, target: Columns) -> cython.void:
        self.coder.use(statistics.models)
        self.entity.magnitude.use(statistics.weights)
        self.frames.use(base, history)
        self.entity.motion.use(factors.ahead, factors.back, factors.ticks)
        self.entity.rotation.use(factors.turns)
        self.entity.target = target

    def walk(self, cut: cython.Py_ssize_t) -> cython.int:
        """All entities before ``cut``."""
        coder: Coder = self.coder
        frames: Frames = self.frames
        index: cython.Py_ssize_t
        neighbours: cython.int = 0
        changed: cython.int = 0
        status: cython.int
        worst: cython.Py_ssize_t = 128 * self.plan.scalar_count + 64
        spent: cython.double = 0.0
        counting: cython.bint = self.entity.costs is not None
        self.changes = 0
        self.crossed = -1
        for index in range(cut if cut < frames.count else frames.count):
            if coder.encoding:
                changed = frames.ways[index] != 0
                if coder.at + worst + 16 > coder.size:
                    coder.make_room(worst)
                if self.crossed < 0 and coder.at > self.budget:
                    self.crossed = index
            if counting:
                spent = coder.bits_written()
            changed = coder.bit(CHANGED_MODELS + 4 * self.context(index) + neighbours, changed)
            if counting:
                self.entity.costs[self.plan.group_count] += coder.bits_written() - spent
            neighbours = ((neighbours << 1) | changed) & 3
            if changed:
                self.changes += 1
                status = self.entity.code(index)
                if status != st.OK:
                    return status
            if coder.overrun:
                self.fault.needed, self.fault.available = 8, 0
                return st.UNEXPECTED_EOF
        return st.OK

    def context(self, index: cython.Py_ssize_t) -> cython.int:
        """Whether an entity is likely to have changed: its speed or its rest, and its first flag."""
        plan: Plan = self.plan
        frames: Frames = self.frames
        base: Columns = frames.base
        newest: Columns = frames.first
        group: cython.int
        scalar: cython.int
        here: cython.longlong
        there: cython.longlong
        way: cython.longlong = 0
        one: cython.longlong
        level: cython.int = 19
        flag: cython.int = 0
        mapped: cython.bint = frames.mapped[0] or frames.mapped[1]
        if plan.flag_group >= 0:
            here = frames.row(0, plan.component[plan.flag_group], index) if frames.mapped[0] else index
            if here >= 0:
                here = base.columns[plan.field[plan.first[plan.flag_group]]][here]
                flag = here if 0 <= here < 3 else 3
        if frames.used and frames.rest[index]:
            level = 15 + frames.rest[index]
        elif frames.used:
            for group in range(plan.group_count):
                if plan.kind[group] == CHOICE:
                    continue
                here = there = index
                if mapped:
                    here = frames.row(0, plan.component[group], index)
                    there = frames.row(1, plan.component[group], index)
                    if here < 0 or there < 0:
                        continue
                for scalar in range(plan.first[group], plan.first[group] + plan.count[group]):
                    one = base.columns[plan.field[scalar]][here] - newest.columns[plan.field[scalar]][there]
                    if not cython.compiled:
                        one = wrapped(one)
                    way += log_of(one)
            level = way >> 4 if way < 256 else 15
        return 4 * level + flag
