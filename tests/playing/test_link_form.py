"""The forms of links, and what their refusals mean."""

from retick.link import Invite, Reason
from retick.playing.link_form import OPEN, PLAIN, LinkForm, why_not_this_game, why_refused

INVITED = LinkForm(invite=Invite("desk:1", b"0123456789abcdef"), identity=b"k" * 32, keylog=print)


def test_a_form_says_what_it_is_and_shows_no_key() -> None:
    assert [each.name for each in (INVITED, OPEN, PLAIN)] == ["invite", "open", "plain"]
    assert [each.is_open for each in (INVITED, OPEN, PLAIN)] == [False, True, False]
    assert [each.secret for each in (INVITED, OPEN)] == [b"0123456789abcdef", b""]
    assert "0123456789abcdef" not in repr(INVITED)
    assert "kkk" not in repr(INVITED)
    assert INVITED.arguments()["invite"] is INVITED.invite


def test_a_refusal_that_is_not_about_sealing_means_nothing_here() -> None:
    for form in (INVITED, OPEN, PLAIN):
        assert why_refused(Reason.FULL, "the match is full", form) == ""
        assert why_refused(Reason.VERSION, "another version of the link", form) == ""


def test_each_refusal_about_sealing_says_what_to_do() -> None:
    assert "refused the invite" in why_refused(Reason.SECRET, "", INVITED)
    assert "only peers that have its invite" in why_refused(Reason.SECRET, "", OPEN)
    assert "leave it out" in why_refused(Reason.VERSION, "the other side takes sealed links only: …", PLAIN)
    assert "to both sides" in why_refused(Reason.VERSION, "the other side takes plain links only: …", OPEN)


def test_the_host_of_another_game_is_named() -> None:
    said = why_not_this_game(Reason.GAME, "another game: this is 'me.tanks'")
    assert said == "the host there plays another game: me.tanks. Ask for the address or the line of your host"
    said = why_not_this_game(Reason.GAME, "another game: this is 'me.tanks/4'")
    assert said.startswith("the host there plays another game: me.tanks for 4 players.")
    said = why_not_this_game(Reason.GAME_VERSION, "another version of the game: this is version 7")
    assert said == "the host there plays version 7 of this game: everybody needs the same version"


def test_what_is_said_of_other_reasons_or_in_other_words_stays() -> None:
    assert why_not_this_game(Reason.GAME, "go away") == ""
    assert why_not_this_game(Reason.GAME_VERSION, "go away") == ""
    assert why_not_this_game(Reason.FULL, "another game: this is 'me.tanks'") == ""
