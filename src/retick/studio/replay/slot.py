"""One of the two files of a room: what it is, and what can be shown of it."""

from typing import Any

from retick.errors import DecodeError, UsageError
from retick.replay.formats import facts_of
from retick.studio.replay.bundle_view import bundle_view
from retick.studio.replay.game_choice import Games
from retick.studio.replay.opening import Opened
from retick.studio.replay.timeline import Timeline
from retick.studio.replay.viewer import Viewer, input_rows
from retick.studio.steps import Steps

__all__ = ["Slot"]

LONGEST_FACT = 300


class Slot:
    """A file that is open."""

    def __init__(self, opened: Opened, games: Games) -> None:
        self.opened = opened
        self.replay = opened.replay
        self.viewer: Viewer | None = None
        self.note = ""
        """Why there is no state to show."""
        self.timeline = None if self.replay is None else Timeline(self.replay)
        if self.replay is not None:
            try:
                self.viewer = Viewer(self.replay, games.make_for(self.replay))
            except (UsageError, DecodeError) as error:
                self.note = str(error)
        else:
            self.note = "the bundle has no frames: only its report is shown"
        self._bundle = self._bundle_view()

    def _bundle_view(self) -> dict[str, Any] | None:
        bundle = self.opened.bundle
        if bundle is None:
            return None
        try:
            return bundle_view(bundle, None if self.viewer is None else self.viewer.make)
        except DecodeError as error:  # a packed state that is none: the report is good all the same
            self.note = self.note or f"the state in the bundle cannot be read: {error}"
            return bundle_view(bundle, None)

    def describe(self) -> dict[str, Any]:
        """Everything about it that does not depend on a frame."""
        opened, replay = self.opened, self.replay
        facts = {} if replay is None else facts_of(replay)
        return {
            "name": opened.name,
            "format": opened.format,
            "size": opened.size,
            "facts": [
                [name.replace("_", " "), str(value)[:LONGEST_FACT]]
                for name, value in facts.items()
                if value not in (None, {}, [])
            ],
            "players": 0 if replay is None else replay.num_players,
            "known": self.viewer is not None,
            "fighter": self.viewer is not None and self.viewer.is_fighter,
            "note": self.note,
            "timeline": None if self.timeline is None else self.timeline.to_json(),
            "bundle": self._bundle,
        }

    def has(self, frame: int) -> bool:
        return self.replay is not None and self.replay.start_frame <= frame <= self.replay.end_frame

    def seek(self, frame: int) -> Steps:
        if self.viewer is not None:
            yield from self.viewer.seek(frame)

    def view(self, frame: int) -> dict[str, Any]:
        """After ``seek``: the frame as the page sees it. Of a game that is not known, only its inputs."""
        if self.viewer is not None:
            return self.viewer.view()
        assert self.replay is not None, "has() was asked first"
        recorded = self.replay.checkpoints.get(frame)
        return {
            "frame": frame,
            "fields": [],
            "left_out": 0,
            "changed": [],
            "checksum": None,
            "recorded": None if recorded is None else f"0x{recorded:08X}",
            "inputs": input_rows(self.replay, frame),
        }
