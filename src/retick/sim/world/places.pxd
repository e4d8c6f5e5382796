# The C side of places.py.

from retick.sim.world.cells cimport Cell, FieldPlan, Root

cpdef object new_cell(object cls)
cdef int check_open(Cell cell, FieldPlan field) except -1
cpdef int shut(Cell cell) except -1
cdef int check_there(Cell cell) except -1
cdef int check_free(Cell cell, object world, object where) except -1
cdef int enter(Cell cell, object owner, Cell holder) except -1
cdef int settle(Cell cell, Root world, bint is_item) except -1
cdef int leave(Cell cell) except -1
cdef int unsettle(Cell cell) except -1
cpdef dict things_by_id(Root world)
cdef int collect(Cell cell, dict known) except -1
