# The C side of flat.py, for the compiled engine and for compiled games.

from retick.sim.slots cimport FlatRecord

cdef enum:
    MAX_PLAYERS = 16


cdef class FlatSimulation:
    cdef readonly object state_type
    cdef readonly int num_players
    cdef readonly int input_size
    cdef readonly int slot_count
    cdef object _wide
    cdef bytes _wide_marks
    cdef const unsigned char* _marks
    cdef int _wide_count
    cdef readonly object python_advance
    cdef unsigned long long _largest_input

    cdef void advance_slots(self, long long* slots, unsigned long long* inputs) noexcept nogil
    cdef void run_slots(self, long long* slots, const unsigned char* frames, Py_ssize_t count) noexcept nogil
    cdef void run_many_slots(
        self, long long* rows, const unsigned char* octets, long long* starts, long long* counts, Py_ssize_t matches
    ) noexcept nogil
    cdef unsigned int checksum_slots(self, long long* slots) noexcept nogil
    cdef int take_inputs(self, object inputs, unsigned long long* taken) except -1
    cdef long long* slots_of(self, object state) except NULL
    cdef object state_from(self, long long* slots)
