# The C side of attributes.py.

from retick.sim.world.cells cimport Cell, FieldPlan


cdef class Field(FieldPlan):
    cdef object read(self, Cell cell)
    cdef object linked(self, Cell cell)
    cdef object held(self, Cell cell)
    cdef int write(self, Cell cell, object value) except -1
    cdef int link(self, Cell cell, object value) except -1
    cdef int replace(self, Cell cell, object value) except -1
    cdef int assign(self, Cell cell, object before, object value) except -1
