"""Files with keys of this machine: its lasting key, and the log of the keys of its links.

Both are made so that only their owner can read them, where the system knows owners. Neither is ever shown: messages
have the fingerprint of a key and the name of a file.
"""

import os
from collections.abc import Callable
from pathlib import Path

from retick.errors import UsageError
from retick.link import Invite
from retick.playing.link_form import LinkForm

__all__ = ["KeyLogFile", "load_identity", "sealed_form"]

_MARK = "retick-identity-1"
_KEY_BYTES = 32
_MOST_BYTES = 1024
_ONLY_OWNER = 0o600


def load_identity(path: Path) -> tuple[bytes, str]:
    """The lasting key in a file, which is made if there is none, and a line about it with its fingerprint."""
    from retick.link.sealing.identity import fingerprint_of
    from retick.link.sealing.primitives import signer_of

    key, said = _new_identity(path), "made this machine's lasting key in"
    if key is None:
        key, said = _read_identity(path), "this machine's lasting key is in"
    open_to = "" if os.name == "nt" or not path.stat().st_mode & 0o077 else "; others can read it: chmod 600 it"
    return key, f"{said} {path}, fingerprint {fingerprint_of(signer_of(key))}{open_to}"


def _new_identity(path: Path) -> bytes | None:
    """A new key in a new file; None if there is one of that name already."""
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _ONLY_OWNER)
    except FileExistsError:
        return None
    except OSError as error:
        raise _unwritable(path, error) from None
    key = os.urandom(_KEY_BYTES)
    try:
        with open(handle, "w", encoding="ascii") as file:
            file.write(f"{_MARK} {key.hex()}\n")
    except OSError as error:
        path.unlink(missing_ok=True)
        raise _unwritable(path, error) from None
    return key


def _read_identity(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            words = file.read(_MOST_BYTES).split()
        mark, key = words[0].decode("ascii"), bytes.fromhex(words[1].decode("ascii"))
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}") from None
    except (ValueError, IndexError):
        mark, key = "", b""
    if mark != _MARK or len(key) != _KEY_BYTES or len(words) != 2:
        raise UsageError(f"{path} is no file of a lasting key: name another one, and it is made")
    return key


class KeyLogFile:
    """Appends a line for each link. When the disk is full, the log ends and the match goes on."""

    def __init__(self, path: Path) -> None:
        """UsageError if it cannot be written."""
        self.path = path
        self.failure = ""
        """Why the log ended before the match; empty if it did not."""
        self._handle: int | None = None
        try:
            self._handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, _ONLY_OWNER)
        except OSError as error:
            raise _unwritable(path, error) from None

    def __call__(self, line: str) -> None:
        """The keys of one link, at once: the file is good however the program ends."""
        if self._handle is None:
            return
        try:
            os.write(self._handle, line.encode("ascii") + b"\n")
        except OSError as error:
            self.failure = error.strerror or str(error)
            self.close()

    def close(self) -> None:
        """After the last link."""
        handle, self._handle = self._handle, None
        if handle is not None:
            os.close(handle)

    def warning(self) -> str:
        """What to tell whoever asked for it."""
        return f"the keys of all links are written to {self.path}: whoever has it can read the match"

    def summary(self) -> str:
        """For the end of a match: only what is wrong."""
        return f"the keys in {self.path} are not all: {self.failure}" if self.failure else ""


def sealed_form(
    invite: Invite | None, identity: Path | None, keylog: Path | None, tell: Callable[[str], object]
) -> LinkForm:
    """Sealed links with the keys of these files; ``tell`` is called with a line about each."""
    key, log = None, None
    if identity is not None:
        key, told = load_identity(identity)
        tell(told)
    if keylog is not None:
        log = KeyLogFile(keylog)
        tell(log.warning())
    return LinkForm(invite=invite, identity=key, keylog=log)


def _unwritable(path: Path, error: OSError) -> UsageError:
    if isinstance(error, FileNotFoundError | NotADirectoryError) and not path.absolute().parent.is_dir():
        return UsageError(f"{path} cannot be written: there is no folder {path.parent}")
    return UsageError(f"{path} cannot be written: {error.strerror or error}")
