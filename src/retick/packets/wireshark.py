"""A dissector for Wireshark: ``dissector.lua`` with the field tables of the explainers."""

from collections.abc import Iterable
from importlib.resources import files
from typing import Any

from retick.link import explain as link
from retick.link import layout
from retick.link.sealed_path import PROVE_SIZE
from retick.netrunner import explain as netrunner
from retick.netrunner.delta import ACKED_INPUT
from retick.netrunner.packets import CONTROL as NETRUNNER_CONTROL
from retick.packets import server_payloads as server
from retick.rollback.session.messages.kinds import MessageKind
from retick.wire import explain as wire
from retick.wire import rbn1
from retick.wire.explain import SIZED, TEXT, FieldSpec
from retick.wire.rbn1_layout import PACKED_MARK

MARK = "--@TABLES@\n"
_TYPES = {"Q": "uint64", "b": "int32", "h": "int32", "i": "int32", "f": "float", TEXT: "string"}
"""Wireshark's types by a field's code; other numbers are uint32, everything else is bytes."""


def dissector() -> str:
    """The dissector as a Lua program."""
    fields = _Fields()
    tables = {
        "RBN1": {
            "magic": rbn1.MAGIC.decode(),
            "most": rbn1.MAX_COUNT,
            "mark": PACKED_MARK >> 4,
            "header": fields.of("rbn1", wire.RBN1_HEADER),
            "packed": fields.of("rbn1", wire.RBN1_PACKED_HEADER),
            "rest": fields.of("rbn1", (wire.RBN1_PACKED,)),
            "shape": fields.of("rbn1", (wire.RBN1_SHAPE,)),
            "blocks": [{"flag": flag, "fields": fields.of("rbn1", block)} for flag, block in wire.RBN1_BLOCKS],
        },
        "LINK": {
            "magic": layout.MAGIC.decode(),
            "payload": layout.PAYLOAD,
            "control": layout.CONTROL,
            "request": layout.REQUEST,
            "envelope": layout.ENVELOPE_SIZE,
            "report": layout.CONTROL_SIZE,
            "ack": _offset_of("ack"),
            "acked": _offset_of("acked sequence"),
            "names": dict(link.KIND_NAMES),
            "kind": fields.of("link", (link.KIND,)),
            "bodies": {kind: fields.of("link", body) for kind, body in link.BODIES.items()},
            "sealed": {
                "version": layout.SEALED_VERSION,
                "handshake": {
                    kind: fields.of("link", link.SEALED_BODIES[kind]) for kind in (layout.HELLO, layout.ACCEPT)
                },
                "envelope": fields.of("link", link.ENVELOPE),
                "always": {layout.ENTER: True, layout.ADMIT: True},
                "sizes": {layout.PROVE: PROVE_SIZE, layout.PROOF: PROVE_SIZE},
                "tag": layout.TAG_SIZE,
            },
        },
        "FRAGMENT": {
            "head": fields.of("link", link.FRAGMENT_HEAD),
            "mask": layout.FRAGMENT_LENGTH_MASK,
            "first": layout.FRAGMENT_FIRST,
        },
        "NETRUNNER": {kind: _packet(fields, kind, table) for kind, table in netrunner.PACKETS.items()},
        "PAYLOADS": _layouts(fields, server.PAYLOADS.items()),
        "MESSAGES": _layouts(fields, server.MESSAGES.items()),
        "SESSION": {kind.value: kind.name for kind in MessageKind},
    }
    lines = [
        f"local FIELDS = {_lua(fields.rows)}",
        *(f"local {name} = {_lua(table)}" for name, table in tables.items()),
    ]
    program = files("retick.packets").joinpath("dissector.lua").read_text(encoding="utf-8")
    return program.replace(MARK, "\n".join(lines) + "\n")


def _packet(fields: "_Fields", kind: int, table: netrunner.PacketTable) -> dict[str, Any]:
    made: dict[str, Any] = {"name": table.name, "size": table.size, "head": fields.of("netrunner", table.head)}
    if table.each:
        made |= {"each": fields.of("netrunner", table.each), "most": table.most}
    if kind == NETRUNNER_CONTROL:
        made["bodies"] = {sub: fields.of("netrunner", body) for sub, (_, body) in netrunner.CONTROLS.items()}
    return made


def _layouts(fields: "_Fields", layouts: Iterable[tuple[int, server.PayloadLayout]]) -> dict[int, Any]:
    return {
        kind: {
            "name": one.name,
            "fields": fields.of("server", (server.KIND, *one.head)),
            "bundle": kind == ACKED_INPUT,
        }
        for kind, one in layouts
    }


def _offset_of(name: str) -> int:
    """The offset of a field of CONTROL."""
    at = 0
    for spec in (link.KIND, *link.BODIES[layout.CONTROL]):
        if spec.name == name:
            break
        at += spec.size or 0
    return at


class _Fields:
    """Collects every field once, by the name of its filter."""

    def __init__(self) -> None:
        self.rows: list[list[str]] = []
        self._types: dict[str, str] = {}

    def of(self, protocol: str, table: Iterable[FieldSpec]) -> list[list[Any]]:
        """A table for the program: filter name, size in bytes (-1: the number before it), whether it is a number."""
        made = []
        for spec in table:
            kind = _TYPES.get(spec.code, "uint32" if spec.is_number else "bytes")
            abbreviation = f"retick.{protocol}.{spec.name.replace(' ', '_').lower()}"
            if self._types.setdefault(abbreviation, kind) != kind:
                abbreviation += f"_{kind}"
            if abbreviation not in {row[0] for row in self.rows}:
                shown = "hex" if "x}" in spec.form else "dec"
                self.rows.append([abbreviation, spec.name.capitalize(), kind, shown])
            size = -1 if spec.code in (TEXT, SIZED) else spec.size
            made.append([abbreviation, size, kind == "uint32"])
        return made


def _lua(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(value, dict):
        pairs = (f"{key if isinstance(key, str) else f'[{key}]'} = {_lua(item)}" for key, item in value.items())
        return "{\n" + "".join(f"{pair},\n" for pair in pairs) + "}"
    if isinstance(value, list):
        return "{ " + ", ".join(map(_lua, value)) + " }"
    return str(value)
