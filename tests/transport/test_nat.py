"""Models of routers: each kind maps and filters as its name says."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import UsageError
from retick.transport import Nat, NatKind, Router, nat

CONES = (NatKind.FULL_CONE, NatKind.ADDRESS_RESTRICTED, NatKind.PORT_RESTRICTED)
INSIDE = ("10.0.0.2", 5000)
REMOTE, OTHER_PORT, OTHER_HOST = ("198.51.100.1", 7788), ("198.51.100.1", 7789), ("198.51.100.2", 7788)


def seen(
    router: Router, remote: tuple[str, int], now: float = 0.0, inside: tuple[str, int] = INSIDE
) -> tuple[str, int]:
    found = router.outbound(inside, remote, now)
    assert found is not None
    return found


@pytest.mark.parametrize("kind", NatKind)
def test_a_cone_shows_one_address_to_all_remotes_and_a_symmetric_router_another_to_each(kind: NatKind) -> None:
    router = Router("203.0.113.1", Nat(kind=kind))
    addresses = {seen(router, remote) for remote in (REMOTE, OTHER_PORT, OTHER_HOST, REMOTE)}
    assert len(addresses) == (1 if kind in CONES else 3)


@pytest.mark.parametrize(
    ("kind", "let_in"),
    [
        (NatKind.FULL_CONE, {REMOTE, OTHER_PORT, OTHER_HOST}),
        (NatKind.ADDRESS_RESTRICTED, {REMOTE, OTHER_PORT}),
        (NatKind.PORT_RESTRICTED, {REMOTE}),
        (NatKind.SYMMETRIC, {REMOTE}),
    ],
)
def test_each_kind_lets_in_those_that_its_name_says(kind: NatKind, let_in: set[tuple[str, int]]) -> None:
    router = Router("203.0.113.1", Nat(kind=kind))
    _, port = seen(router, REMOTE)
    passed = {remote for remote in (REMOTE, OTHER_PORT, OTHER_HOST) if router.inbound(remote, port, 0.0) == INSIDE}
    assert passed == let_in
    assert router.dropped["filtered"] == 3 - len(let_in)


Remotes = st.tuples(st.sampled_from(["198.51.100.1", "198.51.100.2"]), st.integers(1, 3))
Steps = st.lists(
    st.tuples(st.booleans(), st.sampled_from([INSIDE, ("10.0.0.3", 5000)]), Remotes, st.floats(0, 50)), max_size=40
)


@given(st.sampled_from(NatKind), st.booleans(), st.booleans(), Steps)
def test_whatever_passes_is_for_the_machine_that_has_the_port_and_each_port_has_one_machine(
    kind: NatKind, lenient: bool, keeps_ports: bool, steps: list[tuple[bool, Any, Any, float]]
) -> None:
    router = Router("203.0.113.1", Nat(kind=kind, timeout=60.0, lenient=lenient, keeps_ports=keeps_ports))
    now, sent = 0.0, dict[tuple[Any, int], tuple[Any, float]]()
    for outwards, inside, remote, later in steps:
        now += later
        if outwards:
            sent[remote, seen(router, remote, now, inside)[1]] = (inside, now)
            continue
        for port in {port for _, port in sent}:
            found = router.inbound(remote, port, now)
            if found is not None and kind in (NatKind.PORT_RESTRICTED, NatKind.SYMMETRIC):
                assert sent[remote, port][0] == found
            if found is None and (remote, port) in sent:
                # The remote was sent to from there: then its permission must be old, or the port another's now.
                assert now - sent[remote, port][1] > 60.0 or router.owner(port) != sent[remote, port][0]


def test_a_mapping_that_nobody_uses_is_forgotten_and_either_direction_keeps_it() -> None:
    router = Router("203.0.113.1", Nat(timeout=30.0, keeps_ports=False))
    first = seen(router, REMOTE, 0.0)
    assert router.inbound(REMOTE, first[1], 29.0) == INSIDE
    assert seen(router, REMOTE, 58.0) == first
    assert router.inbound(REMOTE, first[1], 89.0) is None
    assert router.dropped["unmapped"] == 1
    assert seen(router, REMOTE, 90.0) != first


def test_a_permission_ends_although_the_mapping_lives() -> None:
    router = Router("203.0.113.1", Nat(timeout=30.0))
    _, port = seen(router, REMOTE, 0.0)
    seen(router, OTHER_HOST, 29.0)
    assert router.inbound(OTHER_HOST, port, 50.0) == INSIDE
    assert router.inbound(REMOTE, port, 50.0) is None


def test_a_lenient_router_gives_another_port_towards_one_that_came_too_early() -> None:
    for lenient in (False, True):
        router = Router("203.0.113.1", Nat(lenient=lenient))
        usual = seen(router, OTHER_HOST)
        assert router.inbound(REMOTE, usual[1], 0.0) is None
        moved = seen(router, REMOTE, 1.0)
        assert (moved != usual) == lenient
        assert router.inbound(REMOTE, moved[1], 1.0) == INSIDE
        assert seen(router, OTHER_HOST, 1.0) == usual
        assert seen(router, OTHER_PORT, 1.0) == moved  # whoever is sent to for the first time


def test_two_machines_with_one_inside_port_get_two_outside_ports() -> None:
    router = Router("203.0.113.1", Nat())
    assert seen(router, REMOTE)[1] == 5000
    assert seen(router, REMOTE, inside=("10.0.0.3", 5000))[1] != 5000


def test_ports_that_are_all_taken_are_counted_and_free_again_when_they_are_old(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nat, "LAST_PORT", 1025)
    router = Router("203.0.113.1", Nat(timeout=10.0, keeps_ports=False))
    for number in (2, 3):
        seen(router, REMOTE, 0.0, (f"10.0.0.{number}", 5000))
    assert router.outbound(("10.0.0.4", 5000), REMOTE, 0.0) is None
    assert router.dropped["full"] == 1
    assert router.outbound(("10.0.0.4", 5000), REMOTE, 11.0) is not None


def test_a_firewall_lets_only_some_ports_be_reached() -> None:
    router = Router("203.0.113.1", Nat(reachable_ports=frozenset({7788})))
    assert router.outbound(INSIDE, REMOTE, 0.0) is not None
    assert router.outbound(INSIDE, OTHER_PORT, 0.0) is None
    assert router.dropped["blocked"] == 1


def test_a_timeout_of_nothing_is_refused() -> None:
    with pytest.raises(UsageError, match="timeout is above 0"):
        Nat(timeout=0.0)


def test_a_firewall_cannot_be_symmetric() -> None:
    with pytest.raises(UsageError, match="cannot be symmetric"):
        Nat(translates=False, kind=NatKind.SYMMETRIC)
