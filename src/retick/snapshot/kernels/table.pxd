# The C side of table.py.

cdef class FieldTable:
    cdef public object schema               # that it was made from
    cdef readonly int component_count
    cdef readonly int field_count
    cdef readonly int word_count            # mask words of all components
    cdef readonly int widest                # fields of the component with the most
    cdef readonly Py_ssize_t entity_worst_bytes  # most bytes that one entity can take, in any section
    cdef readonly bint all_plain            # entities can go the fast way
    cdef unsigned long long all_components  # then: a full component mask
    cdef Py_ssize_t entity_plain_bytes      # then: the same, padded
    cdef Py_ssize_t entity_plain_bits       # then: one entity with everything
    cdef readonly int entity_least_bits     # fewest bits that one entity takes in a create section
    # by field
    cdef int* coding                        # FIXED_WIDTH, VARUINT or VARSINT
    cdef int* bits                          # 0 for varints
    cdef long long* low
    cdef unsigned long long* span
    cdef unsigned long long* flip
    cdef long long* threshold               # 0 sends every difference
    cdef int* wraps                         # unsigned values lie in the column as signed ones
    cdef int* bools                         # a value may be True or False
    cdef int* unsigned                      # a column may be given as unsigned integers
    # by component
    cdef int* component_id
    cdef int* first                         # number of its first field
    cdef int* fields
    cdef int* first_word
    cdef int* words
    cdef int* plain                         # every field has 1 to 57 bits
    cdef long long* value_bits              # all fields that are not varints
    cdef long long* least_bits              # field mask and values at their shortest
    cdef int* index_bits                    # of a field's index in a packed entry
    cdef int* has_threshold
    # where things lie in a created entity with every component, from its first byte, if all_plain
    cdef int* mask_byte                     # by component: the byte in which its field mask starts
    cdef int* mask_shift                    # and how far to shift the eight bytes from there to the right
    cdef int* field_byte                    # by field
    cdef int* field_shift
    cdef unsigned long long* field_mask
    # by mask word
    cdef int* mask_width                    # fields in it
    cdef unsigned long long* full_mask
    cdef list _owners                       # keep the arrays alive

    cdef int* _ints(self, object values)
    cdef long long* _longs(self, object values)
    cdef unsigned long long* _unsigned(self, object values)
