# The C side of loading.py.

from retick.sim.shapes.shape cimport Shape
from retick.sim.world.cells cimport Cell, FieldPlan, Plan, Root
from retick.sim.world.position cimport Position
from retick.sim.world.steps cimport Step


cdef class Reader(Position):
    cdef long long next_id
    cdef dict seen
    cdef list links

    cdef int check_run(self, Step step) except -1
    cdef int check_cell(self, Plan plan) except -1
    cdef int check_other(self, Step step) except -1
    cdef unsigned long long check_count(self, FieldPlan field) except? 99999
    cdef int check_flag(self, FieldPlan field) except -1
    cdef int check_text(self, FieldPlan field) except -1
    cdef int check_links(self) except -1
    cdef int load_run(self, Step step, Cell cell) except -1
    cdef int load_cell(self, Cell cell, Root world) except -1
    cdef int load_other(self, Step step, Cell cell, Root world) except -1
    cdef int load_part(self, FieldPlan field, Cell cell, Root world) except -1
    cdef int load_items(self, FieldPlan field, Cell cell, Root world) except -1
    cdef int load_form(self, Step step, FieldPlan field, Cell cell) except -1
    cdef int load_shape(self, Step step, Shape shape) except -1
    cdef int load_values(self, Step step, FieldPlan field, object values) except -1
