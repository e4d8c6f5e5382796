"""The hub without time."""

import pytest

from retick.errors import UsageError
from retick.transport import MemoryHub
from tests.transport.echo import Recorder


def test_what_one_sends_the_other_has_and_answers_within_one_exchange() -> None:
    hub = MemoryHub()
    first, second = Recorder(), Recorder(echo=True)
    hub.attach("a", first)
    hub.attach("b", second)
    first.outbox += [(b"1", "b"), (b"2", "b"), (b"3", "nobody")]
    first.wake_at = 7.0
    assert hub.exchange(now=7.0) == 4
    assert first.payloads == [b"echo 1", b"echo 2"]
    assert first.woken == [7.0]
    assert hub.undeliverable == 1


def test_a_ttl_is_ignored() -> None:
    hub = MemoryHub()
    first, second = Recorder(), Recorder()
    hub.attach("a", first)
    hub.attach("b", second)
    first.outbox.append((b"1", "b", 1))
    hub.exchange(now=0.0)
    assert second.payloads == [b"1"]


def test_endless_answers_are_stopped() -> None:
    hub = MemoryHub()
    first, second = Recorder(echo=True), Recorder(echo=True)
    hub.attach("a", first)
    hub.attach("b", second)
    first.outbox.append((b"1", "b"))
    with pytest.raises(UsageError, match="without end"):
        hub.exchange(now=0.0, limit=100)


def test_an_address_is_held_once_and_can_be_left() -> None:
    hub = MemoryHub()
    hub.attach("a", Recorder())
    with pytest.raises(UsageError, match="taken"):
        hub.attach("a", Recorder())
    hub.detach("a")
    hub.attach("a", Recorder())
