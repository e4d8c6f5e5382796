"""Explains NetRunner packets field by field."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from retick.errors import DecodeError
from retick.games.runner import locomotion
from retick.games.runner.commands import RunnerButton
from retick.host.stats import InputStats
from retick.netrunner import messages, packets
from retick.wire.explain import Explanation, FieldSpec, RowReader

PREFIX = "netrunner "
"""Prefix of the names of the packet's fields inside another packet."""


class PacketTable(NamedTuple):
    """One type of packet."""

    name: str
    size: int
    head: tuple[FieldSpec, ...]
    """All fields, or those before the repeated ones; then the last field of the head is the count."""
    each: tuple[FieldSpec, ...] = ()
    noun: str = ""
    """The name of a repeated item."""
    most: int = 0


TYPE = FieldSpec("type", "B")
_REAL = "{:.6g}"


def _name_buttons(buttons: int) -> str:
    return ", ".join(str(button.name).lower().replace("_", " ") for button in RunnerButton if buttons & button)


def _name_locomotion(data: bytes) -> str:
    try:
        state = locomotion.unpack(data)
    except DecodeError as error:
        return f"not good: {error}"
    mode = locomotion.Mode(state.mode).name.lower().replace("_", " ")
    normal = ", ".join(f"{value:.2f}" for value in state.wall_normal)
    wall = f", wall ({normal})" if any(state.wall_normal) else ""
    return f"{mode} for {state.mode_ticks} ticks, wall run {state.wall_run_ticks}, slide {state.slide_ticks}{wall}"


def _floats(*names: str, meaning: str = "") -> tuple[FieldSpec, ...]:
    return tuple(FieldSpec(name, "f", meaning, _REAL) for name in names)


def _words(names: Sequence[str], layout: str) -> tuple[FieldSpec, ...]:
    """Fields for a NamedTuple, with a code of ``struct`` for each."""
    return tuple(
        FieldSpec(name.replace("_", " "), code, "", _REAL if code == "f" else "{}")
        for name, code in zip(names, layout, strict=True)
    )


COMMAND = (
    FieldSpec("seq", "I"),
    FieldSpec("tick", "I", "the server tick that it is meant for"),
    FieldSpec("epoch", "I"),
    *_floats("dt", meaning="seconds"),
    *_floats("move x", "move y"),
    FieldSpec("buttons", "B", _name_buttons, "0x{:02x}"),
    *_floats("yaw", "pitch", meaning="radians"),
)
STATE = (
    FieldSpec("peer id", "i"),
    FieldSpec("ack", "I", "the newest seq that the server has consumed"),
    *_floats("x", "y", "z", meaning="metres"),
    *_floats("vx", "vy", "vz", meaning="metres a second"),
    *_floats("yaw", "pitch", meaning="radians"),
    FieldSpec("grounded", "B"),
    *_words(InputStats._fields, "IIIIIIIiff"),
    FieldSpec("locomotion", f"{locomotion.PACKED_SIZE}s", _name_locomotion),
)
CONTROL_HEAD = (TYPE, FieldSpec("subtype", "B"))
CONTROLS: Mapping[int, tuple[str, tuple[FieldSpec, ...]]] = {
    1: ("hello", _words(messages.ClientHello._fields, "I")),
    2: ("welcome", _words(packets.RunnerWelcome._fields, "IiiiiiiiffffffffiffIBBfff")),
    3: ("ping", _words(messages.Ping._fields, "HI")),
    4: ("pong", _words(messages.Pong._fields, "HII")),
    5: ("delay update", _words(messages.DelayUpdate._fields, "i")),
    6: ("resync hint", _words(messages.ResyncHint._fields, "I")),
}
"""The fields after the head of a control packet, by its subtype."""
PACKETS: Mapping[int, PacketTable] = {
    packets.INPUT_BUNDLE: PacketTable(
        "input bundle", packets.BUNDLE_SIZE, (TYPE, FieldSpec("count", "B")), COMMAND, "command", packets.MAX_COMMANDS
    ),
    packets.SNAPSHOT: PacketTable(
        "snapshot",
        packets.SNAPSHOT_SIZE,
        (TYPE, FieldSpec("tick", "I"), FieldSpec("count", "B")),
        STATE,
        "player",
        packets.MAX_PLAYERS,
    ),
    packets.CONTROL: PacketTable("control", packets.CONTROL_SIZE, CONTROL_HEAD),
    packets.FIRE: PacketTable(
        "fire",
        29,
        (TYPE, *_words(packets.Fire._fields[:4], "IIIi"), *_floats("aim x", "aim y", "aim z")),
    ),
    packets.FIRE_RESULT: PacketTable("fire result", 13, (TYPE, *_words(packets.FireResult._fields, "iiI"))),
    packets.FIRE_VISUAL: PacketTable(
        "fire visual",
        42,
        (
            TYPE,
            *_words(("shooter", "tick"), "iI"),
            *_floats("origin x", "origin y", "origin z", "yaw", "pitch"),
            FieldSpec("did hit", "B"),
            *_floats("point x", "point y", "point z"),
        ),
    ),
}


def is_netrunner(data: bytes) -> bool:
    """Whether type and length are those of a packet."""
    return bool(data) and data[0] in PACKETS and PACKETS[data[0]].size == len(data)


def explain_netrunner(data: bytes, offset: int = 0) -> Explanation:
    """Explain a packet at ``offset`` for which ``is_netrunner`` is true."""
    kind = data[offset]
    table = PACKETS[kind]
    reader = RowReader(data, offset, "" if offset == 0 else PREFIX)
    head = reader.read(table.head, type=lambda _: table.name)
    summary = table.name
    if kind == packets.CONTROL:
        name, fields = CONTROLS.get(head["subtype"], ("of an unknown subtype", ()))
        summary = f"control, {name}"
        reader.read(fields)
    elif table.each:
        count = min(head["count"], table.most)
        summary += f", {head['count']} {table.noun}{'s' * (head['count'] != 1)}"
        for index in range(count):
            _read_named(reader, table.each, f"{table.noun} {index} ")
    if "tick" in head:
        summary += f", tick {head['tick']}"
    rest = len(data) - reader.at
    if rest:
        reader.add(rest, "padding", f"{rest} bytes", "written as zeros, and not looked at")
    fault = _fault(data[offset:], kind)
    return Explanation("NetRunner", f"NetRunner {summary}", reader.rows, fault, f"NetRunner {table.name}")


def _read_named(reader: RowReader, table: tuple[FieldSpec, ...], name: str) -> dict[str, Any]:
    return reader.read(spec._replace(name=f"{name}{spec.name}") for spec in table)


_DECODERS = {
    packets.INPUT_BUNDLE: packets.decode_inputs,
    packets.SNAPSHOT: packets.decode_snapshot,
    packets.CONTROL: packets.decode_control,
}


def _fault(data: bytes, kind: int) -> str | None:
    try:
        _DECODERS.get(kind, packets.decode_fire)(data)
    except DecodeError as error:
        return f"{type(error).__name__}: {error}"
    return None
