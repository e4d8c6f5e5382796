"""Tanks for two; a subclass with num_players = 4 is for four. Mutable objects, floats and a list of bullets.

``retick synctest examples/tanks.py:Tanks`` plays it; run as a program, two peers play it over a bad network.
"""

from typing import Annotated

from retick.sim import F64, U8, U16, Dice, Most, OwnerOnly, Range, Ref, Thing, World

LEFT, RIGHT, UP, DOWN, FIRE = 1, 2, 4, 8, 16


class Tank(Thing):
    x: Annotated[F64, Range(0, 640, step=1 / 16)] = 0.0
    y: Annotated[F64, Range(0, 480, step=1 / 16)] = 0.0
    aim_x: F64 = 1.0
    aim_y: F64 = 0.0
    reload: Annotated[U8, OwnerOnly] = 0
    score: U16 = 0


class Bullet(Thing):
    shooter: Ref[Tank]  # None once that tank has left
    x: F64
    y: F64
    vx: F64
    vy: F64
    life: U8 = 90


class Tanks(World):
    num_players = 2
    game_id, game_version = "example.tanks", 1
    tanks: Annotated[list[Tank], Most(4)]
    bullets: Annotated[list[Bullet], Most(64)]
    dice: Dice

    def start(self, seed):
        for _ in range(self.num_players):
            self.tanks.append(Tank(x=self.dice.between(20, 620), y=self.dice.between(20, 460)))

    def advance(self, inputs):
        for tank, keys in zip(self.tanks, inputs, strict=True):
            self.drive(tank, keys)
            if keys & FIRE and not tank.reload and len(self.bullets) < 64:
                self.bullets.append(Bullet(shooter=tank, x=tank.x, y=tank.y, vx=4 * tank.aim_x, vy=4 * tank.aim_y))
                tank.reload = 20
                self.cue("shot", tank.x, tank.y)
        for bullet in list(self.bullets):
            self.fly(bullet)

    def drive(self, tank, keys):
        dx = bool(keys & RIGHT) - bool(keys & LEFT)
        dy = bool(keys & DOWN) - bool(keys & UP)
        if dx or dy:
            tank.aim_x, tank.aim_y = dx, dy
        tank.x = min(max(tank.x + 1.5 * dx, 0.0), 640.0)
        tank.y = min(max(tank.y + 1.5 * dy, 0.0), 480.0)
        tank.reload = max(tank.reload - 1, 0)

    def fly(self, bullet):
        bullet.x += bullet.vx
        bullet.y += bullet.vy
        bullet.life -= 1
        hit = next((tank for tank in self.tanks if tank is not bullet.shooter and is_near(tank, bullet)), None)
        if hit is not None:
            if bullet.shooter is not None:
                bullet.shooter.score += 1
            hit.x, hit.y = self.dice.between(20, 620), self.dice.between(20, 460)
            self.cue("hit", hit.x, hit.y)
        if hit is not None or not bullet.life:
            self.bullets.remove(bullet)


def is_near(tank, bullet):
    dx, dy = tank.x - bullet.x, tank.y - bullet.y
    return dx * dx + dy * dy < 15.0 * 15.0


if __name__ == "__main__":
    from retick.testing.mesh import two_peers

    match = two_peers(Tanks, press=lambda player, state: (len(state.saved) * 7 + player) & 31)
    match.play(600)
    print("rollbacks:", match["peer0"].session.stats(now=match.network.now).rollbacks)
    print(f"both peers, and a run without any network, end on 0x{match.verify(600):08X}")
