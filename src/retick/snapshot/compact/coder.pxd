# The C side of coder.py.

cimport cython

from retick.snapshot.compact.range_coder cimport RangeCoder

cdef extern from *:
    """
    /* residual is compiled a second time for processors with AVX2, whose registers hold more features; the loader chooses.
       Its name is Cython's for it: under another name nothing is gained and nothing lost. */
    #if defined(__PYX_HAVE__retick__snapshot__compact__coder) && defined(__x86_64__) && defined(__GNUC__) \\
        && !defined(__clang__) && defined(__GLIBC__)
    struct __pyx_obj_6retick_8snapshot_7compact_5coder_Coder;
    static PY_LONG_LONG __pyx_f_6retick_8snapshot_7compact_5coder_5Coder_residual(
        struct __pyx_obj_6retick_8snapshot_7compact_5coder_Coder*, Py_ssize_t, int, int, int, PY_LONG_LONG)
        __attribute__((target_clones("avx2", "default")));
    #endif
    """

cdef enum:
    MOST_USES = 255     # after so many, a model learns no slower
    LEAST = 48          # bound of a probability, from both sides
    SLOWNESS = 3        # an error moves the estimate by about one part in 2**SLOWNESS
    HEAVIEST = 65536    # bound of a weight, on both sides of 0
    FLATTEST = 152      # from this estimate on there is one context


@cython.final
cdef class Coder(RangeCoder):
    cdef unsigned int* models
    cdef int* weights                   # by window, scalar and feature
    cdef int* features                  # of the residual at hand
    cdef long long* values              # by scalar: its residual, to be written or as it was read
    cdef long long* steps               # by scalar: how far it should move
    cdef long long* bends               # by scalar: how much two windows differ on that
    cdef int first_sign                 # the first sign model of the group at hand
    cdef int size_log                   # the log of the residual coded last
    cdef int neighbours                 # whether the two entities before have changed, the nearer in bit 0
    cdef unsigned int* rates            # by uses: how far a model moves, of 65536
    cdef unsigned char* contexts        # by estimate
    cdef unsigned char* expected        # by context: the number of bits that is likely
    cdef object _features_owner
    cdef object _models_owner
    cdef object _weights_owner

    cdef void use(self, object models, object weights)
    cdef int bit(self, Py_ssize_t index, int value) noexcept
    cdef Py_ssize_t until_changed(
        self, unsigned char* levels, long long* ways, Py_ssize_t at, Py_ssize_t end) noexcept
    cdef int residuals(self, int scalar, int last, Py_ssize_t at, int slot, int sort) noexcept
    cdef long long residual(self, Py_ssize_t at, int slot, int sort, int signs, long long value) noexcept
