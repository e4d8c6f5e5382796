"""What there is to hear in a fight."""

from retick.games.fighter import Button, Fighter
from retick.games.fighter.bots import fight
from retick.games.fighter.game import cues_of, hits_in, knocked_out

GAME = Fighter()


def test_a_swing_and_a_jump_are_heard_in_the_frame_in_which_they_begin() -> None:
    before = GAME.initial_state(1)
    after = GAME.step(before, (int(Button.ATTACK), int(Button.JUMP)))
    assert list(GAME.cues(before, after)) == [("swing", 0), ("jump", 1)]
    assert list(GAME.cues(after, GAME.step(after, (int(Button.ATTACK), int(Button.JUMP))))) == []


def test_every_hit_of_a_fight_is_heard_once_and_the_knock_out_too() -> None:
    before, heard, hits = GAME.initial_state(3), [], 0
    for _, after in fight(3):
        cues = list(cues_of(before, after))
        heard += cues
        landed = hits_in(after)
        assert [player for name, player in cues if name == "hit"] == [player for player in (0, 1) if landed[player]]
        hits += sum(landed)
        before = after
        if knocked_out(after):
            break
    assert hits >= 4
    assert any(name == "knocked out" for name, _ in heard)
