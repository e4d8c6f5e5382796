"""A session as one short digest: equal when two sessions will behave equally from here on.

Theory of operation. The whole object graph is walked, whatever the classes are, and written down as a list of plain
values: an object by its class and its fields, one that was met before by its number. Three things are abstracted, and
nothing else. Frames are written relative to the frame that the session is about to run, and times relative to its
clock. Statistics are set to zero in the objects themselves (``STATISTICS``), so that they can have no effect. Frames
of decisions, and rows of inputs, that are further back than ``OLD`` are all the same; so are other frames that are
further back than ``FAR_BEHIND``.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from enum import Enum
from hashlib import blake2b
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

from retick.link import LinkConfig
from retick.rollback.engine.inputs import InputHistory
from retick.rollback.engine.states import ObjectRing
from retick.rollback.match.config import MatchConfig
from retick.rollback.match.stats import RateMeter
from retick.rollback.match.timesync import LeadEstimate, Pace
from retick.rollback.session.messages.routes import MessageRoutes
from retick.testing.membership.clocks import DURATIONS, forget_ends, forget_exchanges, forget_times
from retick.testing.membership.frames import FRAME_IN_BYTES, ORIGIN, is_frame
from retick.testing.membership.game import Seats

__all__ = ["OLD", "newest_frame", "plain_values", "session_digest"]

OLD = 5
"""Frames after which it no longer matters how long ago something was decided."""
FAR_BEHIND = 14
"""Frames after which it no longer matters how far back anything is: in the model nobody alive is so far behind."""
LONGEST_TIMER = 40.0
"""Seconds after which every timer has run out."""

STATISTICS: dict[str, dict[str, Callable[[], Any]]] = {
    "Match": {
        "depths": Counter,
        "rollbacks": int,
        "resimulated": int,
        "stalls": int,
        "stalled_seconds": float,
        "resend_at": float,
        "sample_at": lambda: float("inf"),
        "sent_at": lambda: float("-inf"),
        "next_recorded": lambda: ORIGIN,
    },
    "RollbackEngine": {
        "rollbacks": int,
        "resimulated": int,
        "deepest": int,
        "resimulated_from": lambda: -1,
    },
    "Exchange": {
        # Every packet has the time sync block, and none a checksum.
        "packets_out": lambda: 1,
        "bytes_out": int,
        "packets_in": int,
        "bytes_in": int,
        "dropped": Counter,
        "lead": LeadEstimate,
    },
    "Peer": {"meter": RateMeter},
    "DesyncPart": {"_now": float},
    "DropAgreement": {"refused": int},
    "Hearing": {"accusers": dict},
}
"""By class: fields that only count or measure, and what they are set to after every step."""

CONSTANT = (MessageRoutes, Seats, MatchConfig, LinkConfig, Pace, LeadEstimate, RateMeter)
"""Classes whose objects are the same in all sessions of a search."""
CONSTANT_FIELDS = {("Match", "resend_interval"), ("Match", "next_recorded"), ("Match", "sim"), ("Match", "seed")}
DECISIONS = {
    ("DropAgreement", "_received"),
    ("DropAgreement", "_sent"),
    ("DropAgreement", "decided"),
    ("InputHistory", "dropped_from"),
    ("Exchange", "start"),
    ("Forwarding", "_newest"),
    ("Joins", "commits"),
    ("Match", "first_own"),
    ("LocalInputs", "start"),
    ("RollbackEngine", "start"),
}
"""Frames that were agreed: nothing is sent or waited for from there on."""
FUNCTIONS = (FunctionType, BuiltinFunctionType, type)
PLAIN = (type(None), bool, str)


def session_digest(session: Any, frame: int, now: float) -> bytes:
    """The digest of a session that is about to run ``frame``, at the time ``now``; its statistics are set to zero."""
    return blake2b(repr(plain_values(session, frame, now)).encode(), digest_size=16).digest()


def plain_values(session: Any, frame: int, now: float) -> list[Any]:
    """What the digest is made of."""
    if session.match is not None:
        forget_exchanges(session.match)
    forget_ends(session)
    walk = _Walk(frame, now)
    walk.visit(session, False)
    return walk.out


def newest_frame(session: Any) -> int | None:
    """The newest frame that a session knows of, if it knows any."""
    walk = _Walk(ORIGIN, 0.0)
    walk.visit(session, False)
    return max(walk.frames, default=None)


class _Walk:
    def __init__(self, frame: int, now: float) -> None:
        self.out: list[Any] = []
        self.frames: list[int] = []
        self._frame = frame
        self._now = now
        self._numbers: dict[int, int] = {}

    def visit(self, value: Any, is_decided: bool) -> None:
        kind = type(value)
        if kind in PLAIN:
            self.out.append(value)
        elif kind is int:
            self.out.append(self._relative(value, is_decided) if is_frame(value) else value)
        elif kind is float:
            self.out.append(("s", round(max(value - self._now, -LONGEST_TIMER), 3)))
        elif kind is bytes or kind is bytearray:
            self.out.append(FRAME_IN_BYTES.sub(lambda found: self._relative_bytes(found, is_decided), bytes(value)))
        elif kind is dict:
            self._visit_all("dict", [part for pair in value.items() for part in pair], is_decided)
        elif isinstance(value, tuple | list):
            self._visit_all(kind.__name__, value, is_decided)
        elif isinstance(value, Enum):
            self.out.append(value.name)
        elif isinstance(value, dict):
            self._visit_all("dict", [part for pair in value.items() for part in pair], is_decided)
        elif isinstance(value, set | frozenset):
            self._visit_all("set", sorted(value, key=repr), is_decided)
        elif isinstance(value, MethodType):
            self.out.append(value.__name__)
            self.visit(value.__self__, False)
        elif isinstance(value, FUNCTIONS):
            self.out.append(value.__qualname__)
        elif isinstance(value, CONSTANT):
            self.out.append(kind.__name__)
        else:
            self._visit_object(value)

    def _relative(self, frame: int, is_decided: bool) -> tuple[str, int]:
        self.frames.append(frame)
        distance = frame - self._frame
        return ("f", max(distance, -OLD if is_decided else -FAR_BEHIND))

    def _relative_bytes(self, found: "re.Match[bytes]", is_decided: bool) -> bytes:
        return repr(self._relative(int.from_bytes(found[0], "little"), is_decided)).encode()

    def _visit_all(self, name: str, values: Any, is_decided: bool) -> None:
        self.out.append((name, len(values)))
        for value in values:
            self.visit(value, is_decided)

    def _visit_object(self, value: Any) -> None:
        known = self._numbers.get(id(value))
        if known is not None:
            self.out.append(("again", known))
            return
        self._numbers[id(value)] = len(self._numbers)
        name = type(value).__name__
        self.out.append(name)
        if name in STATISTICS:
            for field, zero in STATISTICS[name].items():
                setattr(value, field, zero())
        forget_times(value, self._now)
        if isinstance(value, InputHistory):
            self._visit_inputs(value)
        elif isinstance(value, ObjectRing):
            # The state before a frame is the row of inputs before it.
            return
        else:
            for field, content in _fields(value):
                if (name, field) not in CONSTANT_FIELDS:
                    self.out.append(field)
                    if (name, field) in DURATIONS:
                        self.out.append(repr(_rounded(content)))
                    else:
                        self.visit(content, (name, field) in DECISIONS)

    def _visit_inputs(self, inputs: InputHistory) -> None:
        """Rows in the order of their frames, wherever they are in the ring."""
        seats = inputs.num_players
        for frame in range(self._frame - OLD, self._frame + inputs.capacity - OLD):
            at = frame & inputs.mask
            if inputs.tags[at] == frame:
                cells = slice(at * seats, (at + 1) * seats)
                self.out.append((frame - self._frame, inputs.used[cells], inputs.confirmed[cells]))
        self.visit([inputs.upto, inputs.newest], False)
        self.visit([inputs.dropped_from, inputs.start, inputs.dirty], True)
        self.visit([inputs.local, inputs.any_dirty, inputs.guessed_from], False)


def _rounded(seconds: Any) -> Any:
    """Seconds, alone or by the id of a peer, without the errors of floating point."""
    if isinstance(seconds, dict):
        return sorted((peer_id, round(each, 3)) for peer_id, each in seconds.items())
    return round(seconds, 3)


def _fields(value: Any) -> Iterator[tuple[str, Any]]:
    """The fields of an object in the order of their names, from its dictionary and its slots."""
    kind, in_dictionary = type(value), tuple(getattr(value, "__dict__", ()))
    names = _NAMES.get((kind, in_dictionary))
    if names is None:
        names = _NAMES[kind, in_dictionary] = _field_names(kind, in_dictionary)
    for name in names:
        if hasattr(value, name):
            yield name, getattr(value, name)


_NAMES: dict[tuple[type, tuple[str, ...]], list[str]] = {}
"""The fields of each class, with those that its objects have in their dictionaries."""


def _field_names(kind: type, in_dictionary: tuple[str, ...]) -> list[str]:
    names = set(in_dictionary)
    for base in kind.__mro__:
        slots = base.__dict__.get("__slots__", ())
        names.update((slots,) if isinstance(slots, str) else slots)
    return sorted(names - {"__weakref__", "__dict__"})
