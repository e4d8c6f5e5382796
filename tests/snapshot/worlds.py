"""Hypothesis strategies: schemas with every codec, and worlds of them."""

from typing import Any

from hypothesis import strategies as st

from retick.snapshot import Bool, Component, Field, Fixed, Schema, SInt, Snapshot, UInt, VarSInt, VarUInt

EDGES = st.sampled_from([0, 1, -1, 2**31 - 1, -(2**31), 2**63 - 1, -(2**63)])


@st.composite
def fixed_codecs(draw: Any) -> Fixed:
    low, high = sorted((draw(st.integers(-(2**40), 2**40) | EDGES), draw(st.integers(-(2**40), 2**40) | EDGES)))
    return Fixed(min_q=low, max_q=high, scale=draw(st.integers(1, 1000)))


CODECS = st.one_of(
    st.builds(Bool),
    st.builds(UInt, st.integers(1, 64)),
    st.builds(SInt, st.integers(1, 64)),
    st.builds(VarUInt),
    st.builds(VarSInt),
    fixed_codecs(),
)
PLAIN = st.one_of(st.builds(Bool), st.builds(UInt, st.integers(1, 20)), st.builds(SInt, st.integers(1, 20)))


@st.composite
def schemas(draw: Any, codecs: Any = CODECS, thresholds: bool = True) -> Schema:
    components = []
    for identity in range(1, draw(st.integers(1, 4)) + 1):
        fields = []
        for at in range(1, draw(st.integers(0 if codecs is CODECS else 1, 6)) + 1):
            threshold = draw(st.none() | st.integers(0, 5)) if thresholds else None
            fields.append(Field(at, draw(codecs), threshold=threshold))
        components.append(Component(3 * identity, fields))
    return Schema(components)


def values_of(field: Field) -> Any:
    codec = field.codec
    if codec.kind == "bool":
        return st.booleans()
    low, high = codec.lowest, codec.highest
    near = st.integers(low, min(high, low + 4))
    return st.one_of(near, st.integers(low, high), st.just(high))


@st.composite
def entities_of(draw: Any, schema: Schema) -> dict[int, tuple[Any, ...]]:
    held = {}
    for component in schema.components:
        if draw(st.integers(0, 4)):
            held[component.id] = tuple(draw(values_of(field)) for field in component.fields)
    return held


IDS = st.one_of(st.integers(0, 12), st.sampled_from([127, 128, 300, 70_000, 2**32 - 1]))


@st.composite
def worlds(draw: Any, schema: Schema, tick: int) -> Snapshot:
    ids = sorted(draw(st.sets(IDS, max_size=8)))
    return Snapshot.of(schema, tick=tick, entities={identity: draw(entities_of(schema)) for identity in ids})


@st.composite
def successors(draw: Any, base: Snapshot, tick: int) -> Snapshot:
    """A world that a delta can make of ``base``: entities come and go, live ones keep their components."""
    schema = base.schema
    after: dict[int, Any] = {}
    for identity, components in base.to_dict().items():
        if draw(st.integers(0, 3)) == 0:
            continue
        changed = {}
        for component in schema.components:
            if component.id in components:
                values = list(components[component.id])
                for at, field in enumerate(component.fields):
                    if draw(st.booleans()):
                        values[at] = draw(values_of(field))
                changed[component.id] = tuple(values)
        after[identity] = changed
    for identity in draw(st.sets(IDS, max_size=3)):
        if identity not in base.to_dict():
            after[identity] = draw(entities_of(schema))
    return Snapshot.of(schema, tick=tick, entities=dict(sorted(after.items())))
