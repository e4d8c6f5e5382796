# The C side of connection.py.

from retick.link.lane cimport Lane


cdef class Connection(Lane):
    cdef public object terms
    cdef public object close_reason
    cdef public object _nonce
    cdef public object _reply_to
    cdef public object _dialling
    cdef public object _path_key
    cdef readonly object _sender
    cdef readonly object _receiver
    cdef public double _heard_before
    cdef public int _fragments_unacked
    cdef public int _reported
    cdef public double _linger
    cdef public object _close_text
    cdef public int _byes
    cdef public double _pace_at
    cdef public double _confirm_by
    cdef public double _bye_at
    cdef public double _linger_until
    cdef public double _challenged_at

    cdef object _receive_other(self, int kind, int sequence, bytes data, double now)
    cdef object _heard(self, double now)
    cdef object _drain_rest(self, double now, list out)
    cdef object _receive_control(self, int sequence, bytes data, double now)
    cdef object _take_fragments(self, list fragments, double now)
    cdef object _deliver_messages(self)
    cdef object _was_read(self, double now)
    cdef object _send_control(self, bytes fragments, double now, list out)
    cdef double _status_interval(self, int sequence) except -1.0
    cdef object _send_messages(self, double now, list out)
    cdef object _send_bye(self, double now, list out)
    cdef double _deadline(self) except? -1.0
    cdef object _on_time(self, double now)
    cdef object _check_silence(self, double now)
