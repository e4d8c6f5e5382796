# The C side of endpoint.py.

from retick.link.connection cimport Connection
from retick.link.lane cimport Board


cdef class LinkEndpoint(Board):
    cdef Connection _latest
    cdef public list _replies
    cdef readonly dict connections
    cdef object _due
    cdef double _due_at
    cdef bint _is_due_known
    cdef readonly list _heap
    cdef readonly long long _pushed
    cdef readonly object _entropy
    cdef readonly object _jar
    cdef readonly object _acceptor
    cdef readonly dict _dialled
    cdef object __weakref__

    cdef Connection _connection_with(self, unsigned int connection_id)
    cdef object _find_due(self)
    cdef object take(self, object data, object address, object told)
    cdef list drain(self, double now)
