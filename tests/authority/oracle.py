"""What a client should know of a Court, computed in the plainest way from the server's world."""

from math import floor, pi
from typing import Any

from tests.authority.worlds import Coin, Court, Pawn, Rock, Spot

__all__ = ["known_to", "told"]


def steps(value: float, low: float, high: float, step: float) -> float:
    return low + max(0, min(round((high - low) / step), round((value - low) / step))) * step


def turn(value: float) -> float:
    steps_of_turn = round((value / (2 * pi) - floor(value / (2 * pi))) * 65536) % 65536
    return (steps_of_turn - 65536 if steps_of_turn >= 32768 else steps_of_turn) * (2 * pi / 65536)


def spot(one: Spot | None) -> Any:
    return None if one is None else (steps(one.x, -50, 50, 1 / 8), one.y, 9)


def known_to(world: Court, seat: int | None) -> Any:
    """The court as one player may know it."""
    player = 255 if seat is None else seat
    pawns = sorted((pawn for pawn in world.pawns if world.visible(player, pawn)), key=lambda pawn: pawn.id)
    ids = {pawn.id for pawn in pawns}

    def link(pawn: Pawn | None) -> int | None:
        return pawn.id if pawn is not None and pawn.id in ids else None

    def coins(given: list[Coin]) -> Any:
        ordered = sorted(given, key=lambda coin: coin.id)
        return [(coin.id, round(steps(coin.worth, -100, 100, 5)), link(coin.of)) for coin in ordered]

    def pawn_of(pawn: Pawn) -> Any:
        own = pawn.player == seat
        return (
            pawn.id, pawn.player, steps(pawn.x, 0, 640, 1 / 16), steps(pawn.y, 0, 480, 1 / 16), turn(pawn.heading),
            pawn.side, pawn.ammo if own else 3, spot(pawn.plan) if own else None, 77, pawn.lost, pawn.speed, pawn.best,
            spot(pawn.home), link(pawn.foe), coins(pawn.purse), coins(pawn.pocket) if own else [], list(pawn.marks),
        )  # fmt: skip

    rocks = sorted((rock for rock in world.rocks if world.visible(player, rock)), key=lambda rock: rock.id)
    return (
        [pawn_of(pawn) for pawn in pawns],
        [(rock.id, rock.size, rock.hidden) for rock in rocks],
        [],
        1,
        world.weight,
        world.sum,
        steps(world.heat, 0, 1, 0.25),
        [turn(value) for value in world.turns],
        list(world.sides),
        spot(world.throne),
        5,
        world.next_id,
    )


def told(world: Court) -> Any:
    """A client's court in the same form."""

    def plain(one: Spot | None) -> Any:
        return None if one is None else (one.x, one.y, one.secret)

    def coins(given: list[Coin]) -> Any:
        return [(coin.id, coin.worth, coin.of and coin.of.id) for coin in given]

    def cards(given: list[Rock]) -> Any:
        return [(rock.id, rock.size, rock.hidden) for rock in given]

    pawns = [
        (
            pawn.id, pawn.player, pawn.x, pawn.y, pawn.heading, pawn.side, pawn.ammo, plain(pawn.plan), pawn.luck,
            pawn.lost, pawn.speed, pawn.best, plain(pawn.home), pawn.foe and pawn.foe.id, coins(pawn.purse),
            coins(pawn.pocket), list(pawn.marks),
        )
        for pawn in world.pawns
    ]  # fmt: skip
    return (
        pawns, cards(world.rocks), cards(world.cards), world.dice.state, world.weight, world.sum, world.heat,
        list(world.turns), list(world.sides), plain(world.throne), world.told, world.next_id,
    )  # fmt: skip
