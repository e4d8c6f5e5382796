# The C side of coder.py.

cimport cython

from retick.snapshot.compact.range_coder cimport RangeCoder

cdef extern from *:
    """
    /* learn is compiled a second time for processors with AVX2, whose registers hold all features; the loader chooses.
       Its name is Cython's for it: under another name nothing is gained and nothing lost. */
    #if defined(__PYX_HAVE__retick__snapshot__compact__coder) && defined(__x86_64__) && defined(__GNUC__) \\
        && !defined(__clang__) && defined(__GLIBC__)
    struct __pyx_obj_6retick_8snapshot_7compact_5coder_Coder;
    static void __pyx_f_6retick_8snapshot_7compact_5coder_5Coder_learn(
        struct __pyx_obj_6retick_8snapshot_7compact_5coder_Coder*, Py_ssize_t, int)
        __attribute__((target_clones("avx2", "default")));
    #endif
    """

cdef enum:
    MOST_USES = 255     # after so many, a model learns no slower
    LEAST = 48          # bound of a probability, from both sides
    SLOWNESS = 3        # an error moves the estimate by about one part in 2**SLOWNESS
    HEAVIEST = 65536    # bound of a weight, on both sides of 0
    STEEP = 32          # a predicted step is so much above the estimate: four times the residual
    FAST = 48           # from this log on, a step is counted twice


@cython.final
cdef class Coder(RangeCoder):
    cdef unsigned int* models
    cdef int* weights                   # by window, scalar and feature
    cdef int* features                  # of the residual at hand
    cdef long long* values              # by scalar: its residual, to be written or as it was read
    cdef long long* steps               # by scalar: how far it should move
    cdef long long* bends               # by scalar: how much two windows differ on that
    cdef int neighbours                 # whether the two entities before have changed, the nearer in bit 0
    cdef unsigned int* rates            # by uses: how far a model moves, of 65536
    cdef object _features_owner
    cdef object _models_owner
    cdef object _weights_owner

    cdef void use(self, object models, object weights)
    cdef int bit(self, Py_ssize_t index, int value) noexcept
    cdef Py_ssize_t until_changed(
        self, unsigned char* levels, long long* ways, Py_ssize_t at, Py_ssize_t end) noexcept
    cdef int residuals(self, int scalar, int last, Py_ssize_t at, int slot, int sort, int later) noexcept
    cdef void learn(self, Py_ssize_t at, int error) noexcept
