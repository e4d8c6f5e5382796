"""Writes the tables of a world and of its messages as JSON, for clients in other languages."""

from typing import Any

from retick.authority import frames, messages
from retick.authority.compact import CompactTables
from retick.authority.layout import FIRST_SEAT, STEPS, WorldLayout
from retick.snapshot.compact.coder import GroupRow

KINDS = ("Hold", "Motion", "Angle", "Integral", "Rotation", "Choice", "Real")
"""The predictors by their numbers in docs/formats/compact.md."""


def tables_of(layout: WorldLayout) -> dict[str, Any]:
    """Everything that a client needs to know of a game, besides docs/formats/world-server.md."""
    components = []
    compact = CompactTables(layout)
    for index, component in enumerate(layout.components):
        entry: dict[str, Any] = {"index": index, "name": component.name}
        if component.kind is not None and index > 0:
            entry |= {"class": component.kind.__name__, "most": component.most}
        if component.has_holder:
            entry["holder"] = layout.components[component.parent].name
        columns = compact.places[layout.firsts[index] :]
        entry["fields"] = [
            _field(made, is_compact=column >= 0) for made, column in zip(component.fields, columns, strict=False)
        ]
        components.append(entry)
    game = layout.world()
    return {
        "format": "retick world 1",
        "game_id": game.game_id,
        "game_version": game.game_version,
        # A JSON number is a float to many readers, and a float does not hold 64 bits.
        "hash": f"{layout.hash:016x}",
        "compact": {"hash": f"{compact.hash:016x}", "groups": [_group(each) for each in compact.groups]},
        "players": layout.players,
        "input_bits": layout.input_bits,
        "command": None if layout.command is None else layout.command.layout,
        "first_seat": FIRST_SEAT,
        "components": components,
        "payloads": {
            "INPUT": frames.INPUT,
            "SNAPSHOT": frames.SNAPSHOT,
            "NOTE": frames.NOTE,
            "COMPACT": frames.COMPACT,
        },
        "messages": dict(messages.KINDS),
        "player_states": {state.name: int(state) for state in messages.Presence},
        "room_over_reasons": {reason.name: int(reason) for reason in messages.Ended},
        "lost_reasons": {reason.name: int(reason) for reason in messages.Gone},
        "text": layout.text,
    }


def _group(row: GroupRow) -> dict[str, Any]:
    """A group of compact fields, which are numbered through all components."""
    entry: dict[str, Any] = {"kind": KINDS[row.kind], "fields": list(row.fields)}
    if row.modulus:
        entry["modulus"] = row.modulus
    if row.bits:
        entry["bits"] = row.bits
    if row.doubtful:
        entry["doubtful"] = True
    return entry


def _field(made: Any, *, is_compact: bool) -> dict[str, Any]:
    entry: dict[str, Any] = {"name": made.name, "code": made.code, "bits": made.bits}
    # As text, since they may have 64 bits.
    entry |= {"span": str(made.span), "default": str(made.default)}
    if made.code == STEPS:
        entry |= {"low": made.low, "step": made.step}
    else:
        entry["low"] = str(made.low)
    if made.kind is not None and made.kind.members:
        entry["members"] = [member.name for member in made.kind.members]
    if made.secret:
        entry["owner_only"] = True
    if is_compact:
        entry["compact"] = True
    return entry
