"""Key files: the lasting key of this machine, a server's key, a token key, and the key log of links.

Where the system knows owners, only the owner can read them. No key is ever shown: messages name the file and the
fingerprint or the public key. Each file says what its key is for, so that one cannot be mistaken for another.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

from retick._regular_files import regular
from retick.errors import UsageError
from retick.link import Invite
from retick.playing.link_form import LinkForm

_KEY_BYTES: Final = 32
_MOST_BYTES: Final = 1024
_ONLY_OWNER: Final = 0o600


class _Kind(NamedTuple):
    """What a key file is for."""

    mark: str
    """The first word of the file."""
    name: str
    remedy: str


_IDENTITY: Final = _Kind("retick-identity-1", "a lasting key", "name another one, and it is made")
_SERVER: Final = _Kind("retick-server-key-1", "a server's key", "name another one, and it is made")
_TOKEN: Final = _Kind("retick-token-key-1", "a token key", "retick token keygen makes one")
_KINDS: Final = (_IDENTITY, _SERVER, _TOKEN)


def kind_of_key(text: bytes) -> str | None:
    """What the text of a key file holds, as "a server's key"; None if it is no key file."""
    words = text.split(maxsplit=1)
    return next((kind.name for kind in _KINDS if words and words[0] == kind.mark.encode()), None)


def load_identity(path: Path) -> tuple[bytes, str]:
    """Read this machine's lasting key from a file, made if missing; return it and a line with its fingerprint."""
    from retick.link.sealing.keys import fingerprint_of
    from retick.link.sealing.primitives import signer_of

    key, is_new = _load_or_make(_IDENTITY, path)
    said = "made this machine's lasting key in" if is_new else "this machine's lasting key is in"
    return key, f"{said} {path}, fingerprint {fingerprint_of(signer_of(key))}{_open_to(path)}"


def load_server_key(path: Path) -> tuple[bytes, str]:
    """Read a server's private key from a file, made if missing; return it and a line about it."""
    key, is_new = _load_or_make(_SERVER, path)
    said = "made the server's key in" if is_new else "the server's key is in"
    return key, f"{said} {path}{_open_to(path)}"


def load_token_key(path: Path) -> tuple[bytes, str]:
    """Read a token key; return it and a warning if others can read the file, otherwise an empty text."""
    return _read_key(_TOKEN, path), f"{path}{_open_to(path)}" if _open_to(path) else ""


def make_token_key(path: Path) -> bytes:
    """Write a new token key to a new file."""
    key = _new_key(_TOKEN, path)
    if key is None:
        raise UsageError(f"{path} exists already: name a new file, no key is overwritten")
    return key


def write_secret(path: Path, text: str) -> None:
    """Write a new file that only its owner can read; UsageError if it cannot be written."""
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _ONLY_OWNER)
    except FileExistsError:
        raise
    except OSError as error:
        raise _unwritable(path, error) from None
    try:
        with open(handle, "w", encoding="ascii") as file:
            file.write(text)
    except OSError as error:
        path.unlink(missing_ok=True)
        raise _unwritable(path, error) from None


def _load_or_make(kind: _Kind, path: Path) -> tuple[bytes, bool]:
    """Return the key, and whether it is new."""
    key = _new_key(kind, path)
    return (_read_key(kind, path), False) if key is None else (key, True)


def _open_to(path: Path) -> str:
    return "" if os.name == "nt" or not path.stat().st_mode & 0o077 else "; others can read it: chmod 600 it"


def _new_key(kind: _Kind, path: Path) -> bytes | None:
    """Write a new key to a new file; None if the file exists already."""
    key = os.urandom(_KEY_BYTES)
    try:
        write_secret(path, f"{kind.mark} {key.hex()}\n")
    except FileExistsError:
        return None
    return key


def _read_key(kind: _Kind, path: Path) -> bytes:
    try:
        with open(path, "rb", opener=regular) as file:
            words = file.read(_MOST_BYTES).split()
        mark, key = words[0].decode("ascii"), bytes.fromhex(words[1].decode("ascii"))
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}") from None
    except (ValueError, IndexError):
        mark, key = "", b""
    if mark != kind.mark or len(key) != _KEY_BYTES or len(words) != 2:
        raise UsageError(f"{path} does not hold {kind.name}: {kind.remedy}")
    return key


class KeyLogFile:
    """Appends a line for each link. When the disk is full, the log ends and the match goes on."""

    def __init__(self, path: Path) -> None:
        """Open the log to append; UsageError if it cannot be written."""
        self.path = path
        self.failure = ""
        """Why the log ended before the match; empty while it is written."""
        self._handle: int | None = None
        try:
            self._handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, _ONLY_OWNER)
        except OSError as error:
            raise _unwritable(path, error) from None

    def __call__(self, line: str) -> None:
        """Append the keys of one link at once, so that the file is good however the program ends."""
        if self._handle is None:
            return
        try:
            os.write(self._handle, line.encode("ascii") + b"\n")
        except OSError as error:
            self.failure = error.strerror or str(error)
            self.close()

    def close(self) -> None:
        """Close the file, after the last link."""
        handle, self._handle = self._handle, None
        if handle is not None:
            os.close(handle)

    def warning(self) -> str:
        """A line for the user who asked for the log."""
        open_to = _open_to(self.path)
        return f"the keys of all links are written to {self.path}: whoever has it can read the match{open_to}"

    def summary(self) -> str:
        """A line for the end of a match; empty unless keys are missing."""
        return f"{self.path} does not have all keys: {self.failure}" if self.failure else ""


def sealed_form(
    invite: Invite | None, identity: Path | None, keylog: Path | None, tell: Callable[[str], object]
) -> LinkForm:
    """Make the form of sealed links with the keys in these files; ``tell`` is called with a line about each file."""
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
