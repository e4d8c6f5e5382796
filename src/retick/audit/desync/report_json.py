"""A desync report as JSON, and back. The reader is strict, because a bundle comes from another peer.

The keys are those of docs/formats/desync-bundle.md, and stay the same if attributes are renamed.
"""

from collections.abc import Callable
from math import isfinite
from typing import Any, TypeVar

from retick.errors import InvalidValue
from retick.rollback.desync.equivocation import MOST_INPUT_BYTES, EquivocationProof
from retick.rollback.desync.field_values import MAX_NAME, MAX_TEXT, Value
from retick.rollback.desync.report import DesyncReport, Divergence, FieldValues, InputDifference, InputRow

T = TypeVar("T")

MAX_ITEMS = 4096
"""Most items of a list."""
MOST_PROOF = 4 * MOST_INPUT_BYTES + 1024
"""Most hexadecimal digits of a proof."""
LARGEST = 1 << 255
"""Bound of the absolute value of integers in a state."""


def report_to_json(report: DesyncReport) -> dict[str, Any]:
    """Convert a report to plain values for JSON."""
    return {
        "machines": report.peers,
        "silent": report.silent,
        "alarm": report.alarm,
        "last_agreed": report.last_agreed,
        "first_differing": report.first_differing,
        "exact": report.exact,
        "partings": [
            {"frame": one.frame, "groups": one.groups, "checksums": one.checksums} for one in report.divergences
        ],
        "fields": [{"name": field.name, "values": field.values} for field in report.fields],
        "hidden": [{"name": field.name, "values": field.values} for field in report.hidden],
        "inputs": [{"frame": row.frame, "values": row.values} for row in report.inputs],
        "input_differences": [
            {"frame": one.frame, "player": one.player, "values": one.values} for one in report.input_differences
        ],
        "left_out": report.left_out,
        **({"proofs": [proof.encode().hex() for proof in report.proofs]} if report.proofs else {}),
    }


_REPORT_KEYS = (
    "machines", "silent", "alarm", "last_agreed", "first_differing", "exact", "partings", "fields", "hidden", "inputs",
    "input_differences", "left_out",
)  # fmt: skip


def report_from_json(data: Any) -> DesyncReport:
    """Read a report that ``report_to_json`` wrote; InvalidValue for anything else."""
    proofs = data.get("proofs", []) if isinstance(data, dict) else []
    raw = _object(
        {key: value for key, value in data.items() if key != "proofs"} if proofs else data, "report", *_REPORT_KEYS
    )
    report = DesyncReport(
        peers=_list(raw["machines"], _integer),
        silent=_list(raw["silent"], _integer),
        alarm=_optional(raw["alarm"], _integer),
        last_agreed=_optional(raw["last_agreed"], _integer),
        first_differing=_optional(raw["first_differing"], _integer),
        exact=_truth(raw["exact"]),
        divergences=_list(raw["partings"], _divergence),
        fields=_list(raw["fields"], _field),
        hidden=_list(raw["hidden"], _field),
        inputs=_list(raw["inputs"], _input_row),
        input_differences=_list(raw["input_differences"], _input_difference),
        left_out=_list(raw["left_out"], lambda pair: _pair(pair, _integer)),
        proofs=_list(proofs, _proof),
    )
    first = report.divergences[0].frame if report.divergences else None
    if first != report.first_differing:
        raise InvalidValue(
            f"the first differing frame is {report.first_differing}, but the first parting is at frame {first}"
        )
    return report


def _proof(data: Any) -> EquivocationProof:
    """Read and check a proof, since a file may claim anything."""
    try:
        found = EquivocationProof.decode(bytes.fromhex(_text(data, MOST_PROOF)))
    except ValueError:
        raise InvalidValue("a proof must be written in hexadecimal digits") from None
    found.check()
    return found


def _divergence(data: Any) -> Divergence:
    raw = _object(data, "parting", "frame", "groups", "checksums")
    groups = _list(raw["groups"], lambda group: _list(group, _integer))
    checksums = _list(raw["checksums"], _integer)
    if len(groups) != len(checksums) or not all(groups):
        raise InvalidValue(f"a parting has {len(groups)} groups but {len(checksums)} checksums")
    return Divergence(frame=_integer(raw["frame"]), groups=groups, checksums=checksums)


def _field(data: Any) -> FieldValues:
    raw = _object(data, "field", "name", "values")
    return FieldValues(
        name=_text(raw["name"], MAX_NAME),
        values=_list(raw["values"], lambda pair: _pair(pair, lambda value: _optional(value, _value))),
    )


def _input_row(data: Any) -> InputRow:
    raw = _object(data, "row of inputs", "frame", "values")
    return InputRow(frame=_integer(raw["frame"]), values=_list(raw["values"], _integer))


def _input_difference(data: Any) -> InputDifference:
    raw = _object(data, "difference of inputs", "frame", "player", "values")
    return InputDifference(
        frame=_integer(raw["frame"]),
        player=_integer(raw["player"]),
        values=_list(raw["values"], lambda pair: _pair(pair, _integer)),
    )


def _object(data: Any, what: str, *keys: str) -> dict[str, Any]:
    if not isinstance(data, dict) or data.keys() != set(keys):
        raise InvalidValue(f"a {what} must have exactly the keys {', '.join(keys)}")
    return data


def _list(data: Any, read: Callable[[Any], T]) -> tuple[T, ...]:
    if not isinstance(data, list) or len(data) > MAX_ITEMS:
        raise InvalidValue(f"a list of at most {MAX_ITEMS} was expected")
    return tuple(read(item) for item in data)


def _pair(data: Any, read: Callable[[Any], T]) -> tuple[int, T]:
    if not isinstance(data, list) or len(data) != 2:
        raise InvalidValue("a peer id and its value were expected")
    return _integer(data[0]), read(data[1])


def _optional(data: Any, read: Callable[[Any], T]) -> T | None:
    return None if data is None else read(data)


def _integer(data: Any) -> int:
    """Check a frame, a peer id, a checksum or an input: all are unsigned and fit 64 bits."""
    if type(data) is not int or not 0 <= data < 1 << 64:
        raise InvalidValue("a number from 0 to 2**64 - 1 was expected")
    return data


def _truth(data: Any) -> bool:
    if not isinstance(data, bool):
        raise InvalidValue("true or false was expected")
    return data


def _text(data: Any, limit: int) -> str:
    if not isinstance(data, str) or not data.isprintable() or len(data.encode("utf-8", "replace")) > limit:
        raise InvalidValue(f"a printable text of at most {limit} bytes was expected")
    return data


def _value(data: Any) -> Value:
    if type(data) is int and -LARGEST <= data < LARGEST:
        return data
    if isinstance(data, float) and isfinite(data):
        return data
    return _text(data, MAX_TEXT)
