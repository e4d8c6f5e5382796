"""The numbers of join tokens; the byte tables are in docs/formats/token.md."""

from typing import Final

__all__ = [
    "KEY_ID_SIZE",
    "KEY_SIZE",
    "LIFETIME",
    "LONGEST_HOST",
    "LONGEST_ROOM",
    "MAGIC",
    "MOST_ADDRESSES",
    "MOST_DATA",
    "MOST_TOKEN",
    "MOST_USED",
    "NONCE_SIZE",
    "TAG_SIZE",
    "TOLERANCE",
]

MAGIC: Final = b"RTJ1"
KEY_SIZE: Final = 32
"""Bytes of the token key, and of a server's public key."""
KEY_ID_SIZE: Final = 8
NONCE_SIZE: Final = 24
TAG_SIZE: Final = 16
MOST_TOKEN: Final = 700
"""Bytes of a token: as many as the link's handshake carries."""
MOST_ADDRESSES: Final = 8
LONGEST_HOST: Final = 253
"""Characters, as in DNS."""
LONGEST_ROOM: Final = 32
"""Bytes of a room's name."""
MOST_DATA: Final = 256
"""Bytes of the application's own."""
LIFETIME: Final = 60.0
"""Seconds that a token is good for, unless its issuer says otherwise."""
TOLERANCE: Final = 30.0
"""Seconds that the clocks of backend and server may differ."""
MOST_USED: Final = 65536
"""Used tokens that a server remembers until they have expired."""
