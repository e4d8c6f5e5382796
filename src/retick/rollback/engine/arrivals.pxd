from retick.rollback.engine.inputs cimport InputHistory


cdef int check_batch(
    InputHistory inputs, int player, long long first, object values, long long current, long long history
) except -1
cdef int check_run(
    InputHistory inputs,
    int player,
    long long first,
    unsigned long long* values,
    int at,
    int count,
    long long current,
    long long history,
) except -1
cdef bint is_passed(
    InputHistory inputs, int player, long long frame, unsigned long long value, long long current, long long history
) noexcept
cdef int refuse(
    InputHistory inputs, int player, long long frame, unsigned long long value, long long current, long long history
) except -1
cdef int learn(
    InputHistory inputs, int player, long long frame, unsigned long long value, long long current
) noexcept
cdef long long learn_run(
    InputHistory inputs,
    int player,
    long long first,
    unsigned long long* values,
    int at,
    int count,
    long long current,
) noexcept
cdef long long copy_confirmed(
    InputHistory inputs, int player, long long first, int count, unsigned long long* values, int to
) noexcept
