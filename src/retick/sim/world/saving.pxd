# The C side of saving.py.

from retick.sim.shapes.shape cimport Shape
from retick.sim.world.cells cimport Cell
from retick.sim.world.steps cimport Step

cdef bint IS_LITTLE


cdef class Writer:
    cdef unsigned char* data
    cdef Py_ssize_t used
    cdef Py_ssize_t room
    cdef object known

    cdef int need(self, Py_ssize_t size) except -1
    cdef int put(self, unsigned long long value, Py_ssize_t size) except -1
    cdef int put_run(self, Step step, Cell cell) except -1
    cdef int put_cell(self, Cell cell) except -1
    cdef int put_other(self, Step step, Cell cell) except -1
    cdef int put_shape(self, Step step, Shape shape) except -1
    cdef int put_number(self, double value, bint is_real) except -1
    cdef int put_packed(self, bytes data) except -1
    cdef bytes taken(self)
