"""One of the two files of a replay room: its contents, its game, and its view of a frame."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from retick.audit.desync.bundle import Bundle, loads_bundle
from retick.audit.desync.explain import explain
from retick.audit.desync.explanation import explanation_lines
from retick.audit.game_loader import GAME_IDS, load_game, made_for
from retick.errors import DecodeError, RetickError, UsageError
from retick.replay import Replay, format_of, loads
from retick.replay.formats import MAGICS, facts_of
from retick.rollback.desync.report import FieldValues, peers_text, value_text
from retick.sim.contract import PacksState, Simulation
from retick.studio.replay.viewer import ReplayStrip, Viewer, input_rows
from retick.studio.room import FeedError, FileSent, Steps
from retick.studio.shown import LONGEST_VALUE, MOST_FIELDS, shown_fields

MOST_SIDES = 8
MOST_LINES = 500
UNKNOWN = "not sent"
"""Stands for a value that no report has."""


def bundle_view(bundle: Bundle, make: Callable[[], Simulation[Any]] | None) -> dict[str, Any]:
    """The view of a desync bundle: its summary, and all sides' states at the first frame that differs.

    With a game, all fields of this peer's state are shown; without it, only those that differ.
    """
    report = bundle.report
    sides = report.groups[:MOST_SIDES]
    checksums = report.divergences[0].checksums if report.divergences else ()
    differing = {field.name: _values(field, sides) for field in report.fields}
    own = _own_fields(bundle, make)
    rows = [[name[:LONGEST_VALUE], values, True] for name, values in differing.items()]
    if own is not None:
        known = dict(own)
        cut = {peer for peer, _ in report.left_out}
        same = [cut.isdisjoint(side) or bundle.peer_id in side for side in sides]
        rows = [
            [name, differing.get(name) or [value if shown else UNKNOWN for shown in same], name in differing]
            for name, value in own
        ] + [row for row in rows if row[0] not in known]
    return {
        "lines": [line[:500] for line in explanation_lines(explain(bundle, ()))[:MOST_LINES]],
        "peer": bundle.peer_id,
        "game": bundle.game,
        "frame": report.first_differing,
        "agreed": report.last_agreed,
        "sides": [
            {"label": peers_text(side), "checksum": f"0x{checksum:08X}", "own": bundle.peer_id in side}
            for side, checksum in zip(sides, checksums, strict=False)
        ],
        "fields": rows[:MOST_FIELDS],
        "complete": own is not None,
        "hidden": [[field.name[:LONGEST_VALUE], _values(field, sides)] for field in report.hidden],
    }


def _values(field: FieldValues, sides: tuple[tuple[int, ...], ...]) -> list[str]:
    values = dict(field.values)
    return [next((value_text(values[peer]) for peer in side if peer in values), UNKNOWN) for side in sides]


def _own_fields(bundle: Bundle, make: Callable[[], Simulation[Any]] | None) -> list[tuple[str, str]] | None:
    game = None if make is None else make()
    if bundle.differing_state is None or not isinstance(game, PacksState):
        return None
    return shown_fields(game.fields(game.unpack_state(bundle.differing_state)))[0]


# A file never decides what is imported: it only picks one of the games that are known here.

FIGHTER = "retick.fighter"
START = "start the studio with it: retick studio module:Class, or retick studio --project"


class GameNotKnown(UsageError):
    """The file belongs to a game that is not known here."""


class Games:
    """The games of this library, and the one named on the command line."""

    def __init__(self, own: str | None, known: Mapping[str, str] = GAME_IDS) -> None:
        self._own = None if own is None else load_game(own)
        self._name = own
        self._known = known

    def make_for(self, replay: Replay) -> Callable[[], Simulation[Any]]:
        """A factory of games for a recording; GameNotKnown if none fits."""
        make = self._maker(replay)
        return lambda: made_for(make, replay.num_players)

    def _maker(self, replay: Replay) -> Callable[[], Simulation[Any]]:
        if replay.game_id in self._known:
            return load_game(self._known[replay.game_id])
        own_id = None if self._own is None else getattr(self._own(), "game_id", "")
        if self._own is not None and own_id == replay.game_id:
            return self._own
        if replay.game_id:
            raise GameNotKnown(f"the recording is of {replay.game_id[:80]!r}, which is not known here: {START}")
        if not replay.checkpoints:
            # An RPLK file cannot name its game and always holds the fighter, but it has no checksums.
            return load_game(self._known[FIGHTER])
        raise GameNotKnown(f"the recording does not name its game: {START}")


ARCHIVE = b"PK"
"""First bytes of a ZIP archive, and so of a desync bundle."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """The contents of a file."""

    name: str
    size: int
    """Size in bytes."""
    format: str
    """``rplk``, ``rtk`` or ``desync``."""
    replay: Replay | None
    """The recording to scrub; None for a bundle without any frames."""
    bundle: Bundle | None = None


def open_file(file: FileSent) -> Opened:
    """Read a recording or a desync bundle; FeedError if it is neither."""
    try:
        if file.data[:4] in MAGICS:
            return Opened(name=file.name, size=len(file.data), format=format_of(file.data), replay=loads(file.data))
        if file.data[:2] == ARCHIVE:
            bundle = loads_bundle(file.data)
            return Opened(
                name=file.name, size=len(file.data), format="desync", replay=_frames_of(bundle), bundle=bundle
            )
    except RetickError as error:
        raise FeedError(f"{file.name}: {error}") from None
    what = "it is empty" if not file.data else f"it starts with {file.data[:4]!r}"
    raise FeedError(f"{file.name} is neither a replay (.rtk, .rplk) nor a desync bundle (.desync): {what}")


def _frames_of(bundle: Bundle) -> Replay | None:
    """The frames around the difference, or else this peer's whole recording, or any recording."""
    if bundle.around is not None:
        return bundle.around
    own = bundle.recordings.get(bundle.peer_id)
    return own if own is not None else next(iter(bundle.recordings.values()), None)


LONGEST_FACT = 300


class Slot:
    """An open file."""

    def __init__(self, opened: Opened, games: Games) -> None:
        self.opened = opened
        self.replay = opened.replay
        self.viewer: Viewer | None = None
        self.note = ""
        """Why there is no state to show; empty if there is one."""
        self.timeline = None if self.replay is None else ReplayStrip(self.replay)
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
        except DecodeError as error:  # the packed state is damaged, but the report is good
            self.note = self.note or f"the state in the bundle cannot be read: {error}"
            return bundle_view(bundle, None)

    def describe(self) -> dict[str, Any]:
        """Everything about the file that does not depend on a frame."""
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
        """The page's view of the frame, after ``seek``; only the inputs if the game is not known."""
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
