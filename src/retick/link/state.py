"""The states of a connection."""

from enum import IntEnum

__all__ = ["State"]


class State(IntEnum):
    """Where a connection is in the state machine of docs/formats/link.md."""

    REQUESTING = 0
    PROPOSING = 1
    ENTERING = 2
    ACCEPTED = 3
    CONNECTED = 4
    CLOSING = 5
    CLOSED = 6
