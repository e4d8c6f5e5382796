"""Evidence after a desync: timelines, close-ups, their parts, fields; and an investigation that receives all of it."""

from typing import Any

from fuzz.target import Target, of
from retick.errors import DecodeError
from retick.rollback.desync import evidence, field_values
from retick.rollback.desync.evidence import CLOSEUP, TIMELINE, Closeup, StateFields, Timeline

__all__ = ["LINE", "MESSAGES", "TARGETS"]

LINE = evidence.encode_timeline(Timeline(peer_id=1, alarm=48, last_agreed=None, first=40, checksums=(1, 2, 3)))
STATES = (
    StateFields(frame=41, total=2, fields=(("p1.x", -300), ("name", "text"))),
    StateFields(frame=42, total=9, fields=(("p1.x", 2**70), ("speed", 0.5))),
)
NEAR = evidence.encode_closeup(Closeup(peer_id=1, frame=42, first_input=40, inputs=((1, 2), (3, 4)), states=STATES))
MESSAGES = [*evidence.split_into_messages(TIMELINE, LINE), *evidence.split_into_messages(CLOSEUP, NEAR)]
PARTS = [bytes((CLOSEUP, 1, part, 3)) + NEAR[part * 40 : (part + 1) * 40] for part in range(3)]


def _assemble(data: bytes) -> list[Any]:
    """Messages, each after its length."""
    assembler = evidence.Assembler()
    found: list[Any] = []
    while data:
        message, data = data[1 : 1 + data[0]], data[1 + data[0] :]
        try:
            found.append(assembler.receive(message))
        except DecodeError as error:
            found.append(str(error))
    return found


def _behind_lengths(messages: list[bytes]) -> bytes:
    return b"".join(bytes((len(message),)) + message for message in messages)


def _field(data: bytes) -> Any:
    return field_values.decode_field(data, 0)


def _law_of_field(data: bytes, found: Any) -> None:
    assert field_values.encode_field(found[0]) == data[: found[1]], "what was read does not write the same"


TARGETS: tuple[Target, ...] = (
    of("evidence/timeline", evidence.decode_timeline, LINE, write=evidence.encode_timeline),
    of("evidence/closeup", evidence.decode_closeup, NEAR, write=evidence.encode_closeup),
    of("evidence/field", _field, *(field_values.encode_field(field) for state in STATES for field in state.fields),
       law=_law_of_field, also=(field_values.decode_field,)),
    of("evidence/parts", _assemble, _behind_lengths(MESSAGES), _behind_lengths(PARTS),
       also=(evidence.Assembler.receive,)),
    of("evidence/kind", evidence.kind_of, *MESSAGES),
    of("evidence/alarm", evidence.alarm_in, *MESSAGES),
)  # fmt: skip
