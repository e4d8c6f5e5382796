"""Files of a match: where it is recorded while it is played, and desync reports beside it."""

import json
import os
import re
import secrets
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from retick.audit.desync.bundle import bundle_of, save_bundle
from retick.errors import RetickError
from retick.replay import LiveRecording
from retick.rollback import DesyncReported, RollbackSession

__all__ = [
    "LostSeat",
    "SeatFile",
    "lost_seat",
    "new_file",
    "recording_of",
    "save_desync",
]


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


# How a window that crashed goes back to its match: the secret of its seat is in a file as long as the match runs.
#
# The file is beside the recordings, and only its owner can read it, where the system knows owners. A window that runs
# touches its file every second. So a file that was not touched for a while is that of a window that is gone.

ENDING = "seat"
TOUCHED_EVERY = 1.0
GONE_AFTER, FORGOTTEN_AFTER = 2.5, 3600.0
"""Seconds since a file was touched: its window is gone; nobody waits for it any more."""
MOST_BYTES = 4096


class LostSeat(NamedTuple):
    """What a window needs to go back to its match."""

    path: Path
    addresses: tuple[str, ...]
    """Of the other players."""
    token: bytes
    """``RollbackSession(seat_token=...)`` takes it."""
    secret: bytes = b""
    """Of the match's invite; empty if it had none."""


class SeatFile:
    """The file of one window; errors of the disk are nothing to a match."""

    def __init__(self, path: Path, game: str) -> None:
        self._path, self._game = path.with_suffix(f".{ENDING}"), game
        self._touched = 0.0

    def write(self, session: RollbackSession, secret: bytes = b"") -> None:
        """Note the session's seat, the secret of its match's invite, and where the others are now."""
        addresses = [_text(at) for at in session.peer_addresses if isinstance(at, tuple)]
        saved = {"game": self._game, "addresses": addresses, "token": session.seat_token.hex(), "secret": secret.hex()}
        self.remove()
        with suppress(OSError):
            handle = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with open(handle, "w", encoding="utf-8") as file:
                json.dump(saved, file)

    def touch(self, now: float) -> None:
        """This window still runs."""
        if now >= self._touched + TOUCHED_EVERY:
            self._touched = now
            with suppress(OSError):
                os.utime(self._path)

    def remove(self) -> None:
        """The match is over, or was left: nobody wants to go back."""
        with suppress(OSError):
            self._path.unlink(missing_ok=True)


def _text(address: tuple[Any, ...]) -> str:
    """An address as people write it; that of a link of IPv6 has its scope at the end."""
    host = f"{address[0]}%{address[3]}" if len(address) > 2 else address[0]
    return f"[{host}]:{address[1]}"


def lost_seat(folder: Path | None, game: str) -> LostSeat | None:
    """The seat of the window of this game that crashed last, if there is one."""
    found: list[tuple[float, LostSeat]] = []
    for path in [] if folder is None else folder.glob(f"*.{ENDING}"):
        with suppress(OSError, ValueError, LookupError, TypeError, AttributeError):  # whatever is in such a file
            age = time.time() - path.stat().st_mtime
            if age > FORGOTTEN_AFTER:
                path.unlink()
            elif age > GONE_AFTER:
                with path.open(encoding="utf-8") as file:
                    saved = json.loads(file.read(MOST_BYTES))
                if saved["game"] == game and saved["addresses"]:
                    token, secret = bytes.fromhex(saved["token"]), bytes.fromhex(saved.get("secret", ""))
                    seat = LostSeat(path, tuple(map(str, saved["addresses"])), token, secret)
                    found.append((age, seat))
    return min(found)[1] if found else None
