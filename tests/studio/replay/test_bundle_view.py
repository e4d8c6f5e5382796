"""A bundle shows what differs, and with the game everything else too."""

from pathlib import Path

from retick.audit.desync.bundle import Bundle, load_bundle
from retick.audit.desync.explain import explain
from retick.audit.desync.explanation import explanation_lines
from retick.games.fighter import Fighter
from retick.studio.replay.slot import bundle_view
from tests.audit.desync.desyncs import bundles
from tests.rollback.desync.planted import FieldChanged

BUNDLE = load_bundle(Path(__file__).parents[2] / "vectors" / "desync" / "fighter-v1.desync")


def test_the_planted_field_is_the_one_that_differs_in_the_states_of_both_peers() -> None:
    for bundle in bundles([FieldChanged(), FieldChanged(at=40)], last_agreed=32):
        shown = bundle_view(bundle, Fighter)
        assert (shown["frame"], shown["agreed"], shown["complete"]) == (41, 40, True)
        assert [side["own"] for side in shown["sides"]] == [bundle.peer_id == 0, bundle.peer_id == 1]
        assert bundle.differing_state is not None
        own = dict(Fighter().fields(Fighter().unpack_state(bundle.differing_state)))
        values = {name: texts for name, texts, _ in shown["fields"]}
        assert list(values) == list(own)
        assert {name: texts[bundle.peer_id] for name, texts in values.items()} == {n: str(v) for n, v in own.items()}
        assert [name for name, _, differs in shown["fields"] if differs] == ["p1.x"]
        assert int(values["p1.x"][1]) == int(values["p1.x"][0]) + 300


def test_without_the_game_only_what_differs_is_shown() -> None:
    shown = bundle_view(BUNDLE, None)
    assert (shown["complete"], [name for name, *_ in shown["fields"]]) == (False, ["p1.x"])


def test_the_summary_is_that_of_the_command_line() -> None:
    assert bundle_view(BUNDLE, Fighter)["lines"] == explanation_lines(explain(BUNDLE, ()))


def test_values_of_a_peer_that_left_some_out_are_not_made_up() -> None:
    report = BUNDLE.report
    cut = type(report)(**{**{f: getattr(report, f) for f in report.__slots__}, "left_out": ((0, 3),)})
    shown = bundle_view(Bundle(report=cut, peer_id=1, differing_state=BUNDLE.differing_state), Fighter)
    assert next(values for name, values, _ in shown["fields"] if name == "p2.x") == ["not sent", "17200"]
