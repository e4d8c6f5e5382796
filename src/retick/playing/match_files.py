"""Files of a match: its recording, desync reports, and the secret of its seat."""

import json
import os
import re
import secrets
import shlex
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from retick._regular_files import regular
from retick.audit.desync.bundle import bundle_of, save_bundle
from retick.errors import RetickError
from retick.playing.names import fitting
from retick.replay import LiveRecording
from retick.replay.replay import TICK_RATE, name_key
from retick.rollback import DesyncReported, RollbackSession, RosterPeer


def new_file(folder: Path, sim: Any, ending: str) -> Path:
    """Make an unused file name, even if two windows ask in the same second: game, date and time, four letters."""
    game = re.sub(r"[^A-Za-z0-9]+", "-", str(getattr(sim, "game_id", "match"))).strip("-") or "match"
    stem = f"{game}-{time.strftime('%Y%m%d-%H%M%S')}"
    while (path := folder / f"{stem}-{secrets.token_hex(2)}.{ending}").exists():
        pass
    return path


def of_the_user(path: Path, title: str) -> Path:
    """Where a program writes: a packaged game, whose own folder may be read-only, to the user's data folder."""
    if not getattr(sys, "frozen", False) or path.is_absolute():
        return path
    home = Path.home()
    if sys.platform == "win32":
        data = Path(os.environ.get("APPDATA") or home)
    elif sys.platform == "darwin":
        data = home / "Library" / "Application Support"
    else:
        data = Path(os.environ.get("XDG_DATA_HOME") or home / ".local" / "share")
    return data / (re.sub(r"[^\w -]", "", title).strip() or "game") / path


def recording_of(folder: Path | None, sim: Any, tick_rate: int) -> LiveRecording | None:
    """Make the recording of a session's matches; its ``failure`` says what went wrong when the match begins."""
    if folder is None:
        return None
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
    return LiveRecording(new_file(folder, sim, "rtk"), metadata={TICK_RATE: str(tick_rate)})


def note_names(record: LiveRecording, roster: Iterable[RosterPeer]) -> None:
    """Note the names of those who play in the recording of their match."""
    for peer in roster:
        for player in peer.players:
            if peer.name:
                record.note(name_key(player), peer.name)


def save_desync(folder: Path, sim: Any, event: DesyncReported) -> list[str]:
    """Write this peer's desync bundle; return lines with its place, or with the reason why there is none."""
    if event.investigation is None:
        return ["There was nothing to save."]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path = new_file(folder, sim, "desync")
        bundle = bundle_of(event.investigation, sim)
        save_bundle(path, bundle)
    except (OSError, RetickError) as error:
        return [f"It could not be saved: {getattr(error, 'strerror', None) or error}"]
    with suppress(ValueError):
        path = path.absolute().relative_to(Path.cwd())
    command = shlex.join(["retick", "desync", "explain", str(path), "--game", bundle.game])
    return [f"Saved in {path}", f"To find the line of the game: {command}"]


# A window that crashed goes back to its match with the secret of its seat, which is in a file while the match runs.
#
# The file is beside the recordings, and only its owner can read it, where the system knows owners. A running window
# touches its file every second. So a file that was not touched for a while belongs to a window that is gone.

ENDING = "seat"
TOUCHED_EVERY = 1.0
GONE_AFTER, FORGOTTEN_AFTER = 2.5, 3600.0
"""Seconds without a touch after which a window counts as gone, and after which its file is deleted."""
MOST_BYTES = 4096


class LostSeat(NamedTuple):
    """The contents of a seat file: what a window needs to go back to its match."""

    path: Path
    addresses: tuple[str, ...]
    """Addresses of the other players."""
    token: bytes
    """The seat token, an argument of ``RollbackSession``."""
    secret: bytes = b""
    """Secret of the match's invite; empty if it had none."""
    name: str = ""
    """The name that was played under."""


class SeatFile:
    """The file of one window; errors of the disk do not matter to the match."""

    def __init__(self, path: Path, game: str) -> None:
        self._path, self._game = path.with_suffix(f".{ENDING}"), game
        self._touched = 0.0

    def write(self, session: RollbackSession, secret: bytes = b"") -> None:
        """Write the session's seat token, the secret of its invite, its player's name, and the others' addresses."""
        addresses = [_text(at) for at in session.peer_addresses if isinstance(at, tuple)]
        saved = {"game": self._game, "addresses": addresses, "token": session.seat_token.hex(), "secret": secret.hex()}
        saved["name"] = next((peer.name for peer in session.roster if peer.peer_id == session.peer_id), "")
        self.remove()
        with suppress(OSError):
            handle = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with open(handle, "w", encoding="utf-8") as file:
                json.dump(saved, file)

    def touch(self, now: float) -> None:
        """Show that this window still runs."""
        if now >= self._touched + TOUCHED_EVERY:
            self._touched = now
            with suppress(OSError):
                os.utime(self._path)

    def remove(self) -> None:
        """Delete the file, since the match is over or was left."""
        with suppress(OSError):
            self._path.unlink(missing_ok=True)


def _text(address: tuple[Any, ...]) -> str:
    """Write an address as people do; a link-local IPv6 address keeps its scope."""
    host = f"{address[0]}%{address[3]}" if len(address) > 2 else address[0]
    return f"[{host}]:{address[1]}"


def lost_seat(folder: Path | None, game: str) -> LostSeat | None:
    """The seat of this game's window that crashed last; None if there is none."""
    found: list[tuple[float, LostSeat]] = []
    for path in [] if folder is None else folder.glob(f"*.{ENDING}"):
        with suppress(OSError, ValueError, LookupError, TypeError, AttributeError):  # the file may hold anything
            age = time.time() - path.stat().st_mtime
            if age > FORGOTTEN_AFTER:
                path.unlink()
            elif age > GONE_AFTER:
                with open(path, encoding="utf-8", opener=regular) as file:
                    saved = json.loads(file.read(MOST_BYTES))
                if saved["game"] == game and saved["addresses"]:
                    token, secret = bytes.fromhex(saved["token"]), bytes.fromhex(saved.get("secret", ""))
                    name = fitting(str(saved.get("name", "")))
                    seat = LostSeat(path, tuple(map(str, saved["addresses"])), token, secret, name)
                    found.append((age, seat))
    return min(found)[1] if found else None
