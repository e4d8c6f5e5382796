from retick.rollback.engine.engine cimport RollbackEngine
from retick.rollback.match.checksums cimport ChecksumBook
from retick.rollback.match.timesync cimport LeadEstimate
from retick.wire.rbn1_run cimport InputRun

cdef int TIME_SYNC_EVERY
cdef int CHECKSUM_EVERY
cdef long long FRAME_BITS
cdef long long ALL_BITS
cdef long long UNLIMITED


cdef class Exchange:
    cdef readonly object peer
    cdef readonly tuple players
    cdef readonly LeadEstimate lead
    cdef readonly object dropped
    cdef readonly long long packets_out
    cdef readonly long long bytes_out
    cdef readonly long long packets_in
    cdef readonly long long bytes_in
    cdef public long long acknowledged
    cdef public long long known_below
    cdef readonly long long their_frame
    cdef readonly long long newest
    cdef public bint is_passed_on
    cdef readonly list events
    cdef readonly ChecksumBook book
    cdef RollbackEngine engine
    cdef InputRun run
    cdef bint compares
    cdef bint knows_sync
    cdef int size
    cdef int seats
    cdef int local_seats
    cdef int only_player
    cdef int only_local
    cdef long long newest_frame
    cdef long long newest_checksum
    cdef set conflicts
    cdef long long base
    cdef long long mask
    cdef long long start
    cdef long long reach
    cdef int most_frames
    cdef object __weakref__

    cdef long long expected(self) except -2
    cpdef bytes packet(self)
    cdef int copy_rows(self, long long first, InputRun run) except -1
    cpdef bint receive(self, object data, double phase) except -1
    cdef object refusal(self, object data, double phase)
    cdef void note_acknowledged(self, long long ack, long long newest) noexcept
    cdef int receive_rows(self, long long start, int count) except -1
    cpdef object write_checksum(self, long long frame, object checksum)
    cdef int claim(self, long long number, long long checksum) except -1
    cdef long long widened(self, long long number, long long near) noexcept
