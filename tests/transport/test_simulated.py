"""The virtual-time driver: arrivals, wake-ups, pauses, crashes, and runs that repeat exactly."""

import pytest

from retick.errors import UsageError
from retick.transport import Conditions, SimulatedNetwork
from tests.transport.echo import Recorder


def pair(network: SimulatedNetwork, **kwargs: bool) -> tuple[Recorder, Recorder]:
    first, second = Recorder(), Recorder()
    network.attach("a", first, **kwargs)
    network.attach("b", second, **kwargs)
    return first, second


def say(network: SimulatedNetwork, endpoint: Recorder, data: bytes, to: str = "b") -> None:
    endpoint.outbox.append((data, to))
    network.flush("a")


def test_a_datagram_arrives_after_its_latency_and_is_answered() -> None:
    network = SimulatedNetwork(conditions=Conditions(latency=0.05))
    first, second = pair(network)
    second.echo = True
    say(network, first, b"x")
    network.run(until=1.0)
    assert second.received == [(0.05, b"x", "a")]
    assert first.received == [(0.1, b"echo x", "b")]
    assert network.now == 1.0


def test_wake_ups_come_when_asked_for() -> None:
    network = SimulatedNetwork()
    first, _ = pair(network)
    first.wake_at = 0.25
    first.wake_again = 0.5
    network.run(until=1.5)
    assert first.woken == pytest.approx([0.25, 0.75, 1.25])


def test_an_endpoint_that_is_always_due_does_not_stop_the_clock() -> None:
    network = SimulatedNetwork()
    first, _ = pair(network)
    first.wake_at = 0.0
    first.wake_again = 1e-12
    network.run(until=0.01)
    assert 50 < len(first.woken) < 200


def test_polled_endpoints_get_datagrams_only_when_they_poll() -> None:
    network = SimulatedNetwork(conditions=Conditions(latency=0.01))
    first, second = pair(network, polled=True)
    say(network, first, b"x")
    network.run(until=0.5)
    assert second.received == []
    network.poll("b")
    assert second.received == [(0.5, b"x", "a")]


def test_a_paused_endpoint_finds_its_datagrams_when_it_goes_on() -> None:
    network = SimulatedNetwork()
    first, second = pair(network)
    ticks: list[float] = []
    network.every(0.1, lambda: ticks.append(network.now), owner="b")
    second.wake_at = 0.5
    network.pause("b", 1.0)
    say(network, first, b"x")
    network.run(until=0.95)
    assert second.received == [] == second.woken == ticks
    network.run(until=1.25)
    assert second.received == [(1.0, b"x", "a")]
    assert second.woken == [1.0]
    assert ticks == pytest.approx([1.0, 1.1, 1.2])


def test_a_crashed_endpoint_gets_nothing_and_its_callbacks_end() -> None:
    network = SimulatedNetwork(conditions=Conditions(latency=0.01))
    first, second = pair(network)
    ticks: list[float] = []
    network.every(0.1, lambda: ticks.append(network.now), owner="b")
    network.run(until=0.25)
    say(network, first, b"x")
    network.detach("b")
    network.run(until=1.0)
    assert second.received == []
    assert len(ticks) == 3
    assert network.undeliverable == 1
    network.attach("b", Recorder())
    with pytest.raises(UsageError):
        network.attach("b", Recorder())


def test_a_moved_endpoint_is_seen_at_its_new_address() -> None:
    network = SimulatedNetwork()
    first, second = pair(network)
    network.move("a", "c")
    first.outbox.append((b"x", "b"))
    network.flush("c")
    network.run(until=0.1)
    assert second.received == [(0.0, b"x", "c")]


def test_a_cut_loses_both_ways_and_heals() -> None:
    network = SimulatedNetwork()
    first, second = pair(network)
    network.cut("a", "b", 0.5)
    say(network, first, b"lost")
    network.run(until=0.5)
    say(network, first, b"heard")
    network.run(until=0.6)
    assert second.payloads == [b"heard"]


def test_callbacks_at_multiples_of_an_interval_do_not_drift() -> None:
    network = SimulatedNetwork()
    ticks: list[float] = []
    network.every(1 / 60, lambda: ticks.append(network.now), phase=0.5)
    network.run(until=100.0)
    assert ticks == [0.5 + i * (1 / 60) for i in range(len(ticks))]


def test_run_while_says_whether_the_condition_ended_in_time() -> None:
    network = SimulatedNetwork()
    ticks: list[float] = []
    network.every(0.1, lambda: ticks.append(network.now))
    assert network.run_while(lambda: len(ticks) < 5, limit=1.0)
    assert not network.run_while(lambda: len(ticks) < 500, limit=1.0)
    assert network.now == pytest.approx(1.4)


def chatter(seed: int, extra: bool = False) -> list[tuple[float, bytes, object]]:
    bad = Conditions(latency=0.05, jitter=0.03, loss=0.2, duplicate=0.1, reorder=0.1, burst_enter=0.01)
    network = SimulatedNetwork(seed=seed, conditions=bad)
    first, second = pair(network)
    second.echo = True
    third = Recorder()
    network.attach("c", third)

    def tick() -> None:
        say(network, first, str(network.now).encode())
        if extra:
            third.outbox.append((b"noise", "a"))
            network.flush("c")

    network.every(1 / 60, tick)
    network.run(until=5.0)
    return second.received


def test_a_run_repeats_exactly_from_its_seed() -> None:
    assert chatter(1) == chatter(1)
    assert chatter(1) != chatter(2)


def test_traffic_on_one_link_does_not_change_another() -> None:
    assert chatter(1) == chatter(1, extra=True)
