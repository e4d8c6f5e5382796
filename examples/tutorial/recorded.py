"""The tank game in a loop of its own, recorded and with sound: ``recorded.py`` hosts, ``recorded.py ADDRESS`` joins."""

import sys

import online
import pygame

from retick.replay import LiveRecording
from retick.rollback import CueStarted


def connect(game, address=None, *, port=online.PORT):
    name = "hosted.rtk" if address is None else "joined.rtk"
    return online.connect(game, address, port=port, record=LiveRecording(name))


def play_sounds(session, sounds):
    for event in session.cues():
        if isinstance(event, CueStarted):
            sounds[event.cue].play()


def main(address=None):
    pygame.mixer.init()
    sounds = {("shot",): pygame.mixer.Sound("shot.wav")}
    online.main(address, connect=connect, every_turn=lambda session: play_sounds(session, sounds))


if __name__ == "__main__":
    main(*sys.argv[1:2])
