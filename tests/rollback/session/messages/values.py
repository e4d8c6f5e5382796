"""Strategies for the fields that session messages share."""

from hypothesis import strategies as st

from retick.rollback.session.messages.roster import RosterEntry

peer_ids = st.integers(0, 255)
frames = st.integers(0, 2**32 - 1)
seats = st.sets(st.integers(0, 15), min_size=1, max_size=4).map(lambda players: tuple(sorted(players)))
addresses = st.one_of(
    st.text(st.characters(codec="ascii", exclude_characters=" "), min_size=1, max_size=20),
    st.tuples(st.sampled_from(["127.0.0.1", "::1", "fe80::2"]), st.integers(0, 65535)),
)


@st.composite
def entries(draw: st.DrawFn) -> tuple[RosterEntry, ...]:
    order = draw(st.permutations(range(8)))
    size = draw(st.integers(1, 8))
    return tuple(RosterEntry(peer_id, (order[peer_id],), draw(addresses)) for peer_id in range(size))
