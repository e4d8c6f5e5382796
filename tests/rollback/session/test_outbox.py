"""Long messages wait for room, in order, and a slow link does not delay the others."""

from retick.rollback.session.desync_part import Outbox
from retick.rollback.session.peer import Peer


class Link(Peer):
    """A peer whose link has room for so many messages, and which keeps what it was sent."""

    def __init__(self, peer_id: int, room: int) -> None:
        super().__init__(peer_id, (peer_id,))
        self.room = room
        self.is_up = True
        self.received: list[bytes] = []

    @property
    def is_connected(self) -> bool:
        return self.is_up

    def send_part(self, message: bytes) -> bool:
        if not self.room:
            return False
        self.room -= 1
        self.received.append(message)
        return True


MESSAGES = [b"first", b"second", b"third"]


def test_each_peer_gets_all_messages_in_order_as_fast_as_its_own_link_allows() -> None:
    fast, slow = Link(1, room=9), Link(2, room=1)
    outbox = Outbox()
    outbox.post([fast, slow], MESSAGES)
    outbox.pump()
    assert fast.received == MESSAGES
    assert slow.received == [b"first"]
    assert outbox
    slow.room = 9
    outbox.pump()
    assert slow.received == MESSAGES
    assert not outbox


def test_what_waits_for_a_peer_that_is_gone_is_forgotten() -> None:
    gone = Link(1, room=0)
    outbox = Outbox()
    outbox.post([gone], MESSAGES)
    outbox.pump()
    assert outbox
    gone.is_up = False
    outbox.pump()
    assert not outbox
    gone.is_up, gone.room = True, 9
    outbox.pump()
    assert gone.received == []


def test_a_message_is_sent_once_however_often_the_outbox_is_pumped() -> None:
    peer = Link(1, room=9)
    outbox = Outbox()
    outbox.post([peer], MESSAGES)
    for _ in range(3):
        outbox.pump()
    outbox.post([peer], [b"fourth"])
    outbox.pump()
    assert peer.received == [*MESSAGES, b"fourth"]
