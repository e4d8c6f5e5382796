# The C side of frames.py.

cimport cython

from retick.snapshot.compact.plan cimport Plan
from retick.snapshot.kernels.columns cimport Columns
from retick.snapshot.kernels.table cimport FieldTable


cdef extern from *:
    """
    /* The loops over all entities are compiled a second time for processors with AVX2; the loader chooses. The names are
       Cython's for them: under other names nothing is gained and nothing lost. */
    #if defined(__PYX_HAVE__retick__snapshot__compact__frames) && defined(__x86_64__) && defined(__GNUC__) \\
        && !defined(__clang__) && defined(__GLIBC__)
    #define RETICK_TWICE __attribute__((target_clones("avx2", "default")))
    struct __pyx_obj_6retick_8snapshot_7compact_6frames_Frames;
    struct __pyx_obj_6retick_8snapshot_7kernels_7columns_Columns;
    static void __pyx_f_6retick_8snapshot_7compact_6frames_6Frames__differ_in_order(
        struct __pyx_obj_6retick_8snapshot_7compact_6frames_Frames*,
        struct __pyx_obj_6retick_8snapshot_7kernels_7columns_Columns*) RETICK_TWICE;
    static void __pyx_f_6retick_8snapshot_7compact_6frames_6Frames__note_rest(
        struct __pyx_obj_6retick_8snapshot_7compact_6frames_Frames*, int) RETICK_TWICE;
    #endif
    """


@cython.final
cdef class Frames:
    cdef Plan plan
    cdef FieldTable table
    cdef int used                   # history frames
    cdef Py_ssize_t count           # entities of the baseline
    cdef Columns base
    cdef Columns first
    cdef Columns second
    cdef Columns third
    cdef Columns target             # the values to encode, or where decoded ones go; it has the baseline's rows
    cdef long long** cells          # by scalar and frame: the column of its field
    cdef long long** targets        # by scalar: the same in the target
    cdef int* mapped                # by frame: whether its rows are others than the baseline's entities
    cdef bint dense                 # whether no frame is mapped
    cdef long long* maps            # by frame, component and entity: the row, unless dense
    cdef unsigned char* rest        # by entity: history frames with the baseline's values, from the newest on
    cdef long long* ways            # by entity: what `differ` found
    cdef long long* old             # by scalar and frame: the values of the entity at hand
    cdef int* has                   # by group and frame: whether it has any
    cdef long long* rows            # by group: its row in the baseline, unless dense
    cdef long long* order           # by component and row of the baseline: the entity, unless dense
    cdef int* group_starts          # by component: the first of its groups in the list; and one more
    cdef int* group_list
    cdef object _maps_owner
    cdef object _order_owner
    cdef object _rest_owner
    cdef object _ways_owner
    cdef tuple _owners

    cdef void use(self, Columns base, object history, Columns target)
    cdef Columns frame(self, int number)
    cdef void _make_space(self)
    cdef bint _is_in_order(self, Columns source) noexcept
    cdef void _map(self, int number) noexcept
    cdef void _put_in_order(self) noexcept
    cdef long long row(self, int number, int component, Py_ssize_t entity) noexcept
    cdef void _find_rest(self)
    cdef void differ(self, Columns other, int number)
    cdef void _differ_by_rows(self, Columns other, int number) noexcept
    cdef void _differ_in_order(self, Columns other) noexcept
    cdef void _note_rest(self, int rest) noexcept
    cdef void load(self, Py_ssize_t entity) noexcept
    cdef void _load_component(self, int component, Py_ssize_t entity) noexcept
    cdef int held_by(self, int group) noexcept
    cdef int newest(self, int group) noexcept


cpdef bint same_shape(Columns one, Columns other) noexcept
