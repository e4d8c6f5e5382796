# The C side of tar.py, for whoever reads headers alone.

cdef long long plain_size(unsigned char* octets, Py_ssize_t at) noexcept nogil
cdef object plain_name(unsigned char* octets, Py_ssize_t at)
