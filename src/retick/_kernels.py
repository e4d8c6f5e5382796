"""The list of modules that may be compiled (the kernels), and the switch between their two forms.

Each is one Python source that runs as it is and also compiles with Cython. Where the extension was built,
Python imports it in preference to the source; ``RETICK_PURE=1`` in the environment, read when ``retick`` is
imported, takes the source all the same. This module is read by setup.py and so imports nothing of ours.

To declare the members of a kernel's class, write each in the .pxd with its C type, and again in the .py, in the same
order and with its Python type, in one ``if not cython.compiled:`` block below the class's docstring. Constants that
the C compiler needs stand in a ``cdef enum`` of the .pxd and in the .py; tests/test_kernels.py compares all of this.
"""

import importlib.machinery
import importlib.util
import os
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from pathlib import Path
from types import ModuleType

__all__ = ["HOW_TO_COMPILE", "KERNELS", "is_compiled", "is_pure_by_choice", "prefer_sources_if_asked"]

KERNELS: tuple[str, ...] = (
    "retick.sim.slots",
    "retick.sim.flat",
    "retick.sim.maths.circular",
    "retick.sim.maths.inverse",
    "retick.sim.maths.powers",
    "retick.sim.maths.roots",
    "retick.sim.maths.vec2",
    "retick.sim.shapes.shape",
    "retick.sim.shapes.pair",
    "retick.sim.shapes.vector2",
    "retick.sim.shapes.rect",
    "retick.sim.world.cells",
    "retick.sim.world.places",
    "retick.sim.world.attributes",
    "retick.sim.world.lists",
    "retick.sim.world.steps",
    "retick.sim.world.saving",
    "retick.sim.world.position",
    "retick.sim.world.loading",
    "retick.games.fighter.kernel",
    "retick.games.fighter.lanes",
    "retick.games.fighter.batch",
    "retick.games.runner.motor.collision",
    "retick.games.runner.motor.heading",
    "retick.games.runner.motor.modes",
    "retick.games.runner.motor.kernel",
    "retick.games.scramble.kernel",
    "retick.rollback.engine.inputs",
    "retick.rollback.engine.local_inputs",
    "retick.rollback.engine.arrivals",
    "retick.rollback.engine.states",
    "retick.rollback.engine.flat_ring",
    "retick.rollback.engine.engine",
    "retick.rollback.engine.synctest",
    "retick.rollback.match.timesync",
    "retick.rollback.match.checksums",
    "retick.rollback.match.exchange",
    "retick.rollback.match.match",
    "retick.rollback.session.core",
    "retick.replay.many.kernel",
    "retick.replay.many.tar",
    "retick.bulk.local_files",
    "retick.bulk.tar_headers",
    "retick.wire.bits",
    "retick.wire.rbn1_packet",
    "retick.wire.rbn1_packing",
    "retick.wire.rbn1",
    "retick.wire.rbn1_run",
    "retick.snapshot.kernels.arrays",
    "retick.snapshot.kernels.table",
    "retick.snapshot.kernels.columns",
    "retick.snapshot.kernels.copies",
    "retick.snapshot.kernels.marks",
    "retick.snapshot.kernels.diff",
    "retick.snapshot.kernels.fault",
    "retick.snapshot.kernels.reader",
    "retick.snapshot.kernels.target",
    "retick.snapshot.kernels.fast",
    "retick.snapshot.kernels.packer",
    "retick.snapshot.kernels.sections",
    "retick.snapshot.kernels.encoder",
    "retick.snapshot.kernels.framing",
    "retick.snapshot.kernels.creates",
    "retick.snapshot.kernels.updates",
    "retick.snapshot.kernels.decoder",
    "retick.snapshot.sources.buffers",
    "retick.snapshot.sources.bound",
    "retick.snapshot.sources.mappings",
    "retick.snapshot.sources.objects",
    "retick.snapshot.visible",
    "retick.snapshot.urgency",
    "retick.snapshot.compact.plan",
    "retick.snapshot.compact.range_coder",
    "retick.snapshot.compact.coder",
    "retick.snapshot.compact.frames",
    "retick.snapshot.compact.motion",
    "retick.snapshot.compact.rotation",
    "retick.snapshot.compact.entity",
    "retick.snapshot.compact.statistics",
    "retick.snapshot.compact.body",
    "retick.snapshot.compact.usual",
    "retick.authority.world.rounding",
    "retick.authority.world.survey.census",
    "retick.authority.world.survey.cell_numbers",
    "retick.authority.world.survey.value_numbers",
    "retick.authority.world.survey.carry",
    "retick.authority.world.survey.survey",
    "retick.authority.world.sight",
    "retick.authority.world.columns",
    "retick.authority.world.deltas",
    "retick.link.rtt_loss",
    "retick.link.sealing.seal",
    "retick.link.sequences",
    "retick.link.payload_path",
    "retick.link.connection",
    "retick.link.endpoint",
)


HOW_TO_COMPILE = (
    "kernels are not compiled and run as Python, many times slower; for the fast form install a C compiler "
    "(Debian: apt install gcc python3-dev; macOS: xcode-select --install; Windows: the Visual Studio build tools) "
    "and then retick again"
)


class _SourceFinder(MetaPathFinder):
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
    """True when every kernel runs as a compiled extension, False when any runs as Python source."""
    for name in KERNELS:
        origin = importlib.import_module(name).__spec__
        if origin is None or not isinstance(origin.loader, importlib.machinery.ExtensionFileLoader):
            return False
    return bool(KERNELS)
