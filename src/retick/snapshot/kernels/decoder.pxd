# The C side of decoder.py.

cimport cython

from retick.snapshot.kernels.columns cimport Columns
from retick.snapshot.kernels.creates cimport Creates
from retick.snapshot.kernels.framing cimport Framing
from retick.snapshot.kernels.reader cimport Reader
from retick.snapshot.kernels.table cimport FieldTable
from retick.snapshot.kernels.target cimport Target
from retick.snapshot.kernels.updates cimport Updates


@cython.final
cdef class Decoder:
    cdef readonly object schema
    cdef unsigned long long schema_hash
    cdef FieldTable table
    cdef object cls                 # of the columns that are made
    cdef long long max_total
    cdef readonly Reader reader
    cdef readonly Framing framing   # of the packet that was opened last
    cdef Creates creates
    cdef Updates updates
    cdef Target target
    cdef int deferred               # the update section that stands last, or -1

    cdef int read_full(self) except -1
    cdef int check_delta(self, Columns base) noexcept
    cdef int check_hash(self) noexcept
    cdef object apply(self, Columns base)
    cdef int read_sections(self) except -1
    cdef int read_listed(self, int section) except -1
    cdef object start_from(self, Columns base)
    cdef object merge(self, Columns base)
