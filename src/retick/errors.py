"""Every exception that Retick raises, grouped by who is at fault.

::

    RetickError
    ├─ UsageError             the caller's code is wrong
    │  ├─ NotSynchronized     an operation that needs a running match came too early
    │  ├─ PredictionLimit     the next frame would run further ahead than the prediction window
    │  ├─ HistoryEvicted      a frame is no longer, or not yet, in history
    │  ├─ SchemaError         a declaration contradicts itself
    │  ├─ MissingExtra        a command needs an optional dependency that is not installed
    │  └─ NetworkUnavailable  a socket cannot be opened, or a host cannot be reached; the message says what to try
    ├─ DecodeError            bytes from outside are wrong (also a ValueError)
    │  ├─ Truncated           fewer bytes than the format needs
    │  ├─ BadMagic            another format
    │  ├─ UnsupportedVersion  another version of the format
    │  ├─ LimitExceeded       a bound that protects the reader was exceeded
    │  ├─ InvalidValue        a field holds a value that the format forbids
    │  │  ├─ BadHeaderSize    a header of another length than its version has
    │  │  ├─ ReservedNotZero  bytes reserved for later versions are in use
    │  │  ├─ SeedIsZero       a seed of 0, from which no generator starts
    │  │  ├─ StartFrameNotZero  a start in mid-match, in a format that has none
    │  │  └─ UnknownFlags     a flag that this version does not know
    │  ├─ TrailingData        bytes after the end
    │  ├─ ChecksumMismatch    content and checksum disagree
    │  ├─ SchemaMismatch      written with another schema
    │  └─ BaselineMissing     a delta whose base snapshot is missing: ask for a full snapshot
    ├─ ProtocolViolation      well-formed bytes that break the rules
    │  └─ InputConflict       a player sent two different inputs for one frame
    ├─ EncodeError            a value does not fit the wire (also a ValueError)
    └─ DeterminismError       same inputs, different state

Some packages add their own: ``retick.testing`` MeshHung, for a match that does not go on; ``retick.verify``
UnknownGame and the command line Undecided, for recordings that cannot be judged; the studio FeedError, for what a page
sent, and GameNotKnown; ``retick.playing`` NotForwarded, for a router that opens no port. Errors carry their numbers as
attributes, so that a program can act on them without reading the text. This module imports nothing of Retick, so that
every module may import it.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import TypeVar

__all__ = [
    "BadHeaderSize",
    "BadMagic",
    "BaselineMissing",
    "ChecksumMismatch",
    "DecodeError",
    "DeterminismError",
    "EncodeError",
    "HistoryEvicted",
    "InputConflict",
    "InvalidValue",
    "LimitExceeded",
    "MissingExtra",
    "NetworkUnavailable",
    "NotSynchronized",
    "PredictionLimit",
    "ProtocolViolation",
    "ReservedNotZero",
    "RetickError",
    "SchemaError",
    "SchemaMismatch",
    "SeedIsZero",
    "StartFrameNotZero",
    "TrailingData",
    "Truncated",
    "UnknownFlags",
    "UnsupportedVersion",
    "UsageError",
    "with_code",
]


class RetickError(Exception):
    """The base class: catching it catches everything that Retick raises on purpose."""

    code: str = ""
    """The reason as a stable dotted name, for formats whose page lists such names; otherwise empty."""
    details: Mapping[str, int] = MappingProxyType({})
    """The numbers that go with the code, by name."""


_Error = TypeVar("_Error", bound=RetickError)


def with_code(error: _Error, code: str, **details: int) -> _Error:
    """Add the reason's code, and the numbers that go with it, to an error and return it."""
    error.code = code
    error.details = details
    return error


class UsageError(RetickError):
    """The caller's code is wrong; the message names the value and the rule."""


class NotSynchronized(UsageError):
    """The match is not running yet, or has ended."""


class PredictionLimit(UsageError):
    """Advancing now would predict further ahead than allowed; wait for remote inputs."""

    def __init__(self, message: str, *, frame: int, confirmed_frame: int, window: int) -> None:
        super().__init__(message)
        self.frame = frame
        self.confirmed_frame = confirmed_frame
        self.window = window


class HistoryEvicted(UsageError):
    """A frame is outside of the stored history."""

    def __init__(self, message: str, *, frame: int, current: int, history: int) -> None:
        super().__init__(message)
        self.frame = frame
        self.current = current
        self.history = history


class SchemaError(UsageError):
    """A record, schema or field declaration contradicts itself."""


class MissingExtra(UsageError):
    """An optional dependency is not installed; the message is the line that installs it."""


class NetworkUnavailable(UsageError):
    """A socket cannot be opened, a name cannot be resolved, or a host cannot be reached."""


class DecodeError(RetickError, ValueError):
    """Bytes from outside do not follow the format; reading them has changed nothing."""


class Truncated(DecodeError):
    """The bytes end before the format does."""

    def __init__(self, message: str, *, needed: int, available: int) -> None:
        super().__init__(message)
        self.needed = needed
        self.available = available


class BadMagic(DecodeError):
    """The first bytes are not this format's."""


class UnsupportedVersion(DecodeError):
    """The format is known, its version is not."""

    def __init__(self, message: str, *, version: int) -> None:
        super().__init__(message)
        self.version = version


class LimitExceeded(DecodeError):
    """A bound that protects the reader was exceeded."""

    def __init__(self, message: str, *, what: str, limit: int, actual: int) -> None:
        super().__init__(message)
        self.what = what
        self.limit = limit
        self.actual = actual


class InvalidValue(DecodeError):
    """A field holds a value that the format forbids."""


class BadHeaderSize(InvalidValue):
    """The header states another length than its version has."""


class ReservedNotZero(InvalidValue):
    """Bytes that are reserved for later versions are not zero."""


class SeedIsZero(InvalidValue):
    """The seed is 0, from which no generator starts."""


class StartFrameNotZero(InvalidValue):
    """The first frame is not frame 0, and the format has no start in mid-match."""


class UnknownFlags(InvalidValue):
    """A flag is set that this version does not know."""


class TrailingData(DecodeError):
    """There are bytes after the end of the format."""

    def __init__(self, message: str, *, extra: int) -> None:
        super().__init__(message)
        self.extra = extra


class ChecksumMismatch(DecodeError):
    """The content does not match its checksum."""

    def __init__(self, message: str, *, expected: int, found: int) -> None:
        super().__init__(message)
        self.expected = expected
        self.found = found


class SchemaMismatch(DecodeError):
    """The bytes were written with another schema than the one that reads them."""

    def __init__(self, message: str, *, expected: int, found: int) -> None:
        super().__init__(message)
        self.expected = expected
        self.found = found


class BaselineMissing(DecodeError):
    """The base snapshot of a delta is missing; a full snapshot is needed."""

    def __init__(self, message: str, *, tick: int) -> None:
        super().__init__(message)
        self.tick = tick


class ProtocolViolation(RetickError):
    """Well-formed bytes that break the rules of the match."""


class InputConflict(ProtocolViolation):
    """A player's input for a frame contradicts the one that was already confirmed."""

    def __init__(self, message: str, *, player: int, frame: int, confirmed: int, received: int) -> None:
        super().__init__(message)
        self.player = player
        self.frame = frame
        self.confirmed = confirmed
        self.received = received


class EncodeError(RetickError, ValueError):
    """A value does not fit the wire; for a value of a snapshot, the attributes say where it is."""

    def __init__(
        self,
        message: str,
        *,
        entity: int | None = None,
        component: int | None = None,
        field: int | None = None,
        value: object = None,
    ) -> None:
        super().__init__(message)
        self.entity = entity
        self.component = component
        self.field = field
        self.value = value


class DeterminismError(RetickError):
    """The same inputs led to different states."""

    def __init__(self, message: str, *, frame: int, differences: tuple[tuple[str, object, object], ...] = ()) -> None:
        super().__init__(message)
        self.frame = frame
        self.differences = differences
        """Name, first value and second value of each field that differs."""
