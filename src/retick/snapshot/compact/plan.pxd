# The C side of plan.py.

cimport cython


@cython.final
cdef class Plan:
    cdef readonly int group_count
    cdef readonly int scalar_count
    cdef readonly int model_count       # of the statistics that go with it
    cdef readonly int weight_count
    cdef int flag_group                 # the first CHOICE, whose value is a context of the entity; -1 for none
    # by group
    cdef int* kind
    cdef int* component
    cdef int* first                     # its first scalar
    cdef int* count
    cdef int* bits
    cdef int* source
    cdef int* accelerated
    cdef int* doubtful
    cdef int* models                    # its first own model
    cdef long long* modulus
    cdef double* rate
    # by scalar
    cdef int* field
    # lists
    cdef int* predicted                 # groups that are predicted before any is coded
    cdef int predicted_count
    cdef int* tracked                   # scalars that are in no CHOICE
    cdef int tracked_count
    cdef readonly tuple groups
    cdef list _owners

    cdef int* _ints(self, object values)
    cdef long long* _longs(self, object values)
    cdef double* _doubles(self, object values)
