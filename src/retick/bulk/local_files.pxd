# The C side of local_files.py: the three calls of the system. Where there is none of them, no file opens here.

cdef extern from *:
    """
    #ifdef _WIN32
    #define open_plain(path) (-1)
    #define read_plain(file, room, size) (-1)
    #define close_plain(file) (-1)
    #else
    #include <fcntl.h>
    #include <unistd.h>
    #define open_plain(path) open((const char*)(path), O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    #define read_plain(file, room, size) read(file, room, size)
    #define close_plain(file) close(file)
    #endif
    """
    int open_plain(const unsigned char* path) noexcept nogil
    Py_ssize_t read_plain(int file, unsigned char* room, Py_ssize_t size) noexcept nogil
    int close_plain(int file) noexcept nogil
