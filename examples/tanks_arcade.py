"""The tanks of tanks.py in a window of arcade, alone or online (``pip install 'retick[arcade]'``).

Arrow keys and Space. ``python tanks_arcade.py`` shows the menu, ``--host`` and ``--join INVITE`` skip it.
"""

import arcade
from tanks import Tanks

from retick.integrations.arcade import Buttons, play

press = Buttons(arcade.key.LEFT, arcade.key.RIGHT, arcade.key.DOWN, arcade.key.UP, arcade.key.SPACE)
COLOURS = [arcade.color.ORANGE, arcade.color.SKY_BLUE]


def draw(world, me):
    for player, tank in enumerate(world.tanks):
        arcade.draw_circle_filled(tank.x, tank.y, 12, COLOURS[player])
    for bullet in world.bullets:
        arcade.draw_circle_filled(bullet.x, bullet.y, 3, arcade.color.WHITE)


if __name__ == "__main__":
    play(Tanks, draw, press, size=(640, 480))
