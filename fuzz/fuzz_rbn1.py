"""Fuzzes the RBN1 reader: any bytes decode or raise DecodeError, and what decodes encodes to the same bytes.

The first byte chooses the extensions. See guided.py for how to run it.
"""

from guided import main

from retick.errors import DecodeError
from retick.wire import rbn1
from retick.wire.explain import explain_rbn1

__all__ = ["CORPUS", "target"]


def target(data: bytes) -> None:
    extensions = data[0] & 7 if data else 0
    packet = data[1:]
    fault = explain_rbn1(packet).fault
    assert (fault is None) == (rbn1.try_decode(packet, 7) is not None), "the explainer and the reader disagree"
    try:
        found = rbn1.decode(packet, extensions)
    except DecodeError:
        return
    again = rbn1.encode(found, extensions)
    # Version 2 with the shape of version 1 is read, but never written.
    assert again == packet or (packet[4] == 2 and packet[15] == 0x12), "what was read does not write the same"
    assert rbn1.decode(again, extensions) == found


CORPUS = [
    b"\x00" + rbn1.encode(rbn1.InputPacket(1, 2, (3,))),
    b"\x00" + rbn1.encode(rbn1.InputPacket(7, 6, (1, 2, 3), 5, 9)),
    b"\x07" + rbn1.encode(rbn1.InputPacket(7, 6, (1, 2), 5, 9, rbn1.TimeSync(1, -1), rbn1.LossStats(1, 1)), 7),
    b"\x07" + rbn1.encode(rbn1.InputPacket(7, 6, (1, 2), input_size=3, seats=2), 7),
]

if __name__ == "__main__":
    main(target, CORPUS)
