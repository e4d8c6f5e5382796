# The C side of endpoint.py.

from retick.link.connection cimport Connection
from retick.link.payload_path cimport EndpointCore


cdef class LinkEndpoint(EndpointCore):
    cdef Connection _latest
    cdef readonly int _kinds_end
    cdef readonly int _version
    cdef public list _replies
    cdef readonly dict connections
    cdef object _due
    cdef double _due_at
    cdef bint _is_due_known
    cdef readonly list _heap
    cdef readonly long long _heap_pushes
    cdef readonly object _entropy
    cdef readonly object _acceptor
    cdef readonly object _address_proof
    cdef readonly dict _by_nonce
    cdef readonly object _unanswered
    cdef readonly dict _readers
    cdef object __weakref__

    cdef Connection _connection_with(self, unsigned int connection_id)
    cdef object _find_due(self)
    cpdef object receive(self, object data, object address, object given_now)
    cpdef list drain(self, double now)
    cpdef object next_timeout(self)
