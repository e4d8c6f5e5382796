"""Builds the kernels listed in ``retick._kernels`` as optional extensions; the rest is in pyproject.toml.

A kernel is a plain .py module in Cython's pure-Python mode. Without a compiler, or without Cython, the build
goes on and the .py files do the work; RETICK_REQUIRE_COMPILED=1 turns that fallback into a failure.
"""

import os
import runpy
import sys
from pathlib import Path
from typing import Any

from setuptools import Extension, setup

ROOT = Path(__file__).parent
KERNELS: tuple[str, ...] = runpy.run_path(str(ROOT / "src/retick/_kernels.py"))["KERNELS"]
REQUIRED = os.environ.get("RETICK_REQUIRE_COMPILED", "") not in ("", "0")

DIRECTIVES = {
    "language_level": 3,
    "boundscheck": False,
    "wraparound": False,
    "initializedcheck": False,
    "cdivision": True,
    "embedsignature": False,
    "freethreading_compatible": False,
}


def extension(module: str) -> Any:
    from Cython.Distutils import Extension as CythonExtension

    # Contracting a*b+c into one rounding gives other bits than Python does, and some machines do it unasked.
    flags = ["/fp:strict"] if sys.platform == "win32" else ["-O3", "-fwrapv", "-ffp-contract=off"]
    return CythonExtension(
        module,
        [f"src/{module.replace('.', '/')}.py"],
        extra_compile_args=flags,
        optional=not REQUIRED,
        cython_directives=DIRECTIVES,
    )


def build_arguments() -> dict[str, Any]:
    try:
        from Cython.Build import build_ext
    except ImportError:
        if REQUIRED:
            raise
        return {}
    extensions: list[Extension] = [extension(module) for module in KERNELS]
    return {"ext_modules": extensions, "cmdclass": {"build_ext": build_ext}}


setup(**build_arguments())
