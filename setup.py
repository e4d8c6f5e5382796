"""Builds the kernels listed in ``retick._kernels`` as optional extensions; the rest is in pyproject.toml.

A kernel is a plain .py module in Cython's pure-Python mode. Kernels are built on all cores at once, and a kernel is
built again only when its source, or a declaration that it uses, has changed. Without a compiler, or
without Cython, the build goes on and the .py files do the work; RETICK_REQUIRE_COMPILED=1 makes that a failure.
RETICK_PURE=1 builds no kernel at all: an installation in seconds.
"""

import os
import re
import runpy
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.errors import CCompilerError

ROOT = Path(__file__).parent
_LIST = runpy.run_path(str(ROOT / "src/retick/_kernels.py"))
KERNELS: tuple[str, ...] = _LIST["KERNELS"]
REQUIRED = os.environ.get("RETICK_REQUIRE_COMPILED", "") not in ("", "0")

DIRECTIVES = (
    "language_level=3",
    "boundscheck=False",
    "wraparound=False",
    "initializedcheck=False",
    "cdivision=True",
    "embedsignature=False",
    "freethreading_compatible=False",
)
# Contracting a*b+c into one rounding gives other bits than Python does, and some compilers do it without being asked.
# The kernels of retick.sim.maths rest on that, and refuse to be imported where it is done; -ffast-math is as bad.
# Debug information doubles the time of a build and nobody reads it. Aligned functions keep their speed when
# other code moves: a sync test was 10 % slower by chance without. Warnings are about Cython's C, which nobody edits.
FLAGS = (
    ["/fp:strict"] if sys.platform == "win32" else ["-fwrapv", "-ffp-contract=off", "-falign-functions=32", "-g0", "-w"]
)
# What works on arrays of numbers gains from -O3: the fighter's step a third, the sync test a twentieth. Elsewhere the
# time goes into calls of Python's C functions, -O2 measured the same, and it compiles in three quarters of the time.
NUMBERS = tuple(
    f"retick.{room}" for room in ("games", "rollback.engine", "sim.flat", "sim.maths", "snapshot", "verify")
)
TERMINAL = "/dev/tty"
"""The terminal of a process, if it has one, wherever its output goes."""
INSTALLERS = {"_PYPROJECT_HOOKS_BUILD_BACKEND", "PEP517_BUILD_BACKEND"}
"""Names in the environment of a build that an installer has started; the second one until pip 24."""
CIMPORT = re.compile(r"from (?:cython\.cimports\.)?(retick[\w.]+) c?import")


def path_of(module: str, suffix: str) -> str:
    return f"src/{module.replace('.', '/')}{suffix}"


@cache
def declarations(module: str) -> frozenset[str]:
    """The .pxd files that a kernel's C depends on: its own, and those of the modules that it cimports, and so on."""
    found: set[str] = set()
    seen: set[str] = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        texts = [path_of(name, ".py")] if name == module else []
        declared = path_of(name, ".pxd")
        if (ROOT / declared).exists() and declared not in found:
            found.add(declared)
            texts.append(declared)
        for text in texts:
            waiting += re.findall(
                r"from (?:cython\.cimports\.)?(retick[\w.]+) c?import", (ROOT / text).read_text("utf-8")
            )
    return frozenset(found)


class BuildKernels(build_ext):  # type: ignore[misc]  # setuptools has no types
    """Runs Cython and the C compiler for each kernel, on all cores at once."""

    parallel: int
    done = 0

    def finalize_options(self) -> None:
        super().finalize_options()
        self.parallel = self.parallel or os.cpu_count() or 1

    def build_extensions(self) -> None:
        # The largest first: the last kernel to be compiled should be a small one, since it has one core alone.
        self.extensions.sort(key=lambda ext: -Path(ROOT, path_of(ext.name, ".py")).stat().st_size)
        changed = [ext for ext in self.extensions if is_newer(inputs_of(ext.name), path_of(ext.name, ".c"))]
        self.translate(self.extensions if self.force else changed)
        super().build_extensions()
        missing = [ext.name for ext in self.extensions if not Path(self.get_ext_fullpath(ext.name)).exists()]
        if missing:
            tell(f"{len(missing)} {_LIST['HOW_TO_COMPILE']}")

    def translate(self, changed: list[Any]) -> None:
        """Python to C. One process for each core with its share of the kernels: starting Cython takes half a second."""
        command = [sys.executable, "-m", "cython"]
        for directive in DIRECTIVES:
            command += ["-X", directive]
        if changed:
            tell(f"translating {len(changed)} kernels to C")
        for ext in changed:
            Path(ROOT, path_of(ext.name, ".c")).unlink(missing_ok=True)
        shares = [[path_of(ext.name, ".py") for ext in changed[core :: self.parallel]] for core in range(self.parallel)]
        running = [
            subprocess.Popen([*command, *share], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            for share in shares
            if share
        ]
        for process in running:
            said, _ = process.communicate()
            if process.returncode:
                print(said, file=sys.stderr)

    def build_extension(self, ext: Any) -> None:
        """C to an extension, by several threads at once; one that was built beside its source earlier is copied."""
        generated = path_of(ext.name, ".c")
        if not Path(ROOT, generated).exists():
            raise CCompilerError(f"Cython could not translate {ext.name}: see its messages above")
        ext.sources = [generated]
        target = Path(self.get_ext_fullpath(ext.name))
        beside = ROOT / Path(generated).with_name(target.name)
        if not self.force and not is_newer([generated], str(beside)):
            target.parent.mkdir(parents=True, exist_ok=True)
            self.copy_file(str(beside), str(target))
        else:
            super().build_extension(ext)
            self.done += 1
            tell(f"compiled {ext.name}, {self.done} of {len(self.extensions)}")


def tell(words: str) -> None:
    """Say how far the build is, where the person who waits for it can see it."""
    if not is_hidden(os.environ):
        print(f"retick: {words}", file=sys.stderr, flush=True)
        return
    with suppress(OSError), open(TERMINAL, "w", encoding="utf-8") as terminal:
        # pip turns a wheel on the line where the cursor is: the text takes its place.
        terminal.write(f"\rretick: {words}\x1b[K\n")


def is_hidden(environment: Mapping[str, str]) -> bool:
    """Whether an installer such as pip keeps what a build prints to itself, and there is a terminal to write to.

    Without a terminal, as in CI, the text goes to the standard error: pip prints it with -v, and if the build fails.
    """
    if not INSTALLERS & environment.keys():
        return False
    try:
        os.close(os.open(TERMINAL, os.O_WRONLY | getattr(os, "O_NOCTTY", 0)))
    except OSError:
        return False
    return True


def inputs_of(module: str) -> list[str]:
    """Everything that the C of a kernel depends on."""
    return [path_of(module, ".py"), *declarations(module), "setup.py"]


def is_newer(sources: list[str], target: str) -> bool:
    """Whether any source is newer than the target, or there is no target."""
    made = ROOT / target
    return not made.exists() or any((ROOT / source).stat().st_mtime > made.stat().st_mtime for source in sources)


def flags_of(module: str) -> list[str]:
    """The arguments of the C compiler for a kernel."""
    if sys.platform == "win32":
        return FLAGS
    return ["-O3" if module.startswith(NUMBERS) else "-O2", *FLAGS]


def extensions() -> list[Extension]:
    if os.environ.get("RETICK_PURE", "") not in ("", "0") and not REQUIRED:
        return []
    try:
        import Cython  # noqa: F401 - asked only whether it is there
    except ImportError:
        if REQUIRED:
            raise
        return []
    return [
        Extension(module, [path_of(module, ".py")], extra_compile_args=flags_of(module), optional=not REQUIRED)
        for module in KERNELS
    ]


if __name__ == "__main__":
    setup(ext_modules=extensions(), cmdclass={"build_ext": BuildKernels})
