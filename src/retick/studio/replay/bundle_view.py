"""A desync bundle as the page shows it: its summary, and the states of all sides at the first frame that differs."""

from collections.abc import Callable
from typing import Any

from retick.audit.desync.bundle import Bundle
from retick.audit.desync.explain import explain
from retick.audit.desync.explanation import explanation_lines
from retick.rollback.desync.report import FieldValues, peers_text, value_text
from retick.sim.contract import PacksState, Simulation
from retick.studio.shown_values import LONGEST_VALUE, MOST_FIELDS, shown_fields

__all__ = ["MOST_SIDES", "bundle_view"]

MOST_SIDES = 8
MOST_LINES = 500
UNKNOWN = "not sent"
"""In place of a value that is in no report."""


def bundle_view(bundle: Bundle, make: Callable[[], Simulation[Any]] | None) -> dict[str, Any]:
    """With a game, all fields of this peer's state are shown; without, those that differ."""
    report = bundle.report
    sides = report.groups[:MOST_SIDES]
    checksums = report.divergences[0].checksums if report.divergences else ()
    differing = {field.name: _values(field, sides) for field in report.fields}
    own = _own_fields(bundle, make)
    rows = [[name[:LONGEST_VALUE], values, True] for name, values in differing.items()]
    if own is not None:
        known = dict(own)
        cut = {peer for peer, _ in report.left_out}
        same = [cut.isdisjoint(side) or bundle.peer_id in side for side in sides]
        rows = [
            [name, differing.get(name) or [value if shown else UNKNOWN for shown in same], name in differing]
            for name, value in own
        ] + [row for row in rows if row[0] not in known]
    return {
        "lines": [line[:500] for line in explanation_lines(explain(bundle, ()))[:MOST_LINES]],
        "peer": bundle.peer_id,
        "game": bundle.game,
        "frame": report.first_differing,
        "agreed": report.last_agreed,
        "sides": [
            {"label": peers_text(side), "checksum": f"0x{checksum:08X}", "own": bundle.peer_id in side}
            for side, checksum in zip(sides, checksums, strict=False)
        ],
        "fields": rows[:MOST_FIELDS],
        "complete": own is not None,
        "hidden": [[field.name[:LONGEST_VALUE], _values(field, sides)] for field in report.hidden],
    }


def _values(field: FieldValues, sides: tuple[tuple[int, ...], ...]) -> list[str]:
    values = dict(field.values)
    return [next((value_text(values[peer]) for peer in side if peer in values), UNKNOWN) for side in sides]


def _own_fields(bundle: Bundle, make: Callable[[], Simulation[Any]] | None) -> list[tuple[str, str]] | None:
    game = None if make is None else make()
    if bundle.differing_state is None or not isinstance(game, PacksState):
        return None
    return shown_fields(game.fields(game.unpack_state(bundle.differing_state)))[0]
