"""Makes the seal of a connection at the end of its handshake; and writes and reads the key log."""

from collections.abc import Callable
from hashlib import blake2s
from typing import TYPE_CHECKING

from retick.errors import InvalidValue
from retick.link.connection import Seal
from retick.link.layout import ENVELOPE_SIZE, SEALED_KINDS_END, SEQUENCE_HALF, SEQUENCE_MASK
from retick.link.packets import ENVELOPE
from retick.link.sealing.noise import Split
from retick.link.sealing.primitives import Aead, InvalidTag, aead, open_sealed, scrypt, sign, signer_of, verify

if TYPE_CHECKING:
    from retick.link.connection import Connection


def keylog_line(dialler_id: int, acceptor_id: int, split: Split) -> str:
    """The line that lets people read captures of their own connection: see docs/formats/link.md."""
    ids = f"{dialler_id:08x} {acceptor_id:08x}"
    return f"RETICK1 {ids} {split.initiator_key.hex()} {split.responder_key.hex()}"


def agree(connection: "Connection", split: Split, *, initiator: bool, keylog: Callable[[str], None] | None) -> None:
    """Give a connection its keys. It must have both ids."""
    mine, theirs = split.initiator_key, split.responder_key
    ids = connection.local_id, connection.remote_id
    if not initiator:
        mine, theirs = theirs, mine
        ids = ids[1], ids[0]
    connection._seal = Seal(aead(mine).encrypt, aead(theirs).decrypt, InvalidTag)
    connection.handshake_hash = split.hash
    if keylog is not None:
        keylog(keylog_line(*ids, split))


# Reads a key log and opens captured datagrams with it: see docs/formats/link.md.
#
# For people who look at their own captures. Connections use nothing of this.

MOST_LINES = 65536
"""The most connections of one log."""
MOST_TURNS = 64
"""How many wraps of the sequence are tried for a datagram that does not follow the last."""


class KeyLog:
    """The keys of connections, by the id on their datagrams."""

    def __init__(self) -> None:
        self._keys: dict[int, Aead] = {}
        self._newest: dict[int, int] = {}
        self.opened = 0
        """How many datagrams were opened."""

    @classmethod
    def parse(cls, text: str) -> "KeyLog":
        """Read the lines of a file; InvalidValue names the first wrong line, and shows no key."""
        found = cls()
        lines = text.splitlines()
        if len(lines) > MOST_LINES:
            raise InvalidValue(f"a key log has at most {MOST_LINES} lines, not {len(lines)}")
        for number, line in enumerate(lines, 1):
            words = line.split()
            if not words or words[0].startswith("#"):
                continue
            try:
                mark, dialler, acceptor, first, second = words
                ids = (int(acceptor, 16), int(dialler, 16))
                keys = (bytes.fromhex(first), bytes.fromhex(second))
            except ValueError:
                mark, ids, keys = "", (0, 0), (b"", b"")
            if mark != "RETICK1" or {len(key) for key in keys} != {32}:
                raise InvalidValue(f"line {number} does not belong in a key log: RETICK1, two ids, two keys") from None
            for connection_id, key in zip(ids, keys, strict=True):
                found._keys[connection_id] = aead(key)
                found._newest[connection_id] = 0
        return found

    def has(self, data: bytes) -> bool:
        """Whether the key of this datagram's connection is known."""
        return len(data) > ENVELOPE_SIZE and data[0] < SEALED_KINDS_END and ENVELOPE.unpack_from(data)[1] in self._keys

    def open(self, data: bytes) -> bytes | None:
        """Envelope and body of a datagram for which ``has`` is true; None if it does not open."""
        _, connection_id, sequence, _ = ENVELOPE.unpack_from(data)
        newest = self._newest[connection_id]
        ahead = (sequence - newest) & SEQUENCE_MASK
        near = newest + ahead - (0 if ahead < SEQUENCE_HALF else SEQUENCE_MASK + 1)
        for number in (near, *range(sequence, sequence + MOST_TURNS * (SEQUENCE_MASK + 1), SEQUENCE_MASK + 1)):
            body = self._try(connection_id, number, data) if number >= 0 else None
            if body is not None:
                self._newest[connection_id] = max(newest, number)
                self.opened += 1
                return data[:ENVELOPE_SIZE] + body
        return None

    def _try(self, connection_id: int, number: int, data: bytes) -> bytes | None:
        nonce = bytes(4) + number.to_bytes(8, "little")
        try:
            return open_sealed(self._keys[connection_id], nonce, data[ENVELOPE_SIZE:], data[:ENVELOPE_SIZE])
        except InvalidValue:
            return None


# Lasting keys: an end signs the handshake hash, so that others recognise it the next time.
#
# The role is signed too: an acceptor cannot send a dialler's own signature back as its own.

ROLE_DIALLER = b"retick link 2 dialler"
ROLE_ACCEPTOR = b"retick link 2 acceptor"


def fingerprint_of(public_key: bytes) -> str:
    """Name a lasting key for applications and people: 32 hexadecimal digits."""
    return blake2s(public_key, person=b"link-fpr", digest_size=16).hexdigest()


def prove_identity(private_key: bytes | None, role: bytes, handshake_hash: bytes) -> bytes:
    """Public key and signature, as in ENTER and ADMIT; empty without a key."""
    if private_key is None:
        return b""
    return signer_of(private_key) + sign(private_key, role + handshake_hash)


def check_identity(public_key: bytes, signature: bytes, role: bytes, handshake_hash: bytes) -> str:
    """Check a signature; returns the key's fingerprint, or raises InvalidValue."""
    verify(public_key, signature, role + handshake_hash)
    return fingerprint_of(public_key)


# Four words that two people compare aloud, to be sure that nobody sits between them.
#
# A word stands for one byte of a slow hash of the handshake hash. It is slow because an attacker in between may search
# for messages that give both victims the same words: see docs/formats/link.md. The list never changes.

COUNT = 4
"""How many words a code has: 32 bits."""

_LIST = """
acorn actor album angel ankle apple apron arrow autumn badge baker banana basket beach bean bear
bell berry bicycle bird biscuit blanket boat bone bottle bread brick bridge broom brush bucket butter
button cable cactus camel candle canoe carpet carrot castle cat cave chain chair cheese cherry chess
chicken circle clock cloud clover coat coffee comet copper corn cotton cousin cow crab cream cricket
crown cup curtain daisy dance desert desk diamond dinner doctor dog dolphin donkey door dragon drum
duck eagle earth egg elbow elephant engine evening farm feather fence fiddle finger fish flag flower
flute forest fork fox frog garden garlic ghost giant ginger giraffe glass glove goat gold grape
grass guitar hammer harbor harp hat hazel hill honey hook horse hotel house ice iron island
ivory jacket jelly jewel judge jungle kettle key king kitchen kite knee ladder lake lamp lawn
leaf lemon letter lion lizard lobster magnet mango maple marble market mask meadow melon milk mirror
monkey moon morning mother mountain mouse museum mushroom nail needle nest night north nose nurse ocean
office olive onion orange orchard otter oven owl oyster paddle page paint palace panda paper parrot
peach pearl pencil pepper piano picnic pillow pilot pine pirate planet plum pocket pond potato prince
pumpkin puppet purple puzzle queen rabbit radio rain raven ribbon rice river robin rocket roof rope
rose saddle sail salmon salt school scissors shadow sheep shirt shoe silver sister snow soap soldier
soup spider spoon spring square star storm sugar summer swan table tiger tomato tower train tree
"""
WORDS = tuple(_LIST.split())
"""The words in alphabetical order; the byte is the index."""


def words_of(handshake_hash: bytes) -> tuple[str, ...]:
    """The four words of a connection; takes about 50 ms."""
    return tuple(WORDS[byte] for byte in scrypt(handshake_hash, b"retick words", COUNT))
