"""Mutants: the same for the same seed, never too long, and of every kind."""

from fuzz.mutation import FIELDS, STRATEGIES, Mutator, _cut, _every_value, _flip, _resize

BASE = bytes(range(1, 25))


def test_the_same_seed_gives_the_same_mutants() -> None:
    batches = [[Mutator([BASE, b"other"], 7).batch() for _ in range(1)] for _ in range(2)]
    assert batches[0] == batches[1]
    one, other = Mutator([BASE], 7), Mutator([BASE], 7)
    assert [one.batch() for _ in range(50)] == [other.batch() for _ in range(50)]


def test_every_strategy_changes_something_and_takes_any_input() -> None:
    for strategy in STRATEGIES:
        for base in (b"ab", BASE, BASE * 100):
            mutator = Mutator([base, BASE, b"else"], 1, size=64)
            assert any(mutant != base for mutant in strategy(mutator, base)), strategy.__name__


def test_inputs_are_cut_at_every_byte_and_each_bit_is_flipped() -> None:
    mutator = Mutator([BASE], 1)
    assert _cut(mutator, BASE) == [BASE[:end] for end in range(len(BASE))]
    assert len(set(_flip(mutator, BASE))) == 8 * len(BASE)
    assert len(set(_every_value(mutator, BASE))) == 256


def test_a_length_grows_and_shrinks_together_with_what_follows() -> None:
    counted = bytes((3, 65, 66, 67))
    consistent = {mutant for mutant in _resize(Mutator([counted], 1), counted) if mutant[0] == len(mutant) - 1}
    assert len({len(mutant) for mutant in consistent}) >= 3


def test_numbers_at_the_edge_are_put_in() -> None:
    assert {b"\xff\xff\xff\xff", b"\x00\x80", b"\x80", b"\x7f\xff"} <= set(FIELDS)


def test_mutants_do_not_grow_for_ever() -> None:
    mutator = Mutator([bytes(90)], 3, longest=100)
    assert max(len(mutant) for _ in range(400) for mutant in mutator.batch()) <= 400


def test_half_of_the_batches_are_mended() -> None:
    mutator = Mutator([BASE], 1, mend=lambda data: b"mended")
    mended = sum(set(mutator.batch()) == {b"mended"} for _ in range(100))
    assert 30 < mended < 90
