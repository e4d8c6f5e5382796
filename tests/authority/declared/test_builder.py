from tests.authority.declared_games import HOVER, PROFILE


def test_a_press_lasts_one_command_and_needs_a_new_key_down() -> None:
    builder = PROFILE.builder()
    held = HOVER.Held(0, 0, 0, True)
    fired = []
    for seq in range(1, 5):
        builder.sample(held if seq != 3 else held._replace(fire=False), None)
        fired.append(builder.build(held, seq=seq, tick=seq, epoch=1).fire)
    assert fired == [True, False, False, True]
