"""Packets of the server model: NetRunner, a declared game, requests to join, and delta snapshots."""

import json
from typing import Any, NamedTuple

from tests.netrunner.declared_profile import DeclaredProfile, Flag, Real, Whole

from fuzz.target import Bug, Target, name_of, of
from retick.authority import InputStats
from retick.games.runner import RunnerCommand, locomotion
from retick.host.joining import (
    JoinAcceptance,
    JoinRequest,
    decode_acceptance,
    decode_join,
    encode_acceptance,
    encode_join,
)
from retick.netrunner import NetRunner, PlayerView, packets
from retick.netrunner import packets as fire
from retick.netrunner.delta import DeltaCodec, DeltaReceiver, acked_input, delta_frame, split_acked_input, split_delta
from retick.netrunner.explain import explain_netrunner, is_netrunner
from retick.netrunner.messages import ClientHello, Ping, ResyncHint
from retick.netrunner.packets import parse_config
from retick.packets.server_payloads import explain_message, explain_payload
from retick.snapshot import CompactReceiver

__all__ = ["TARGETS", "TO_CLIENT", "TO_SERVER"]

NET = NetRunner()
CODEC = DeltaCodec(NET.layout)
VIEWS = [PlayerView(2 + index, 3, NET.motor.spawn(2 + index), InputStats()) for index in range(3)]


def _deltas(compact: bool) -> list[bytes]:
    sender = CODEC.sender(compact=compact)
    full = sender.encode(sender.share(103, VIEWS), 2)
    sender.acknowledge(103)
    moved = [view._replace(state=view.state._replace(x=view.state.x + 1.5)) for view in VIEWS]
    return [full, sender.encode(sender.share(106, moved), 2)]


FULL, DELTA = _deltas(False)
_SAME_FULL, COMPACT_DELTA = _deltas(True)
BUNDLE = packets.encode_inputs([RunnerCommand(seq, 40 + seq, 1, 1 / 60, 0.0, 1.0) for seq in (5, 4, 3, 2, 1)])
WELCOME = NET.welcome(peer_id=2, delay_ticks=3, server_tick=100)
SAID: tuple[packets.Control, ...] = (ClientHello(6), Ping(1, 2), ResyncHint(120), WELCOME)
CONTROLS = tuple(map(packets.encode_control, SAID))
FIRED: tuple[fire.FirePacket, ...] = (
    fire.Fire(1, 2, 3, 4, (0.0, 1.0, 0.0)),
    fire.FireResult(1, 2, 3),
    fire.FireVisual(1, 2, (0.0, 1.0, 2.0), 0.5, 0.25, True, (1.0, 2.0, 3.0)),
)
SHOTS = tuple(map(fire.encode_fire, FIRED))
SNAPSHOT = packets.encode_snapshot(109, VIEWS)
TO_CLIENT = [FULL, DELTA, SNAPSHOT, *CONTROLS[1:]]
TO_SERVER = [BUNDLE, acked_input(3, BUNDLE), CONTROLS[1], CONTROLS[0]]


def _delta(data: bytes) -> Any:
    """A delta snapshot for a client that holds the snapshot of tick 103."""
    reader = DeltaReceiver(CODEC)
    reader.decode(FULL, 2)
    return reader.decode(data, 2)


def _compact_delta(data: bytes) -> Any:
    """A compact delta for a client that holds the snapshot of tick 103."""
    reader = CODEC.receiver(compact=True)
    reader.decode(FULL, 2)
    return reader.decode(data, 2)


class _State(NamedTuple):
    x: float
    hits: int
    down: int


class _Command(NamedTuple):
    seq: int
    tick: int
    epoch: int
    move: float
    fire: int


class _Motor:
    def spawn(self, peer_id: int) -> _State:
        return _State(0.0, 0, 0)

    def step(self, state: _State, command: _Command) -> _State:
        return state


DECLARED: Any = DeclaredProfile(
    game_id="fuzz", version=3, motor=_Motor(), state=_State,
    state_fields={"x": Real(-10, 10, steps=100), "hits": Whole(0, 99), "down": Flag()},
    command=_Command, command_fields={"move": Real(-1, 1), "fire": Flag(press=True)},
)  # fmt: skip


def _explain(data: bytes) -> Any:
    return explain_netrunner(data) if is_netrunner(data) else None


def _config(data: bytes) -> Any:
    return parse_config(data.decode("utf-8", "replace"))


def _normal(data: bytes) -> Any:
    return locomotion.decode_normal(data[0] % 255, data[1] % 255) if len(data) > 1 else None


def _law_of_locomotion(data: bytes, state: locomotion.LocomotionState) -> None:
    if locomotion.unpack(locomotion.pack(state)) != state:
        raise Bug("what was read is not the same after writing and reading again")


JOIN = encode_join(JoinRequest("room", b"t" * 16, 99))

TARGETS: tuple[Target, ...] = (
    of("netrunner/any", NET.decode, BUNDLE, SNAPSHOT, *CONTROLS, *SHOTS),
    of("netrunner/inputs", packets.decode_inputs, BUNDLE),
    of("netrunner/snapshot", packets.decode_snapshot, SNAPSHOT),
    of("netrunner/state", packets.decode_state, packets.encode_state(VIEWS[0])),
    of("netrunner/control", packets.decode_control, *CONTROLS),
    of("netrunner/fire", fire.decode_fire, *SHOTS),
    of("netrunner/explain", _explain, BUNDLE, SNAPSHOT, *CONTROLS, *SHOTS, also=(explain_netrunner,)),
    of("netrunner/locomotion", locomotion.unpack,
       locomotion.pack(locomotion.LocomotionState(2, 3, (1.0, 0.0, 0.0), 20)),
       law=_law_of_locomotion),
    of("netrunner/normal", _normal, b"\x7f\xfe", also=(locomotion.decode_normal,)),
    of("netrunner/config", _config, json.dumps({"ServerTickRate": 30, "MaxPlayers": 4, "gravity": 9.5}).encode(),
       also=(parse_config,)),
    of("server/join", decode_join, JOIN, encode_join(JoinRequest()), encode_join(JoinRequest("a", compact=7)),
       write=encode_join, is_exact=False),
    of("server/acceptance", decode_acceptance, encode_acceptance(JoinAcceptance(b"t" * 16)),
       encode_acceptance(JoinAcceptance(b"t" * 16, True))),
    of("server/acked-input", split_acked_input, acked_input(3, BUNDLE)),
    of("server/explain-payload", explain_payload, acked_input(3, BUNDLE), FULL, DELTA),
    of("server/explain-message", explain_message, b"\x31\x01\x00\x02\x3c\x00\x03\x63\x00\x00\x00",
       b"\x33\x01\x01Ada"),
    of("server/delta-frame", split_delta, FULL, DELTA, delta_frame(9, 3, b"body")),
    Target(name="server/delta", read=_delta, seeds=(FULL, DELTA), decoders=(name_of(DeltaReceiver.decode),)),
    Target(name="server/compact-delta", read=_compact_delta, seeds=(FULL, COMPACT_DELTA),
           decoders=(name_of(CompactReceiver.decode_as),)),
    of("server/declared-inputs", DECLARED.decode_inputs, DECLARED.encode_inputs([_Command(1, 2, 3, 0.5, 1)] * 3)),
    of("server/declared-snapshot", DECLARED.decode_snapshot,
       DECLARED.encode_snapshot(9, [PlayerView(1, 2, _State(0.5, 3, 0), InputStats())] * 2)),
    of("server/declared-control", DECLARED.decode, DECLARED.encode_control(Ping(1, 2)), b"\x04message",
       DECLARED.encode_control(DECLARED.welcome(peer_id=2, delay_ticks=3, server_tick=100))),
)  # fmt: skip
