# The C side of cells.py.

cdef enum:
    NUMBER = 0
    WIDE = 1
    TRUTH = 2
    REAL = 3
    MEMBER = 4
    LINK = 5
    PART = 6
    ITEMS = 7
    VALUES = 8
    CACHE = 9
    SHAPE = 10
    TEXT = 11
    LAST_ID = 0xFFFFFFFF


cdef class Plan:
    cdef readonly object kind
    cdef readonly object name
    cdef readonly tuple fields
    cdef readonly tuple runs
    cdef readonly Py_ssize_t slots
    cdef readonly Py_ssize_t parts
    cdef readonly object blank
    cdef readonly bint has_links


cdef class FieldPlan:
    cdef readonly object owner
    cdef readonly object name
    cdef readonly int code
    cdef readonly Py_ssize_t slot
    cdef readonly Py_ssize_t part
    cdef readonly bint optional
    cdef long long least
    cdef long long greatest
    cdef readonly object kind
    cdef readonly object plan
    cdef object target
    cdef readonly Py_ssize_t most
    cdef readonly object default
    cdef object make_list

    cdef object target_kind(self)


cdef class Cell:
    cdef object __weakref__
    cdef long long* _row
    cdef Py_ssize_t _slots
    cdef Py_ssize_t _open
    cdef long long _id
    cdef bint _settled
    cdef Plan _plan
    cdef list _parts
    cdef object _owner
    cdef object _world


cdef class Root(Cell):
    cdef long long _next
    cdef object _known
    cdef public object _cues
    cdef public object _here
    cdef public object _host
    cdef bint _is_shut
