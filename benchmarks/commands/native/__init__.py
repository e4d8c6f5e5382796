"""The fighter's step in C, which benchmarks compare with; it is compiled when needed, if there is a compiler.

It knows nothing of the library's own kernels; the benchmark that times both compares their checksums.
"""

import ctypes
import shutil
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from retick.errors import RetickError
from retick.games.fighter.bots import bout

__all__ = ["SOURCE", "TARGETS_NS", "NativeFighter", "build", "c_loop_ns", "find_compiler", "slowness", "yardstick"]

SOURCE = Path(__file__).with_name("fighter.h")
TARGETS_NS = 6.0
"""Nanoseconds of a step of the C loop on the machine for which all targets in microseconds are set."""
FLAGS = ("-O3", "-shared", "-fPIC", "-x", "c")


def find_compiler(names: Sequence[str] = ("cc", "gcc", "clang")) -> str | None:
    """The path of the first installed C compiler."""
    return next((path for name in names if (path := shutil.which(name))), None)


def build(compiler: str, folder: Path) -> Path:
    """Compile the C code to a shared library in ``folder``."""
    library = folder / "fighter.shared"
    done = subprocess.run([compiler, *FLAGS, str(SOURCE), "-o", str(library)], capture_output=True, text=True)
    if done.returncode != 0:
        raise RetickError(f"{compiler} could not compile {SOURCE.name}: {done.stderr.strip()}")
    return library


class NativeFighter:
    """A match in the C library."""

    def __init__(self, library: Path) -> None:
        self._library = ctypes.CDLL(str(library))
        self._library.fighter_size.restype = ctypes.c_size_t
        self._library.fighter_checksum.restype = ctypes.c_uint32
        self._library.fighter_reset.argtypes = (ctypes.c_void_p, ctypes.c_uint32)
        self._library.fighter_run.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t)
        self._match = ctypes.create_string_buffer(self._library.fighter_size())

    def run(self, seed: int, frames: bytes) -> None:
        """Play ``frames`` from the beginning of a match."""
        self._library.fighter_reset(self._match, seed)
        self._library.fighter_run(self._match, frames, len(frames) // 4)

    def checksum(self) -> int:
        """Checksum of the state at the end of the last run."""
        return int(self._library.fighter_checksum(self._match))


def c_loop_ns(*, frames: bytes | None = None, passes: int = 20) -> float | None:
    """Nanoseconds per step of the C loop over a match of bots, best of several passes; None without a compiler.

    Other benchmarks print it beside their own figures: it shows how fast the machine is.
    """
    compiler = find_compiler()
    if compiler is None:
        return None
    payload = bout(1, 20_000) if frames is None else frames
    # Windows cannot delete a loaded library; it stays until temporary files are cleaned.
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        fighter = NativeFighter(build(compiler, Path(folder)))
        best = float("inf")
        for _ in range(passes):
            started = time.perf_counter()
            fighter.run(1, payload)
            best = min(best, time.perf_counter() - started)
    return best / (len(payload) // 4) * 1e9


def slowness(c_loop: float | None) -> float:
    """The factor of this machine's targets in microseconds, given its C loop; 1 without a C compiler."""
    return 1.0 if c_loop is None else c_loop / TARGETS_NS


def yardstick(c_loop: float | None) -> str:
    """A line about the factor of a report's targets."""
    if c_loop is None:
        return f"no C compiler to measure this machine with: targets are for a C loop of {TARGETS_NS} ns a step"
    return f"the fighter's C loop takes {c_loop:.1f} ns a step here; targets are scaled by it"
