"""The tank game online, recorded and with sound: ``recorded.py`` hosts a match, ``recorded.py ADDRESS`` joins it."""

import sys
from array import array

import online
import pygame
from tanks import Tanks

from retick.replay import LiveRecording
from retick.rollback import CueStarted

RATE = 22050


class LoudTanks(Tanks):
    """The same game; it also says what is to be heard."""

    def fire(self, tank):
        super().fire(tank)
        self.cue("shot")


def connect(game, address=None, *, port=online.PORT):
    name = "hosted.rtk" if address is None else "joined.rtk"
    return online.connect(game, address, port=port, record=LiveRecording(name))


def tone(hertz, seconds):
    wave = [3000] * (RATE // hertz // 2)
    return pygame.mixer.Sound(buffer=array("h", (wave + [-each for each in wave]) * int(hertz * seconds)))


def play_sounds(session, sounds):
    for event in session.cues():
        if isinstance(event, CueStarted):
            sounds[event.cue].play()


def main(address=None):
    pygame.mixer.init(RATE, -16, 1)
    sounds = {("shot",): tone(220, 0.05)}
    online.main(address, connect=connect, game=LoudTanks, every_turn=lambda session: play_sounds(session, sounds))


if __name__ == "__main__":
    main(*sys.argv[1:2])
