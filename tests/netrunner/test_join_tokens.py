"""Join tokens on both kinds of servers: who comes in, who is told what, and that nobody on the way sees a word."""

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from retick.authority import (
    AdmitFailed,
    Applicant,
    JoinFailed,
    Pass,
    PlayerJoined,
    PlayerLeft,
    PlayerRejoined,
    WorldClient,
    WorldClientConfig,
    WorldServer,
    WorldServerConfig,
)
from retick.authority.client import RoomJoined
from retick.errors import DecodeError, UsageError
from retick.games.runner import Intent
from retick.host.joining import decode_join, encode_join
from retick.link import Reason, Refuse
from retick.link.sealing.keys import fingerprint_of
from retick.link.sealing.primitives import public_key_of, signer_of
from retick.netrunner import Client, ClientConfig, NetRunner, Server, ServerConfig
from retick.tokens import Tokens, issue
from retick.transport import Conditions, SimulatedNetwork
from tests.authority.client.yard import Yard

TOKEN_KEY = b"planted-token-key-planted-token-"
KEY_PAIR = b"planted-server-key-planted-serv1"
IDENTITY = b"planted-lasting-key-planted-las1"
SERVER_KEY = public_key_of(KEY_PAIR)
FINGERPRINT = fingerprint_of(signer_of(IDENTITY))
PLACE = ("10.0.0.1", 7777)
ANN, BOB = ("10.0.0.2", 5000), ("10.0.0.3", 5000)
TODAY = 1_700_000_000.0
ROOMS = ("", "red")


class Town:
    """A server of either kind with a token key, a backend that shares it, and clients. Every datagram is kept."""

    def __init__(self, kind: str, *, admit: Any = "tokens", **sealing: Any) -> None:
        self.is_world = kind == "world"
        self.network = SimulatedNetwork(seed=1, conditions=Conditions(latency=0.01))
        self.today = TODAY
        self.dice = Random(7)
        self.asked: list[Applicant] = []
        self.tokens = Tokens(TOKEN_KEY, clock=lambda: self.today + self.network.now)
        sealing = {"key_pair": KEY_PAIR, **sealing}
        self.server = self.serve(PLACE, self.tokens if admit == "tokens" else admit, **sealing)
        self.server_events: list[Any] = []
        self.sent: list[bytes] = []
        self._attach(PLACE, self.server, self.server_events)
        self.events: dict[Any, list[Any]] = {}

    def serve(self, place: Any, admit: Any, **more: Any) -> Any:
        if self.is_world:
            config = WorldServerConfig(rooms=ROOMS, rejoin_seconds=5.0, timeout=1.0)
            return WorldServer(Yard, entropy=Random(3).randbytes, config=config, admit=admit, **more)
        quick = ServerConfig(rooms=ROOMS, rejoin_seconds=5.0, timeout=1.0)
        return Server(NetRunner(), entropy=Random(3).randbytes, config=quick, admit=admit, **more)

    def _attach(self, place: Any, end: Any, events: list[Any]) -> None:
        send: Callable[..., Any] = end.datagrams_to_send

        def kept(*, now: float) -> Any:
            found = send(now=now)
            self.sent += [data for data, _ in found]
            return found

        end.datagrams_to_send = kept
        self.network.attach(place, end, on_events=events.extend)

    def token(self, key: bytes = TOKEN_KEY, **more: Any) -> bytes:
        given: dict[str, Any] = {
            "player": 7,
            "server_key": SERVER_KEY,
            "addresses": [PLACE],
            "now": self.today + self.network.now,
            "data": b"planted-token-data",
            **more,
        }
        return issue(key, entropy=self.dice.randbytes, **given)

    def join(self, address: Any = ANN, *, place: Any = None, **more: Any) -> Any:
        entropy = Random(f"{address} {len(self.events)}").randbytes
        client: Any
        if self.is_world:
            config = WorldClientConfig(timeout=1.0)
            client = WorldClient(Yard(), place, entropy=entropy, name="planted-name", config=config, **more)
        else:
            quick = ClientConfig(timeout=1.0)
            client = Client(NetRunner(), place, entropy=entropy, config=quick, **more)
        self.events[address] = []
        self._attach(address, client, self.events[address])

        def turn() -> None:
            if self.is_world:
                while client.due(now=self.network.now):
                    client.advance(0, now=self.network.now)
            else:
                client.tick(Intent(), now=self.network.now)
            self.network.flush(address)

        self.network.every(1 / 60, turn, owner=address)
        return client

    def run(self, seconds: float = 1.0) -> None:
        self.network.run(until=self.network.now + seconds)

    def of(self, kind: type) -> list[Any]:
        return [event for event in self.server_events if isinstance(event, kind)]

    def failure(self, address: Any = ANN) -> JoinFailed:
        (failed,) = [event for event in self.events[address] if isinstance(event, JoinFailed)]
        return failed

    def is_in(self, address: Any = ANN) -> bool:
        return not any(isinstance(event, JoinFailed) for event in self.events[address]) and bool(self.events[address])


@pytest.fixture(params=["profile", "world"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_a_token_says_where_the_server_is_and_who_comes(kind: str) -> None:
    town = Town(kind)
    town.join(token=town.token(), identity=IDENTITY)
    town.run()
    (joined,) = town.of(PlayerJoined)
    assert (joined.player, joined.data, joined.fingerprint) == (7, b"planted-token-data", FINGERPRINT)
    (player,) = town.server.rooms[""].players.values()
    assert (player.admitted.player, player.admitted.fingerprint) == (7, FINGERPRINT)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"lifetime": 10.0, "now": TODAY - 100.0}, "has expired 91 s ago: ask the backend for a new one"),
        ({"now": TODAY + 86400.0}, "is valid only in 86370 s: the clock of the backend or of the server is wrong"),
        ({"key": b"L" * 32}, "was made with another key: backend and server must share one"),
        ({"room": "red"}, "is for room 'red': join that one, or ask for another token"),
    ],
)
def test_a_bad_token_is_one_line_at_the_client(kind: str, wrong: dict[str, Any], words: str) -> None:
    town = Town(kind)
    town.join(token=town.token(**wrong))
    town.run()
    failed = town.failure()
    assert failed.reason == Reason.DENIED
    assert failed.text == f"the join token {words}"
    assert town.server.refused == {"not_admitted": 1}
    assert [each.text for each in town.server.refusals.take()] == [failed.text], "for the log"
    assert town.of(PlayerJoined) == []


def test_a_token_for_another_server_is_refused_by_the_handshake(kind: str) -> None:
    town = Town(kind)
    town.join(token=town.token(server_key=public_key_of(b"other" + bytes(27))))
    town.run()
    assert town.failure().reason == Reason.SECRET
    assert town.failure().text == "this server's key is not the one you were given: ask for its key, or for a new token"
    assert [each.text for each in town.server.refusals.take()] == [town.failure().text], "for the log"


def test_a_token_for_another_server_is_refused_too_by_whoever_knows_the_key_of_this_one(kind: str) -> None:
    town = Town(kind)
    client = town.join(server_key=SERVER_KEY, place=PLACE)
    client.close()
    other = town.token(server_key=b"T" * 32)
    client = town.join(BOB, server_key=SERVER_KEY, place=PLACE)
    client._join_token = other
    client._connection._dialler._wanted = client._connection._dialler._wanted._replace(token=other)
    town.run()
    assert town.failure(BOB).text == "the join token is for another server: dial the address that it names"


def test_without_a_token_the_server_says_that_one_is_needed(kind: str) -> None:
    town = Town(kind)
    town.join(place=PLACE)
    town.join(BOB, place=PLACE, server_key=SERVER_KEY)
    town.run()
    assert town.failure().text == "a token with this server's key is needed here"
    assert town.failure(BOB).text == "a join token is needed here: ask the game's backend for one"


def test_a_token_that_is_cut_is_named_where_the_client_is_made(kind: str) -> None:
    town = Town(kind)
    with pytest.raises(DecodeError, match="cut short"):
        town.join(token=town.token()[:-1])
    with pytest.raises(DecodeError, match="not a join token"):
        town.join(token=b"planted" * 10)
    with pytest.raises(UsageError, match="only for sealed links"):
        town.join(token=town.token(), sealed=False)
    with pytest.raises(UsageError, match="another key"):
        town.join(token=town.token(), server_key=b"T" * 32)
    with pytest.raises(UsageError, match="or a join token"):
        town.join()


def test_a_token_is_good_once(kind: str) -> None:
    town = Town(kind)
    token = town.token()
    town.join(token=token)
    town.run()
    town.join(BOB, token=token)
    town.run()
    assert town.is_in(ANN)
    assert town.failure(BOB).text == (
        "the join token was used from another address: each is good once, ask for a new one"
    )


def test_a_program_that_was_started_again_at_the_same_address_gets_its_seat_back(kind: str) -> None:
    town = Town(kind)
    token = town.token()
    town.join(token=token)
    town.run()
    (before,) = town.server.rooms[""].players
    town.join((ANN[0], 6000), token=token)
    town.run()
    assert list(town.server.rooms[""].players) == [before]
    assert len(town.of(PlayerJoined)) == len(town.of(PlayerRejoined)) == 1


def test_who_shows_a_token_twice_before_it_is_in_is_one_player(kind: str) -> None:
    town = Town(kind)
    token = town.token()
    town.join(token=token)
    town.join((ANN[0], 6000), token=token)
    town.run(2.0)
    assert len(town.server.rooms[""].players) == 1


def test_who_comes_back_with_its_seat_needs_no_new_token(kind: str) -> None:
    """A lost connection, and a new address, long after the token has expired."""
    town = Town(kind)
    client = town.join(token=town.token())
    town.run()
    town.today += 86400
    town.network.cut(ANN, PLACE, 2.5)
    town.run(4.5)
    (back,) = town.of(PlayerRejoined)
    assert not client.is_over
    (player,) = town.server.rooms[""].players.values()
    assert player.admitted.player == 7
    assert back.address == ANN


def test_a_seat_token_alone_brings_another_program_back_into_a_world() -> None:
    town = Town("world")
    client = town.join(token=town.token())
    town.run()
    town.network.detach(ANN)
    town.today += 86400
    town.join(BOB, place=PLACE, server_key=SERVER_KEY, seat_token=client.seat_token)
    town.run()
    assert [event.is_rejoin for event in town.events[BOB] if isinstance(event, RoomJoined)] == [False]
    assert len(town.of(PlayerRejoined)) == 1


def test_a_client_dials_the_next_address_of_its_token_when_nobody_answers(kind: str) -> None:
    town = Town(kind)
    town.join(token=town.token(addresses=[("10.0.0.9", 1), ("10.0.0.9", 2), PLACE]))
    town.run(25.0)
    assert len(town.of(PlayerJoined)) == 1


def test_a_function_may_decide_on_what_the_token_says(kind: str) -> None:
    town = Town(kind)

    def admit(applicant: Applicant) -> Pass | Refuse:
        town.asked.append(applicant)
        found = town.tokens(applicant)
        if isinstance(found, Pass) and found.player == 8:
            return Refuse(reason=200, text="not you")
        return replace(found, data=b"changed") if isinstance(found, Pass) else found

    town.server._gate._admit = admit
    town.join(token=town.token())
    town.join(BOB, token=town.token(player=8))
    town.run()
    assert [event.data for event in town.of(PlayerJoined)] == [b"changed"]
    assert (town.failure(BOB).reason, town.failure(BOB).text) == (200, "not you")
    asked = town.asked[0]
    assert (asked.address, asked.room, asked.server_key, asked.fingerprint) == (ANN, "", SERVER_KEY, None)
    assert asked.name == ("planted-name" if town.is_world else "")


def test_a_function_decides_without_tokens_and_on_plain_links_too(kind: str) -> None:
    town = Town(kind, admit=lambda applicant: Pass(player=1), key_pair=None, sealed=False)
    town.join(place=PLACE, sealed=False)
    town.run()
    assert [(event.player, event.fingerprint) for event in town.of(PlayerJoined)] == [(1, None)]


def test_a_function_that_fails_lets_nobody_in_and_is_reported(kind: str) -> None:
    answers: list[Any] = [ZeroDivisionError("no such player"), None]

    def admit(applicant: Applicant) -> Any:
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    town = Town(kind, admit=admit, key_pair=None)
    town.join(place=PLACE)
    town.run()
    town.join(BOB, place=PLACE)
    town.run()
    assert [event.error for event in town.of(AdmitFailed)] == [
        "ZeroDivisionError: no such player",
        "retick.errors.UsageError: admit answers with a Pass or a Refuse, not with a NoneType",
    ]
    assert "in admit" in town.of(AdmitFailed)[0].traceback
    assert town.failure().text == town.failure(BOB).text == "the server cannot decide who comes in: try again later"


def test_tokens_without_a_key_of_the_server_are_a_mistake(kind: str) -> None:
    with pytest.raises(UsageError, match="key_pair"):
        Town(kind, key_pair=None)


@pytest.mark.parametrize("by", ["player", "key", "address"])
def test_who_was_shown_out_with_a_ban_does_not_come_in_again(kind: str, by: str) -> None:
    town = Town(kind)
    town.join(token=town.token(), identity=IDENTITY)
    town.run()
    (peer,) = town.server.rooms[""].players
    town.server.drop(peer, ban=True)
    town.run()
    again: dict[str, Any] = {"token": town.token(player=7 if by == "player" else 9)}
    if by == "key":
        again["identity"] = IDENTITY
    place = (ANN[0], 6000) if by == "address" else BOB
    town.join(place, **again)
    town.run()
    assert len(town.of(PlayerJoined)) == len(town.of(PlayerLeft)) == 1
    shown_out = "you were shown out of this room"
    assert town.failure(place).text == ("refused: this address is banned" if by == "address" else shown_out)


def test_a_banned_key_does_not_come_back_to_another_seat_of_its_own_either(kind: str) -> None:
    town = Town(kind)
    town.join(token=town.token(), identity=IDENTITY)
    town.join(BOB, token=town.token(player=8), identity=IDENTITY)
    town.run()
    seen: list[Any] = []
    admit = town.server._admission.admit
    town.server._admission.admit = lambda *given: seen.append(given[0]) or admit(*given)
    players = town.server.rooms[""].players
    by_id = {player.admitted.player: peer for peer, player in players.items()}
    first, second = by_id[7], by_id[8]
    seat = players[second]
    town.server.drop(first, ban=True)
    town.join(("10.0.0.4", 1), token=town.token(player=9))
    town.run()
    wish = decode_join(seen[0].data)._replace(token=seat.token)
    answer = admit(replace(seen[0], data=encode_join(wish), fingerprint=seat.admitted.fingerprint), [], 0.0)
    assert answer == Refuse(text="you were shown out of this room")
    assert isinstance(admit(replace(seen[0], data=encode_join(wish), fingerprint=None), [], 0.0), Refuse)


def test_a_ban_by_player_and_key_ends_with_the_room_and_holds_in_no_other(kind: str) -> None:
    town = Town(kind)
    town.join(token=town.token(), identity=IDENTITY)
    town.run()
    (peer,) = town.server.rooms[""].players
    town.server.drop(peer, ban=True)
    town.run()
    town.join(BOB, token=town.token(room="red"), room="red", identity=IDENTITY)
    town.run()
    assert [event.room for event in town.of(PlayerJoined)] == ["", "red"]
    town.server.close_room("")
    town.server.open_room("")
    third = ("10.0.0.4", 1)
    town.join(third, token=town.token(), identity=IDENTITY)
    town.run()
    assert [event.room for event in town.of(PlayerJoined)] == ["", "red", ""]


def test_a_capture_has_no_name_message_state_or_token_in_clear(kind: str) -> None:
    town = Town(kind)
    token = town.token()
    client = town.join(token=token, identity=IDENTITY)
    town.run()
    if town.is_world:
        client.send_message(b"planted-message")
        client.send_message(b"planted-note", reliable=False)
        town.server.rooms[""].send(b"planted-answer")
    town.run(2.0)
    assert len(town.sent) > 100
    everything = b"\n".join(town.sent)
    seat = next(iter(town.server.rooms[""].players.values())).token
    secrets = [b"planted", token, token[-60:], token[12:36], SERVER_KEY, KEY_PAIR, TOKEN_KEY, IDENTITY, seat]
    assert [secret for secret in secrets if secret in everything] == []
    if not town.is_world:
        whole = NetRunner().encode_control(NetRunner().welcome(peer_id=2, delay_ticks=3, server_tick=1))
        assert whole[:2] not in {data[8:10] for data in town.sent}, "a welcome begins with these bytes"


def test_the_same_capture_on_plain_links_has_them() -> None:
    """The detector is shown detecting."""
    town = Town("world", admit=None, key_pair=None, sealed=False)
    client = town.join(place=PLACE, sealed=False)
    town.run()
    client.send_message(b"planted-message")
    town.run()
    everything = b"\n".join(town.sent)
    assert b"planted-name" in everything
    assert b"planted-message" in everything


def test_secrets_are_in_no_repr_of_a_server_its_players_and_events(kind: str) -> None:
    town = Town(kind)
    client = town.join(token=town.token(), identity=IDENTITY)
    town.run()
    (player,) = town.server.rooms[""].players.values()
    things = [town.server, client, player, player.admitted, town.server_events, town.events, town.tokens]
    things += [town.server._link.config, client._link.config, town.server.stats(), client.connection]
    shown = "\n".join(map(repr, things))
    for secret in (TOKEN_KEY, KEY_PAIR, IDENTITY, b"planted-token-data"):
        assert secret.decode() not in shown
        assert secret.hex() not in shown


def test_a_plain_client_of_a_sealed_server_is_told_so_and_the_other_way_round(kind: str) -> None:
    town = Town(kind, admit=None, key_pair=None)
    town.join(place=PLACE, sealed=False)
    town.run()
    assert "takes sealed links only" in town.failure().text
    plain = Town(kind, admit=None, key_pair=None, sealed=False)
    plain.join(place=PLACE)
    plain.run()
    assert "takes plain links only" in plain.failure().text


def test_keys_are_logged_for_who_asks(kind: str) -> None:
    lines: list[str] = []
    town = Town(kind, admit=None, key_pair=None, keylog=lines.append)
    town.join(place=PLACE, keylog=lines.append)
    town.run()
    assert len(lines) == 2
    assert len(set(lines)) == 1
    assert lines[0].startswith("RETICK1 ")
