"""The fighters' poses."""

import pytest

from retick.cli.draw.fighter import LARGE, SMALL, Sprites, picture
from retick.games.fighter import Fighter, PlayerState

GAME = Fighter()
START = GAME.initial_state(1)


@pytest.mark.parametrize("sprites", [SMALL, LARGE])
def test_all_poses_of_a_size_have_one_shape(sprites: Sprites) -> None:
    for pose in (sprites.idle, *sprites.run, sprites.jump, sprites.attack, sprites.stunned):
        assert len(pose) == sprites.height
        assert {len(row) for row in pose} == {sprites.width}


@pytest.mark.parametrize("sprites", [SMALL, LARGE])
def test_a_fighter_that_faces_left_is_the_mirror_image(sprites: Sprites) -> None:
    def seen(player: PlayerState) -> tuple[str, ...]:
        return picture(sprites, player, 0)

    right, left = seen(START.p1), seen(START.p1.replace(facing=-1))
    assert right != left
    assert [row[::-1].count("/") for row in right] == [row.count("\\") for row in left]
