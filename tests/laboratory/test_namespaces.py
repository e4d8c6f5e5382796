"""Routers of nftables behave as the models of ``SimulatedNetwork`` with the same names do."""

import json
import sys
from typing import NamedTuple

import pytest

from retick.transport import NatKind
from tests.laboratory.namespaces import RELAY, RELAY_HOST, Laboratory, need_namespaces

pytestmark = pytest.mark.usefixtures("namespaces")


@pytest.fixture(scope="module")
def namespaces() -> None:
    need_namespaces()


SURVEY = """
import json, os, select, sys
from retick.relay import Reflection
from retick.transport import Poll, open_udp
survey = Reflection((sys.argv[1], 7788), entropy=os.urandom)
poll = Poll(survey, open_udp("0.0.0.0", 5000))
while not survey.is_done:
    poll.poll()
    select.select([poll.socket], [], [], 0.01)
found = survey.result
print(json.dumps([str(found.host), found.port, found.is_symmetric, found.lets_others_in]), flush=True)
sys.stdin.readline()
print(json.dumps([data.decode() for data, _ in iter(poll.socket.receive, None)]), flush=True)
"""
"""Asks the relay; then, at a line of its input, says what else has arrived."""

SEND = """
import sys
from retick.transport import open_udp
socket = open_udp("0.0.0.0", 9999)
for host, port in zip(sys.argv[2::2], sys.argv[3::2]):
    assert socket.send(sys.argv[1].encode(), (host, int(port)))
print("sent", flush=True)
"""
"""Sends a text to addresses, from a port that nobody knows."""


DOCTOR = [sys.executable, "-m", "retick", "doctor", "--relay", RELAY_HOST, "--json"]


def test_each_kind_of_router_is_what_its_name_says_and_what_the_doctor_says() -> None:
    kinds = (NatKind.FULL_CONE, NatKind.ADDRESS_RESTRICTED, NatKind.PORT_RESTRICTED, NatKind.SYMMETRIC)
    with Laboratory(*kinds, NatKind.FULL_CONE) as lab:
        lab.relay()
        surveys = [lab.python(lab.machine(number), SURVEY, RELAY_HOST) for number in range(1, 5)]
        doctors = [lab.start(lab.machine(number), DOCTOR) for number in range(1, 5)]
        seen, told = [], {}
        for number, (kind, survey) in enumerate(zip(kinds, surveys, strict=True), 1):
            assert survey.stdout is not None
            host, port, *told[kind] = json.loads(survey.stdout.readline())
            assert host == lab.outside(number)
            seen += [host, str(port)]
        assert told == {
            NatKind.FULL_CONE: [False, True],
            NatKind.ADDRESS_RESTRICTED: [False, True],
            NatKind.PORT_RESTRICTED: [False, False],
            NatKind.SYMMETRIC: [True, False],
        }
        # Two ports of one host cannot tell a full cone from address-restricted: another host can.
        for where, words in ((RELAY, "the relay's host"), (lab.machine(5), "another host")):
            assert lab.python(where, SEND, words, *seen).communicate(timeout=60)[0] == "sent\n"
        heard = [json.loads(survey.communicate("\n", timeout=60)[0]) for survey in surveys]
        assert heard == [["the relay's host", "another host"], ["the relay's host"], [], []]
        for number, doctor in enumerate(doctors):
            diagnosis = json.loads(doctor.communicate(timeout=60)[0])
            is_symmetric, lets_others_in = told[kinds[number]]
            assert diagnosis["outside_address"] == lab.outside(number + 1)
            assert diagnosis["mapping"] == ("symmetric" if is_symmetric else "endpoint independent")
            assert diagnosis["filtering"] == ("open" if lets_others_in else "port-restricted")
            assert diagnosis["hairpin"] is False
            assert doctor.returncode == 0


PUNCH = """
import json, os, select, sys, time
from retick.transport import open_udp
from retick.relay.packets import ASK, RelayRequest, decode_answer, encode_request
socket = open_udp("0.0.0.0", 5000)
found = None
while found is None:
    socket.send(encode_request(RelayRequest(ASK, os.urandom(8))), (sys.argv[1], 7788))
    select.select([socket], [], [], 0.5)
    found = socket.receive()
seen = decode_answer(found[0])
print(json.dumps([str(seen.host), seen.port]), flush=True)
host, port, ttl, late = json.loads(sys.stdin.readline())
other, heard = (host, port), False
if ttl:
    socket.send(b"early", other, ttl)
time.sleep(late)
end = time.monotonic() + 4.0
while time.monotonic() < end:
    socket.send(b"punch", other)
    select.select([socket], [], [], 0.1)
    for data, address in iter(socket.receive, None):
        if data == b"punch":
            other, heard = address, True
print(json.dumps(heard), flush=True)
"""
"""Asks the relay where it is seen, is told where the other one is, and punches. No survey: a datagram from a port that
was not asked is unexpected, and a lenient router then gives the socket another outside port."""


class Pair(NamedTuple):
    """Two routers, what the first datagrams of the two machines have as TTL (0: none is sent), and who hears whom."""

    ann: NatKind
    bob: NatKind
    ann_ttl: int
    bob_ttl: int
    is_lenient: bool
    heard: list[bool]


PORT, SYMMETRIC, ADDRESS = NatKind.PORT_RESTRICTED, NatKind.SYMMETRIC, NatKind.ADDRESS_RESTRICTED
PAIRS = (
    Pair(PORT, PORT, 2, 2, False, [True, True]),
    Pair(SYMMETRIC, ADDRESS, 2, 2, False, [True, True]),
    Pair(SYMMETRIC, PORT, 2, 2, False, [False, False]),
    # An early datagram that reaches a lenient router spoils the way; with a short TTL it does not get there.
    Pair(PORT, PORT, 64, 0, True, [False, False]),
    Pair(PORT, PORT, 2, 2, True, [True, True]),
)


def test_direct_paths_exist_where_the_models_have_them_and_a_short_ttl_saves_those_through_lenient_routers() -> None:
    kinds = [kind for pair in PAIRS for kind in (pair.ann, pair.bob)]
    lenient = {number for number in range(1, len(kinds) + 1) if PAIRS[(number - 1) // 2].is_lenient}
    with Laboratory(*kinds, lenient=lenient) as lab:
        lab.relay()
        people = [lab.python(lab.machine(number), PUNCH, RELAY_HOST) for number in range(1, len(kinds) + 1)]
        seen = []
        for person in people:
            assert person.stdout is not None
            seen.append(json.loads(person.stdout.readline()))
        for number, person in enumerate(people):
            assert person.stdin is not None
            pair = PAIRS[number // 2]
            ttl, late = (pair.bob_ttl, 2.0) if number % 2 else (pair.ann_ttl, 1.5)
            person.stdin.write(json.dumps([*seen[number ^ 1], ttl, late]) + "\n")
            person.stdin.flush()
        heard = [json.loads(person.communicate(timeout=60)[0]) for person in people]
    assert [heard[at : at + 2] for at in range(0, len(heard), 2)] == [pair.heard for pair in PAIRS]
