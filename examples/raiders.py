"""Raiders for four: commands, things that belong to players, and what only a server asks. One file for both models.

``retick synctest examples/raiders.py:Raiders`` plays it; run as a program, two peers play it over a bad network.
"""

from typing import Annotated

from retick.sim import (
    F64,
    U8,
    U16,
    Command,
    Cooldown,
    Dice,
    Distance,
    Jumps,
    Most,
    OwnerOnly,
    Player,
    Range,
    Thing,
    World,
    jump,
)

REACH = 40.0


class Wish(Command):
    right: Annotated[F64, Range(-1, 1, step=1 / 64)] = 0.0
    down: Annotated[F64, Range(-1, 1, step=1 / 64)] = 0.0
    fire: bool = False


class Raider(Thing):
    player: Player
    x: Annotated[F64, Range(0, 640, step=1 / 16)]
    y: Annotated[F64, Range(0, 480, step=1 / 16)]
    gun: Cooldown
    ammo: Annotated[U8, OwnerOnly] = 20
    score: U16 = 0
    jumps: Jumps


class Coin(Thing):
    predicted = False  # drawn in the past: nobody steers it
    x: Annotated[F64, Range(0, 640, step=1 / 16)]
    y: Annotated[F64, Range(0, 480, step=1 / 16)]


class Raiders(World):
    num_players = 4
    game_id, game_version = "example.raiders", 1
    command = Wish
    interest = Distance(full=200, none=500)
    raiders: Annotated[list[Raider], Most(4)]
    coins: Annotated[list[Coin], Most(8)]
    dice: Dice

    def start(self, seed):
        for _ in range(8):
            self.coins.append(Coin(x=self.dice.between(0, 640), y=self.dice.between(0, 480)))

    def join(self, player):
        self.raiders.append(Raider(player=player, x=self.dice.between(0, 640), y=self.dice.between(0, 480)))

    def leave(self, player):
        self.raiders = [raider for raider in self.raiders if raider.player != player]

    def advance(self, inputs):
        for raider in self.raiders:
            wish = inputs[raider.player]
            raider.x = min(max(raider.x + 3 * wish.right, 0.0), 640.0)
            raider.y = min(max(raider.y + 3 * wish.down, 0.0), 480.0)
            raider.gun.rest()
            if wish.fire and raider.ammo and raider.gun.use(every=12, burst=3):
                raider.ammo -= 1
                self.cue("shot", raider.player)
                self.shoot(raider)
            for coin in self.coins:
                if is_near(raider, coin, 12.0):
                    raider.score = min(raider.score + 1, 65535)
                    raider.ammo = min(raider.ammo + 5, 255)
                    coin.x, coin.y = self.dice.between(0, 640), self.dice.between(0, 480)

    def shoot(self, raider):
        # On a server this is where the others were on the screen of the player who fired.
        seen = self.seen_by(raider.player)
        hit = {other.id for other in seen.raiders if other.player != raider.player and is_near(raider, other, REACH)}
        for other in self.raiders:
            if other.id in hit:
                other.x, other.y = self.dice.between(0, 640), self.dice.between(0, 480)
                jump(other)
                self.cue("hit", other.player)
                self.send(b"you were hit", to=other.player)

    def visible(self, player, thing):
        return not isinstance(thing, Coin) or any(
            is_near(raider, thing, 300.0) for raider in self.raiders if raider.player == player
        )


def is_near(one, other, distance):
    dx, dy = one.x - other.x, one.y - other.y
    return dx * dx + dy * dy < distance * distance


def bot(player, state):
    """What a seat that nobody plays wishes."""
    noise = state.saved[-1] + 3 * state.saved[-2] + 7 * player
    return Wish(right=(noise % 5 - 2) / 2, down=(noise % 7 - 3) / 3, fire=noise % 4 == 0)


if __name__ == "__main__":
    from retick.testing.mesh import two_peers

    match = two_peers(Raiders, press=bot)
    match.play(600)
    print(f"both peers, and a run without any network, end on 0x{match.verify(600):08X}")
