# The C side of sequences.py. Fields that every datagram uses come first, the array of times last.

from retick.link.layout cimport (
    ENVELOPE_SIZE, PAYLOAD, PAYLOAD_DELAY_NONE, PAYLOAD_DELAY_RATE, SEEN_WINDOW, SEQUENCE_HALF, SEQUENCE_MASK
)
from retick.link.rtt_loss cimport LossMeter, RoundTrip
from retick.link.sealing.seal cimport Seal


cdef class Sequences:
    cdef readonly RoundTrip round_trip
    cdef public double heard_at
    cdef public double newest_at
    cdef public unsigned long long _seen
    cdef public unsigned long long _seen_64
    cdef public unsigned long long _seen_128
    cdef public unsigned long long _seen_192
    cdef public long long _expected
    cdef public long long received
    cdef public long long bytes_received
    cdef public int newest
    cdef public int _last_ack
    cdef public long long _out_count
    cdef public long long bytes_sent
    cdef readonly int overhead
    cdef readonly dict dropped
    cdef public long long _out_acked
    cdef public long long _peer_received
    cdef readonly LossMeter loss_in
    cdef readonly LossMeter loss_out
    cdef double _sent_times[256]

    cpdef bint is_new(self, int sequence) except -1
    cpdef long long number_of(self, int sequence) noexcept
    cpdef bint note(self, int sequence, Py_ssize_t size, double now) except -1
    cdef void _mark(self, int behind) noexcept
    cdef void _shift(self, int ahead) noexcept
    cpdef void receive_ack(self, int ack, double delay, double now) noexcept
    cpdef bint may_have_sent(self, long long acked) noexcept
    cpdef object receive_report(self, object report, double now)
    cpdef int number(self, Py_ssize_t size, double now) noexcept
    cpdef int ack_delay(self, double now) noexcept
    cpdef void measure_loss(self) noexcept
    cpdef object wrap(self, list payloads, unsigned int connection_id, double now, object address, Seal seal, list out)
