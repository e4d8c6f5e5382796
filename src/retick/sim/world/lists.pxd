# The C side of lists.py.

from retick.sim.world.cells cimport Cell, FieldPlan


cdef class BoundedList(list):
    cdef FieldPlan _field
    cdef Cell _holder

    cdef int become(self, list items) except -1
    cdef int check_changes(self) except -1
    cdef int check_room(self, Py_ssize_t count) except -1


cdef class ThingList(BoundedList):
    cdef int check_item(self, object item) except -1


cdef class ValueList(BoundedList):
    cdef object checked(self, object value)
