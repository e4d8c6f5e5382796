"""A session's own cost, by call and by part."""

import pytest
from benchmarks.commands.session_overhead import engine_alone, link_alone, measure_overhead, packets_alone


@pytest.mark.parametrize(("players", "sealed"), [(2, True), (3, False)])
def test_overhead_is_reported_by_call_with_the_wires_share(players: int, sealed: bool) -> None:
    found = measure_overhead(players, sealed=sealed, stretches=2)
    assert set(found.by_call) >= {"receive_datagram", "datagrams_to_send", "due", "advance"}
    assert found.total == pytest.approx(sum(found.by_call.values()) - found.steps)
    assert 55 * (players - 1) < found.packets < 70 * (players - 1)
    assert found.octets > 16 * found.packets
    assert found.interleaved > 0
    assert found.driver > 0


def test_parts_can_be_run_alone() -> None:
    assert engine_alone(200) > 0
    assert packets_alone(200) > 0
    assert link_alone(200) > 0
