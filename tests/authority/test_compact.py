"""Compact snapshots of a world: which fields they have, what both ends learn, what is refused, and who gets them."""

from array import array
from enum import Enum
from random import Random
from typing import Annotated, Any

import pytest
from hypothesis import given, settings

from retick import is_compiled
from retick.authority import compact as compact_module
from retick.authority import delta_sender
from retick.authority.client import WorldClientConfig
from retick.authority.compact import UNCHANGED, CompactTables
from retick.authority.deltas import encode_body
from retick.authority.frames import COMPACT, SNAPSHOT, decode_snapshot
from retick.authority.layout import layout_of
from retick.authority.rows import Rows
from retick.authority.server import WorldServerConfig
from retick.authority.views import Receiver
from retick.errors import ChecksumMismatch, InvalidValue
from retick.netrunner import ClientConfig, ServerConfig
from retick.sim import F64, U8, U64, Angle, Most, Player, Range, Thing, World
from retick.snapshot import Angle as TurningAngle
from retick.snapshot import Codec, Snapshot
from retick.snapshot.compact.head import Head, check_of, read_head, split_check, with_check
from tests.authority.client.yard import LEFT, RIGHT, Yard
from tests.authority.gallery import Gallery
from tests.authority.meeting import Meeting
from tests.authority.test_views import TICKS
from tests.authority.worlds import Client, Court, Server


class Ball(Thing):
    player: Player = 255
    x: Annotated[F64, Range(0, 640, step=1 / 16)] = 0.0
    y: Annotated[F64, Range(0, 480, step=1 / 16)] = 0.0
    spin: Angle = 0.0
    bounces: U8 = 0


class Table(World):
    num_players = 2
    balls: Annotated[list[Ball], Most(40)]

    def advance(self, inputs: Any, /) -> None:
        for number, ball in enumerate(self.balls):
            ball.x = (ball.x + 1 + number * inputs[0] % 7 / 4) % 640
            ball.y = (ball.y + 0.5 + number * inputs[0] % 5 / 4) % 480
            ball.spin += 0.05 + inputs[0] / 100
        if inputs[1]:
            self.balls = [*self.balls[1:], Ball(x=float(inputs[1]), y=3.0)]


def played(count: int = 12, ticks: int = 30, **options: Any) -> tuple[Server, Client]:
    """A table with balls, of which a client has snapshots, one each tick."""
    server = Server(Table(), seats=(0,), compact=True, **options)
    server.world.balls = [Ball(x=40.0 * number, y=7.0) for number in range(count)]
    for tick in range(ticks):
        server.advance((tick // 20, 0))
        server.clients[0].exchange()
    return server, server.clients[0]


def knows_all(client: Client) -> bool:
    """Whether a client holds the newest snapshot, and in it all that its player sees."""
    rows, _ = client.receiver.rows()
    kept = client.holding._held.get(rows.tick)
    return kept is not None and kept.rows.same_as(rows)


@pytest.mark.parametrize("kind", [Court, Gallery, Table, Yard])
def test_compact_fields_are_all_but_those_of_texts_and_lists(kind: Any) -> None:
    layout = layout_of(kind)
    tables = CompactTables(layout)
    for index, component in enumerate(layout.components):
        plain: set[int] = set()
        for values in component.values:
            size = 1 if values.each is not None else len(values.shape.part_ops) // 6
            plain |= set(range(values.out, values.out + 1 + values.most * size))
        for text in component.texts:
            name = component.fields[text.out].name.removesuffix("length")
            plain |= {text.out} | {
                at for at, made in enumerate(component.fields) if made.name.startswith(f"{name.removesuffix('.')}[")
            }
        first = layout.firsts[index]
        found = {at for at in range(len(component.fields)) if tables.places[first + at] < 0}
        assert found == plain


def test_a_field_of_a_part_named_length_is_no_list() -> None:
    class Rope(Thing):
        length: U8 = 3

    class Ship(Thing):
        rope: Rope
        marks: Annotated[list[U8], Most(2)]

    class Sea(World):
        num_players = 1
        ships: Annotated[list[Ship], Most(2)]

    tables = CompactTables(layout_of(Sea))
    assert [field.name for field in tables.schema.components[1].fields] == ["rope_length"]


def test_an_enum_of_one_member_has_no_other_value() -> None:
    class Only(Enum):
        ONE = 1

    class Stone(World):
        num_players = 1
        kind: Only = Only.ONE

    tables = CompactTables(layout_of(Stone))
    assert tables.schema.components[0].fields[1].codec.highest == 0


def test_turns_are_angles_of_a_whole_turn_and_go_first() -> None:
    tables = CompactTables(layout_of(Table))
    group = tables.schema.groups[0]
    assert (group.component, group.fields, type(group.predictor)) == (2, (4,), TurningAngle)
    assert tables._payloads.plan.groups[0].modulus == 65536


def test_fields_beyond_the_most_are_sent_plainly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compact_module, "MOST_FIELDS", 3)
    tables = CompactTables(layout_of(Table))
    assert sum(place >= 0 for place in tables.places) == 3
    _, client = played()
    assert client.bytes[-1][0] == COMPACT
    assert knows_all(client)


@given(TICKS)
@settings(max_examples=30)
def test_both_ends_learn_the_same_whatever_is_lost(ticks: Any) -> None:
    server = Server(Court(), compact=True)
    for pressed, lost, unheard in ticks:
        server.advance(pressed)
        for bit, client in enumerate(server.clients):
            is_lost = bool(lost >> bit & 1)
            client.exchange(lost=is_lost, ack_lost=bool(unheard >> bit & 1))
            if is_lost:
                continue
            ours, theirs = (end._learned.get(server.tick) for end in (client.receiver._sender, client.holding))
            assert theirs is not None
            # Where the server has an acknowledgement it keeps nothing older, and this is the newest.
            assert ours is not None
            assert (ours.lineage, ours.models, ours.weights) == (theirs.lineage, theirs.models, theirs.weights)


def test_most_snapshots_are_compact_and_take_fewer_bytes() -> None:
    sizes = {}
    for compact in (False, True):
        server = Server(Table(), seats=(0,), compact=compact)
        server.world.balls = [Ball(x=40.0 * number, y=7.0) for number in range(12)]
        for tick in range(200):
            server.advance((tick // 2, 50 + tick if tick % 5 == 0 else 0))
            server.clients[0].exchange(ack_lost=tick % 3 != 0)
            assert knows_all(server.clients[0])
        sent = server.clients[0].bytes[20:]
        assert {payload[0] for payload in sent} == {COMPACT if compact else SNAPSHOT}
        sizes[compact] = sum(map(len, sent))
    assert sizes[True] < 0.75 * sizes[False]


def test_what_does_not_fit_waits_and_comes_in_the_end() -> None:
    server, client = played(4, budget=330)
    rng = Random(3)
    new = [Ball(x=rng.uniform(0, 640), y=rng.uniform(0, 480), spin=rng.uniform(-3, 3), bounces=n) for n in range(36)]
    server.world.balls = [*server.world.balls, *new]
    server.advance((1, 0))
    client.exchange()
    assert client.receiver.waiting
    for _ in range(10):
        assert len(client.bytes[-1]) <= 330
        server.tick += 1
        server.look((1, 0))
        client.exchange()
    assert not client.receiver.waiting
    assert knows_all(client)


def test_a_plain_snapshot_is_sent_where_no_compact_one_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    encode = CompactTables.encode

    def longer(self: Any, *arguments: Any) -> Any:
        data, known = encode(self, *arguments)
        return data + bytes(2000), known

    server, client = played()
    for tick in range(12):
        with monkeypatch.context() as patch:
            if tick % 3 == 0:
                patch.setattr(CompactTables, "encode", longer)
            server.advance((tick, 5 + tick))
            client.exchange()
        assert client.bytes[-1][0] == (SNAPSHOT if tick % 3 == 0 else COMPACT)
        assert knows_all(client)


def test_a_base_too_far_back_is_followed_by_a_full_snapshot_and_then_by_compact_ones() -> None:
    server, client = played()
    server.tick += 300
    kinds = []
    for _ in range(3):
        server.advance((0, 0))
        client.exchange()
        frame = decode_snapshot(client.bytes[-1])
        kinds.append((frame.is_compact, frame.back > 0))
        assert knows_all(client)
    assert kinds == [(False, False), (True, True), (True, True)]


def test_a_client_whose_base_is_the_oldest_that_it_keeps_still_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("retick.authority.holding.BASELINES", 3)
    monkeypatch.setattr(delta_sender, "BASELINES", 3)
    monkeypatch.setattr(delta_sender, "FARTHEST_EARLIER", 2)
    server, client = played()
    for _ in range(20):
        server.advance((0, 0))
        client.exchange(ack_lost=True)
        assert knows_all(client)


def test_both_ends_keep_statistics_only_of_what_may_become_the_base() -> None:
    _, client = played()
    assert [tick for tick, _ in client.receiver._sender._learned] == [30]
    assert [tick for tick, _ in client.holding._learned] == [29, 30]


def test_a_client_that_acknowledges_nothing_gets_plain_snapshots_after_a_while() -> None:
    server, client = played()
    kinds = []
    for _ in range(70):
        server.advance((0, 0))
        client.exchange(ack_lost=True)
        kinds.append(client.bytes[-1][0])
        assert knows_all(client)
    assert kinds[:24] == [COMPACT] * 24
    assert set(kinds[24:]) == {SNAPSHOT}
    for end in (client.receiver._sender, client.holding):
        assert len({id(statistics) for _, statistics in end._learned}) <= 25
    for _ in range(2):
        server.advance((0, 0))
        client.exchange()
    assert client.bytes[-1][0] == COMPACT


def test_several_full_snapshots_may_be_on_their_way_and_any_may_become_the_base() -> None:
    server = Server(Table(), seats=(0,), compact=True)
    server.world.balls = [Ball(x=40.0 * number) for number in range(5)]
    client = server.clients[0]
    for _ in range(5):
        server.advance((1, 0))
        client.exchange(ack_lost=True)
    client.receiver.acknowledge(2)
    server.advance((1, 0))
    client.exchange()
    assert client.bytes[-1][0] == COMPACT
    assert knows_all(client)


def test_the_world_is_sent_however_much_is_gone() -> None:
    class Board(World):
        num_players = 1
        old: Annotated[list[Ball], Most(400)]
        new: Annotated[list[Ball], Most(400)]
        words: Annotated[list[U64], Most(16)]

    rng = Random(1)
    for compact in (False, True):
        server = Server(Board(), seats=(0,), budget=600, compact=compact)
        client = server.clients[0]
        server.world.old = [Ball(bounces=number & 255) for number in range(400)]
        for _ in range(40):
            server.tick += 1
            server.look((0,))
            client.exchange()
        assert not client.receiver.waiting
        server.world.old = server.world.old[::2]
        server.world.new = [Ball(x=float(number)) for number in range(400)]
        for _ in range(20):
            server.world.words = [rng.getrandbits(64) for _ in range(16)]
            server.tick += 1
            server.look((0,))
            client.exchange()
            assert list(client.world.words) == list(server.world.words)
        assert knows_all(client) or client.receiver.waiting


def changed(payload: bytes, structure: bytes | None = None, sections: bytes | None = None) -> bytes:
    """A compact frame with another structure, or with sections in place of its body; its check is right."""
    frame = decode_snapshot(payload)
    bare, _ = split_check(frame.body, True)
    head, at = read_head(bare)
    if structure is not None:
        bare = head._replace(structure=structure).to_bytes() + bare[at:]
    if sections is not None:
        bare = Head(carried=True, plain=True).to_bytes() + sections
    return payload[: len(payload) - len(frame.body)] + bare


def refusal(client: Client, payload: bytes) -> str:
    """Why a client refuses a compact frame without its check, which the test makes right."""
    frame = decode_snapshot(payload)
    learned = client.holding._learned.require(frame.tick - frame.back)
    check = check_of(frame.body, learned.lineage, frame.tick, frame.tick - frame.back)
    data = payload[: len(payload) - len(frame.body)] + with_check(frame.body, check)
    before = client.holding.newest_tick
    with pytest.raises(InvalidValue) as caught:
        client.holding.read_snapshot(data)
    assert client.holding.newest_tick == before
    return str(caught.value)


def test_a_structure_changes_no_compact_field_and_is_not_sent_for_nothing() -> None:
    server, client = played()
    server.advance((0, 0))
    payload = client.receiver.snapshot()
    layout = server.layout
    rows = client.holding._held.require(30).rows
    values = array("Q", rows.values)
    values[rows.starts[1] + 1] ^= 1
    moved = encode_body(rows, Rows(30, rows.ids, rows.kinds, rows.starts, values), layout)
    assert "does not change field 1" in refusal(client, changed(payload, moved))
    created = {entity: (kind, numbers) for entity, kind, numbers in rows.entities()}
    created[rows.values[0]] = (1, array("Q", [255, 5, 0, 32768, 0]))
    assert "does not change field 1" in refusal(
        client, changed(payload, encode_body(rows, Rows.of(30, created), layout))
    )
    assert "changes nothing" in refusal(client, changed(payload, UNCHANGED))


def test_sections_in_place_of_a_body_create_no_entities() -> None:
    server, client = played()
    server.advance((0, 0))
    payload = client.receiver.snapshot()
    tables = CompactTables(server.layout)
    known, learned = client.holding._held.require(30), client.holding._learned.require(30)
    assert known.columns is not None
    plain = Codec(tables.schema, version=2)
    base = Snapshot.of(plain.schema, tick=30, entities=known.columns.to_dict())
    more = base.to_dict() | {0xFFFFFFFE: {2: (255, 1, 1, 1, 1)}}
    sections = plain.encode_payload(base, Snapshot.of(plain.schema, tick=31, entities=more))
    assert "by its structure only" in refusal(client, changed(payload, sections=sections))
    same = plain.encode_payload(base, Snapshot.of(plain.schema, tick=31, entities=base.to_dict()))
    frame = changed(payload, sections=same)
    body = decode_snapshot(frame).body
    data = frame[: len(frame) - len(body)] + with_check(body, check_of(body, learned.lineage, 31, 30))
    assert client.holding.read_snapshot(data) is not None
    assert client.holding._held.require(31).rows.same_as(known.rows)


def test_a_check_is_wanted_on_plain_links_and_is_right_or_refused() -> None:
    server, client = played()
    server.advance((0, 0))
    payload = bytearray(client.receiver.snapshot())
    assert payload[0] == COMPACT
    payload[-1] ^= 1
    with pytest.raises(ChecksumMismatch):
        client.holding.read_snapshot(bytes(payload))


def test_a_compact_snapshot_that_was_not_asked_for_is_refused() -> None:
    server, client = played()
    plain = Client(server.stage, 0)
    server.advance((0, 0))
    plain.exchange()
    payload = bytearray(client.receiver.snapshot())
    server.advance((0, 0))
    payload = bytearray(client.receiver.snapshot())
    payload[5] = 1
    with pytest.raises(InvalidValue, match="none was asked for"):
        plain.holding.read_snapshot(bytes(payload))


def test_a_spectator_and_a_new_receiver_start_from_a_full_snapshot() -> None:
    server, _ = played()
    watcher = Client(server.stage, None, compact=True)
    watcher.exchange()
    assert decode_snapshot(watcher.bytes[0]).back == 0
    server.advance((0, 0))
    watcher.exchange()
    assert watcher.bytes[-1][0] == COMPACT
    assert isinstance(watcher.receiver, Receiver)


# Who gets them.


def walks(client: Any) -> int:
    return RIGHT if client.world.walkers and client.world.walkers[0].x < 300 else LEFT


@pytest.mark.parametrize(("server", "client"), [(True, True), (True, False), (False, True)])
def test_snapshots_are_compact_when_both_ends_want_that(server: bool, client: bool) -> None:
    meeting = Meeting(Yard, config=WorldServerConfig(compact=server), latency=0.03, loss=0.03)
    visitors = [meeting.join(who, walks, config=WorldClientConfig(compact=client)) for who in ("Ann", "Bob")]
    meeting.run(4.0)
    for visitor in visitors:
        play = visitor.client._play
        assert play is not None
        kept = play._holding._held.get(play._holding.newest_tick)
        assert kept is not None
        assert (kept.columns is not None) == (server and client)
        assert visitor.client.stats.refused == visitor.client.stats.missing_baselines == 0
        assert visitor.client.stats.snapshots > 50


def test_a_client_with_other_groups_gets_plain_snapshots(monkeypatch: pytest.MonkeyPatch) -> None:
    meeting = Meeting(Yard, config=WorldServerConfig(compact=True))
    config = WorldClientConfig(compact=True)
    with monkeypatch.context() as patch:
        patch.setattr(compact_module, "MOST_FIELDS", 2)
        other = meeting.join("Ann", walks, config=config)
    same = meeting.join("Bob", walks, config=config)
    meeting.run(2.0)
    for visitor, compact in ((other, False), (same, True)):
        assert visitor.client._gets_compact == compact
        assert visitor.client.stats.snapshots > 20
        assert visitor.client.stats.refused == 0


def test_uncompiled_ends_do_not_ask_for_them_by_default() -> None:
    assert {ServerConfig().compact, ClientConfig().compact} == {is_compiled()}
    assert {WorldServerConfig().compact, WorldClientConfig().compact} == {is_compiled()}
