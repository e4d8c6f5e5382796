"""Sessions and clients of a server give the same kinds of events and pictures."""

from retick import rollback
from retick.rollback.session import application
from retick.sim import contract


def test_rollback_gives_the_same_classes() -> None:
    for name in ("CueCancelled", "CueConfirmed", "CueEvent", "CueStarted"):
        assert getattr(rollback, name) is getattr(contract, name)
    assert application.Between is contract.Between
