"""The kernels built with sanitizers, which stop the process at a wrong use of memory or at undefined behaviour.

The build is a copy of the sources in build/sanitize; the ordinary kernels stay as they are. It needs gcc or clang with
their sanitizers, on Linux.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

__all__ = ["built_with_sanitizers"]

ROOT = Path(__file__).parents[1]
BUILD = ROOT / "build" / "sanitize"
SANITIZE = "-fsanitize=address,undefined -fno-sanitize-recover=undefined"


def built_with_sanitizers() -> dict[str, str]:
    """Build what has changed, and return the environment for Python to use it."""
    _copy_sources()
    flags = {"CFLAGS": f"{SANITIZE} -fno-omit-frame-pointer -O1 -g1", "LDFLAGS": SANITIZE}
    env = {**os.environ, **flags, "RETICK_REQUIRE_COMPILED": "1"}
    subprocess.run([sys.executable, "setup.py", "-q", "build_ext", "--inplace"], cwd=BUILD, env=env, check=True)
    return {
        "PYTHONPATH": str(BUILD / "src"),
        "LD_PRELOAD": " ".join(map(_library, ("libasan.so", "libubsan.so"))),
        # Python keeps some memory on purpose until it ends.
        "ASAN_OPTIONS": "detect_leaks=0:halt_on_error=1",
        "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
        # Python's own allocator would hide where an object ends.
        "PYTHONMALLOC": "malloc",
    }


def _copy_sources() -> None:
    for path in (ROOT / "src").rglob("*"):
        target = BUILD / path.relative_to(ROOT)
        if path.suffix not in (".py", ".pxd", ".h"):
            continue
        if not target.exists() or target.stat().st_mtime < path.stat().st_mtime:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, target)
    for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy2(ROOT / name, BUILD / name)


def _library(name: str) -> str:
    compiler = os.environ.get("CC", "gcc")
    said = subprocess.run([compiler, f"-print-file-name={name}"], capture_output=True, text=True, check=True)
    return said.stdout.strip()
