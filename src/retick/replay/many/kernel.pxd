# The C side of kernel.py: what a processor that multiplies without carries (x86-64 with PCLMULQDQ) does for a CRC-32.

cdef extern from *:
    """
    #if defined(__x86_64__) && defined(__GNUC__)
    #include <immintrin.h>
    #define can_fold() __builtin_cpu_supports("pclmul")
    #define FOLDED(part, by, more) _mm_xor_si128( \\
        _mm_xor_si128(_mm_clmulepi64_si128(part, by, 0x00), _mm_clmulepi64_si128(part, by, 0x11)), more)
    #define LOADED(at) _mm_loadu_si128((const __m128i*)(at))

    /* Sixteen bytes that have the CRC, begun with 0, that the data have, begun with crc. The size is a multiple of 64.
       The constants are powers of x modulo the polynomial: Gopal and others, "Fast CRC Computation", Intel 2009. */
    __attribute__((target("pclmul")))
    static void fold(const unsigned char* data, Py_ssize_t size, unsigned int crc, unsigned char* folded) {
        const __m128i by_64 = _mm_set_epi64x(0x01c6e41596, 0x0154442bd4);
        const __m128i by_16 = _mm_set_epi64x(0x00ccaa009e, 0x01751997d0);
        __m128i a = _mm_xor_si128(LOADED(data), _mm_cvtsi32_si128((int)crc));
        __m128i b = LOADED(data + 16), c = LOADED(data + 32), d = LOADED(data + 48);
        for (data += 64, size -= 64; size >= 64; data += 64, size -= 64) {
            a = FOLDED(a, by_64, LOADED(data));
            b = FOLDED(b, by_64, LOADED(data + 16));
            c = FOLDED(c, by_64, LOADED(data + 32));
            d = FOLDED(d, by_64, LOADED(data + 48));
        }
        b = FOLDED(a, by_16, b);
        c = FOLDED(b, by_16, c);
        d = FOLDED(c, by_16, d);
        _mm_storeu_si128((__m128i*)folded, d);
    }
    #else
    #define can_fold() 0
    #define fold(data, size, crc, folded)
    #endif
    """
    bint can_fold() noexcept nogil
    void fold(const unsigned char* data, Py_ssize_t size, unsigned int crc, unsigned char* folded) noexcept nogil
