"""Files of a match: where it is recorded while it is played, and desync reports beside it."""

import re
import secrets
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from retick.audit.bundle import bundle_of, save_bundle
from retick.errors import RetickError
from retick.replay import LiveRecording
from retick.rollback import DesyncReported

__all__ = ["new_file", "recording_of", "save_desync"]


def new_file(folder: Path, sim: Any, ending: str) -> Path:
    """A name that no file has, also if two windows ask in one second: game, date and time, four letters."""
    game = re.sub(r"[^A-Za-z0-9]+", "-", str(getattr(sim, "game_id", "match"))).strip("-") or "match"
    stem = f"{game}-{time.strftime('%Y%m%d-%H%M%S')}"
    while (path := folder / f"{stem}-{secrets.token_hex(2)}.{ending}").exists():
        pass
    return path


def recording_of(folder: Path | None, sim: Any) -> LiveRecording | None:
    """Records all matches of a session; what goes wrong is in its ``failure`` when the match begins."""
    if folder is None:
        return None
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
    return LiveRecording(new_file(folder, sim, "rtk"))


def save_desync(folder: Path, sim: Any, event: DesyncReported) -> list[str]:
    """Write what this peer has to explain a desync; where it is, or why it is nowhere."""
    if event.investigation is None:
        return ["There was nothing to save."]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path = new_file(folder, sim, "desync")
        save_bundle(path, bundle_of(event.investigation, sim))
    except (OSError, RetickError) as error:
        return [f"It could not be saved: {getattr(error, 'strerror', None) or error}"]
    with suppress(ValueError):
        path = path.absolute().relative_to(Path.cwd())
    return [f"Saved in {path}", "To find the line of the game: retick desync explain, and this file"]
