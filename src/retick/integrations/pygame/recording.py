"""Writes each match into a file of its own while it is played, and desync reports beside it."""

import re
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from retick.audit.bundle import bundle_of, save_bundle
from retick.errors import RetickError
from retick.replay import Recorder, RecordingFile
from retick.rollback import DesyncReported, RollbackSession
from retick.rollback.session.inside import inside_of

__all__ = ["MatchFile", "new_file", "save_desync"]

WRITE_EVERY = 60
"""Frames between two writes, and between two recorded checksums."""


def new_file(folder: Path, session: RollbackSession, ending: str) -> Path:
    """A name that no file has: game, date and time, seats. OSError if the folder cannot be made."""
    folder.mkdir(parents=True, exist_ok=True)
    game = re.sub(r"[^A-Za-z0-9]+", "-", str(getattr(session.sim, "game_id", "match"))).strip("-") or "match"
    seats = "".join(str(player + 1) for player in session.local_players)
    stem = f"{game}-{time.strftime('%Y%m%d-%H%M%S')}-p{seats}"
    path, number = folder / f"{stem}.{ending}", 1
    while path.exists():
        number += 1
        path = folder / f"{stem}-{number}.{ending}"
    return path


class MatchFile:
    """The recording of one match. A disk that becomes full ends the recording and not the match."""

    def __init__(self, folder: Path, session: RollbackSession) -> None:
        self.failure = ""
        """Why there is no recording, or why it ends before the match; empty if all is well."""
        self._session, self._match = session, inside_of(session).match
        self._file: RecordingFile | None = None
        assert self._match is not None
        engine, first = self._match.engine, self._match.engine.start_frame
        recorder = Recorder.for_game(
            session.sim,
            seed=self._match.seed,
            state=engine.state_at(first),
            start_frame=first,
            local_players=engine.local_players,
        )
        try:
            self._file = RecordingFile(new_file(folder, session, "rtk"), recorder)
        except OSError as error:
            self.failure = error.strerror or str(error)

    def add(self) -> None:
        """Record the frames that have become final; call it after every frame."""
        file, match = self._file, self._match
        if file is None or match is None or self.failure:
            return
        before = file.recorder.frame
        for row in match.drain_final_inputs():
            file.recorder.add_frame(row)
        if before // WRITE_EVERY == file.recorder.frame // WRITE_EVERY:
            return
        file.recorder.add_checksum(file.recorder.frame, self._checksum())
        file.recorder.flush()
        self._try(file.write)

    def finish(self) -> None:
        """Write the rest and give the file its name."""
        file = self._file
        if file is not None and not self.failure:
            self.add()
            self._try(lambda: file.finish(self._checksum()))
        self._file = None

    def _checksum(self) -> int:
        """Of the newest final state."""
        assert self._match is not None
        engine = self._match.engine
        checksum: int = self._session.sim.checksum(engine.state_at(engine.final_state_frame))
        return checksum

    def _try(self, write: Any) -> None:
        try:
            write()
        except OSError as error:
            self.failure = error.strerror or str(error)


def save_desync(folder: Path, session: RollbackSession, event: DesyncReported) -> list[str]:
    """Write what this peer has to explain a desync; where it is, or why it is nowhere."""
    if event.investigation is None:
        return ["There was nothing to save."]
    try:
        path = new_file(folder, session, "desync")
        bundle = bundle_of(event.investigation, session.sim)
        save_bundle(path, bundle)
    except OSError as error:
        return [f"It could not be saved: {error.strerror or error}"]
    except RetickError as error:
        return [f"It could not be saved: {error}"]
    with suppress(ValueError):
        path = path.absolute().relative_to(Path.cwd())
    return [f"Saved in {path}", "To find the line of the game: retick desync explain, and this file"]
