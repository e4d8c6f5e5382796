"""Fuzzes the readers of desync evidence: any bytes decode or raise DecodeError, and what decodes encodes the same.

The first byte says what the rest is: a timeline, a close-up, or messages, each behind its length, to put together.
See guided.py for how to run it.
"""

from guided import main

from retick.errors import DecodeError
from retick.rollback.desync.evidence import (
    CLOSEUP,
    TIMELINE,
    Assembler,
    Closeup,
    StateFields,
    Timeline,
    decode_closeup,
    decode_timeline,
    encode_closeup,
    encode_timeline,
    split_into_messages,
)

__all__ = ["CORPUS", "target"]


def target(data: bytes) -> None:
    kind, body = (data[0] % 3 if data else 0), data[1:]
    try:
        if kind == 0:
            assert encode_timeline(decode_timeline(body)) == body, "what was read does not write the same"
        elif kind == 1:
            assert encode_closeup(decode_closeup(body)) == body, "what was read does not write the same"
    except DecodeError:
        return
    if kind == 2:
        _assemble(body)


def _assemble(data: bytes) -> None:
    assembler = Assembler()
    while data:
        message, data = data[1 : 1 + data[0]], data[1 + data[0] :]
        try:
            assembler.receive(message)
        except DecodeError:
            continue


_LINE = encode_timeline(Timeline(peer_id=1, alarm=48, last_agreed=None, first=40, checksums=(1, 2, 3)))
_STATES = (
    StateFields(frame=41, total=2, fields=(("p1.x", -300), ("name", "text"))),
    StateFields(frame=42, total=9, fields=(("p1.x", 2**70), ("speed", 0.5))),
)
_CLOSEUP = encode_closeup(Closeup(peer_id=1, frame=42, first_input=40, inputs=((1, 2), (3, 4)), states=_STATES))
_MESSAGES = [*split_into_messages(TIMELINE, _LINE), *split_into_messages(CLOSEUP, _CLOSEUP)]

CORPUS = [
    b"\x00" + _LINE,
    b"\x01" + _CLOSEUP,
    b"\x02" + b"".join(bytes((len(message),)) + message for message in _MESSAGES),
]

if __name__ == "__main__":
    main(target, CORPUS)
