from retick.link.endpoint cimport LinkEndpoint
from retick.rollback.match.match cimport Match

cdef object RUNNING
cdef int NOT_RBN1
cdef int MOST_UNREAD


cdef class SessionCore:
    cdef public LinkEndpoint link
    cdef public object match
    cdef public object phase
    cdef public dict peers
    cdef public list happened
    cdef public bint is_quiet
    cdef public object wakes_at
    cdef public object last_match

    cdef object read_link(self, double now)
    cdef object send_packets(self, Match match)


cdef class SessionCalls:
    cdef readonly SessionCore _inside
