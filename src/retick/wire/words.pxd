# The C side of words.py. Written byte by byte so that any byte order and alignment is right; compilers see the
# pattern and emit one load or store, with a byte swap where it is needed. load_u8 and the little-endian stores are for
# compiled branches only, whose uncompiled counterpart is a struct.Struct, and so are not in words.py.

cdef inline unsigned long long load_be64(const unsigned char* buffer, Py_ssize_t at) noexcept nogil:
    cdef const unsigned char* p = buffer + at
    return (
        (<unsigned long long>p[0] << 56) | (<unsigned long long>p[1] << 48)
        | (<unsigned long long>p[2] << 40) | (<unsigned long long>p[3] << 32)
        | (<unsigned long long>p[4] << 24) | (<unsigned long long>p[5] << 16)
        | (<unsigned long long>p[6] << 8) | <unsigned long long>p[7]
    )


cdef inline void store_be64(unsigned char* buffer, Py_ssize_t at, unsigned long long word) noexcept nogil:
    cdef unsigned char* p = buffer + at
    p[0] = <unsigned char>(word >> 56)
    p[1] = <unsigned char>(word >> 48)
    p[2] = <unsigned char>(word >> 40)
    p[3] = <unsigned char>(word >> 32)
    p[4] = <unsigned char>(word >> 24)
    p[5] = <unsigned char>(word >> 16)
    p[6] = <unsigned char>(word >> 8)
    p[7] = <unsigned char>word


cdef inline unsigned int load_u8(const unsigned char* buffer, Py_ssize_t at) noexcept nogil:
    return buffer[at]


cdef inline unsigned int load_le16(const unsigned char* buffer, Py_ssize_t at) noexcept nogil:
    cdef const unsigned char* p = buffer + at
    return p[0] | (<unsigned int>p[1] << 8)


cdef inline unsigned int load_le32(const unsigned char* buffer, Py_ssize_t at) noexcept nogil:
    cdef const unsigned char* p = buffer + at
    return p[0] | (<unsigned int>p[1] << 8) | (<unsigned int>p[2] << 16) | (<unsigned int>p[3] << 24)


cdef inline unsigned long long load_le64(const unsigned char* buffer, Py_ssize_t at) noexcept nogil:
    return load_le32(buffer, at) | (<unsigned long long>load_le32(buffer, at + 4) << 32)


cdef inline void store_le16(unsigned char* buffer, Py_ssize_t at, unsigned int word) noexcept nogil:
    cdef unsigned char* p = buffer + at
    p[0] = <unsigned char>word
    p[1] = <unsigned char>(word >> 8)


cdef inline void store_le32(unsigned char* buffer, Py_ssize_t at, unsigned int word) noexcept nogil:
    cdef unsigned char* p = buffer + at
    p[0] = <unsigned char>word
    p[1] = <unsigned char>(word >> 8)
    p[2] = <unsigned char>(word >> 16)
    p[3] = <unsigned char>(word >> 24)
