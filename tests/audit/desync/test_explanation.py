"""An explanation as plain lines and as JSON, whose keys programs hold on to."""

import json
from dataclasses import replace

from retick.audit.desync.explanation import DesyncExplanation, LineDivergence, Side, WrittenAt, explanation_lines
from retick.audit.desync.line_trace import Executed
from tests.audit.desync.desyncs import bundles
from tests.rollback.desync.planted import FieldChanged

FIRST = Executed("game/rules.py", 7, "Game.step", "x = x + 1", {"p1.x": 5}, {"x": 5})
SECOND = FIRST._replace(writes={"p1.x": 6}, variables={"x": 6})


def explanation() -> DesyncExplanation:
    report = bundles([FieldChanged(), FieldChanged(at=40)], last_agreed=32)[0].report
    written = WrittenAt(field="p1.x", value=5, peers=(), line=FIRST, computed=None)
    side = Side(label="m:Game", checksum=255, reproduces=(), diverged_at=40, pure_differs=False, written=(written,))
    divergence = LineDivergence(first=FIRST, second=SECOND, flow=False, after=None)
    return DesyncExplanation(report=report, sides=(side,), divergence=divergence, notes=("a note",), explained=False)


def test_the_lines_name_each_run_each_write_and_the_divergence() -> None:
    place = "game/rules.py:7 in Game.step: x = x + 1"
    assert explanation_lines(explanation())[-7:] == [
        "run again: m:Game gives the state of no peer (checksum 0x000000FF)",
        "  p1.x became 5, as at no peer, in",
        f"    {place}",
        "the two runs diverge at one line:",
        f"  first: {place} gave x = 5, p1.x = 5",
        f"  second: {place} gave x = 6, p1.x = 6",
        "note: a note",
    ]


def test_fields_that_one_line_has_written_are_listed_above_it_once() -> None:
    found = explanation()
    many = tuple(replace(found.sides[0].written[0], field=f"shots[id {number}].x") for number in range(9))
    other = replace(many[0], field="score", line=SECOND._replace(line=9))
    lines = explanation_lines(replace(found, sides=(replace(found.sides[0], written=(*many, other)),), notes=()))
    at = lines.index("  shots[id 0].x became 5, as at no peer,")
    assert lines[at + 5 : at + 10] == [
        "  shots[id 5].x became 5, as at no peer,",
        "  and 3 more fields in",
        "    game/rules.py:7 in Game.step: x = x + 1",
        "  score became 5, as at no peer, in",
        "    game/rules.py:9 in Game.step: x = x + 1",
    ]


def test_json_keeps_its_keys() -> None:
    found = json.loads(json.dumps(explanation().to_json()))
    assert list(found) == ["explained", "report", "sides", "parted", "notes"]
    (side,) = found["sides"]
    assert list(side) == ["label", "checksum", "reproduces", "departed", "pure_differs", "repeats", "written"]
    assert list(side["written"][0]) == ["field", "value", "machines", "line", "computed"]
    assert list(found["parted"]) == ["first", "second", "flow", "after"]
    assert side["departed"] == 40
