"""The states of a connection."""

from enum import IntEnum

__all__ = ["State"]


class State(IntEnum):
    """Where a connection is in the state machine of docs/formats/link.md."""

    REQUESTING = 0
    PROPOSING = 1
    ACCEPTED = 2
    CONNECTED = 3
    CLOSING = 4
    CLOSED = 5
