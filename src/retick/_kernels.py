"""The list of modules that may be compiled (the kernels), and the switch between their two forms.

Each is one Python source that runs as it is and also compiles with Cython. Where the extension was built,
Python imports it in preference to the source; ``RETICK_PURE=1`` in the environment, read when ``retick`` is
imported, takes the source all the same. This module is read by setup.py and so imports nothing of ours.

A kernel's .py is the only place where it declares anything; scripts/declare_kernels.py writes the .pxd files from it.

- A member is annotated in the class with its C type (``mine: cython.double``) or its Python class. Python sees it only
  with ``# readonly`` or ``# public`` at the end of the line; words after a colon explain it. Arrays, and members that
  are something else uncompiled, stand in ``if cython.compiled:`` with an ``else:`` beside it.
- A C function has ``@cython.cfunc``, or ``@cython.ccall`` if Python calls it too, also where it overrides
  another. ``@cython.exceptval(check=False)`` is noexcept, ``(-1, check=False)`` is ``except -1``, and ``(-1)`` is
  ``except? -1``.
- A type in quotes means nothing to Cython, nor does the name of an alias: both are ``object`` in C. A container in the
  signature of a C function is written ``list[Any]``, or with the name of a class or an alias in the brackets.
- An integer that the C compiler shall know is assigned in the uncompiled branch and marked ``# C constant``. A module
  of numbers that is no kernel says once ``# C constants: every integer of this module.``
- A C variable of the module is ``NAME = cython.declare(cython.double, 0.5)``.
- C that Python cannot say stands in the .pxd, above the line from which it is generated.
"""

import importlib.machinery
import importlib.util
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

KERNELS: tuple[str, ...] = (
    "retick.sim.maths.kernel",
    "retick.sim.shapes",
    "retick.sim.flat",
    "retick.sim.world.storage",
    "retick.sim.world.saved",
    "retick.games.fighter.kernel",
    "retick.games.runner.kernel",
    "retick.games.scramble.kernel",
    "retick.rollback.engine.engine",
    "retick.rollback.engine.cues",
    "retick.rollback.match.match",
    "retick.rollback.session.core",
    "retick.verify.kernel",
    "retick.wire.bits",
    "retick.wire.rbn1",
    "retick.snapshot.columns",
    "retick.snapshot.stream",
    "retick.snapshot.encoder",
    "retick.snapshot.decoder",
    "retick.snapshot.urgency",
    "retick.snapshot.compact.coder",
    "retick.snapshot.compact.motion",
    "retick.snapshot.compact.body",
    "retick.authority.survey",
    "retick.authority.deltas",
    "retick.link.connection",
    "retick.link.endpoint",
)


HOW_TO_COMPILE = (
    "kernels are not compiled and run as Python, many times slower; for the fast form install a C compiler "
    "(Debian: apt install gcc python3-dev; macOS: xcode-select --install; Windows: the Visual Studio build tools) "
    "and then retick again"
)


class _SourceFinder:
    """Finds the .py of a kernel, where the ordinary finder would take the extension beside it."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname not in KERNELS:
            return None
        source = Path(__file__).parent.joinpath(*fullname.split(".")[1:]).with_suffix(".py")
        return importlib.util.spec_from_file_location(fullname, source)


def is_pure_by_choice() -> bool:
    """Whether the environment asks for the Python sources."""
    return os.environ.get("RETICK_PURE", "") not in ("", "0")


def prefer_sources_if_asked() -> None:
    """Import kernels as Python from here on, if the environment asks for it."""
    if is_pure_by_choice():
        sys.meta_path.insert(0, _SourceFinder())


def is_compiled() -> bool:
    """True when every kernel runs as a compiled extension, False when any runs as Python source.

    No kernel is imported to find that out: their packages bring cryptography, archives and processes.
    """
    if any(isinstance(finder, _SourceFinder) for finder in sys.meta_path):
        return False
    for name in KERNELS:
        *packages, module = name.split(".")[1:]
        spec = importlib.machinery.PathFinder.find_spec(module, [str(Path(__file__).parent.joinpath(*packages))])
        if spec is None or not isinstance(spec.loader, importlib.machinery.ExtensionFileLoader):
            return False
    return bool(KERNELS)
