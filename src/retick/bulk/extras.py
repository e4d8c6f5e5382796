"""Libraries that are needed only for some sources, imported when one of these is given."""

import importlib
from typing import Any

from retick.errors import MissingExtra

__all__ = ["fsspec", "pyarrow"]


def pyarrow(module: str = "pyarrow") -> Any:
    """pyarrow, or a module of it; it has no types of its own."""
    return _imported(module, "Parquet needs pyarrow: pip install pyarrow")


def fsspec() -> Any:
    """fsspec, which has no types of its own."""
    return _imported("fsspec", "a URL needs fsspec: pip install fsspec")


def _imported(module: str, line: str) -> Any:
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError:
        raise MissingExtra(line) from None
