"""The laws of origins: a copy is new outside, an element of it is not, and doubt counts as the caller's."""

from hypothesis import given
from hypothesis import strategies as st

from retick.audit.static.argument_changes import EVERYTHING, Origin, merge, merge_env

ORIGINS = st.builds(
    Origin,
    st.frozensets(st.sampled_from("ab"), min_size=1),
    st.integers(0, 3),
    st.frozensets(st.sampled_from(["x", "y", EVERYTHING])),
)


@given(ORIGINS, ORIGINS, ORIGINS)
def test_merging_does_not_depend_on_order(a: Origin, b: Origin, c: Origin) -> None:
    assert merge(a, b) == merge(b, a)
    assert merge(merge(a, b), c) == merge(a, merge(b, c))
    assert merge(a, a) == a
    assert merge(a, None) == merge(None, a) == a


@given(ORIGINS)
def test_a_copy_is_new_and_what_a_container_holds_is_as_it_was(origin: Origin) -> None:
    assert origin.copied().layers >= 1
    inner = origin.held().inside()
    assert inner is not None
    assert (inner.parameters, inner.layers) == (origin.parameters, origin.layers)


def test_a_replaced_attribute_is_new_and_its_neighbours_are_not() -> None:
    copy = Origin(frozenset({"state"})).copied().given("x", None)
    assert copy.inside("x") is None
    assert copy.inside("y") == Origin(frozenset({"state"}))


def test_a_branch_that_does_not_come_back_says_nothing() -> None:
    env = {"p": Origin(frozenset({"state"}))}
    assert merge_env(None, env) == merge_env(env, None) == env
    assert merge_env({}, env) == env
