"""Runs many matches of the fighter side by side (a compiled kernel), for whoever verifies them by the thousand.

Theory of operation. The rules need no more than 16 bits for a match that began where matches begin, so one AVX2
register holds a value of sixteen matches. Up to 64 matches are played at a time; as one ends, the next takes its lane.
Whatever does not fit, and the last few, run one by one. Uncompiled all do: side by side nothing is gained there.
"""

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.retick.games.fighter.kernel import (
        FIRST,
        JUMP_VELOCITY,
        LANES,
        LAST,
        SECOND,
        SLOTS,
        VY,
        FighterKernel,
        play_narrow,
    )
    from cython.cimports.retick.sim.flat import FlatSimulation
else:
    from retick.games.fighter.kernel import FIRST, LANES, LAST, SECOND, SLOTS, VY, FighterKernel, play_narrow
    from retick.games.fighter.rules import JUMP_VELOCITY
    from retick.sim.flat import FlatSimulation

    CELLS, ENOUGH, BLOCK, PRESSED = 1536, 24, 32, 2048
    LEAST_NARROW, MOST_NARROW = -1000, 20000

__all__ = ["FighterLanes"]


@cython.cclass
class FighterLanes(FighterKernel):
    """The fighter with a loop over many matches at a time."""

    def run_many_slots(
        self,
        rows: cython.p_longlong,
        octets: cython.p_uchar,
        starts: cython.p_longlong,
        counts: cython.p_longlong,
        matches: cython.Py_ssize_t,
    ) -> cython.void:
        lanes: cython.Py_ssize_t = 0
        left: cython.Py_ssize_t
        lane: cython.Py_ssize_t
        match: cython.Py_ssize_t = 0
        if cython.compiled:
            playing = cython.declare(cython.Py_ssize_t[LANES])
            while True:
                while lanes < LANES and match < matches:
                    if _is_narrow(rows + match * SLOTS):
                        playing[lanes] = match
                        lanes += 1
                    else:
                        self.run_slots(rows + match * SLOTS, octets + starts[match], counts[match])
                    match += 1
                if lanes < ENOUGH:
                    break
                _play_together(rows, octets, starts, counts, playing, lanes)
                left = 0
                for lane in range(lanes):
                    if counts[playing[lane]]:
                        playing[left] = playing[lane]
                        left += 1
                lanes = left
            for lane in range(lanes):
                match = playing[lane]
                self.run_slots(rows + match * SLOTS, octets + starts[match], counts[match])
        else:
            FlatSimulation.run_many_slots(self, rows, octets, starts, counts, matches)


@cython.cfunc
@cython.exceptval(check=False)
@cython.nogil
def _is_narrow(row: cython.p_longlong) -> cython.bint:
    """Whether nothing that follows from a state leaves 16 bits: no place, no speed, and no sum with a size.

    Places are clamped or stay; a fall from the highest place, thrown up from there, has 1,700 at most; counts go down.
    """
    index: cython.int
    if row[FIRST + VY] > JUMP_VELOCITY or row[SECOND + VY] > JUMP_VELOCITY:
        return False
    for index in range(FIRST, LAST):  # noqa: SIM110 - a C loop; all() would make objects
        if row[index] < LEAST_NARROW or row[index] > MOST_NARROW:
            return False
    return True


@cython.cfunc
@cython.exceptval(check=False)
@cython.nogil
def _play_together(
    rows: cython.p_longlong,
    octets: cython.p_uchar,
    starts: cython.p_longlong,
    counts: cython.p_longlong,
    playing: cython.pointer(cython.Py_ssize_t),  # type: ignore[valid-type]  # a C type
    lanes: cython.Py_ssize_t,
) -> cython.void:
    """Play some matches up to the end of the shortest, and move their starts and counts on."""
    lane: cython.Py_ssize_t
    index: cython.Py_ssize_t
    frame: cython.Py_ssize_t
    match: cython.Py_ssize_t
    at: cython.Py_ssize_t
    block: cython.longlong
    played: cython.longlong = 0
    limit: cython.longlong = 4294967295
    span: cython.longlong = counts[playing[0]]
    if cython.compiled:
        cells = cython.declare(cython.short[CELLS])
        buttons = cython.declare(cython.ushort[PRESSED])
    else:
        cells, buttons = [0] * CELLS, [0] * PRESSED
    for index in range(CELLS):
        cells[index] = 0
    for index in range(PRESSED):
        buttons[index] = 0
    for lane in range(lanes):
        match = playing[lane]
        span = span if span < counts[match] else counts[match]
        for index in range(FIRST, LAST):
            cells[index * LANES + lane] = rows[match * SLOTS + index]
    while played < span:
        # Some frames of one match, then of the next: so many places, read in turns, would leave the cache each time.
        block = span - played if span - played < BLOCK else BLOCK
        for lane in range(lanes):
            at = starts[playing[lane]] + 4 * played
            for frame in range(block):
                buttons[frame * LANES + lane] = octets[at + 4 * frame] | octets[at + 4 * frame + 2] << 8
        play_narrow(cells, buttons, block)
        played += block
    for lane in range(lanes):
        match = playing[lane]
        starts[match] += 4 * span
        counts[match] -= span
        rows[match * SLOTS] = (rows[match * SLOTS] + span) & limit
        for index in range(FIRST, LAST):
            rows[match * SLOTS + index] = cells[index * LANES + lane]
