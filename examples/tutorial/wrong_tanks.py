"""The tank game with a mistake: each shot shakes the tank by a random number that is not part of the world."""

import random

from tanks import Tanks


class WrongTanks(Tanks):
    def fire(self, tank):
        super().fire(tank)
        tank.angle += random.uniform(-0.1, 0.1)
