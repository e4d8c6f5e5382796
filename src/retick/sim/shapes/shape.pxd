# The C side of shape.py.

cdef class Shape:
    cdef double _x
    cdef double _y
    cdef double _w
    cdef double _h

cpdef object blank(object cls)
cpdef Shape copied(Shape shape)
cdef double number_of(object value) except? -1.0
