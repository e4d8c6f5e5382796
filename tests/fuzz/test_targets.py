"""Everything that reads bytes from outside has a fuzz target, and its corpus reaches it."""

import sys
from types import FrameType
from typing import Any

import pytest

from fuzz import corpus
from fuzz.target import Bug, of, outcome, run_one
from fuzz.targets import TARGETS, matching
from fuzz.targets.sessions import LIARS, Bench
from retick import is_compiled
from retick._kernels import KERNELS
from retick.errors import InvalidValue
from retick.rollback.session.messages.forward import PASS, WANT
from retick.rollback.session.messages.kinds import MessageKind
from tests.fuzz.decoders_in_source import decoders, functions_in

NOT_FUZZED = {
    "retick.audit.static.check:read_comments": "reads the source of a game that the user names",
    "retick.audit.targets:split_target": "reads an argument of the command line",
    "retick.netrunner.profile:GameProfile.decode": "says only what a game must have",
    "retick.netrunner.profile:GameProfile.decode_inputs": "says only what a game must have",
    "retick.netrunner.profile:GameProfile.decode_snapshot": "says only what a game must have",
    "retick.sim.contract:PacksState.unpack_state": "says only what a game must have",
    "retick.sim.world.adapter:SavesAndLoads.load": "says only what a game must have",
    "retick.audit.runs.saves:load": "reads what the same command wrote a moment ago",
    "retick.sim.world.saved:Unpacking.read_other": "a C function, called by unpack_world",
    "retick.snapshot.compact.body:Body.decode": "called by PayloadCodec.decode after all checks",
    "retick.snapshot.compact.body:Usual.decode": "called by PayloadCodec.decode, which is fuzzed",
    "retick.snapshot.stream:Reader.load": "a C function, called by the codec",
    "retick.snapshot.stream:Reader.read_component": "a C function, called by the codec",
    "retick.snapshot.stream:Reader.read_fields": "a C function, called by the codec",
    "retick.snapshot.stream:Reader.read_value": "a C function, called by the codec",
    "retick.rollback.desync.evidence:split_into_messages": "writes",
    "retick.transport.capture:Captured.receive_datagram": "passes datagrams on as they are",
    "retick.transport.endpoint:Endpoint.receive_datagram": "says only what an endpoint must have",
    "retick.transport.conditions:Impaired.receive_datagram": "passes datagrams on as they are",
    "retick.wire.rbn1:unpack_into": "a C function, called by decode",
    "retick.wire.rbn1:InputRun.read_plain": "a C function, called by InputRun.read",
    "retick.wire.rbn1:read_inputs": "a C function, called by decode after all checks",
}
"""Functions that look like readers of bytes from outside, and why they have no target."""


def fuzzed() -> set[str]:
    return {decoder for target in TARGETS.values() for decoder in target.decoders}


def test_every_decoder_in_the_source_has_a_target() -> None:
    missing = decoders() - fuzzed() - set(NOT_FUZZED)
    assert sorted(missing) == [], "add a line to fuzz/targets, or a reason here"


def test_no_reason_is_given_for_what_is_gone_or_fuzzed() -> None:
    assert sorted(set(NOT_FUZZED) - decoders()) == []
    assert sorted(set(NOT_FUZZED) & fuzzed()) == []


def test_a_new_decoder_is_noticed() -> None:
    text = """
def decode_more(data: bytes) -> int: ...
def decode_number(number: int) -> int: ...
class Reader:
    def unpack_it(self, at: int, payload: bytes) -> int: ...
    def pack_it(self, data: bytes) -> int: ...
class _Inner:
    def unpack_it(self, data: bytes) -> int: ...
"""
    assert list(functions_in(text)) == ["decode_more", "Reader.unpack_it"]


@pytest.mark.parametrize("name", TARGETS)
def test_the_corpus_of_a_target_enters_its_decoders(name: str) -> None:
    target = TARGETS[name]
    entered: set[str] = set()

    def call(frame: FrameType, event: str, argument: Any) -> None:
        if event == "call":
            entered.add(f"{frame.f_globals.get('__name__')}:{frame.f_code.co_qualname}")

    for data in corpus.kept(target):
        sys.setprofile(call)
        try:
            run_one(target, data)
        finally:
            sys.setprofile(None)
    # Compiled functions are not seen; the tests run uncompiled too.
    seen = {each for each in target.decoders if not (is_compiled() and each.partition(":")[0] in KERNELS)}
    assert seen <= entered


def test_sessions_receive_a_genuine_message_of_every_kind() -> None:
    """A new kind needs a line in Bench.genuine of fuzz/targets/sessions.py."""
    said = {message[0] for liar in LIARS[:2] for message in Bench(liar).genuine()}
    assert said == {*MessageKind, WANT, PASS}


def test_targets_are_found_by_name_and_by_family() -> None:
    assert [target.name for target in matching(["link/hello"])] == ["link/hello"]
    assert {target.family for target in matching(["link", "wire"])} == {"link", "wire"}
    assert len(matching([])) == len(TARGETS)
    with pytest.raises(SystemExit, match="no target is called lnk"):
        matching(["lnk"])


def test_a_law_that_does_not_hold_is_a_bug_and_a_refusal_is_not() -> None:
    def read(data: bytes) -> int:
        if not data:
            raise InvalidValue("nothing")
        return data[0]

    target = of("planted", read, b"\1", write=lambda value: bytes((value,)))
    assert run_one(target, b"") == 1
    assert run_one(target, b"\7") == 1
    with pytest.raises(Bug, match="does not write the same"):
        run_one(target, b"\7\7")
    assert outcome(target, b"") == "InvalidValue: nothing "
    assert outcome(target, b"\7") == "7"
