"""Real routers in Linux network namespaces: a relay in the middle, and machines behind routers of their own.

::

    machine 1 -- router 1 --+          +-- router 2 -- machine 2
    10.0.1.2     203.0.1.1  |          |   203.0.2.1    10.0.2.2
                            +-- core --+
                                 |
                               relay 198.51.100.1

Every router has a routed hop (the core) between it and the others, so that a TTL can end there. What nftables makes of
a router is in ``rules``. Needs root, ``ip`` and ``nft``: ``why_not`` says what is missing. A test that cannot have them
is skipped with the reason; with RETICK_REQUIRE_NAMESPACES set, as in CI, it fails.
"""

import os
import subprocess
import sys
import uuid
from collections.abc import Collection, Sequence
from functools import cache
from types import TracebackType
from typing import Any, Self

import pytest

from retick.transport import NatKind
from tests.programs import PROGRAMS, find

__all__ = ["RELAY", "RELAY_HOST", "Laboratory", "need_namespaces"]

RELAY_HOST = "198.51.100.1"
RELAY = "relay"
CORE = "core"

_MASQUERADE = 'chain post {{ type nat hook postrouting priority srcnat; oifname "out" masquerade {random}; }}'
_DNAT = (
    "chain pre {{ type nat hook prerouting priority dstnat; "
    'iifname "out" {whom} udp dport 1024-65535 dnat to {inside}; }}'
)
_SEEN = (
    "set seen { type ipv4_addr; flags dynamic,timeout; timeout 1m; }\n"
    'chain note { type filter hook forward priority filter; iifname "in" oifname "out" update @seen { ip daddr }; }'
)
_STRICT = 'chain mine { type filter hook input priority filter; iifname "out" drop; }'
"""Drops what nobody inside expects. Without it the router takes it for itself, and connection tracking remembers it."""


def rules(kind: NatKind, inside: str, *, lenient: bool = False) -> str:
    """The table of nftables that makes a router of this kind."""
    random = "fully-random" if kind is NatKind.SYMMETRIC else ""
    parts = [_MASQUERADE.format(random=random)]
    if kind is NatKind.FULL_CONE:
        parts.append(_DNAT.format(whom="", inside=inside))
    elif kind is NatKind.ADDRESS_RESTRICTED:
        parts += [_SEEN, _DNAT.format(whom="ip saddr @seen", inside=inside)]
    if not lenient:
        parts.append(_STRICT)
    return "table ip retick {{\n{}\n}}".format("\n".join(parts))


@cache
def why_not() -> str | None:
    """Why there can be no laboratory here; None if there can."""
    if sys.platform != "linux":
        return "network namespaces are a thing of Linux"
    for program in ("ip", "nft"):
        if find(program) is None:
            return f"{program} is not installed here (Debian: apt-get install {PROGRAMS[program].package})"
    if os.geteuid() != 0:
        return "only root may make network namespaces"
    name = f"retick-{uuid.uuid4().hex[:8]}"
    tries = (
        ["ip", "netns", "add", name],
        ["ip", "netns", "exec", name, "nft", rules(NatKind.SYMMETRIC, "10.0.0.2")],
        ["ip", "-n", name, "link", "add", "name", "one", "type", "veth", "peer", "name", "two"],
    )
    try:
        for words in tries:
            done = subprocess.run(words, capture_output=True, text=True)
            if done.returncode:
                return f"{' '.join(words[:2])} does not work here: {done.stderr.strip().splitlines()[0]}"
    finally:
        subprocess.run(["ip", "netns", "del", name], capture_output=True)
    return None


def need_namespaces() -> None:
    """Skip the test, or fail it where they are required."""
    reason = why_not()
    if reason is not None:
        if os.environ.get("RETICK_REQUIRE_NAMESPACES"):
            pytest.fail(reason)
        pytest.skip(reason)


class Laboratory:
    """Namespaces that exist within a ``with`` block. Machine n (from 1) is behind router n."""

    def __init__(self, *kinds: NatKind, lenient: Collection[int] = ()) -> None:
        """``lenient``: numbers of the routers that take unexpected datagrams for themselves."""
        self._prefix = f"retick-{uuid.uuid4().hex[:8]}-"
        self._kinds = kinds
        self._lenient = lenient
        self._made: list[str] = []
        self._running: list[subprocess.Popen[str]] = []

    def __enter__(self) -> Self:
        try:
            self._build()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.close()

    @staticmethod
    def machine(number: int) -> str:
        return f"machine{number}"

    @staticmethod
    def outside(number: int) -> str:
        """The outside address of a router."""
        return f"203.0.{number}.1"

    def start(self, where: str, words: Sequence[str], **options: Any) -> subprocess.Popen[str]:
        """Start a command in a namespace; it ends with the laboratory."""
        command = ["ip", "netns", "exec", self._prefix + where, *words]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True, **options)
        self._running.append(process)
        return process

    def python(self, where: str, code: str, *arguments: str) -> subprocess.Popen[str]:
        """Start a Python program in a namespace."""
        return self.start(where, [sys.executable, "-c", code, *arguments])

    def relay(self) -> subprocess.Popen[str]:
        """Start ``retick relay`` in the middle, and wait until it listens."""
        words = ["-m", "retick", "relay", "--host", RELAY_HOST, "--port", "7788", "--log-json"]
        process = self.start(RELAY, [sys.executable, *words])
        assert process.stdout is not None
        assert "listening" in process.stdout.readline()
        return process

    def close(self) -> None:
        for process in self._running:
            process.kill()
            process.communicate()
        for name in self._made:
            subprocess.run(["ip", "netns", "del", self._prefix + name], check=False)

    def _build(self) -> None:
        self._add(CORE)
        self._forwards(CORE)
        self._add(RELAY)
        self._connect(RELAY, "out", f"{RELAY_HOST}/30", CORE, "relay", "198.51.100.2/30")
        self._ip(RELAY, "route", "add", "default", "via", "198.51.100.2")
        for number, kind in enumerate(self._kinds, 1):
            router, machine = f"router{number}", self.machine(number)
            self._add(router)
            self._forwards(router)
            self._add(machine)
            self._connect(router, "out", f"203.0.{number}.1/30", CORE, router, f"203.0.{number}.2/30")
            self._connect(machine, "out", f"10.0.{number}.2/24", router, "in", f"10.0.{number}.1/24")
            self._ip(router, "route", "add", "default", "via", f"203.0.{number}.2")
            self._ip(machine, "route", "add", "default", "via", f"10.0.{number}.1")
            self._run(router, "nft", rules(kind, f"10.0.{number}.2", lenient=number in self._lenient))

    def _add(self, name: str) -> None:
        subprocess.run(["ip", "netns", "add", self._prefix + name], check=True)
        self._made.append(name)
        self._ip(name, "link", "set", "lo", "up")

    def _connect(self, one: str, name: str, address: str, other: str, other_name: str, other_address: str) -> None:
        there = self._prefix + other
        self._ip(one, "link", "add", "name", name, "type", "veth", "peer", "name", other_name, "netns", there)
        for where, device, own in ((one, name, address), (other, other_name, other_address)):
            self._ip(where, "addr", "add", own, "dev", device)
            self._ip(where, "link", "set", device, "up")

    def _forwards(self, name: str) -> None:
        self._run(name, "sh", "-c", "echo 1 > /proc/sys/net/ipv4/ip_forward")

    def _ip(self, name: str, *words: str) -> None:
        subprocess.run(["ip", "-n", self._prefix + name, *words], check=True)

    def _run(self, name: str, *words: str) -> None:
        subprocess.run(["ip", "netns", "exec", self._prefix + name, *words], check=True)
