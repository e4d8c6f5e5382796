"""A disk on which every new file of the storage finds room for so many bytes, and then none."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from io import FileIO
from typing import Any

import pytest

from retick.replay import storage

NO_BYTECODE = {"PYTHONDONTWRITEBYTECODE": "1"}
"""The environment of a process whose files have a limit: Python would leave cut-off modules for all that follow."""


@contextmanager
def full_after(room: int) -> Iterator[None]:
    class Full(FileIO):
        left = room

        def write(self, data: Any) -> int:
            taken = min(len(data), self.left)
            if not taken:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            self.left -= taken
            return super().write(bytes(data[:taken]))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(storage, "open", lambda path, mode, buffering: Full(path, "x"), raising=False)
        yield
