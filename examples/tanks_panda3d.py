"""The tanks of tanks.py with Panda3D, alone or online (``pip install panda3d``): nodes that follow a Match.

Arrow keys and Space. ``python tanks_panda3d.py host``, ``python tanks_panda3d.py join INVITE``; Esc leaves.
"""

import sys

from direct.gui.OnscreenText import OnscreenText
from direct.showbase.ShowBase import ShowBase
from panda3d.core import KeyboardButton, OrthographicLens, TextNode
from tanks import DOWN, FIRE, LEFT, RIGHT, UP, Tanks

from retick.playing import Match

BUTTONS = {"left": LEFT, "right": RIGHT, "up": UP, "down": DOWN, "space": FIRE}
KEYS = {"arrow_up": "up", "arrow_down": "down", "enter": "return", "escape": "escape", "p": "p", "f3": "f3"}
MOST_BULLETS = 64


class Window(ShowBase):
    def __init__(self, line):
        ShowBase.__init__(self)
        self.match = Match(Tanks, line, say=print)
        self.exitFunc = self.match.leave
        self.words = OnscreenText(pos=(-1.3, 0.9), scale=0.06, fg=(1, 1, 1, 1), align=TextNode.ALeft, mayChange=True)
        lens = OrthographicLens()
        lens.setFilmSize(640, 480)
        self.cam.node().setLens(lens)
        self.disableMouse()
        self.setBackgroundColor(0, 0, 0)
        self.tanks = [self.box(24, colour) for colour in ((1, 0.6, 0, 1), (0.5, 0.8, 0.9, 1))]
        self.bullets = [self.box(6, (1, 1, 1, 1)) for _ in range(MOST_BULLETS)]
        for key, name in KEYS.items():
            self.accept(key, self.match.key_down, [name])
        self.taskMgr.add(self.turn, "match")

    def box(self, size, colour):
        node = self.loader.loadModel("models/box")
        node.setScale(size)
        node.setTextureOff(1)
        node.setColor(*colour)
        node.reparentTo(self.render)
        return node

    def pressed(self):
        if self.mouseWatcherNode is None:
            return 0
        held = self.mouseWatcherNode.isButtonDown
        names = {"space": KeyboardButton.space()}
        return sum(bit for name, bit in BUTTONS.items() if held(names.get(name) or getattr(KeyboardButton, name)()))

    def show(self, world):
        for nodes, things in ((self.tanks, world.tanks), (self.bullets, world.bullets)):
            for node, thing in zip(nodes, things, strict=False):
                node.setPos(thing.x - 320, 500, 240 - thing.y)
            for number, node in enumerate(nodes):
                node.show() if number < len(things) else node.hide()

    def turn(self, task):
        self.match.turn(self.pressed())
        self.words.setText("\n".join(self.match.notices))
        if self.match.world is not None:
            self.show(self.match.world)
        if self.match.left:
            self.match.leave()
            sys.exit(self.match.why)
        return task.cont


if __name__ == "__main__":
    Window(sys.argv[1:]).run()
