"""The table of kinds that records and worlds share."""

import re
from enum import Enum
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import UsageError
from retick.sim import F64, I8, I64, U8, U64
from retick.sim.kinds import BOOL, REAL, SEED, kind_of


class Mode(Enum):
    IDLE = "idle"
    RUN = "run"


KINDS: list[Any] = [kind_of(hint) for hint in (I8, I64, U8, U64, F64, bool, Mode)]


def test_a_hint_names_its_kind_and_other_hints_none() -> None:
    assert [kind.name for kind in KINDS] == ["I8", "I64", "U8", "U64", "F64", "bool", "Mode"]
    assert [kind.text for kind in KINDS[4:]] == ["f64", "bool", "enum Mode(IDLE,RUN)"]
    assert kind_of(Annotated[U8, "a note"]) is kind_of(U8)
    assert kind_of(str) is kind_of(None) is None
    assert (kind_of(int), kind_of(float)) == (kind_of(I64), kind_of(F64))


@given(st.sampled_from(KINDS), st.data())
def test_a_value_survives_its_slot(kind: Any, data: st.DataObject) -> None:
    if kind.is_real:
        value: Any = data.draw(st.floats(allow_nan=False))
    elif not kind.is_whole:
        value = data.draw(st.sampled_from(kind.members or (False, True)))
    else:
        value = data.draw(st.integers(kind.least, kind.greatest))
    raw = kind.raw(kind.checked(value, "here"))
    assert kind.fault(raw, "here") is None
    assert -(1 << 63) <= kind.slot(raw) < 1 << 63
    assert kind.value(kind.from_slot(kind.slot(raw))) == value
    assert kind.checked(kind.zero, "here") == kind.zero


@given(st.sampled_from([*KINDS, SEED]), st.one_of(st.integers(), st.floats(), st.text(), st.none(), st.booleans()))
def test_every_other_value_is_refused_by_name(kind: Any, value: Any) -> None:
    try:
        kept = kind.checked(value, "Tank.reload")
    except UsageError:
        with pytest.raises(UsageError, match=re.escape(f"Tank.reload: {value!r} is not a")):
            kind.checked(value, "Tank.reload")
    else:
        assert kept == value


def test_what_zero_is() -> None:
    assert [kind.zero for kind in KINDS] == [0, 0, 0, 0, 0.0, False, Mode.IDLE]
    assert (SEED.zero, BOOL.size, REAL.size) == (1, 1, 8)


@pytest.mark.parametrize(("kind", "raw"), [(BOOL, 2), (SEED, 0), (REAL, float("nan")), (KINDS[-1], 2)])
def test_a_packed_value_from_outside_is_checked(kind: Any, raw: Any) -> None:
    assert "here" in str(kind.fault(raw, "here"))
