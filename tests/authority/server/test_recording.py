"""What a room tells its recorder."""

from typing import Any

from retick.authority.server.room import RoomRecording


class Log:
    def __init__(self) -> None:
        self.lines: list[tuple[Any, ...]] = []

    def __getattr__(self, name: str) -> Any:
        return lambda *arguments: self.lines.append((name, *arguments))


def test_views_are_told_when_they_change_and_before_their_frame() -> None:
    log: Any = Log()
    recording = RoomRecording(log, 2)
    recording.seat(1, True)
    recording.frame([0, 1], [1, 1])
    recording.frame([0, 1], [1, 4])
    recording.frame([0, 2], [1, 4])
    recording.check(3, 99)
    recording.finish(7)
    recording.finish(8)
    recording.frame([0, 0], [1, 1])
    assert log.lines == [
        ("add_seat", 1, True),
        ("add_frame", [0, 1]),
        ("add_view", 1, 4),
        ("add_frame", [0, 1]),
        ("add_frame", [0, 2]),
        ("add_checksum", 3, 99),
        ("finish", 7),
    ]


def test_nothing_is_told_without_a_recorder() -> None:
    recording = RoomRecording(None, 2)
    recording.seat(0, True)
    recording.frame([0, 0], [1, 1])
    recording.check(1, 1)
    recording.finish(None)
