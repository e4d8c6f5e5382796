"""Forged datagrams do nothing to two sealed ends that talk, and a storm that does something is found."""

import pytest

from fuzz import storm as module
from fuzz.storm import main, storm
from fuzz.target import Bug
from retick.link import LinkConfig, LinkEndpoint


def test_mutated_datagrams_change_nothing_and_are_dropped() -> None:
    """``make soak`` sends ten million."""
    dropped = storm(6000, seed=2)
    assert dropped["bad_seal"] > 1000
    assert dropped["duplicate"] > 200


def test_a_link_that_can_be_forged_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    class Plain(module.Talk):
        def _end(self, seed: int) -> LinkEndpoint:
            end = super()._end(seed)
            return LinkEndpoint(LinkConfig(game_id="storm", sealed=False), entropy=end._entropy)

    monkeypatch.setattr(module, "Talk", Plain)
    with pytest.raises(Bug, match="seed 3"):
        storm(6000, seed=3)


def test_the_command_says_how_many(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--datagrams", "600", "--seed", "5"])
    assert "600 mutated datagrams: nothing raised, nothing changed" in capsys.readouterr().out
