"""Strategies for the fields that session messages share."""

from hypothesis import strategies as st

from retick.rollback.session.messages.roster import Reach, RosterEntry

peer_ids = st.integers(0, 255)
frames = st.integers(0, 2**32 - 1)
seats = st.sets(st.integers(0, 15), min_size=1, max_size=4).map(lambda players: tuple(sorted(players)))
reaches = st.builds(Reach, st.integers(0, 255), st.integers(0, 255))
keys = st.binary(min_size=32, max_size=32)
addresses = st.one_of(
    st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=40),
    st.tuples(
        st.sampled_from(["127.0.0.1", "10.1.2.3", "198.51.100.7", "::1", "fe80::2", "2001:db8::5"]),
        st.integers(1, 65535),
    ),
)


@st.composite
def entries(draw: st.DrawFn) -> tuple[RosterEntry, ...]:
    order = draw(st.permutations(range(8)))
    size = draw(st.integers(1, 8))
    found = draw(st.lists(addresses, min_size=size, max_size=size, unique=True))
    key, reach = draw(keys), draw(reaches)
    return tuple(
        RosterEntry(peer_id, (order[peer_id],), found[peer_id], key=key, reach=reach) for peer_id in range(size)
    )
