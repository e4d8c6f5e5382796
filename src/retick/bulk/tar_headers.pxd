# The C side of tar_headers.py: the system's call that reads from a place. Where there is none, no header is read here.

cdef extern from *:
    """
    #ifdef _WIN32
    #define read_from(file, room, size, at) (-1)
    #else
    #include <unistd.h>
    #define read_from(file, room, size, at) pread(file, room, size, (off_t)(at))
    #endif
    """
    Py_ssize_t read_from(int file, unsigned char* room, Py_ssize_t size, long long at) noexcept nogil
