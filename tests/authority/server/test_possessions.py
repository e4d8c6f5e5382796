"""What a player has in a world."""

from typing import Annotated, Any

from retick.authority.server.room import possessions
from retick.sim import NOBODY, U8, Most, Player, Thing, World


class Coin(Thing):
    worth: U8


class Rider(Thing):
    player: Player
    coins: Annotated[list[Coin], Most(2)]


class Stable(Thing):
    riders: Annotated[list[Rider], Most(4)]


class Ranch(World):
    num_players = 2
    stables: Annotated[list[Stable], Most(2)]
    camp: Stable


def test_every_field_of_what_is_theirs_is_named_wherever_it_is() -> None:
    ranch: Any = Ranch()
    ranch.stables.append(Stable())
    ranch.stables[0].riders = [Rider(player=1, coins=[Coin(worth=5)]), Rider(player=NOBODY)]
    ranch.camp.riders.append(Rider(player=0))
    rider = ranch.stables[0].riders[0]
    name = f"stables[id {ranch.stables[0].id}].riders[id {rider.id}]"
    assert possessions(ranch, 1) == {
        f"{name}.player": 1,
        f"{name}.coins": (rider.coins[0].id,),
        f"{name}.coins[id {rider.coins[0].id}].worth": 5,
    }
    assert list(possessions(ranch, 0).values()) == [0, ()]
    assert next(iter(possessions(ranch, 0))).startswith("camp.riders[id ")
