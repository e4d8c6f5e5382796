"""Simulations that step a row of integer slots in place (a compiled kernel).

Theory of operation. A game subclasses :class:`FlatSimulation` and overrides ``advance_slots``, which changes a row in
place: compiled, C code over a pointer; uncompiled, a Python list. Everything that other code sees stays an immutable
record, see :mod:`retick.sim.flat`. The stepping code keeps each slot within its declared width.

Arguments from Python code are annotated as Any: Cython would check or convert another type first, and the checks here
could not say what is wrong.
"""

from array import array
from typing import Any, NoReturn

from retick.errors import UsageError

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.cpython.bytes import PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
    from cython.cimports.cpython.object import PyObject, PyTypeObject

# Records as rows of integer slots: the immutable states of :mod:`retick.sim.record` (a compiled kernel).
#
# A row has one 64-bit slot for each declared field. Compiled, the row is the content of one ``bytes`` object, so that
# saving a state is a memory copy; uncompiled it is a tuple. A field narrower than 64 bits is sign- or zero-extended in
# its slot; an unsigned 64-bit field is stored as the signed number with the same bits.


@cython.cclass
class FlatRecord:
    """An immutable row of slots; :class:`retick.sim.record.Record` gives its slots their names."""

    if not cython.compiled:
        __slots__ = ("_data",)

    if cython.compiled:
        _data: bytes  # readonly: the slots
    else:
        _data: Any

    def _slots(self) -> tuple[int, ...]:
        """Every slot, as signed 64-bit integers."""
        if cython.compiled:
            row: cython.p_longlong = cython.cast(cython.p_longlong, PyBytes_AS_STRING(self._data))
            return tuple([row[index] for index in range(len(self._data) // 8)])
        return self._data  # type: ignore[no-any-return]  # mypy sees kernels untyped

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        mine: FlatRecord = self
        theirs: FlatRecord = other
        return mine._data == theirs._data  # type: ignore[no-any-return]  # mypy sees kernels untyped

    def __hash__(self) -> int:
        return hash(self._data)

    def __copy__(self) -> "FlatRecord":
        return self

    def __deepcopy__(self, _memo: object) -> "FlatRecord":
        return self


@cython.cfunc
def blank_record(cls: Any) -> Any:
    """An empty record of class ``cls``, for kernels to fill."""
    # The type's own allocator: a record class is Python code, and calling it would run its __init__.
    if cython.compiled:
        nothing: tuple = ()
        return cython.cast(cython.pointer(PyTypeObject), cls).tp_new(
            cls,
            cython.cast(cython.pointer(PyObject), nothing),
            cython.cast(cython.pointer(PyObject), 0),
        )
    return cls.__new__(cls)


def fill_record(record: Any, slots: Any) -> None:
    """Give a blank record its row; raises AttributeError if it has one, since a record never changes."""
    target: FlatRecord = record
    if getattr(record, "_data", None) is not None:
        raise AttributeError(f"{type(record).__name__} is immutable: use replace()")
    if cython.compiled:
        target._data = array("q", slots).tobytes()
    else:
        target._data = tuple(slots)


def make_record(cls: Any, slots: Any) -> Any:
    """A record of class ``cls`` over ``slots``, which must fit it: nothing is checked."""
    record = blank_record(cls)
    fill_record(record, slots)
    return record


@cython.cclass
class SlotField:
    """Reads one slot of a record as an attribute; ``kind`` is set for a float, a bool or an enum."""

    index: cython.Py_ssize_t
    unsigned64: cython.bint
    is_real: cython.bint
    kind: Any

    def __init__(self, index: int, unsigned64: bool, kind: Any = None) -> None:
        self.index = index
        self.unsigned64 = unsigned64
        self.kind = kind
        self.is_real = kind is not None and kind.is_real

    def __get__(self, record: Any, owner: Any) -> Any:
        if record is None:
            return self
        row: FlatRecord = record
        value: cython.longlong
        if cython.compiled:
            if row._data is None or not 0 <= self.index < PyBytes_GET_SIZE(row._data) // 8:
                raise AttributeError("this record was never given its values, or is of another class")
            if self.is_real:
                return cython.cast(cython.p_double, PyBytes_AS_STRING(row._data))[self.index]
            value = cython.cast(cython.p_longlong, PyBytes_AS_STRING(row._data))[self.index]
            if self.unsigned64:
                return cython.cast(cython.ulonglong, value)
        else:
            value = row._data[self.index]
            if self.unsigned64 and value < 0:
                return value + 18446744073709551616
        if self.kind is not None:
            return self.kind.value(self.kind.from_slot(value))
        return value

    def __set__(self, record: Any, value: Any) -> NoReturn:
        raise AttributeError(f"{type(record).__name__} is immutable: use replace()")


@cython.cclass
class PartField:
    """Reads a record inside another as an attribute: a copy of its slots."""

    kind: Any
    index: cython.Py_ssize_t
    size: cython.Py_ssize_t

    def __init__(self, kind: Any, index: int, size: int) -> None:
        self.kind = kind
        self.index = index
        self.size = size

    def __get__(self, record: Any, owner: Any) -> Any:
        if record is None:
            return self
        whole: FlatRecord = record
        part: FlatRecord = blank_record(self.kind)
        if cython.compiled:
            if whole._data is None or not 0 <= self.index <= PyBytes_GET_SIZE(whole._data) // 8 - self.size:
                raise AttributeError("this record was never given its values, or is of another class")
            part._data = PyBytes_FromStringAndSize(PyBytes_AS_STRING(whole._data) + self.index * 8, self.size * 8)
        else:
            part._data = whole._data[self.index : self.index + self.size]
        return part

    def __set__(self, record: Any, value: Any) -> NoReturn:
        raise AttributeError(f"{type(record).__name__} is immutable: use replace()")


def slots_checksum(slots: Any, wide: Any) -> int:
    """FNV-1a over a row of slots, one round each; slots marked in ``wide`` add one for their upper half."""
    digest: cython.ulonglong = 2166136261
    mask: cython.ulonglong = 4294967295
    value: cython.longlong
    index: cython.Py_ssize_t = 0
    for slot in slots:
        value = slot
        digest = ((digest ^ (value & mask)) * 16777619) & mask
        if wide[index]:
            digest = ((digest ^ ((value >> 32) & mask)) * 16777619) & mask
        index += 1
    return digest


if cython.compiled:
    from cython.cimports.cpython.bytes import PyBytes_AS_STRING, PyBytes_FromStringAndSize
    from cython.cimports.cpython.long import PyLong_AsLongLongAndOverflow

else:
    MAX_PLAYERS = 16  # C constant


def replaces_advance(kind: Any) -> bool:
    """Whether a class below the one with ``run_slots`` overrides ``advance_slots``: its loop plays another game."""
    first = next(vars(cls) for cls in kind.__mro__ if "advance_slots" in vars(cls) or "run_slots" in vars(cls))
    return "run_slots" not in first


@cython.cclass
class FlatSimulation:
    """A simulation over a flat state: subclass it, override ``advance_slots``, and give ``initial_state``.

    ``step``, ``run`` and ``checksum`` are complete here. The compiled rollback engine calls ``advance_slots`` directly
    where a subclass has not overridden them in Python.
    """

    state_type: Any  # readonly
    num_players: cython.int  # readonly
    input_size: cython.int  # readonly
    slot_count: cython.int  # readonly
    _wide: "tuple[bool, ...]"
    _wide_marks: bytes
    _marks: cython.p_const_uchar
    _wide_count: cython.int
    python_advance: Any  # readonly
    _largest_input: cython.ulonglong

    def __init__(self, state_type: Any, num_players: int, input_size: int = 2) -> None:
        if not 1 <= num_players <= MAX_PLAYERS:
            raise UsageError(f"num_players must be from 1 to {MAX_PLAYERS}, not {num_players}")
        if not 1 <= input_size <= 8:
            raise UsageError(f"input_size must be from 1 to 8 bytes, not {input_size}")
        self.state_type = state_type
        self.num_players = num_players
        self.input_size = input_size
        self._wide = state_type.layout.wide
        self.slot_count = len(self._wide)
        self._wide_count = sum(self._wide)
        self._largest_input = (1 << (8 * input_size)) - 1
        self.python_advance = None
        if cython.compiled:
            self._wide_marks = bytes(self._wide)
            self._marks = cython.cast(cython.p_uchar, PyBytes_AS_STRING(self._wide_marks))
            # A C method is not visible from Python: what this name finds was overridden in Python.
            self.python_advance = getattr(self, "advance_slots", None)
        else:
            self._marks = self._wide

    def __reduce__(self) -> Any:
        # Cython's own would copy a C pointer into another object or process, where it is invalid.
        own = getattr(self, "__dict__", None)
        return _simulation_from, (type(self), self.state_type, self.num_players, self.input_size, own)

    @cython.cfunc
    @cython.exceptval(check=False)
    @cython.nogil
    def advance_slots(self, slots: cython.p_longlong, inputs: cython.p_ulonglong) -> cython.void:
        """Advance the row ``slots`` by one frame, in place. Games override this; the default does nothing."""

    @cython.cfunc
    @cython.exceptval(check=False)
    @cython.nogil
    def run_slots(
        self, slots: cython.p_longlong, frames: cython.p_const_uchar, count: cython.Py_ssize_t
    ) -> cython.void:
        """Advance the row by ``count`` frames of inputs. A game may override this with a faster loop."""
        if cython.compiled:
            inputs = cython.declare(cython.ulonglong[MAX_PLAYERS])
        else:
            inputs = [0] * self.num_players
        at: cython.Py_ssize_t = 0
        frame: cython.Py_ssize_t
        player: cython.int
        part: cython.int
        for frame in range(count):  # noqa: B007 - a typed loop variable makes it a C loop
            for player in range(self.num_players):
                inputs[player] = 0
                for part in range(self.input_size):
                    if cython.compiled:
                        inputs[player] |= cython.cast(cython.ulonglong, frames[at]) << (8 * part)
                    else:
                        inputs[player] |= frames[at] << (8 * part)
                    at += 1
            self.advance_slots(slots, inputs)

    @cython.cfunc
    @cython.exceptval(check=False)
    @cython.nogil
    def run_many_slots(
        self,
        rows: cython.p_longlong,
        octets: cython.p_const_uchar,
        starts: cython.p_longlong,
        counts: cython.p_longlong,
        matches: cython.Py_ssize_t,
    ) -> cython.void:
        """Advance many rows, stored one after another, each by ``counts`` frames of inputs that begin at ``starts``.

        A game may override this with a loop over several matches at a time, which may change ``starts`` and ``counts``.
        """
        at: cython.Py_ssize_t
        for at in range(matches):
            if cython.compiled:
                self.run_slots(rows + at * self.slot_count, octets + starts[at], counts[at])
            else:
                here = slice(at * self.slot_count, (at + 1) * self.slot_count)
                row = rows[here]
                self.run_slots(row, octets[starts[at] :], counts[at])
                rows[here] = row

    @cython.cfunc
    @cython.exceptval(check=False)
    @cython.nogil
    def checksum_slots(self, slots: cython.p_longlong) -> cython.uint:
        # One round for a whole field, not for each byte: its low 32 bits, since the upper ones never get below
        # bit 32 of the product.
        digest: cython.uint = 2166136261
        mask: cython.uint = 4294967295
        index: cython.int
        for index in range(self.slot_count):
            digest = ((digest ^ slots[index]) * 16777619) & mask
            if self._wide_count and self._marks[index]:
                digest = ((digest ^ (slots[index] >> 32)) * 16777619) & mask
        return digest

    def step(self, state: Any, inputs: Any) -> Any:
        """The state that follows ``state`` when the players press ``inputs``, one integer each."""
        if cython.compiled:
            taken = cython.declare(cython.ulonglong[MAX_PLAYERS])
        else:
            taken = [0] * self.num_players
        source: cython.p_longlong = self.slots_of(state)
        self.take_inputs(inputs, taken)
        if cython.compiled and self.python_advance is None:
            fresh = self.state_from(source)
            record: FlatRecord = fresh
            self.advance_slots(cython.cast(cython.p_longlong, PyBytes_AS_STRING(record._data)), taken)
            return fresh
        if cython.compiled:
            return self.advance_in_python(state, inputs)
        row = list(source)
        self.advance_slots(row, taken)
        return self.state_from(row)

    def advance_in_python(self, state: Any, inputs: Any) -> Any:
        """Advance one frame of a game whose ``advance_slots`` is Python while this class is compiled."""
        row = list(state._slots())
        self.python_advance(row, list(inputs))
        return make_record(self.state_type, row)

    def run(self, state: Any, frames: Any) -> Any:
        """The state after many frames: ``frames`` holds each frame's inputs, player by player, little-endian."""
        try:
            view = memoryview(frames).cast("B")
        except (TypeError, ValueError):
            raise UsageError(f"frames must be contiguous bytes, not {type(frames).__name__}") from None
        width = self.num_players * self.input_size
        if len(view) % width:
            raise UsageError(
                f"frames must be a multiple of {width} bytes "
                f"({self.num_players} players of {self.input_size}), not {len(view)}"
            )
        count: cython.Py_ssize_t = len(view) // width
        if cython.compiled and self.python_advance is not None:
            return self.run_in_python(state, view, width)
        if cython.compiled:
            source: cython.p_longlong = self.slots_of(state)
            fresh = self.state_from(source)
            record: FlatRecord = fresh
            row: cython.p_longlong = cython.cast(cython.p_longlong, PyBytes_AS_STRING(record._data))
            if count:
                octets: cython.const[cython.uchar][::1] = view
                with cython.nogil:
                    self.run_slots(row, cython.address(octets[0]), count)
            return fresh
        slots = list(self.slots_of(state))
        if replaces_advance(type(self)):
            FlatSimulation.run_slots(self, slots, view, count)
        else:
            self.run_slots(slots, view, count)
        return self.state_from(slots)

    def run_in_python(self, state: Any, view: Any, width: Any) -> Any:
        self.slots_of(state)
        size = width // self.num_players
        for at in range(0, len(view), width):
            cells = range(at, at + width, size)
            state = self.advance_in_python(state, [int.from_bytes(view[c : c + size], "little") for c in cells])
        return state

    def checksum(self, state: Any) -> int:
        """FNV-1a over the fields of ``state`` in their declared order."""
        return self.checksum_slots(self.slots_of(state))

    def fields(self, state: Any) -> Any:
        """Every field of ``state`` as pairs of name and value."""
        self.slots_of(state)
        return state.fields()

    def pack_state(self, state: Any) -> bytes:
        """Pack ``state`` in its declared widths, little-endian."""
        self.slots_of(state)
        return state.to_bytes()  # type: ignore[no-any-return]  # mypy sees kernels untyped

    def unpack_state(self, data: Any) -> Any:
        """The state that ``pack_state`` packed; raises DecodeError if the bytes are wrong."""
        return self.state_type.from_bytes(data)

    @cython.cfunc
    def slots_of(self, state: Any) -> cython.p_longlong:
        if type(state) is not self.state_type:
            raise UsageError(f"{type(self).__name__} steps a {self.state_type.__name__}, not a {type(state).__name__}")
        record: FlatRecord = state
        if cython.compiled:
            if record._data is not None:
                return cython.cast(cython.p_longlong, PyBytes_AS_STRING(record._data))
        elif hasattr(record, "_data"):
            return record._data
        raise UsageError(f"this {type(state).__name__} was never given its values")

    @cython.cfunc
    def state_from(self, slots: cython.p_longlong) -> Any:
        record: FlatRecord = blank_record(self.state_type)
        if cython.compiled:
            record._data = PyBytes_FromStringAndSize(cython.cast(cython.p_char, slots), self.slot_count * 8)
        else:
            record._data = tuple(slots)
        return record

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def take_inputs(self, inputs: Any, taken: cython.p_ulonglong) -> cython.int:
        player: cython.int = 0
        if not isinstance(inputs, (tuple, list)):
            raise UsageError(f"inputs must be a tuple or a list, not {type(inputs).__name__}")
        if len(inputs) != self.num_players:
            raise UsageError(f"step takes {self.num_players} inputs, not {len(inputs)}")
        for value in inputs:
            if cython.compiled:
                # The common case without a Python comparison; everything else is checked below.
                overflow: cython.int = 0
                if isinstance(value, int) and self.input_size < 8:
                    number: cython.longlong = PyLong_AsLongLongAndOverflow(value, cython.address(overflow))
                    if overflow == 0 and 0 <= number <= cython.cast(cython.longlong, self._largest_input):
                        taken[player] = number
                        player += 1
                        continue
            if not isinstance(value, int) or not 0 <= value <= self._largest_input:
                raise UsageError(
                    f"input of player {player} must be an integer of {8 * self.input_size} bits "
                    f"(0 to {self._largest_input}), not {value!r}"
                )
            taken[player] = value
            player += 1
        return 0


def _simulation_from(kind: Any, state_type: Any, num_players: Any, input_size: Any, own: Any) -> Any:
    """Copy a simulation: construct it anew, with the attributes that Python code has set on it."""
    sim = kind.__new__(kind)
    if own:
        sim.__dict__.update(own)
    FlatSimulation.__init__(sim, state_type, num_players, input_size)
    return sim
