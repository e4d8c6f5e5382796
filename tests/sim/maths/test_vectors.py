"""The pinned bits: here in the form of this run, and with the twin in the other one."""

import pytest

from retick.sim import fixed, maths
from tests.sim.maths.reference import REFERENCE, ulps
from tests.sim.maths.samples import NAMES
from tests.sim.maths.vectors import bits, number, read, told
from tests.twin import Twin, outcome

VECTORS = read()
INTEGER_FORMS = ("sin", "cos", "atan2", "length")


def results_of(name: str) -> list[str]:
    """A story for the twin: the result of every line, as this form computes it."""
    return [told(name, tuple(map(number, arguments))) for *arguments, _ in VECTORS[name]]


def test_the_file_has_every_function() -> None:
    assert set(VECTORS) == {*NAMES, *(f"fixed.{name}" for name in INTEGER_FORMS)}
    assert all(len(rows) > 40 for rows in VECTORS.values())


@pytest.mark.parametrize("name", NAMES)
def test_the_bits_are_the_pinned_ones(name: str) -> None:
    assert results_of(name) == [expected for *_, expected in VECTORS[name]]


@pytest.mark.parametrize("name", INTEGER_FORMS)
def test_the_integer_forms_are_the_pinned_ones(name: str) -> None:
    for *arguments, expected in VECTORS[f"fixed.{name}"]:
        assert getattr(fixed, name)(*map(int, arguments)) == int(expected)


@pytest.mark.compiled_only
def test_the_sources_give_the_same_bits_as_the_compiled_kernels(twin: Twin) -> None:
    for name in NAMES:
        twin.agrees(results_of, name)


def refusals(name: str) -> list[str]:
    """A story for the twin: what each function says to what is no number."""
    function = getattr(maths, name)
    two = name in ("atan2", "pow", "hypot")
    wrong: tuple[object, ...] = ("1", None, 1j, [1.0], 10**400)
    lines = [outcome(function, *((value, 1.0) if two else (value,))) for value in wrong]
    return lines + ([outcome(function, 1.0, value) for value in wrong] if two else [])


@pytest.mark.compiled_only
def test_both_forms_refuse_alike(twin: Twin) -> None:
    for name in NAMES:
        twin.agrees(refusals, name)


@pytest.mark.parametrize("name", NAMES)
def test_the_pinned_results_are_near_the_true_values(name: str) -> None:
    for *digits, expected in VECTORS[name]:
        arguments = tuple(map(number, digits))
        finite = ":" not in expected and abs(number(expected)) < maths.inf
        if finite and number(expected) != 0 and all(map(maths.isfinite, arguments)) and 0.0 not in arguments:
            assert ulps(number(expected), REFERENCE[name](*arguments)) < 1.4, arguments


def test_bits_are_written_as_the_page_says() -> None:
    assert bits(1.0) == "3ff0000000000000"
    assert bits(-0.0) == "8000000000000000"
    assert number("4000000000000000") == 2.0
