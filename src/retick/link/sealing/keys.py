"""From the end of a handshake to the seal of a connection; and the line of the key log."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from retick.link.sealing.noise import Split
from retick.link.sealing.primitives import InvalidTag, aead
from retick.link.sealing.seal import Seal

if TYPE_CHECKING:
    from retick.link.connection import Connection

__all__ = ["agree", "keylog_line"]


def keylog_line(dialler_id: int, acceptor_id: int, split: Split) -> str:
    """What lets a person read a capture of their own: see docs/formats/link.md."""
    ids = f"{dialler_id:08x} {acceptor_id:08x}"
    return f"RETICK1 {ids} {split.initiator_key.hex()} {split.responder_key.hex()}"


def agree(connection: "Connection", split: Split, *, initiator: bool, keylog: Callable[[str], None] | None) -> None:
    """Give a connection its keys. It has both ids by now."""
    mine, theirs = split.initiator_key, split.responder_key
    ids = connection.local_id, connection.remote_id
    if not initiator:
        mine, theirs = theirs, mine
        ids = ids[1], ids[0]
    connection._seal = Seal(aead(mine).encrypt, aead(theirs).decrypt, InvalidTag)
    connection.handshake_hash = split.hash
    if keylog is not None:
        keylog(keylog_line(*ids, split))
