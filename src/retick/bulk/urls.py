"""Recordings behind URLs, through fsspec."""

import re
from typing import Any, BinaryIO

from retick.bulk.extras import fsspec

__all__ = ["is_url", "open_source", "read_url", "unreachable"]

_PROTOCOL = re.compile(r"([A-Za-z0-9+.-]+)://")
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+(://|::)")


def is_url(source: str) -> bool:
    """Whether a source is for fsspec; a drive letter is not."""
    return ":" in source and _URL.match(source) is not None


def _open_url(url: str) -> BinaryIO:
    """The file behind it, opened; an OSError if it cannot be."""
    library: Any = fsspec()
    try:
        file: BinaryIO = library.open(url, "rb").open()
    except Exception as error:  # each kind of URL has errors of its own
        raise OSError(unreachable(error, url)) from error
    return file


def open_source(name: str) -> BinaryIO:
    """A local file, or what is behind a URL."""
    return _open_url(name) if is_url(name) else open(name, "rb")


def read_url(url: str, most: int) -> bytes:
    """What is behind it, up to ``most`` bytes; an OSError if it cannot be read."""
    with _open_url(url) as file:
        try:
            return file.read(most)
        except Exception as error:  # each kind of URL has errors of its own
            raise OSError(unreachable(error, url)) from error


def unreachable(error: Exception, url: str) -> str:
    """What a library for some kind of URL says, in one line; also what to install if that is what it lacks."""
    said = _line(error)
    if isinstance(error.__cause__, Exception):  # "not found", since nobody answered
        said = f"{said} ({_line(error.__cause__)})"
    protocol = _PROTOCOL.search(url)
    if not isinstance(error, ImportError) or protocol is None:
        return said
    return f'{said}: pip install "fsspec[{"http" if protocol[1] == "https" else protocol[1]}]"'


def _line(error: Exception) -> str:
    text = str(error).strip().splitlines()
    return f"{type(error).__name__}: {text[0]}" if text else type(error).__name__
