"""The tanks of tanks.py in a window of pyglet, alone or online (``pip install 'retick[pyglet]'``).

Arrow keys and Space. ``python tanks_pyglet.py`` shows the menu, ``--host`` and ``--join INVITE`` skip it.
"""

import pyglet
from pyglet.window import key
from tanks import Tanks

from retick.integrations.pyglet import Buttons, play

COLOURS = [(255, 165, 0), (135, 206, 235)]
press = Buttons(key.LEFT, key.RIGHT, key.DOWN, key.UP, key.SPACE)


def draw(world, me):
    for player, tank in enumerate(world.tanks):
        pyglet.shapes.Circle(tank.x, tank.y, 12, color=COLOURS[player]).draw()
    for bullet in world.bullets:
        pyglet.shapes.Circle(bullet.x, bullet.y, 3).draw()
    pyglet.text.Label(" : ".join(str(tank.score) for tank in world.tanks), 20, 450, font_size=18).draw()


if __name__ == "__main__":
    play(Tanks, draw, press, title="Tanks in pyglet")
