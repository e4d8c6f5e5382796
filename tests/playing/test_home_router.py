"""A port forwarded by the home router, and taken back: with a router of the test, and with a stand-in for miniupnpc."""

import socket
import struct
import sys
import threading
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from retick.playing import home_router
from retick.playing.home_router import ForwardedPort, NatPmpRouter, NotForwarded, default_gateway

TABLE = """Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT
eth0\t0001A8C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0
eth0\t00000000\t0101A8C0\t0003\t0\t0\t0\t00000000\t0\t0\t0
"""


class Router:
    """Answers NAT-PMP on a port of this machine."""

    def __init__(self) -> None:
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))
        self.port: int = self.socket.getsockname()[1]
        self.asked: list[tuple[int, int]] = []
        """Inside port and seconds of each mapping."""
        self.result = 0
        self.renewed = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self) -> None:
        while True:
            data, address = self.socket.recvfrom(64)
            if data == b"stop":
                return
            self.socket.sendto(b"\0", address)  # nonsense first
            if data == b"\0\0":
                self.socket.sendto(bytes.fromhex("0080 0000 0000000a cb007109"), address)
                continue
            _, _, _, inside, _, seconds = struct.unpack(">BBHHHI", data)
            self.asked.append((inside, seconds))
            if len(self.asked) > 2:
                self.renewed.set()
            self.socket.sendto(struct.pack(">BBHIHHI", 0, 129, self.result, 10, inside, 40000, seconds), address)

    def close(self) -> None:
        self.socket.sendto(b"stop", ("127.0.0.1", self.port))
        self.thread.join()
        self.socket.close()


@pytest.fixture
def router() -> Iterator[Router]:
    made = Router()
    yield made
    made.close()


@pytest.fixture(autouse=True)
def no_upnp(monkeypatch: pytest.MonkeyPatch) -> None:
    """Never the router of whoever runs the tests."""
    monkeypatch.setitem(sys.modules, "miniupnpc", None)
    monkeypatch.setattr(home_router, "default_gateway", lambda: None)


def asking(router: Router) -> NatPmpRouter:
    return NatPmpRouter("127.0.0.1", port=router.port)


def test_the_gateway_is_read_from_the_table_of_routes() -> None:
    assert default_gateway(TABLE) == "192.168.1.1"
    assert default_gateway(TABLE.rpartition("eth0")[0]) is None


def test_a_port_is_forwarded_renewed_and_taken_back(router: Router) -> None:
    with ForwardedPort(7777, router=asking(router), lease=1) as forwarded:
        assert forwarded.outside == ("203.0.113.9", 40000)
        assert forwarded.by == "NAT-PMP"
        assert router.renewed.wait(20.0)
    assert set(router.asked[:-1]) == {(7777, 1)}
    assert router.asked[-1] == (7777, 0)
    forwarded.close()
    assert router.asked.count((7777, 0)) == 1


def test_a_router_that_refuses_says_why_and_how_upnp_could_be_tried(router: Router) -> None:
    router.result = 2
    with pytest.raises(NotForwarded, match=r"does not allow it.*pip install miniupnpc"):
        ForwardedPort(7777, router=asking(router))


def test_a_router_that_does_not_answer_is_no_error_of_the_network() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent:
        silent.bind(("127.0.0.1", 0))
        router = NatPmpRouter("127.0.0.1", port=silent.getsockname()[1], tries=(0.01,))
        assert router.outside_host() is None
        with pytest.raises(NotForwarded, match="does not answer NAT-PMP"):
            ForwardedPort(7777, router=router)


def test_without_a_known_router_the_words_say_so() -> None:
    assert home_router.outside_host() is None
    with pytest.raises(NotForwarded, match="not known here"):
        ForwardedPort(7777)


class Upnp:
    """What is used of miniupnpc."""

    def __init__(self, *, is_there: bool = True, agrees: bool = True) -> None:
        self.calls: list[tuple[Any, ...]] = []
        self.discoverdelay = 0
        self.lanaddr = "192.168.1.20"
        self._is_there, self._agrees = is_there, agrees

    def discover(self) -> int:
        return 1

    def selectigd(self) -> str:
        if not self._is_there:
            raise Exception("No UPnP device discovered")
        return "http://192.168.1.1/"

    def externalipaddress(self) -> str:
        return "203.0.113.9"

    def addportmapping(self, *given: Any) -> bool:
        self.calls.append(("add", *given))
        return self._agrees

    def deleteportmapping(self, *given: Any) -> bool:
        self.calls.append(("delete", *given))
        return True


def test_upnp_is_used_where_nat_pmp_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    upnp = Upnp()
    monkeypatch.setitem(sys.modules, "miniupnpc", SimpleNamespace(UPnP=lambda: upnp))
    monkeypatch.setattr(home_router, "own_address", lambda: None)
    with ForwardedPort(7777) as forwarded:
        assert forwarded.by == "UPnP"
        assert forwarded.outside == ("203.0.113.9", 7777)
    assert upnp.calls == [
        ("add", 7777, "UDP", "192.168.1.20", 7777, "retick", "", 3600),
        ("delete", 7777, "UDP", ""),
    ]


@pytest.mark.parametrize(
    ("upnp", "words"),
    [(Upnp(is_there=False), "UPnP: No UPnP device discovered"), (Upnp(agrees=False), "nor does it forward by UPnP")],
)
def test_a_network_without_upnp_says_so(monkeypatch: pytest.MonkeyPatch, upnp: Upnp, words: str) -> None:
    monkeypatch.setitem(sys.modules, "miniupnpc", SimpleNamespace(UPnP=lambda: upnp))
    with pytest.raises(NotForwarded, match=words):
        ForwardedPort(7777)
