"""Thresholds hold changes back, and never more than they allow."""

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from retick.snapshot import Codec, Schema
from tests.effort import examples
from tests.snapshot.worlds import schemas, successors, worlds

LAW = settings(
    max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


@LAW
@given(st.data(), schemas())
def test_with_thresholds_the_receiver_is_never_further_off_than_they_allow(data: Any, schema: Schema) -> None:
    codec = Codec(schema)
    held = data.draw(worlds(schema, 3))
    for tick in (4, 5, 6):
        current = data.draw(successors(held, tick))
        held = codec.apply_delta(held, codec.encode_delta(held, current))
        truth, theirs = current.to_dict(), held.to_dict()
        assert truth.keys() == theirs.keys()
        for entity, components in truth.items():
            for component in schema.components:
                if component.id in components:
                    pairs = zip(components[component.id], theirs[entity][component.id], strict=True)
                    for field, (true, held_value) in zip(component.fields, pairs, strict=True):
                        assert abs(int(true) - int(held_value)) <= (field.threshold or 0)
