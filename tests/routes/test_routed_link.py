"""Sessions, servers and clients over routed links: how they begin, and the words with which they do not."""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from retick.authority import JoinFailed, WorldClient, WorldServer
from retick.errors import UsageError
from retick.games.fighter import Fighter
from retick.games.scramble import Scramble
from retick.link import Invite, LinkConfig
from retick.netrunner import Client, NetRunner, Server
from retick.relay import RelayConfig, RelayServer
from retick.relay import packets as wire
from retick.rollback import RollbackSession, SpectatorSession
from retick.rollback.events import MatchEnded
from retick.rollback.match.config import MatchConfig
from retick.routes import Online, OnlineEnded, OnlineReady, PathKind
from retick.routes.routed_link import game_tag
from retick.testing.online_mesh import RELAY, OnlineMesh
from retick.transport import Conditions, Nat, SimulatedNetwork
from tests.authority.server.yard import Yard


class Bench:
    """A relay, and endpoints behind routers of their own."""

    def __init__(self, config: RelayConfig | None = None, *, has_relay: bool = True) -> None:
        self.network = SimulatedNetwork(seed=1, conditions=Conditions.round_trip(0.08))
        self.relay = RelayServer(key=bytes(32), entropy=Random(1).randbytes, epoch=1.8e9, config=config)
        if has_relay:
            self.network.attach(RELAY, self.relay)
        self.happened: dict[Any, list[Any]] = {}

    def add(self, endpoint: Any) -> Any:
        number = len(self.happened) + 1
        router = self.network.router(f"203.0.113.{number}", Nat())
        events = self.happened[endpoint] = []
        self.network.attach((f"10.0.{number}.2", 5000), endpoint, on_events=events.extend, behind=router)
        return endpoint

    def run(self, seconds: float) -> None:
        self.network.run(until=self.network.now + seconds)

    def of(self, endpoint: Any, kind: type) -> list[Any]:
        return [event for event in self.happened[endpoint] if isinstance(event, kind)]

    def code(self, endpoint: Any) -> str:
        self.run(1.0)
        [ready] = self.of(endpoint, OnlineReady)
        return str(ready.code)


def host(**details: Any) -> RollbackSession:
    return RollbackSession(Fighter(), entropy=Random(2).randbytes, online=Online(relay=RELAY), **details)


def joiner(code: str, **details: Any) -> RollbackSession:
    game = details.pop("game", Fighter())
    return RollbackSession(game, entropy=Random(3).randbytes, online=Online(relay=RELAY, code=code), **details)


class Newer(Fighter):
    game_version = 77


def _unknown(bench: Bench) -> RollbackSession:
    return joiner("0000-0000")


def _expired(bench: Bench) -> RollbackSession:
    code = bench.code(bench.add(host()))
    bench.run(2.0)
    return joiner(code)


def _other_game(bench: Bench) -> RollbackSession:
    return joiner(bench.code(bench.add(host())), game=Newer())


def _full(bench: Bench) -> RollbackSession:
    bench.add(host())
    bench.run(1.0)
    return host()


@pytest.mark.parametrize(
    ("config", "make", "words"),
    [
        (None, _unknown, "no room has this code"),
        (RelayConfig(code_seconds=2.0), _expired, "expired"),
        (None, _other_game, "another game"),
        (RelayConfig(rooms=1), _full, "the relay is full"),
    ],
)
def test_who_is_not_let_in_is_told_why_in_one_line_and_the_session_ends(
    config: RelayConfig | None, make: Callable[[Bench], RollbackSession], words: str
) -> None:
    bench = Bench(config)
    session = bench.add(make(bench))
    bench.run(3.0)
    [ended] = bench.of(session, OnlineEnded)
    assert words in ended.text
    assert "\n" not in ended.text
    assert [event.reason for event in bench.of(session, MatchEnded)] == [ended.text]
    assert session.is_over
    assert session.next_timeout() is None


def test_a_relay_that_is_down_is_given_up_after_some_seconds() -> None:
    bench = Bench(has_relay=False)
    session = bench.add(host())
    watcher = bench.add(
        SpectatorSession(Fighter(), entropy=Random(4).randbytes, online=Online(relay=RELAY, code="00000000"))
    )
    bench.run(12.0)
    for each in (session, watcher):
        assert "the relay does not answer" in bench.of(each, OnlineEnded)[0].text
        assert len(bench.of(each, MatchEnded)) == 1
        assert each.next_timeout() is None


def test_a_relay_of_another_version_is_named() -> None:
    class Old:
        """Answers every request with its version."""

        def __init__(self) -> None:
            self.out: list[Any] = []

        def receive_datagram(self, data: bytes, address: Any, *, now: float) -> None:
            self.out.append((wire.encode_answer(wire.RelayRefused(data[5:13], wire.Refusal.VERSION, 9)), address))

        def datagrams_to_send(self, *, now: float) -> Any:
            out, self.out = self.out, []
            return out

        def next_timeout(self) -> None:
            return None

        def handle_timeout(self, *, now: float) -> None: ...

        def events(self) -> list[Any]:
            return []

    bench = Bench(has_relay=False)
    bench.network.attach(RELAY, Old())
    session = bench.add(host())
    bench.run(3.0)
    assert bench.of(session, OnlineEnded)[0].text.startswith("the relay speaks version 9 of the protocol")


def test_a_wrong_letter_of_a_code_is_named_before_anything_is_sent() -> None:
    with pytest.raises(UsageError, match="without I, L, O and U"):
        Online(relay=RELAY, code="4XK7-M2QU")


def test_what_does_not_go_together_is_refused_in_words() -> None:
    with pytest.raises(UsageError, match="online matches are sealed"):
        host(sealed=False)
    with pytest.raises(UsageError, match="leave out the address"):
        joiner("00000000", host_address=("203.0.113.9", 7777))
    with pytest.raises(UsageError, match="whom to watch"):
        SpectatorSession(Fighter(), entropy=Random(1).randbytes)
    with pytest.raises(UsageError, match="by the code"):
        Client(NetRunner(), entropy=Random(1).randbytes, online=Online(relay=RELAY))


def test_the_invite_of_a_host_has_code_and_relay_in_it() -> None:
    bench = Bench()
    session = bench.add(host(invite=Invite("", bytes(range(16)))))
    code = bench.code(session)
    [ready] = bench.of(session, OnlineReady)
    again = Invite.parse(ready.invite.text())
    assert (again.code, again.relay, again.secret) == (code, "198.51.100.1:7788", bytes(range(16)))
    assert bench.of(bench.add(host()), OnlineReady) == []


def test_whoever_has_the_code_and_not_the_invite_is_refused_by_the_host() -> None:
    bench = Bench()
    code = bench.code(bench.add(host(invite=Invite("", bytes(range(16))))))
    session = bench.add(joiner(code))
    bench.run(3.0)
    assert session.is_over
    assert bench.of(session, MatchEnded)[0].reason


def test_a_code_alone_is_enough_where_the_host_has_no_invite() -> None:
    mesh = OnlineMesh(Fighter, nats={"peer0": Nat(), "peer1": Nat()}, invited=False)
    mesh.start()
    mesh.run(3.0)
    assert mesh.kinds("peer0") == {1: PathKind.REFLEXIVE}
    assert mesh["peer0"].events_of(OnlineReady)[0].invite is None


def test_a_session_that_closes_leaves_the_room_and_has_nothing_to_do_any_more() -> None:
    mesh = OnlineMesh(Fighter, nats={"peer0": Nat(), "peer1": Nat()})
    mesh.start()
    mesh.run(3.0)
    for peer in mesh.alive:
        peer.session.close()
    mesh.run(5.0)
    assert [peer.session.next_timeout() for peer in mesh.alive] == [None, None]
    assert mesh.relay is not None
    assert mesh.relay.members == 0


def test_a_session_that_closes_before_it_is_in_has_nothing_to_do_any_more() -> None:
    bench = Bench(has_relay=False)
    for session in (bench.add(host()), bench.add(joiner("00000000"))):
        bench.run(0.7)
        session.close()
        bench.run(1.0)
        assert session.next_timeout() is None
        assert len(bench.of(session, MatchEnded)) == 1


def test_when_the_host_has_left_a_newcomer_by_code_asks_another_one() -> None:
    stay = MatchConfig(end_when_alone=False)
    nats = dict.fromkeys(("peer0", "peer1", "peer2"), Nat())
    mesh = OnlineMesh(lambda: Scramble(3), nats=nats, config=stay)
    mesh.start()
    mesh.play(60)
    mesh["peer0"].session.close()
    mesh.run(4.0)
    mesh.crash("peer0")
    mesh.restart("peer0")
    mesh.run_until(lambda: mesh["peer0"].playing, limit=20.0, what="it is back")
    mesh.play(mesh["peer1"].final_frame + 60)
    mesh.verify()
    assert sorted(mesh.kinds("peer0")) == [1, 2]


def test_the_tag_tells_games_and_versions_apart() -> None:
    tags = {game_tag(LinkConfig(game_id=game, game_version=version)) for game in "ab" for version in (1, 2)}
    assert len(tags) == 4
    assert {len(tag) for tag in tags} == {16}


def test_a_server_hosts_online_and_clients_join_by_its_code() -> None:
    bench = Bench()
    server = bench.add(Server(NetRunner(), entropy=Random(2).randbytes, online=Online(relay=RELAY)))
    online = Online(relay=RELAY, code=bench.code(server))
    client = bench.add(Client(NetRunner(), entropy=Random(3).randbytes, online=online))
    bench.run(3.0)
    assert client.is_joined
    assert [report.kind for report in client.routes.report()] == [PathKind.REFLEXIVE]
    assert len(server.links) == 1


def test_a_server_of_a_world_hosts_online_and_goes_over_to_direct_paths() -> None:
    bench = Bench()
    server = bench.add(WorldServer(Yard, entropy=Random(2).randbytes, online=Online(relay=RELAY)))
    online = Online(relay=RELAY, code=bench.code(server))
    clients = [bench.add(WorldClient(Yard(), entropy=Random(n).randbytes, online=online)) for n in (3, 4)]
    bench.run(4.0)
    assert [client.running for client in clients] == [True, True]
    assert [report.kind for report in server.routes.report()] == [PathKind.REFLEXIVE] * 2


def test_a_client_that_finds_no_room_has_failed_to_join() -> None:
    bench = Bench()
    online = Online(relay=RELAY, code="00000000")
    client = bench.add(WorldClient(Yard(), entropy=Random(3).randbytes, online=online))
    bench.run(3.0)
    assert "no room has this code" in bench.of(client, JoinFailed)[0].text
    assert client.is_over
    assert client.next_timeout() is None
