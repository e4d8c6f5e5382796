# The C side of rbn1.py.

cpdef tuple decode_fields(object data, unsigned int extensions)
cdef tuple read_inputs(unsigned char* octets, Py_ssize_t at, int count)
