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
from collections.abc import Callable
from enum import Enum
from hashlib import blake2b
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any, NamedTuple

from retick.link import LinkConfig
from retick.rollback.engine.engine import InputHistory, ObjectRing
from retick.rollback.match.config import MatchConfig
from retick.rollback.match.match import LeadEstimate, Pace
from retick.rollback.match.stats import MatchCounts, RateMeter
from retick.wire.rbn1 import InputRun
from tests.checkers.membership.clocks import DURATIONS, forget_ends, forget_exchanges, forget_joins, forget_times
from tests.checkers.membership.frames import FRAME_IN_BYTES, ORIGIN, is_frame
from tests.checkers.membership.game import Seats

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
        "counts": MatchCounts,
        "resend_at": float,
        "sample_at": lambda: float("inf"),
        "sent_at": lambda: float("-inf"),
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

CONSTANT = (Seats, MatchConfig, LinkConfig, Pace, LeadEstimate, MatchCounts, RateMeter, InputRun)
"""Classes whose objects are the same in all sessions of a search, or are written anew by whoever reads them."""
CONSTANT_FIELDS = {
    ("SessionInside", "routes"),
    ("Match", "resend_interval"),
    ("Match", "sim"),
    ("Match", "seed"),
}
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
OWNER = "_session"
"""The field of a part that leads back to its session."""
MISSING = object()


def session_digest(session: Any, frame: int, now: float) -> bytes:
    """The digest of a session that is about to run ``frame``, at the time ``now``; its statistics are set to zero."""
    return blake2b(repr(plain_values(session, frame, now)).encode(), digest_size=16).digest()


def plain_values(session: Any, frame: int, now: float) -> list[Any]:
    """What the digest is made of."""
    if session.match is not None:
        forget_exchanges(session.match)
    forget_ends(session)
    if session.link.is_full:
        forget_joins(session)
    walk = _Walk(frame, now)
    walk.visit(session, False)
    return walk.out


def newest_frame(session: Any) -> int | None:
    """The newest frame that a session knows of, if it knows any."""
    walk = _Walk(ORIGIN, 0.0)
    walk.visit(session, False)
    return max(walk.frames, default=None)


class _Plan(NamedTuple):
    """How objects of one class are visited."""

    name: str
    zeros: tuple[tuple[str, Callable[[], Any]], ...]
    """Fields that are set to something."""
    fields: tuple[tuple[str, bool, bool], ...]
    """Fields that are visited, whether each has agreed frames, and whether it has seconds."""


class _Walk:
    def __init__(self, frame: int, now: float) -> None:
        self.out: list[Any] = []
        self.frames: list[int] = []
        self._frame = frame
        self._now = now
        self._numbers: dict[int, int] = {}

    def visit(self, value: Any, is_decided: bool) -> None:
        kind = type(value)
        visit = _VISITS.get(kind)
        if visit is None:
            visit = _VISITS[kind] = _visit_of(kind)
        visit(self, value, is_decided)

    def visit_plain(self, value: Any, is_decided: bool) -> None:
        self.out.append(value)

    def visit_int(self, value: int, is_decided: bool) -> None:
        self.out.append(self._relative(value, is_decided) if is_frame(value) else value)

    def visit_float(self, value: float, is_decided: bool) -> None:
        self.out.append(("s", round(max(value - self._now, -LONGEST_TIMER), 3)))

    def visit_bytes(self, value: bytes | bytearray, is_decided: bool) -> None:
        self.out.append(FRAME_IN_BYTES.sub(lambda found: self._relative_bytes(found, is_decided), bytes(value)))

    def visit_dict(self, value: dict[Any, Any], is_decided: bool) -> None:
        self.out.append(("dict", len(value)))
        for key, content in value.items():
            self.visit(key, is_decided)
            self.visit(content, is_decided)

    def visit_sequence(self, value: Any, is_decided: bool) -> None:
        self.out.append((type(value).__name__, len(value)))
        for content in value:
            self.visit(content, is_decided)

    def visit_enum(self, value: Enum, is_decided: bool) -> None:
        self.out.append(value.name)

    def visit_set(self, value: Any, is_decided: bool) -> None:
        self.out.append(("set", len(value)))
        for content in sorted(value, key=repr):
            self.visit(content, is_decided)

    def visit_method(self, value: MethodType, is_decided: bool) -> None:
        self.out.append(value.__name__)
        self.visit(value.__self__, False)

    def visit_function(self, value: Any, is_decided: bool) -> None:
        self.out.append(value.__qualname__)

    def visit_constant(self, value: Any, is_decided: bool) -> None:
        self.out.append(type(value).__name__)

    def visit_object(self, value: Any, is_decided: bool) -> None:
        known = self._numbers.get(id(value))
        if known is not None:
            self.out.append(("again", known))
            return
        self._numbers[id(value)] = len(self._numbers)
        plan = _plan_of(value)
        self.out.append(plan.name)
        for field, zero in plan.zeros:
            setattr(value, field, zero())
        forget_times(value, self._now)
        if isinstance(value, InputHistory):
            self._visit_inputs(value)
            return
        for field, is_agreed, is_duration in plan.fields:
            content = getattr(value, field, MISSING)
            if is_duration:
                self.out.append(repr(_rounded(content)))
            elif content is not MISSING:
                self.out.append(field)
                self.visit(content, is_agreed)

    def _relative(self, frame: int, is_decided: bool) -> tuple[str, int]:
        self.frames.append(frame)
        distance = frame - self._frame
        return ("f", max(distance, -OLD if is_decided else -FAR_BEHIND))

    def _relative_bytes(self, found: "re.Match[bytes]", is_decided: bool) -> bytes:
        return repr(self._relative(int.from_bytes(found[0], "little"), is_decided)).encode()

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


Visit = Callable[[_Walk, Any, bool], None]
_VISITS: dict[type, Visit] = {}
"""By class: how its objects are visited."""
_KINDS: tuple[tuple[Any, Visit], ...] = (
    ((type(None), bool, str), _Walk.visit_plain),
    (Enum, _Walk.visit_enum),
    (int, _Walk.visit_int),
    (float, _Walk.visit_float),
    ((bytes, bytearray), _Walk.visit_bytes),
    (dict, _Walk.visit_dict),
    ((tuple, list), _Walk.visit_sequence),
    ((set, frozenset), _Walk.visit_set),
    (MethodType, _Walk.visit_method),
    (FUNCTIONS, _Walk.visit_function),
    (CONSTANT, _Walk.visit_constant),
    (object, _Walk.visit_object),
)


def _visit_of(kind: type) -> Visit:
    return next(visit for base, visit in _KINDS if issubclass(kind, base))


def _rounded(seconds: Any) -> Any:
    """Seconds, alone or by the id of a peer, without the errors of floating point."""
    if isinstance(seconds, dict):
        return sorted((peer_id, round(each, 3)) for peer_id, each in seconds.items())
    return round(seconds, 3)


_PLANS: dict[tuple[type, tuple[str, ...]], _Plan] = {}
"""For each class, with the fields that its objects have in their dictionaries."""


def _plan_of(value: Any) -> _Plan:
    kind, in_dictionary = type(value), tuple(getattr(value, "__dict__", ()))
    plan = _PLANS.get((kind, in_dictionary))
    if plan is None:
        name = kind.__name__
        zeros = STATISTICS.get(name, {})
        fields = tuple(
            (field, (name, field) in DECISIONS, (name, field) in DURATIONS)
            for field in _field_names(kind, in_dictionary)
            if field not in zeros and field != OWNER and (name, field) not in CONSTANT_FIELDS
        )
        plan = _PLANS[kind, in_dictionary] = _Plan(name, tuple(zeros.items()), () if kind is ObjectRing else fields)
    return plan


def _field_names(kind: type, in_dictionary: tuple[str, ...]) -> list[str]:
    names = set(in_dictionary)
    for base in kind.__mro__:
        slots = base.__dict__.get("__slots__", ())
        names.update((slots,) if isinstance(slots, str) else slots)
    return sorted(names - {"__weakref__", "__dict__"})
