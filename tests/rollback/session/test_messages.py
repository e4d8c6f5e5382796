"""The application's own messages: to all who play or to one, whole and in order, named by the sender's peer id."""

import pytest

from retick.errors import UsageError
from retick.rollback.events import MessageReceived
from retick.testing.mesh import Mesh
from retick.transport.conditions import Conditions
from tests.rollback.session.matches import playing_mesh, started_mesh


def received(mesh: Mesh, name: str) -> list[tuple[object, bytes]]:
    return [(event.peer, event.data) for event in mesh[name].events_of(MessageReceived)]


def test_a_message_to_all_reaches_every_other_player_and_not_the_sender() -> None:
    mesh = playing_mesh(3)
    sender = mesh["peer1"].session
    assert sender.send_message(b"hello")
    mesh.run(1.0)
    for name in ("peer0", "peer2"):
        assert received(mesh, name) == [(sender.peer_id, b"hello")]
    assert received(mesh, "peer1") == []


def test_a_message_to_one_peer_reaches_only_that_one() -> None:
    mesh = playing_mesh(3)
    assert mesh["peer0"].session.send_message(b"secret", peer=mesh["peer2"].session.peer_id)
    mesh.run(1.0)
    assert received(mesh, "peer2") == [(0, b"secret")]
    assert received(mesh, "peer1") == []


def test_messages_keep_their_order_and_their_bytes_on_a_bad_link() -> None:
    mesh = started_mesh(2, conditions=Conditions(latency=0.03, jitter=0.03, loss=0.2))
    messages = [b"", *(bytes([number]) * number * 40 for number in range(1, 40))]
    assert all(mesh["peer0"].session.send_message(message) for message in messages)
    mesh.run(10.0)
    assert received(mesh, "peer1") == [(0, message) for message in messages]


def test_a_peer_that_does_not_exist_is_named_with_those_that_do() -> None:
    mesh = playing_mesh(3)
    with pytest.raises(UsageError, match=r"there is no peer 7 in this match: there are \[1, 2\]"):
        mesh["peer0"].session.send_message(b"hello?", peer=7)
