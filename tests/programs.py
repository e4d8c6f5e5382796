"""Programs of the system that tests drive, and how they are installed: ``python -m tests.programs install``.

A test asks ``path_of``. Where a program is missing, the test is skipped with a printed reason; with
RETICK_REQUIRE_PROGRAMS set, as in CI, it fails.
"""

import os
import shutil
import subprocess
import sys
from typing import NamedTuple

import pytest


class Program(NamedTuple):
    """What one program is called, and the Debian package that has it."""

    names: tuple[str, ...]
    package: str


PROGRAMS = {
    "chromium": Program(("chromium", "chromium-browser", "google-chrome", "chrome", "msedge"), "chromium"),
    "tshark": Program(("tshark",), "tshark"),
    "ip": Program(("ip",), "iproute2"),
    "nft": Program(("nft",), "nftables"),
    "Xvfb": Program(("Xvfb",), "xvfb"),
    "xdotool": Program(("xdotool",), "xdotool"),
}


def find(name: str) -> str | None:
    """The path of a program, if it is installed."""
    for command in PROGRAMS[name].names:
        path = shutil.which(command)
        if path is not None:
            return path
    return None


def path_of(name: str) -> str:
    """The path of a program; skips or fails the test where it is missing."""
    path = find(name)
    if path is not None:
        return path
    reason = f"{name} is not installed here (Debian: apt-get install {PROGRAMS[name].package})"
    if os.environ.get("RETICK_REQUIRE_PROGRAMS"):
        pytest.fail(reason)
    pytest.skip(reason)


def install() -> None:
    """Install what is missing, where apt-get can; say what is missing then, and which tests are skipped."""
    missing = [name for name in PROGRAMS if find(name) is None]
    if missing and shutil.which("apt-get") and getattr(os, "geteuid", lambda: 1)() == 0:
        quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        packages = [PROGRAMS[name].package for name in missing]
        print(f"installing {', '.join(packages)} for the tests", flush=True)
        for command in (["update"], ["install", "-y", "--no-install-recommends", *packages]):
            subprocess.run(["apt-get", "-qq", *command], env=quiet, stdout=subprocess.DEVNULL, check=False)
    for name in PROGRAMS:
        if find(name) is None:
            print(f"{name} is missing: the tests that drive it are skipped", flush=True)


if __name__ == "__main__":
    if sys.argv[1:] != ["install"]:
        sys.exit("usage: python -m tests.programs install")
    install()
