"""The words that two people compare."""

from retick.link.sealing.keys import WORDS, words_of
from retick.link.sealing.noise import Pattern
from tests.link.talk import Talk


def test_the_list_has_256_different_short_words() -> None:
    assert len(WORDS) == len(set(WORDS)) == 256
    assert list(WORDS) == sorted(WORDS)
    assert all(word.isascii() and word.isalpha() and word.islower() and 3 <= len(word) <= 8 for word in WORDS)


def test_both_sides_of_a_handshake_read_the_same_words_and_another_handshake_has_others() -> None:
    one, other = Talk(Pattern.NN).connect(), Talk(Pattern.NK).connect()
    assert words_of(one.mine.handshake_hash) == words_of(one.theirs.handshake_hash)
    assert words_of(one.mine.handshake_hash) != words_of(other.mine.handshake_hash)


def test_the_words_of_a_hash_never_change() -> None:
    """Computed with this function when it was written: two versions must agree."""
    assert words_of(bytes(32)) == ("berry", "cotton", "island", "planet")
