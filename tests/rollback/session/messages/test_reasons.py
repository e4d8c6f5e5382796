"""Words for the codes of the session protocol and of the link."""

from retick.link import Reason
from retick.rollback.session.messages import kinds
from retick.rollback.session.messages.kinds import WORDS, describe


def test_every_code_has_words_of_its_own_and_another_is_shown_as_its_number() -> None:
    codes = {value for value in vars(kinds).values() if isinstance(value, int)}
    assert codes == set(WORDS)
    assert codes.isdisjoint(Reason)
    words = [describe(code) for code in (*Reason, *codes)]
    assert len(set(words)) == len(words)
    assert describe(211) == "sends no inputs"
    assert describe(99) == "reason 99"
