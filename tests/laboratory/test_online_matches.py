"""Online matches behind real routers: direct wherever a direct path exists, relayed where not; spectators included."""

import socket
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

from retick.transport import NatKind
from tests.laboratory.matrix import KINDS, PAGE, expected, measure, table, table_in
from tests.laboratory.namespaces import RELAY_HOST, Laboratory, need_namespaces
from tests.laboratory.online_matches import host, invite_of, join, play, played, spectate

FULL, ADDRESS, PORT, SYMMETRIC = KINDS


@pytest.fixture
def namespaces() -> None:
    need_namespaces()


@pytest.mark.usefixtures("namespaces")
def test_pairs_play_directly_where_there_is_a_path_and_through_the_relay_where_not() -> None:
    pairs = ((PORT, PORT), (SYMMETRIC, ADDRESS), (PORT, SYMMETRIC))
    assert measure(*pairs) == {pair: expected(pair) for pair in pairs}


@pytest.mark.soak
@pytest.mark.usefixtures("namespaces")
def test_the_whole_matrix_is_as_expected() -> None:
    found = measure(*product(KINDS, KINDS))
    assert found == {pair: expected(pair) for pair in found}


def test_the_page_shows_the_matrix() -> None:
    shown = table_in(PAGE.read_text("utf-8"))
    assert shown == table({pair: expected(pair) for pair in product(KINDS, KINDS)})


@pytest.mark.soak
@pytest.mark.usefixtures("namespaces")
def test_four_machines_behind_routers_of_all_kinds_play_one_match_and_a_fifth_watches() -> None:
    with Laboratory(FULL, ADDRESS, PORT, SYMMETRIC, PORT) as lab:
        lab.relay()
        options = ("--players", "4", "--rate", "60")
        first = host(lab, 1, *options)
        invite = invite_of(first)
        others = [join(lab, machine, invite, *options) for machine in (2, 3, 4)]
        assert others[0].stdout is not None
        while "frame" not in others[0].stdout.readline():
            pass
        spectator = spectate(lab, 5, invite, *options)
        ends = [played(process) for process in (first, *others)]
        seen = spectator.communicate(timeout=90.0)[0]
    assert len({each.end for each in ends}) == 1
    assert [each.way for each in ends] == ["direct", "direct", "2 direct, 1 relayed", "2 direct, 1 relayed"]
    assert spectator.returncode == 0
    assert ends[0].end in seen


SNIFF = """
import socket, sys
out = open(sys.argv[1], "wb", buffering=0)
wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
print("listening", flush=True)
while True:
    data = wire.recv(4096)
    out.write(len(data).to_bytes(2, "big") + data)
"""
"""Writes every frame that a machine sends and receives into a file."""


def frames_in(path: Path) -> Iterator[bytes]:
    data = path.read_bytes()
    while data:
        size = int.from_bytes(data[:2], "big")
        yield data[2 : 2 + size]
        data = data[2 + size :]


@pytest.mark.soak
@pytest.mark.usefixtures("namespaces")
@pytest.mark.parametrize("relay_only", [True, False])
def test_with_relay_only_no_machine_sees_an_address_of_another(tmp_path: Path, relay_only: bool) -> None:
    with Laboratory(NatKind.FULL_CONE, NatKind.FULL_CONE) as lab:
        lab.relay()
        for machine in (1, 2):
            sniffer = lab.python(lab.machine(machine), SNIFF, str(tmp_path / str(machine)))
            assert sniffer.stdout is not None
            assert sniffer.stdout.readline() == "listening\n"
        ((one, other),) = play(lab, (1, 2), options=("--relay-only",) if relay_only else ())
        outside = [lab.outside(machine) for machine in (1, 2)]
    assert one.way == other.way == ("relayed" if relay_only else "direct")
    for machine, theirs in ((1, 2), (2, 1)):
        mine = {f"10.0.{machine}.2", f"10.0.{machine}.1", RELAY_HOST}
        addresses, found = set(), False
        for frame in frames_in(tmp_path / str(machine)):
            if frame[12:14] != b"\x08\x00":
                continue
            addresses |= {socket.inet_ntoa(frame[at : at + 4]) for at in (26, 30)}
            for text in (outside[theirs - 1], f"10.0.{theirs}.2"):
                packed = socket.inet_aton(text)
                found = found or any(form in frame for form in (text.encode(), packed, packed[::-1]))
        assert found is not relay_only, "the test sees addresses where there are some"
        assert (addresses <= mine) is relay_only, addresses
