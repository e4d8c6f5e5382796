"""The event log of a server: a line for each event, for people or as JSON, and a report of each room that failed.

A line of JSON has ``time`` (UTC, ISO 8601), ``event``, and the event's fields: ``room``, ``peer``, ``address`` …
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from retick.authority import (
    AdmitFailed,
    MessageDropped,
    MessageFromPlayer,
    PlayerJoined,
    PlayerLeft,
    PlayerLost,
    PlayerRejoined,
    RoomClosed,
    RoomFailed,
    ServerDrained,
    ServerEvent,
)
from retick.link.handshake.strangers import RecentRefusal
from retick.netrunner.events import ShotDropped
from retick.playing.printing import complain, count, file_problem, say, say_json
from retick.replay import Recorder, RecordingFile

# Recordings of a server's rooms, one file for each: ``room-NAME-TIME.rtk`` in a folder. They are written once a second.
# A full disk ends the recording, and not the room; a line on standard error says so.

WRITE_EVERY = 60
"""Frames between two writes."""


def file_stem(room: str) -> str:
    """Make a room's name fit into a file name."""
    return "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in room)


def _utc_now() -> datetime:
    return datetime.now(UTC)


class RoomFiles:
    """Makes a recording for each room."""

    def __init__(self, folder: Path, clock: Callable[[], datetime] = _utc_now) -> None:
        self._folder = folder
        self._clock = clock

    def begin(self, room: Any) -> "_RoomFile | None":
        """Make the recorder of a new room of declared worlds; None if its file cannot be made."""
        stamp = self._clock().strftime("%Y%m%d-%H%M%S-%f")
        recorder = Recorder.for_game(
            room.world, seed=room.seed, start_frame=room.tick, start_state=room.start_state, hosted=True
        )
        try:
            file = RecordingFile(self._folder / f"room-{file_stem(room.name)}-{stamp}.rtk", recorder)
        except OSError as error:
            _complain(room.name, error)
            return None
        return _RoomFile(room.name, file)


def _complain(room: str, error: OSError) -> None:
    complain(f"room {room!r} goes on without a recording: {file_problem(error)}")


class _RoomFile:
    """Records a room into its file."""

    def __init__(self, room: str, file: RecordingFile) -> None:
        self._room = room
        self._file = file
        recorder: Any = file.recorder
        self.add_seat: Callable[[int, bool], None] = recorder.add_seat
        self.add_view: Callable[[int, int], None] = recorder.add_view
        self.add_checksum: Callable[[int, int], None] = recorder.add_checksum

    def add_frame(self, inputs: Sequence[int]) -> None:
        recorder = self._file.recorder
        recorder.add_frame(inputs)
        if recorder.frame % WRITE_EVERY == 0:
            with self._complaining():
                self._file.write()

    def finish(self, checksum: int | None = None) -> None:
        if not self._file.failed:
            with self._complaining():
                self._file.finish(checksum)

    @contextmanager
    def _complaining(self) -> Iterator[None]:
        """Complain about an error of the disk; the file is closed then, so there is only one."""
        try:
            yield
        except OSError as error:
            _complain(self._room, error)


_NAMES: dict[type, tuple[str, str]] = {
    PlayerJoined: ("player_joined", "joined"),
    PlayerLost: ("player_lost", "lost its connection"),
    PlayerRejoined: ("player_rejoined", "is back"),
    PlayerLeft: ("player_left", "left"),
    MessageDropped: ("message_dropped", "did not get a message"),
    ShotDropped: ("shot_dropped", "shot, and nobody was told"),
}
"""Events of one player: the name in JSON, and words."""


def _place(address: Any) -> str | None:
    """Write host and port as text; None if the address is not known."""
    if isinstance(address, tuple) and len(address) >= 2:
        host, port = address[0], address[1]
        return f"[{host}]:{port}" if ":" in str(host) else f"{host}:{port}"
    return None if address is None else str(address)


Emit = Callable[[dict[str, Any], str], None]
"""Prints or forwards an event, given its JSON fields and its words."""


def _print_json(record: dict[str, Any], words: str) -> None:
    say_json(record)


def _print_words(record: dict[str, Any], words: str) -> None:
    say(words)


class EventLog:
    """Writes the events of one server, or of all worker processes."""

    def __init__(
        self, *, as_json: bool, reports: Path, clock: Callable[[], datetime] = _utc_now, emit: Emit | None = None
    ) -> None:
        """``reports`` is the folder for reports of failed rooms. ``emit`` gets the lines instead of the terminal."""
        self.listeners: list[Callable[[dict[str, Any]], None]] = []
        """Each is called with the JSON fields of every event."""
        self._emit = emit or (_print_json if as_json else _print_words)
        self._reports = reports
        self._clock = clock
        self._over_budget: dict[str, int] = {}
        self._is_broken = False
        self._unread: dict[str, int] = {}

    def note(self, event: str, words: str, /, **more: Any) -> None:
        """Write one line: ``words`` for people, or the event's name and fields as JSON."""
        time = self._clock().isoformat(timespec="milliseconds")
        record = {"time": time, "event": event} | {name: value for name, value in more.items() if value is not None}
        self._tell(record, words)

    def relay(self, record: dict[str, Any], words: str, worker: int) -> None:
        """Write a line of a worker process."""
        self._tell({**record, "worker": worker}, f"worker {worker}: {words}")

    def _tell(self, record: dict[str, Any], words: str) -> None:
        """Emit a line. If the reader is gone or the disk full, the line is lost and the server goes on."""
        try:
            self._emit(record, words)
            self._is_broken = False
        except OSError as error:
            if not self._is_broken:
                complain(f"the server goes on, but its log cannot be written: {error.strerror}")
            self._is_broken = True
        for listener in self.listeners:
            listener(record)

    def write(self, events: list[ServerEvent]) -> None:
        """Write a line for each event that operators care about; messages of players are only counted."""
        for event in events:
            if isinstance(event, RoomFailed):
                self._write_failed(event)
            elif isinstance(event, RoomClosed):
                self.note(
                    "room_closed", f"room {event.room!r} is closed: {event.text}", room=event.room, text=event.text
                )
            elif isinstance(event, ServerDrained):
                self.note("drained", "all rooms have ended")
            elif isinstance(event, AdmitFailed):
                self.note("admit_failed", f"admit failed: {event.error}", room=event.room, text=event.error)
            elif isinstance(event, MessageFromPlayer):
                self._unread[event.room] = self._unread.get(event.room, 0) + 1
            elif type(event) in _NAMES:
                self._write_player(event)

    def _write_player(self, event: Any) -> None:
        name, words = _NAMES[type(event)]
        text = getattr(event, "text", None)
        room = f" {event.room!r}" if event.room else ""
        why = f": {text}" if isinstance(event, (MessageDropped, ShotDropped)) else ""
        address = _place(getattr(event, "address", None))
        called = getattr(event, "name", None) or None
        known = {each: getattr(event, each, None) for each in ("player", "fingerprint")}
        player = "" if known["player"] is None else f" (player {known['player']})"
        line = f"peer {event.peer_id}{player}{room} {words}{why}"
        self.note(name, line, room=event.room, peer=event.peer_id, name=called, address=address, text=text, **known)

    def _write_failed(self, event: RoomFailed) -> None:
        stamp = self._clock().strftime("%Y%m%d-%H%M%S-%f")
        path = self._reports / f"room-{file_stem(event.room)}-failed-{stamp}.txt"
        try:
            path.write_text(event.report(), encoding="utf-8", errors="backslashreplace")
            report, where = str(path), f"the report is in {path}"
        except OSError as error:
            report, where = None, f"the report cannot be written: {error.strerror}"
        line = f"room {event.room!r} failed at tick {event.tick}: {event.error}; {where}"
        self.note(
            "room_failed",
            line,
            room=event.room,
            tick=event.tick,
            text=event.error,
            players=list(event.states),
            report=report,
        )

    def write_unread(self) -> None:
        """Write a line for each room whose clients have sent messages that nobody reads, since the last call."""
        unread, self._unread = self._unread, {}
        for room, messages in unread.items():
            line = f"room {room!r}: {count(messages, 'message')} from players, which no hook of the game reads"
            self.note("messages_unread", line, room=room, messages=messages)

    def write_refusals(self, found: list[RecentRefusal]) -> None:
        """Write a line for each reason for which joins were refused since the last call."""
        for refusal in found:
            address = _place(refusal.address)
            often, last = ("", "") if refusal.times == 1 else (f" {refusal.times} times", "the last ")
            line = f"refused to let in{often}: {refusal.text} ({last}from {address})"
            self.note("join_refused", line, text=refusal.text, times=refusal.times, address=address)

    def write_costs(self, server: Any) -> None:
        """Write a line for each room in which ticks took too long since the last call."""
        for room in server.rooms.values():
            cost = room.stats.tick_cost
            more = cost.over_budget - self._over_budget.get(room.name, 0)
            if more > 0:
                line = f"room {room.name!r}: {more} ticks over budget, the longest of all {cost.longest * 1000:.1f} ms"
                self.note(
                    "ticks_over_budget", line, room=room.name, ticks=more, longest_ms=round(cost.longest * 1e3, 3)
                )
        self._over_budget = {room.name: room.stats.tick_cost.over_budget for room in server.rooms.values()}
