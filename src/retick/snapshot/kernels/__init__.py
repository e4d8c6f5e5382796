"""The compiled kernels under the codec: columns, difference, bit packing, framing, encoder and decoder.

Driven by a table of numbers made once from the schema; know no schema object and raise no errors of their own: they
return the status numbers in ``status``.
"""
