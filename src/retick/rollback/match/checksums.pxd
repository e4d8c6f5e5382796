cdef class ChecksumBook:
    cdef readonly long long interval
    cdef readonly long long last_agreed
    cdef readonly long long compared
    cdef long long judged
    cdef long long pages
    cdef long long our_frames[128]
    cdef long long their_frames[128]
    cdef long long our_sums[128]
    cdef long long their_sums[128]

    cpdef object write(self, long long frame, long long checksum)
    cpdef object claim(self, long long frame, long long checksum)
    cdef object compare(self, long long page, long long frame)
