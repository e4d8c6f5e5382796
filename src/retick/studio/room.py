"""What a room is: it gets what its page sends, runs in the background, and posts messages for the page."""

from typing import Any

from retick.studio.messages import FeedError, FileSent, Message, write_message
from retick.studio.outbox import Outbox

__all__ = ["Room"]


class Room:
    """Base class of rooms; every hook is optional."""

    name = ""
    """In the address of its feed."""
    slots = 2
    """Files that it holds at most."""

    def __init__(self) -> None:
        self.outbox = Outbox()

    def hello(self) -> dict[str, Any]:
        """What the first message has besides the fields of every room; also for a page that comes back."""
        return {}

    async def run(self) -> None:
        """Runs until it is cancelled, as long as the room exists. A room that only answers needs none."""

    def receive(self, message: Message) -> None:
        """A message of the page. Raises FeedError, or any RetickError, for what is wrong: its text goes to the page."""
        raise FeedError(f"{self.name}: there is no message {message.type[:40]!r}")

    def receive_file(self, file: FileSent) -> None:
        """A file of the page."""
        raise FeedError(f"{self.name}: no file is opened here")

    def close(self) -> None:
        """The room ends: sockets and threads end with it."""

    def post(self, kind: str, /, **fields: Any) -> None:
        """Send a message that must arrive."""
        self.outbox.post(write_message(kind, **fields))

    def show(self, kind: str, /, **fields: Any) -> None:
        """Send a message that shows a moment: while it waits, a newer one of its type replaces it."""
        self.outbox.show(kind, write_message(kind, **fields))

    def show_bytes(self, key: str, data: bytes) -> None:
        """Send a picture as a binary message; while it waits, a newer one with the same key replaces it."""
        self.outbox.show(key, data)
