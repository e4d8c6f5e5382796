# The C side of census.py.

from retick.sim.world.cells cimport Cell

cdef list collected(object components, object world)
cdef object reached(Cell cell, tuple path)
cdef bint still_holds(object census, object components) except -1
cdef object taken(object widths, list found, object first_seat, object seats)
