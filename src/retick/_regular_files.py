"""Opens files to read, and refuses what is not a regular file: a pipe, a socket, a device, a folder.

A folder with somebody else's recordings may hold a pipe with the name of a recording, and whoever opens a pipe waits
until another program writes into it. So everything in Retick that opens a file to read does it by ``regular``::

    with open(path, "rb", opener=regular) as file: ...

Standard input is read as the open stream that it is, by commands to which it is given as ``-``.
"""

import errno
import os
import stat

_NO_WAIT = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
"""A pipe that takes the place of the file after the first look is opened without waiting, and then refused."""
_KINDS = (
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def regular(path: str, flags: int) -> int:
    """Open a regular file and return its descriptor, as the ``opener`` of ``open``; OSError for anything else."""
    try:
        refuse_special(path)
    except FileNotFoundError:
        if not flags & os.O_CREAT:
            raise
    file = os.open(path, flags | _NO_WAIT, 0o666)
    try:
        _check(os.fstat(file).st_mode, path)
    except BaseException:
        os.close(file)
        raise
    return file


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """Read a regular file whose size needs no limit."""
    with open(path, "rb", opener=regular) as file:
        return file.read()


def read_text(path: str | os.PathLike[str], encoding: str = "utf-8") -> str:
    """Read a text file as ``read_bytes`` does."""
    with open(path, encoding=encoding, opener=regular) as file:
        return file.read()


def refuse_special(path: str | os.PathLike[str]) -> None:
    """Raise OSError unless the path is a regular file, for libraries that open files by their names themselves."""
    _check(os.stat(path).st_mode, path)


def _check(mode: int, path: str | os.PathLike[str]) -> None:
    if stat.S_ISREG(mode):
        return
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
    kind = next((name for is_kind, name in _KINDS if is_kind(mode)), "something else")
    raise OSError(errno.EINVAL, f"it is {kind}, not a regular file", os.fspath(path))
