"""The tank game in a loop of its own, recorded and with sound: ``recorded.py`` hosts, ``recorded.py INVITE`` joins."""

import sys

import online
import pygame

from retick.replay import LiveRecording
from retick.rollback import CueStarted


def connect(game, line=None, *, port=online.PORT):
    name = "hosted.rtk" if line is None else "joined.rtk"
    return online.connect(game, line, port=port, record=LiveRecording(name))


def play_sounds(session, sounds):
    for event in session.cues():
        if isinstance(event, CueStarted):
            sounds[event.cue].play()


def main(line=None):
    pygame.mixer.init()
    sounds = {("shot",): pygame.mixer.Sound("shot.wav")}
    online.main(line, connect=connect, every_turn=lambda session: play_sounds(session, sounds))


if __name__ == "__main__":
    main(*sys.argv[1:2])
