"""Invites as text: they come back as they were, and what was pasted wrongly is refused without showing the secret."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import InvalidValue, UsageError
from retick.link import Invite

ADDRESSES = st.text(st.characters(codec="ascii", exclude_characters="# \t\r\n", exclude_categories=["Cc"]), max_size=60)
INVITES = st.builds(Invite, ADDRESSES, st.binary(min_size=16, max_size=16))
GIVEN = Invite("host.example:7777", bytes(range(16)))


@given(INVITES)
def test_the_text_of_an_invite_means_that_invite_again(invite: Invite) -> None:
    assert Invite.parse(invite.text()) == invite
    assert Invite.parse(f"  {invite.text()}\n") == invite


@given(INVITES, st.data())
def test_a_cut_invite_is_refused(invite: Invite, data: st.DataObject) -> None:
    text = invite.text()
    with pytest.raises(InvalidValue, match="paste the"):
        Invite.parse(text[: data.draw(st.integers(0, len(text) - 1))])


@given(INVITES, st.data())
def test_a_wrong_letter_is_refused_and_the_secret_is_not_in_the_error(invite: Invite, data: st.DataObject) -> None:
    text = invite.text()
    at = data.draw(st.integers(text.index("#") + 1, len(text) - 1))
    letter = data.draw(st.sampled_from([each for each in "0123456789abcdefghjkmnpqrstvwxyz" if each != text[at]]))
    with pytest.raises(InvalidValue) as refused:
        Invite.parse(text[:at] + letter + text[at + 1 :])
    assert text[text.index("#") + 1 :] not in str(refused.value)


def test_capital_letters_and_look_alikes_are_read() -> None:
    text = Invite("a:1", b"\x08\x42" * 8).text()
    scheme, _, letters = text.rpartition("#")
    assert Invite.parse(f"{scheme.upper().replace('A:1', 'a:1')}#{letters.upper().replace('1', 'L')}").address == "a:1"


def test_the_address_is_part_of_the_checksum() -> None:
    with pytest.raises(InvalidValue, match="wrong"):
        Invite.parse(GIVEN.text().replace("7777", "7778"))


def test_a_secret_is_in_no_repr_and_only_16_bytes_are_one() -> None:
    assert "000102" not in repr(GIVEN)
    assert repr(bytes(range(16))) not in repr(GIVEN)
    with pytest.raises(UsageError, match="16 bytes"):
        Invite("host", bytes(15))
    with pytest.raises(UsageError, match="no # or space"):
        Invite("ho#st", bytes(16))


def test_new_ones_have_secrets_from_the_entropy_given() -> None:
    assert Invite.new("host:1", entropy=lambda size: b"s" * size) == Invite("host:1", b"s" * 16)


@pytest.mark.parametrize("text", ["", "retick:", "https://a#b", "retick:host:1", "#", "retick:h#" + "0" * 29 + "u"])
def test_other_text_is_no_invite(text: str) -> None:
    with pytest.raises(InvalidValue, match="invite"):
        Invite.parse(text)
