"""What clients send: inputs, claims, floods and bytes that are no packet."""

from retick.authority.frames import InputFrame, encode_input
from retick.authority.messages import RoomMessage, RoomWelcome, encode_message
from retick.authority.server import WorldServerConfig
from retick.host.events import RoomFailed
from retick.transport import Conditions
from tests.authority.server.clients import Hall, Tape, steady
from tests.authority.server.yard import RIGHT, SHOOT, Yard


def test_each_tick_runs_on_the_input_that_was_meant_for_it() -> None:
    tape = Tape()
    hall = Hall(Yard, record=tape)
    client = hall.join("one", press=lambda tick: tick * 7 & (RIGHT | SHOOT))
    hall.run(3.0)
    hall.server.close_room("")
    replay = tape.replay()
    first = client.held[0].frame.tick + 60
    for frame in range(first, replay.end_frame):
        assert replay.inputs_at(frame)[client.seat] == (frame + 1) * 7 & (RIGHT | SHOOT)


def test_the_client_is_told_how_early_its_inputs_are() -> None:
    hall = Hall(Yard)
    near, far = hall.join("near", lead=10), hall.join("far", lead=20)
    hall.run(2.0)
    # Ten ticks ahead of a welcome that was 30 ms old, and 30 ms on the way back.
    assert 3 <= near.held[-1].frame.margin <= 8
    assert far.held[-1].frame.margin - near.held[-1].frame.margin in range(8, 13)
    assert near.held[-1].frame.newest > near.held[-1].frame.tick


def test_a_silent_player_repeats_and_then_presses_nothing() -> None:
    hall = Hall(Yard)
    client = hall.join("one", press=steady(RIGHT))
    hall.run(1.0)
    client.is_silent = True
    inputs = hall.room.players[client.seat].inputs
    before = inputs.held
    hall.run(0.5)
    assert inputs.held - before == 6
    assert hall.room.inputs[client.seat] == 0


def test_a_flood_of_packets_is_dropped_and_counted_and_of_messages_ends_the_connection() -> None:
    hall = Hall(Yard)
    honest, flood = hall.join("honest"), hall.join("flood")
    hall.run(0.5)
    packet = encode_input(InputFrame(5, 0, 0, (1,)), flood.layout.input_bits)
    for _ in range(10):
        for _ in range(60):
            flood.connection.send_unreliable(packet)
        hall.network.flush("flood")
        hall.run(0.05)
    assert hall.server.refused["flooded"] > 100
    assert not flood.ends
    for _ in range(200):
        flood.connection.send_reliable(encode_message(RoomMessage(b"spam")))
    hall.network.flush("flood")
    hall.run(1.0)
    assert [end.text for end in flood.ends] == ["too many messages were sent"]
    assert honest.held[-1].frame.tick > hall.room.tick - 10


def test_bytes_that_are_no_packet_are_refused_and_counted() -> None:
    hall = Hall(Yard)
    client = hall.join("one")
    hall.run(0.5)
    client.connection.send_unreliable(b"\x21")
    client.connection.send_unreliable(b"\x99nothing")
    client.connection.send_reliable(b"\x99nothing")
    client.connection.send_reliable(encode_message(RoomWelcome(0, 3, 60, 3, 5)))
    hall.network.flush("one")
    hall.run(0.5)
    assert hall.server.refused["malformed"] == 3
    assert hall.server.refused["unexpected"] == 1
    assert not client.ends


def test_a_false_acknowledgement_hurts_nobody_but_its_sender() -> None:
    hall = Hall(Yard)
    liar, honest = hall.join("liar"), hall.join("honest")
    hall.run(0.5)
    for tick in range(hall.room.tick + 1, hall.room.tick + 30):
        liar.connection.send_unreliable(encode_input(InputFrame(tick, tick - 1, 0, (1,)), liar.layout.input_bits))
    hall.network.flush("liar")
    hall.run(1.0)
    assert honest.missing == 0
    assert honest.held[-1].frame.tick > hall.room.tick - 10
    assert not hall.of(RoomFailed)


def test_a_claim_to_see_the_far_past_is_limited_by_what_the_link_measured() -> None:
    hall = Hall(Yard, conditions=Conditions(latency=0.05))
    honest, liar = hall.join("honest", lead=12, viewed=14 * 16 + 7), hall.join("liar", lead=12, viewed=5000)
    hall.run(2.0)
    players = hall.room.players
    assert players[honest.seat].behind == 14
    # Early by about 5 ticks, a round trip of 6, 9 of drawing, 3 of slack.
    assert 18 <= players[liar.seat].behind <= 24


def test_nobody_sees_further_back_than_the_server_allows() -> None:
    hall = Hall(Yard, config=WorldServerConfig(most_rewind=0.1), conditions=Conditions(latency=0.1))
    liar = hall.join("liar", lead=20, viewed=5000)
    hall.run(2.0)
    assert hall.room.players[liar.seat].behind == 6


def test_an_input_far_ahead_lets_nobody_see_further_back_in_the_ticks_before_it() -> None:
    hall = Hall(Yard, conditions=Conditions(latency=0.01))
    honest, liar = hall.join("honest", lead=5, viewed=5000), hall.join("liar", lead=5, viewed=5000)
    hall.run(1.0)
    seen: dict[int, set[int]] = {honest.seat: set(), liar.seat: set()}
    for _ in range(15):
        early = InputFrame(hall.room.tick + 60, 0, 5000, (0,))
        liar.connection.send_unreliable(encode_input(early, liar.layout.input_bits))
        hall.network.flush("liar")
        hall.run(0.05)
        for seat, ticks in seen.items():
            ticks.add(hall.room.players[seat].behind)
    assert max(seen[liar.seat]) <= max(seen[honest.seat]) + 1
