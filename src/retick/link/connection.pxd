# The C side of connection.py.

from retick.link.payload_path cimport PayloadPath


cdef class Connection(PayloadPath):
    cdef public object terms
    cdef public object close_reason
    cdef public object fingerprint
    cdef public object handshake_hash
    cdef public object _nonce
    cdef public object _origin
    cdef public object _dialler
    cdef public object _goodbye
    cdef public object _path_key
    cdef readonly object _sender
    cdef readonly object _receiver
    cdef public double _silent_since
    cdef public int _last_report
    cdef public double _pace_at
    cdef public double _confirm_by
    cdef readonly object _claims
    cdef public double _claimed_at

    cpdef object _receive_other(self, int kind, int sequence, bytes data, double now)
    cdef object _on_heard(self, double now)
    cdef object _drain_rest(self, double now, list out)
    cdef object _receive_control(self, int sequence, bytes data, double now)
    cdef object _receive_fragments(self, list fragments, double now)
    cdef object _deliver_messages(self)
    cdef object _on_events_read(self, double now)
    cdef object _send_control(self, bytes fragments, double now, list out)
    cdef double _report_interval(self, int sequence) except -1.0
    cdef object _send_messages(self, double now, list out)
    cdef double _deadline(self) except? -1.0
    cdef double _claim_due(self) except? -1.0
    cdef object _handle_timeout(self, double now)
    cdef object _check_silence(self, double now)
