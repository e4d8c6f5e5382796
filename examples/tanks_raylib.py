"""The tanks of tanks.py with raylib, alone or online (``pip install raylib``): a loop of one's own around a Match.

Arrow keys and Space. ``python tanks_raylib.py host``, ``python tanks_raylib.py join INVITE``; Esc leaves.
"""

import sys

import pyray as rl
from tanks import DOWN, FIRE, LEFT, RIGHT, UP, Tanks

from retick.playing import Match

BUTTONS = {
    rl.KeyboardKey.KEY_LEFT: LEFT,
    rl.KeyboardKey.KEY_RIGHT: RIGHT,
    rl.KeyboardKey.KEY_UP: UP,
    rl.KeyboardKey.KEY_DOWN: DOWN,
    rl.KeyboardKey.KEY_SPACE: FIRE,
}
KEYS = {
    "up": rl.KeyboardKey.KEY_UP,
    "down": rl.KeyboardKey.KEY_DOWN,
    "return": rl.KeyboardKey.KEY_ENTER,
    "escape": rl.KeyboardKey.KEY_ESCAPE,
    "p": rl.KeyboardKey.KEY_P,
    "f3": rl.KeyboardKey.KEY_F3,
}


def pressed():
    return sum(bit for code, bit in BUTTONS.items() if rl.is_key_down(code))


def draw(world):
    for player, tank in enumerate(world.tanks):
        rl.draw_circle(int(tank.x), int(tank.y), 12, (rl.ORANGE, rl.SKYBLUE)[player])
    for bullet in world.bullets:
        rl.draw_circle(int(bullet.x), int(bullet.y), 3, rl.WHITE)


def main(line, pressed=pressed):
    rl.init_window(640, 480, "tanks")
    rl.set_exit_key(rl.KeyboardKey.KEY_NULL)
    rl.set_target_fps(60)
    with Match(Tanks, line, say=print) as match:
        while not match.left and not rl.window_should_close():
            for name, code in KEYS.items():
                if rl.is_key_pressed(code):
                    match.key_down(name)
            match.turn(pressed())
            rl.begin_drawing()
            rl.clear_background(rl.BLACK)
            if match.world is not None:
                draw(match.world)
            for row, text in enumerate(match.notices):
                rl.draw_text(text, 20, 20 + 24 * row, 20, rl.RAYWHITE)
            rl.end_drawing()
    rl.close_window()
    return match.why


if __name__ == "__main__":
    print(main(sys.argv[1:]))
