# The C side of arrays.py.

cdef object kept(list owners, str code, object values)
cdef unsigned char* uchars(object space)
cdef int* ints(object space)
cdef unsigned int* uints(object space)
cdef long long* longs(object space)
cdef unsigned long long* ulongs(object space)
cdef double* doubles(object space)
