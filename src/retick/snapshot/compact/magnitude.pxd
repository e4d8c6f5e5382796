# The C side of magnitude.py.

cimport cython

from retick.snapshot.compact.coder cimport Coder

cdef extern from *:
    """
    /* residual is compiled a second time for processors with AVX2, whose registers hold more features; the loader chooses.
       Its name is Cython's for it: under another name nothing is gained and nothing lost. */
    #if defined(__PYX_HAVE__retick__snapshot__compact__magnitude) && defined(__x86_64__) && defined(__GNUC__) \\
        && !defined(__clang__) && defined(__GLIBC__)
    struct __pyx_obj_6retick_8snapshot_7compact_9magnitude_Magnitude;
    static PY_LONG_LONG __pyx_f_6retick_8snapshot_7compact_9magnitude_9Magnitude_residual(
        struct __pyx_obj_6retick_8snapshot_7compact_9magnitude_Magnitude*, int, int, int, int, PY_LONG_LONG)
        __attribute__((target_clones("avx2", "default")));
    #endif
    """

cdef enum:
    SLOWNESS = 3                    # an error moves the estimate by about one part in 2**SLOWNESS
    HEAVIEST = 65536                # bound of a weight, on both sides of 0


@cython.final
cdef class Magnitude:
    cdef Coder coder
    cdef int* weights               # by scalar and feature
    cdef int* features              # of the residual at hand
    cdef int size                   # the log of the residual coded last
    cdef object _features_owner
    cdef object _weights_owner

    cdef void use(self, object weights)
    cdef long long residual(self, int scalar, int slot, int sort, int signs, long long value) noexcept
    cdef int context_of(self, int estimate) noexcept
    cdef int expected_of(self, int context) noexcept
