from retick.studio.room import LONGEST_QUEUE, PageOutbox
from tests.studio.conftest import awaited


def drained(outbox: PageOutbox, count: int) -> list[str | bytes]:
    async def take() -> list[str | bytes]:
        return [await outbox.next() for _ in range(count)]

    found: list[str | bytes] = awaited(take())
    return found


def test_messages_that_must_arrive_come_in_order_and_before_moments() -> None:
    outbox = PageOutbox()
    outbox.show("frame", "frame 1")
    outbox.post("first")
    outbox.post("second")
    assert drained(outbox, 3) == ["first", "second", "frame 1"]


def test_a_newer_moment_replaces_one_that_waits() -> None:
    outbox = PageOutbox()
    for number in range(1000):
        outbox.show("frame", f"frame {number}")
        outbox.show("figures", f"figures {number}")
    assert drained(outbox, 2) == ["frame 999", "figures 999"]


def test_a_full_queue_is_marked_and_takes_no_more() -> None:
    outbox = PageOutbox()
    for number in range(LONGEST_QUEUE):
        outbox.post(str(number))
    assert not outbox.overflowed
    outbox.post("one too many")
    assert outbox.overflowed
    assert len(drained(outbox, LONGEST_QUEUE)) == LONGEST_QUEUE


def test_a_moment_that_is_a_function_is_made_when_it_is_sent() -> None:
    outbox = PageOutbox()
    made: list[str] = []

    def make() -> str:
        made.append("made")
        return "newest"

    outbox.show("frame", lambda: "older")
    outbox.show("frame", make)
    assert made == []
    assert drained(outbox, 1) == ["newest"]
    assert made == ["made"]
