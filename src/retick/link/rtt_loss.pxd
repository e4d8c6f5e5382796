# The C side of rtt_loss.py.

cdef enum:
    LOSS_INTERVAL = 16


cdef class RoundTrip:
    cdef public double mean
    cdef public double variation
    cdef public double latest
    cdef public double least
    cdef public long long samples

    cpdef void add(self, double sample) noexcept


cdef class LossMeter:
    cdef public double rate
    cdef public bint sampled
    cdef public long long _sent
    cdef public long long _arrived

    cpdef void update(self, long long sent, long long arrived) noexcept
