"""Whatever a server sends, the client goes on, and counts it."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from retick.host.stats import InputStats
from retick.netrunner.delta import DELTA_SNAPSHOT
from retick.netrunner.messages import PlayerView
from tests.effort import examples
from tests.netrunner.strangers import NET, Impostor

IMPOSTOR = Impostor()


@settings(max_examples=examples(250), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(st.integers(0, 18), st.binary(max_size=200), st.booleans()), max_size=6))
def test_no_bytes_bring_a_client_down(packets: list[tuple[int, bytes, bool]]) -> None:
    global IMPOSTOR
    if not IMPOSTOR.client.is_joined:
        IMPOSTOR = Impostor()
    connection = IMPOSTOR.connection
    assert connection is not None
    for kind, data, reliable in packets:
        padded = bytes((kind,)) + data.ljust({2: 1397, 3: 95}.get(kind, 0), b"\0")
        if reliable:
            connection.send_reliable(padded)
        else:
            connection.send_unreliable(padded)
        IMPOSTOR.turn()


def snapshot(tick: int, **spoil: int) -> bytes:
    data = bytearray(NET.encode_snapshot(tick, [PlayerView(2, 0, NET.motor.spawn(2), InputStats())]))
    for offset, value in spoil.items():
        data[6 + int(offset.removeprefix("at"))] = value
    return bytes(data)


@pytest.mark.parametrize(
    "bad",
    [
        snapshot(200)[:-1],
        snapshot(200) + b"\0",
        snapshot(200, at81=5),
        snapshot(200, at81=0x10),
        snapshot(200, at85=3),
        snapshot(200, at10=0x80, at11=0x7F),
        snapshot(200)[:5] + b"\x11" + snapshot(200)[6:],
        snapshot(0xFFFFFFFF),
        bytes((DELTA_SNAPSHOT,)) + b"\xc8\0\0\0\0" + b"\xff" * 40,
    ],
)
def test_bad_snapshots_are_refused_and_counted_and_the_next_good_one_is_taken(bad: bytes) -> None:
    rig = Impostor()
    assert rig.connection is not None
    before = rig.client.stats.refused
    rig.connection.send_unreliable(bad)
    rig.turn()
    assert rig.client.stats.refused == before + 1
    assert rig.client.stats.snapshots == 0
    rig.connection.send_unreliable(snapshot(201))
    rig.turn()
    assert rig.client.stats.snapshots == 1
