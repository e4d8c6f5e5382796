"""Input packets of all shapes, as strategies."""

from typing import Any

from hypothesis import strategies as st

from retick.wire import rbn1

__all__ = ["packets"]


@st.composite
def packets(draw: Any) -> rbn1.InputPacket:
    """Packets that can be encoded with all extensions; inputs mostly stay as they were, as a player's do."""
    size, seats = draw(st.sampled_from([(2, 1), (2, 1), (8, 1), (1, 1), (1, 8), (2, 2), (4, 3), (5, 2), (8, 8)]))
    count = draw(st.integers(1, min(32, 1024 // (size * seats))))
    values = st.integers(0, (1 << 8 * size) - 1)
    row = tuple(draw(values) if draw(st.booleans()) else 0 for _ in range(seats))
    rows = [row]
    for _ in range(count - 1):
        row = tuple(draw(values) if draw(st.integers(0, 4)) == 0 else value for value in row)
        rows.append(row)
    start = draw(st.integers(0, 0xFFFFFFFF))
    near = st.integers(max(start - 40, 0), min(start + 40, 0xFFFFFFFF))
    claimed = draw(st.none() | st.integers(0, 0xFFFFFFFF))
    return rbn1.InputPacket(
        start,
        draw(near | st.integers(0, 0xFFFFFFFF)),
        tuple(value for each in rows for value in each),
        claimed,
        None if claimed is None else draw(st.integers(0, 0xFFFFFFFF)),
        draw(st.none() | st.builds(rbn1.TimeSync, st.integers(0, 0xFFFF), st.integers(-0x8000, 0x7FFF))),
        draw(st.none() | st.builds(rbn1.LossStats, st.integers(0, 0xFFFF), st.integers(0, 0xFFFF))),
        size,
        seats,
    )
