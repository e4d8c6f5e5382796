"""Session messages and the payload of a request to connect. A new decoder is one more line of TARGETS.

A new message kind also gets its genuine bytes in ``sessions.py``, where whole sessions receive it.
"""

from typing import Any

from fuzz.target import Target, of
from retick.link import addresses
from retick.rollback.desync import equivocation
from retick.rollback.desync.equivocation import EquivocationProof
from retick.rollback.events import RosterPeer
from retick.rollback.session.messages import agreement, connect, forward, join, kinds, profile, roster
from retick.rollback.session.messages.kinds import MessageKind, MessageReader

__all__ = ["TARGETS"]

TOKEN = b"fuzzfuzz"
REACH = roster.Reach(12, 2)
ENTRIES = tuple(
    roster.RosterEntry(peer_id, (peer_id,), address)
    for peer_id, address in enumerate(("liar", ("192.0.2.1", 7777), ("2001:db8::1", 1)))
)
PROFILE = profile.Profile("Ann", b"red", bytes(16))
LISTED = (RosterPeer(0, (0, 1), "Ann", b"red"), RosterPeer(3, (2,), "", b""))
HISTORY = bytes(agreement.HASH_SIZE)
STATEMENT = agreement.Statement(
    3,
    HISTORY,
    1,
    90,
    agreement.Wishes(True, (1, 0), agreement.OfferedState(2, 99, 7), (1, 3)),
    agreement.ReadyNewcomer(4, roster.MemberTerms((2, 3), bytes(32), REACH)),
    "bye",
    ((2, 10),),
    (agreement.Tail(1, 40, (1, 2, 3)), agreement.Tail(2, 9, ())),
)
ITEM = agreement.SignedItem(
    MessageKind.STATEMENT,
    (agreement.Signature(1, bytes(64)), agreement.Signature(2, bytes(64))),
    agreement.encode_statement(STATEMENT, 2),
)
TOLD = agreement.ToldOutcome(3, HISTORY, (2,), (agreement.encode_statement(STATEMENT, 2),))
RANGE = equivocation.SignedRange(90, 10, bytes(32), bytes(64))
SEEN = forward.SeenRanges(3, 90, bytes(8))
PROOF = EquivocationProof(
    by=equivocation.SignedBy(TOKEN, 1, 2, 2),
    key=bytes(32),
    one=equivocation.ShownRange(RANGE, bytes(20)),
    other=equivocation.ShownRange(RANGE, b""),
)
HEADER = join.StateHeader(99, 0xFFFFFFFF)
WELCOME = join.Welcome(0, 9, TOKEN, 8.0, 7, 1, 300, HEADER, (3,), ENTRIES)
MEET = join.Meet(4, (2, 3), 300, ("192.0.2.1", 7777), 1)


def _seats(data: bytes) -> Any:
    return roster.unpack_seats(int.from_bytes(data[:2], "little"))


def _entries(data: bytes) -> Any:
    return roster.read_entries(MessageReader(data))


TARGETS: tuple[Target, ...] = (
    of("session/roster", roster.decode_roster, roster.encode_roster(roster.Roster(1, TOKEN, 8.0, ENTRIES)),
       write=roster.encode_roster, is_exact=False),
    of("session/entries", _entries, roster.encode_entries(ENTRIES), write=roster.encode_entries, is_exact=False,
       also=(roster.read_entries,)),
    of("session/address", addresses.unpack_address, b"192.0.2.1 7777", b"2001:db8::1 80", b"name",
       write=addresses.pack_address, is_exact=False),
    of("session/seats", _seats, b"\x05\x80", also=(roster.unpack_seats,)),
    of("session/ready", roster.decode_ready, roster.encode_ready(TOKEN)),
    of("session/start", roster.decode_start, roster.encode_start(7)),
    of("session/item", agreement.decode_item, agreement.encode_item(ITEM), write=agreement.encode_item),
    of("session/statement", agreement.decode_statement, agreement.encode_statement(STATEMENT, 2),
       agreement.encode_statement(agreement.Statement(0, HISTORY, 0), 2),
       write=agreement.encode_statement, is_exact=False, args=(2,), also=(agreement.head_of,)),
    of("session/consent", agreement.decode_consent,
       agreement.encode_consent(agreement.Consent(3, HISTORY, 1, HISTORY)), write=agreement.encode_consent),
    of("session/decided", agreement.decode_decided, agreement.encode_decided(3)),
    of("session/outcome", agreement.decode_outcome, agreement.encode_outcome(TOLD),
       write=agreement.encode_outcome, is_exact=False),
    of("session/taken", agreement.decode_taken, agreement.encode_taken(agreement.Taken(4, HISTORY, 90, HISTORY)),
       agreement.encode_taken(agreement.Taken(4, HISTORY, 90, HISTORY, 120)), write=agreement.encode_taken,
       is_exact=False),
    of("session/welcome", join.decode_welcome, join.encode_welcome(WELCOME), write=join.encode_welcome, is_exact=False),
    of("session/meet", join.decode_meet, join.encode_meet(MEET), write=join.encode_meet, is_exact=False),
    of("session/joined", join.decode_joined, join.encode_joined()),
    of("session/feed", join.decode_feed, join.encode_feed(join.Feed(9, bytes(12), ENTRIES)),
       join.encode_feed(join.Feed(9, bytes(12), ())), write=join.encode_feed, is_exact=False),
    of("session/chunk", join.decode_chunk, join.encode_chunk(join.Chunk(4, b"state")), write=join.encode_chunk,
       is_exact=False),
    of("session/byte", kinds.decode_byte, kinds.encode_byte(MessageKind.ASK, 3)),
    of("session/connect", connect.decode_request, connect.encode_play(REACH), connect.encode_watch(9),
       connect.encode_call(TOKEN, 2, REACH)),
    of("session/connect-version", connect.version_fault, connect.encode_play(REACH),
       connect.encode_acceptance(REACH), b"WATCH", bytes(9)),
    of("session/acceptance", connect.decode_acceptance, connect.encode_acceptance(REACH)),
    of("session/profile", profile.decode_profile, profile.encode_profile(PROFILE), write=profile.encode_profile,
       is_exact=False),
    of("session/range", forward.decode_range, forward.encode_range(forward.InputRange(1, RANGE, (SEEN,)))),
    of("session/signed", forward.decode_signed, forward.encode_signed(forward.Signed(1, 2, RANGE, bytes(20)))),
    of("session/proof", EquivocationProof.decode, PROOF.encode(), write=EquivocationProof.encode,
       also=(equivocation.unpack_range,)),
    of("session/return", profile.decode_return, profile.encode_return(2, bytes(range(16)))),
    of("session/list", profile.decode_list, profile.encode_list(LISTED), profile.encode_list(()),
       write=profile.encode_list, is_exact=False),
    of("session/want", forward.decode_want, forward.encode_want(forward.WantedInputs(1, 2, 90))),
    of("session/pass", forward.decode_pass, forward.encode_pass(forward.PassedInputs(1, 2, 90, (1, 2, 3)), 2),
       args=(2,)),
)  # fmt: skip
