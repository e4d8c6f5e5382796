"""Conditions around an endpoint: what its driver sees is the bad link and nothing more."""

from retick.transport import Conditions, Impaired
from tests.transport.echo import Recorder


def test_what_is_sent_leaves_after_the_latency() -> None:
    inner = Recorder()
    bad = Impaired(inner, outgoing=Conditions(latency=0.1))
    inner.outbox.append((b"x", "peer"))
    assert bad.datagrams_to_send(now=1.0) == []
    assert bad.next_timeout() == 1.1
    assert bad.datagrams_to_send(now=1.1) == [(b"x", "peer")]
    assert bad.next_timeout() is None


def test_a_ttl_is_passed_on() -> None:
    inner = Recorder()
    inner.outbox += [(b"x", "peer", 3), (b"y", "peer")]
    assert Impaired(inner).datagrams_to_send(now=1.0) == [(b"x", "peer", 3), (b"y", "peer")]


def test_what_is_received_arrives_after_the_latency() -> None:
    inner = Recorder()
    bad = Impaired(inner, incoming=Conditions(latency=0.1))
    bad.receive_datagram(b"x", "peer", now=1.0)
    assert inner.received == []
    assert bad.next_timeout() == 1.1
    bad.handle_timeout(now=1.1)
    assert inner.received == [(1.1, b"x", "peer")]


def test_loss_duplication_and_the_inner_time_out_show() -> None:
    inner = Recorder()
    bad = Impaired(inner, outgoing=Conditions(loss=1.0), incoming=Conditions(duplicate=1.0), seed=3)
    inner.outbox.append((b"x", "peer"))
    assert bad.datagrams_to_send(now=1.0) == []
    bad.receive_datagram(b"y", "peer", now=1.0)
    assert inner.payloads == [b"y", b"y"]
    inner.wake_at = 4.0
    assert bad.next_timeout() == 4.0
    assert bad.events() == []


def test_cuts_count_from_the_first_call_because_a_real_clock_starts_anywhere() -> None:
    inner = Recorder()
    cut = Conditions(cuts=((1.0, 2.0),))
    bad = Impaired(inner, outgoing=cut, incoming=cut)
    for second in range(4):
        now = 70_000.5 + second
        inner.outbox.append((bytes((second,)), "peer"))
        bad.receive_datagram(bytes((second,)), "peer", now=now)
        assert bool(bad.datagrams_to_send(now=now)) == (second != 1)
    assert inner.payloads == [b"\0", b"\2", b"\3"]
