"""The file with a relay's key: 64 hexadecimal digits, readable by its owner only, made at the first start."""

import os
from pathlib import Path

from retick.errors import UsageError
from retick.relay.tickets import KEY_SIZE

__all__ = ["relay_key"]


def relay_key(path: Path | None) -> bytes:
    """The key in a file, which is made if it is not there; without a file, a key for this run only."""
    if path is None:
        return os.urandom(KEY_SIZE)
    if not path.exists():
        key = os.urandom(KEY_SIZE)
        # Created with its permissions, so that nobody can read it in between.
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
            file.write(f"{key.hex()}\n")
        return key
    with path.open("rb") as file:
        text = file.read(2 * KEY_SIZE + 3).strip()
    try:
        key = bytes.fromhex(text.decode("ascii"))
    except ValueError:
        key = b""
    if len(key) != KEY_SIZE:
        raise UsageError(
            f"{path} is not a key: a key is {2 * KEY_SIZE} hexadecimal digits; remove it to make a new one"
        )
    return key
