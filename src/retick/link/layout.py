"""The numbers of the link's wire format: datagram kinds, sizes and bounds, each in this one place.

The byte tables are in docs/formats/link.md. Layouts that use these numbers are in ``packets`` (an established
connection) and ``handshake.packets``. scripts/declare_kernels.py writes layout.pxd from it.
"""

from enum import IntEnum
from typing import Final

# C constants: every integer of this module.

# Kinds: the first byte of a datagram. PAYLOAD is 80 to BF; its low six bits are the acknowledgement delay.
PAYLOAD: Final = 0x80
CONTROL: Final = 0xC0
BYE: Final = 0xC1
BYE_ACK: Final = 0xC2
PROVE: Final = 0xC3
PROOF: Final = 0xC4
CLAIM: Final = 0xC5
ENTER: Final = 0xC6
ADMIT: Final = 0xC7
SEALED_KINDS_END: Final = 0xC8
"""Kinds from PAYLOAD up to this one have an envelope in the sealed form; in the plain form, those before PROVE."""
REQUEST: Final = 0xE0
COOKIE: Final = 0xE1
HELLO: Final = 0xE2
ACCEPT: Final = 0xE3
REFUSE: Final = 0xE4

MAX_DATAGRAM: Final = 1472
"""The most UDP payload bytes that a reader accepts."""
MIN_DATAGRAM_LIMIT: Final = 576
"""The lowest limit, in bytes, that a sender may be given for its datagrams."""

# The handshake.
MAGIC: Final = b"RTL"
VERSION: Final = 1
"""The version of the plain form."""
SEALED_VERSION: Final = 2
NONCE_SIZE: Final = 8
COOKIE_SIZE: Final = 16
"""Bytes of a cookie, and of the commitment beside it."""
HANDSHAKE_HEAD_SIZE: Final = 13
"""The size of kind, magic, version and nonce."""
MIN_REQUEST: Final = 128
"""The smallest REQUEST that an acceptor answers. Its answer is shorter."""
MIN_HANDSHAKE: Final = 512
"""A dialler pads its datagrams to this many bytes, so that no answer is longer than its question."""
MAX_HANDSHAKE: Final = 1200
MAX_GAME_ID: Final = 32
"""The most bytes of UTF-8 in a game id."""
MAX_APPLICATION_DATA: Final = 256
"""The most bytes of application data in HELLO and in ACCEPT; sealed, in ENTER and in ADMIT."""
MAX_SEATS: Final = 32
"""How many seats ACCEPT can give out: 0 to 31, a bit for each."""
MAX_SEATS_WANTED: Final = 255
"""The most seats that HELLO can ask for: one byte."""
MAX_TOKEN: Final = 700
"""The most bytes of the token in a sealed HELLO."""
SECRET_SIZE: Final = 16
"""Bytes of an invite's secret."""
MAX_REASON: Final = 255
MAX_TEXT: Final = 120
"""The most bytes of UTF-8 in the text of REFUSE and BYE."""

# An established connection.
ENVELOPE_SIZE: Final = 8
CONTROL_SIZE: Final = 26
"""Bytes of CONTROL before its fragments."""
BYE_SIZE: Final = 10
"""Bytes of BYE before its text."""
PROVE_SIZE: Final = 13
"""Bytes of PROVE and of PROOF."""
CLAIM_SIZE: Final = 17
SEQUENCE_MASK: Final = 0xFFFF
"""Sequences and fragment numbers wrap at 16 bits."""
SEQUENCE_HALF: Final = 0x8000
"""A number is newer than another if it is ahead by less than this."""
SEEN_WINDOW: Final = 256
"""How many sequences, up to the newest, a receiver remembers as arrived or not."""
TAG_SIZE: Final = 16
"""Bytes that sealing adds to a datagram."""
KEY_LIMIT: Final = 1 << 40
"""How many datagrams one key may seal."""
PAYLOAD_DELAY_RATE: Final = 2000
"""Units per second of a PAYLOAD's acknowledgement delay."""
PAYLOAD_DELAY_NONE: Final = 63
CONTROL_DELAY_RATE: Final = 16000
"""Units per second of a CONTROL's acknowledgement delay."""
CONTROL_DELAY_NONE: Final = 0xFFFF

# Fragments of reliable messages.
FRAGMENT_HEAD_SIZE: Final = 4
FRAGMENT_WINDOW: Final = 64
"""The most fragments from the oldest unacknowledged one to the newest that may be sent."""
FRAGMENT_FIRST: Final = 0x8000
FRAGMENT_LAST: Final = 0x4000
FRAGMENT_LENGTH_MASK: Final = 0x07FF


# The states of a connection.


class State(IntEnum):  # C constants
    """A connection's state in the state machine of docs/formats/link.md."""

    REQUESTING = 0
    PROPOSING = 1
    ENTERING = 2
    ACCEPTED = 3
    CONNECTED = 4
    CLOSING = 5
    CLOSED = 6
