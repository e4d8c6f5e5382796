"""Bytes a second of a match: the targets hold on any machine, since nothing is timed."""

from benchmarks.commands.session_traffic import measure_traffic


def test_a_second_of_inputs_stays_below_its_targets() -> None:
    found = measure_traffic(frames=300)
    assert len(found) == 2
    for each in found:
        assert 55 < each.packets < 70
        assert each.octets < each.most, each
