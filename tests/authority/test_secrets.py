"""What a client must not know never leaves the server: the bytes are read, over many ticks with deltas and losses."""

import random
import struct
from collections.abc import Sequence
from typing import Annotated, Any

import pytest

from retick.sim import U8, U32, Dice, Most, OwnerOnly, Player, Rect, Ref, ServerOnly, Thing, Vector2, World
from retick.wire.values import encode_value
from tests.authority.worlds import Client, Server


class Box(Thing):
    """Things in a box are only seen with it."""

    value: U32 = 0


class Agent(Thing):
    player: Player = 255
    seen: bool = True
    code: Annotated[U32, OwnerOnly] = 0
    fuse: Annotated[U32, ServerOnly] = 0
    name: U32 = 0
    hint: Annotated[str | None, Most(20), OwnerOnly] = None
    lair: Annotated[Vector2, OwnerOnly] = Vector2()
    trap: Annotated[str, Most(8), ServerOnly] = ""
    route: Annotated[list[Vector2], Most(2), OwnerOnly]
    cage: Annotated[Rect, ServerOnly] = Rect()
    motto: Annotated[str, Most(8)] = ""
    place: Vector2 = Vector2()
    area: Rect = Rect()
    target: Ref["Agent"] = None
    boxes: Annotated[list[Box], Most(2)]
    stash: Annotated[list[Box], Most(2), OwnerOnly]


class Spies(World):
    num_players = 3
    agents: Annotated[list[Agent], Most(6)]
    deck: Annotated[list[Box], Most(3), ServerOnly]
    dice: Dice
    key: Annotated[U32, ServerOnly]
    sign: Annotated[str, Most(8), ServerOnly]
    time: U8

    def visible(self, player: int, thing: Any) -> bool:
        return not isinstance(thing, Agent) or thing.seen or thing.player == player

    def hears(self, player: int, cue: tuple[Any, ...]) -> bool:
        return cue[0] == player

    def advance(self, inputs: Sequence[int]) -> None:
        self.time = (self.time + 1) & 255
        for player in range(3):
            self.cue(player, MARKS["cue", player])


# Marked values of 32 bits, which no chance makes. The last 16 bits of each are its own.
MARKS: dict[Any, int] = {}
WHATS = (
    "code", "fuse", "name", "box", "stash", "deck", "key", "dice", "cue", "input", "hint", "lair", "trap", "route",
    "cage", "motto", "place", "area", "sign",
)  # fmt: skip
for _number, _what in enumerate(WHATS):
    for _player in range(4):
        MARKS[_what, _player] = 0xB7D10000 | (0x9E37 * (4 * _number + _player + 1)) & 0xFFFF


def text_of(mark: int) -> str:
    return f"{mark:08x}"


def bits_of(data: bytes) -> str:
    return "".join(f"{byte:08b}" for byte in data)


def leaked(packets: list[bytes], marks: list[int]) -> set[int]:
    """The marks whose 32 bits, or low 16, are anywhere in the packets, at whatever bit."""
    found = set()
    texts = [bits_of(packet) for packet in packets]
    for mark in marks:
        forms = [
            f"{mark:032b}",
            bits_of(mark.to_bytes(4, "little")),
            bits_of(encode_value(mark)),
            f"{mark & 0xFFFFFF:024b}",
            bits_of(text_of(mark).encode()),
            bits_of(text_of(mark).encode()[::-1]),  # eight bytes in a number, the first one lowest
            bits_of(struct.pack(">d", mark)),
            f"{(mark >> 1) + (1 << 31):032b}",  # a whole rectangle, from the lowest integer on
        ]
        if any(form in text for text in texts for form in forms):
            found.add(mark)
    return found


def play(ticks: int = 120) -> tuple[Server, list[Client]]:
    """Everybody has an agent. That of player 1 is hidden from the others; it changes all the time, and so does all
    that is secret."""
    rng = random.Random(7)
    server = Server(Spies(), seats=(0, 1, None))
    world = server.world
    for player in range(3):
        agent = Agent(player=player, seen=player != 1)
        world.agents.append(agent)
        agent.boxes = [Box()]
        agent.stash = [Box()]
    world.deck.append(Box())
    for tick in range(ticks):
        flip = tick & 1
        world.key = MARKS["key", flip]
        world.dice.state = MARKS["dice", flip]
        world.deck[0].value = MARKS["deck", flip]
        world.sign = text_of(MARKS["sign", flip])
        for player, agent in enumerate(world.agents):
            # Between two values, so that deltas carry them whole; and away from the default.
            agent.code = MARKS["code", player] if flip else 0
            agent.fuse = MARKS["fuse", player] if flip else 0
            agent.name = MARKS["name", player] if flip else 0
            agent.boxes[0].value = MARKS["box", player] if flip else 0
            agent.stash[0].value = MARKS["stash", player] if flip else 0
            agent.target = world.agents[tick % 3]
            agent.hint = text_of(MARKS["hint", player]) if flip else None
            agent.lair.y = MARKS["lair", player] if flip else 0
            agent.trap = text_of(MARKS["trap", player]) if flip else ""
            agent.route = [Vector2(MARKS["route", player], 0)] if flip else []
            agent.cage.x = MARKS["cage", player] >> 1 if flip else 0
            agent.motto = text_of(MARKS["motto", player]) if flip else ""
            agent.place.x = MARKS["place", player] if flip else 0
            agent.area.h = MARKS["area", player] >> 1 if flip else 0
        server.advance((0, 0, 0))
        server.stage.survey(server.tick, [MARKS["input", player] & 0xFFFF if flip else 0 for player in range(3)])
        for client in server.clients:
            client.exchange(lost=rng.random() < 0.3, ack_lost=rng.random() < 0.3)
    return server, server.clients


OWN = ("code", "stash", "hint", "lair", "route")
"""What an agent's own player gets."""
SHOWN = ("name", "box", "motto", "place", "area")
"""What everybody gets who sees the agent."""


def test_the_detector_detects() -> None:
    _, (one, two, _) = play()
    own = [MARKS[what, 1] for what in (*OWN, *SHOWN)]
    assert leaked(two.bytes, own) == set(own)
    known = [MARKS[what, 2] for what in SHOWN] + [MARKS[what, 0] for what in OWN]
    assert leaked(one.bytes, known) == set(known)
    assert leaked(one.bytes, [MARKS["cue", 0]]) == {MARKS["cue", 0]}


@pytest.mark.parametrize("number", [0, 1, 2])
def test_nothing_secret_is_in_any_byte(number: int) -> None:
    _, clients = play()
    client = clients[number]
    secret = [MARKS[what, flip] for what in ("key", "dice", "deck", "sign") for flip in (0, 1)]
    secret += [MARKS[what, player] for what in ("fuse", "trap", "cage") for player in range(3)]
    for player in range(3):
        if player != client.seat:
            secret += [MARKS[what, player] for what in (*OWN, "cue")]
    if client.seat != 1:
        secret += [MARKS[what, 1] for what in SHOWN]
    assert leaked(client.bytes, secret) == set()


def test_the_input_of_a_player_that_is_not_seen_is_not_sent() -> None:
    _, clients = play()
    for client in clients:
        assert client.held is not None
        assert (1 in client.held.seats) == (client.seat == 1)


def test_references_to_the_unseen_read_none() -> None:
    server, (one, two, _) = play(121)
    hidden = server.world.agents[1]
    for agent in server.world.agents:
        agent.target = hidden
    server.advance((0, 0, 0))
    one.exchange()
    two.exchange()
    assert {agent.target for agent in one.world.agents} == {None}
    assert {agent.target.id for agent in two.world.agents} == {hidden.id}


def test_after_a_change_of_owner_the_new_values_go_to_the_new_owner_only() -> None:
    server, (one, two, _) = play()
    agent = server.world.agents[0]
    agent.player, agent.code = 1, 0
    server.advance((0, 0, 0))
    for client in (one, two):
        client.exchange()
        client.bytes.clear()
    for flip in range(20):
        agent.code = MARKS["code", 3] if flip & 1 else 0
        agent.stash[0].value = MARKS["stash", 3] if flip & 1 else 0
        server.advance((0, 0, 0))
        for client in (one, two):
            client.exchange()
    assert leaked(one.bytes, [MARKS["code", 3], MARKS["stash", 3]]) == set()
    assert leaked(two.bytes, [MARKS["code", 3], MARKS["stash", 3]]) == {MARKS["code", 3], MARKS["stash", 3]}
    assert one.world.agents[0].code == 0
    assert one.world.agents[0].stash == []


def test_ids_tell_how_many_things_were_made_and_when_but_not_which() -> None:
    """As docs/formats/world-server.md says: the only thing that a client learns of an item that it does not see."""
    server, (one, two, _) = play()
    world = server.world
    before = one.world.next_id
    assert before == world.next_id
    made = Agent(player=1, seen=False)
    world.agents.append(made)
    server.advance((0, 0, 0))
    for client in (one, two):
        client.exchange()
    assert one.world.next_id == before + 1, "a snapshot tells that something was made"
    assert made.id not in {agent.id for agent in one.world.agents}
    assert made.id in {agent.id for agent in two.world.agents}
    world.agents.remove(made)
    server.advance((0, 0, 0))
    one.exchange()
    assert one.world.next_id == before + 1, "but not that it has left"
