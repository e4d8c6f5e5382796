"""The compiled kernels under the codec: columns, difference, encoder and decoder.

They are driven by a table of numbers made once from the schema, and know nothing above them. The decoder's parts are
``reader``, ``framing``, ``creates``, ``target``, ``updates``; the encoder's are ``diff``, ``packer``, ``sections``.
Inside they return the numbers in ``status``; only ``Decoder`` and ``Encoder`` raise, through ``errors``.
"""
