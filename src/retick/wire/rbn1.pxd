# The C side of rbn1.py.

cpdef bytes encode_narrow(
    long long start_frame,
    long long ack_frame,
    object inputs,
    long long checksum_frame=*,
    long long checksum=*,
    long long sync_frame=*,
    long long lead=*,
)
cpdef tuple decode_fields(object data, unsigned int extensions)
cdef tuple read_inputs(unsigned char* octets, Py_ssize_t at, int count)
