# cython: nonecheck=True
"""The two keys of one connection: seals what leaves, opens what arrives (a compiled kernel).

Knows neither windows nor connections: the caller gives each datagram's number, which ``sequences`` counts and expands.
The keys are objects of ``cryptography`` that encrypt and decrypt; this module only builds nonces and joins bytes, and
imports nothing of it. ::

    0  8  envelope      readable, and the associated data
    8  n  ciphertext
       16 tag
"""

from collections.abc import Callable
from typing import TypeAlias

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.cpython.bytes import PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
    from cython.cimports.libc.string import memcpy, memset
    from cython.cimports.retick.link.layout import ENVELOPE_SIZE
    from cython.cimports.retick.wire.words import store_le32
else:
    from retick.link.layout import ENVELOPE_SIZE

__all__ = ["Seal"]

Cipher: TypeAlias = Callable[[bytes, bytes, bytes], bytes]
"""Of nonce, data and associated data."""


@cython.final
@cython.cclass
class Seal:
    """One connection's keys, one for each direction. They are in no ``repr``, and cannot be read back."""

    if not cython.compiled:
        _encrypt: Cipher
        _decrypt: Cipher
        _refusal: type[Exception]
        _nonce: bytes
        _head: bytes

    def __init__(self, encrypt: Cipher, decrypt: Cipher, refusal: type[Exception]) -> None:
        """``refusal`` is what ``decrypt`` raises when a seal does not open."""
        self._encrypt = encrypt
        self._decrypt = decrypt
        self._refusal = refusal
        # The compiled form writes each nonce and envelope into these two: nobody else ever has them.
        if cython.compiled:
            self._nonce = PyBytes_FromStringAndSize(cython.NULL, 12)
            self._head = PyBytes_FromStringAndSize(cython.NULL, ENVELOPE_SIZE)
            memset(PyBytes_AS_STRING(self._nonce), 0, 12)

    @cython.cfunc
    def _nonce_of(self, number: cython.longlong) -> bytes:
        if cython.compiled:
            head: cython.p_uchar = cython.cast(cython.p_uchar, PyBytes_AS_STRING(self._nonce))
            store_le32(head, 4, cython.cast(cython.uint, number))  # the low half: C drops the rest
            store_le32(head, 8, cython.cast(cython.uint, number >> 32))
            return self._nonce
        return bytes(4) + number.to_bytes(8, "little")

    def seal(self, number: cython.longlong, envelope: bytes, body: bytes) -> bytes:
        """A sealed datagram. No number may be used twice."""
        sealed: bytes = self._encrypt(self._nonce_of(number), body, envelope)
        return envelope + sealed

    def open(self, number: cython.longlong, data: bytes) -> bytes | None:
        """The body of a datagram; None when it does not open under this number."""
        head: bytes
        sealed: bytes
        if cython.compiled:
            size: cython.Py_ssize_t = PyBytes_GET_SIZE(data)
            if size < ENVELOPE_SIZE:
                return None
            head = self._head
            memcpy(PyBytes_AS_STRING(head), PyBytes_AS_STRING(data), ENVELOPE_SIZE)
            sealed = PyBytes_FromStringAndSize(PyBytes_AS_STRING(data) + ENVELOPE_SIZE, size - ENVELOPE_SIZE)
        else:
            head, sealed = data[:ENVELOPE_SIZE], data[ENVELOPE_SIZE:]
        try:
            return self._decrypt(self._nonce_of(number), sealed, head)
        except self._refusal:
            return None
