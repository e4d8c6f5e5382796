"""Whether a router lets two of its own reach each other by its outside address is found out, whatever it filters."""

from random import Random

import pytest

from retick.relay import Hairpin
from retick.transport import Conditions, Nat, NatKind
from tests.relay.meeting import FIRST, Meeting


def try_out(nat: Nat, *, loss: float = 0.0) -> bool | None:
    meeting = Meeting(conditions=Conditions.round_trip(0.08, loss=loss))
    router = meeting.network.router("203.0.113.9", nat)
    test = Hairpin(FIRST, entropy=Random(3).randbytes)
    for number, end in enumerate(test.ends):
        meeting.network.attach(("10.0.9.2", 5000 + number), end, behind=router)
    assert not test.is_done
    meeting.run(10.0)
    assert test.is_done
    assert all(end.events() == [] for end in test.ends)
    return test.result


@pytest.mark.parametrize("kind", [NatKind.FULL_CONE, NatKind.ADDRESS_RESTRICTED, NatKind.PORT_RESTRICTED])
@pytest.mark.parametrize("loss", [0.0, 0.2])
def test_a_router_with_and_without_hairpin_is_told(kind: NatKind, loss: float) -> None:
    assert try_out(Nat(kind=kind, hairpin=True), loss=loss) is True
    assert try_out(Nat(kind=kind, hairpin=False), loss=loss) is False


def test_without_an_answer_of_the_relay_it_is_not_known() -> None:
    assert try_out(Nat(reachable_ports=frozenset({53}))) is None


def test_what_is_neither_a_token_nor_an_answer_changes_nothing() -> None:
    end = Hairpin(FIRST, entropy=Random(3).randbytes).ends[0]
    end.receive_datagram(b"nonsense", FIRST, now=0.0)
    assert not end.has_heard
    assert end.outside is None
