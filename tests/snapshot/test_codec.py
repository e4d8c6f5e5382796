"""Laws of the codec: round trips, and a delta makes the current state of the baseline."""

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from retick.snapshot import Codec, Schema
from tests.effort import examples
from tests.snapshot.worlds import schemas, successors, worlds

LAW = settings(
    max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)

VERSIONS = st.sampled_from([0, 2])


@LAW
@given(st.data(), schemas(), VERSIONS)
def test_a_full_packet_round_trips(data: Any, schema: Schema, version: int) -> None:
    codec = Codec(schema, version=version)
    world = data.draw(worlds(schema, 7))
    packet = codec.encode_full(world)
    assert codec.decode_full(packet) == world
    assert codec.encode_full(codec.decode_full(packet)) == packet


@LAW
@given(st.data(), schemas(thresholds=False), VERSIONS, st.booleans())
def test_a_delta_makes_the_current_state_and_leaves_the_baseline_alone(
    data: Any, schema: Schema, version: int, packed: bool
) -> None:
    codec = Codec(schema, version=version)
    base = data.draw(worlds(schema, 3))
    before = base.to_dict()
    current = data.draw(successors(base, 4))
    packet = codec.encode_delta(base, current, packed=packed and version == 2)
    assert codec.apply_delta(base, packet) == current
    assert base.to_dict() == before
