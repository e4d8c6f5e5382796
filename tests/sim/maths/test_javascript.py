"""The same bits in JavaScript, as in a browser: the kernels, translated by a program, on the vectors and on more."""

import shutil
import subprocess

import pytest

from tests.sim.maths.javascript import translated
from tests.sim.maths.samples import NAMES, samples
from tests.sim.maths.vectors import bits, read, told


@pytest.mark.skipif(shutil.which("node") is None, reason="needs Node.js")
def test_javascript_computes_the_same_bits() -> None:
    asked: list[str] = []
    wanted: list[str] = []
    for name in NAMES:
        for *arguments, expected in read()[name]:
            asked.append(" ".join([name, *arguments]))
            wanted.append(expected.split(":")[0])
        for drawn in samples(name, 3000, seed=3):
            asked.append(" ".join([name, *map(bits, drawn)]))
            wanted.append(told(name, drawn))
    done = subprocess.run(
        ["node", "-e", translated()], input="\n".join(asked), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    got = done.stdout.splitlines()
    assert len(got) == len(asked)
    different = [(line, w, g) for line, w, g in zip(asked, wanted, got, strict=True) if w != g]
    assert different == []
