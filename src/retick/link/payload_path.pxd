# The C side of payload_path.py. Fields that every payload uses come first.

from retick.link.sealing.seal cimport Seal
from retick.link.sequences cimport Sequences


cdef class EndpointCore:
    cdef public list _send_list
    cdef public list _unread_connections
    cdef public list _events
    cdef public double _now
    cdef readonly object _on_payload
    cdef readonly Py_ssize_t _max_payload
    cdef readonly Py_ssize_t _payload_queue
    cdef readonly Py_ssize_t _unread_limit
    cdef readonly int _overhead
    cdef readonly dict dropped
    cdef readonly object config


cdef class PayloadPath:
    cdef readonly EndpointCore _endpoint
    cdef readonly Sequences _sequences
    cdef public Seal _seal
    cdef public unsigned int local_id
    cdef public unsigned int remote_id
    cdef public int _state
    cdef public bint _on_send_list
    cdef public bint _interrupted
    cdef public bint _has_messages
    cdef public object address
    cdef public Py_ssize_t _unread
    cdef public object tag
    cdef public list _outbox
    cdef public double _armed
    cdef public double _ack_at
    cdef public double _status_at
    cdef public Py_ssize_t _refused_payloads

    cpdef bint send_unreliable(self, object data) except -1
    cpdef object _want_to_send(self)
    cdef object _receive(self, int kind, int sequence, int ack, bytes data, double now, object given_now)
    cdef object _receive_sealed(self, int kind, int sequence, int ack, bytes data, object address, double now, object given_now)
    cdef object _take_payload(self, int kind, int sequence, int ack, bytes payload, double now, object given_now)
    cpdef bytes _sealed(self, bytes data)
    cdef object _drain(self, double now, list out)
    cpdef object _receive_other(self, int kind, int sequence, bytes data, double now)
    cdef object _on_heard(self, double now)
    cdef object _drain_rest(self, double now, list out)
