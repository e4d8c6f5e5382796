"""Join tokens, on virtual time: a backend issues them, a server opens them, and each is good once.

On a network of your own the clock is ``time.time``, the entropy ``os.urandom``, and the two keys are in files:
``retick token keygen`` makes one, ``retick serve --key`` the other.
"""

from random import Random

from raiders import Raiders

from retick import tokens
from retick.authority import Applicant, JoinFailed, Pass, PlayerJoined, WorldClient, WorldServer
from retick.link import Refuse
from retick.link.sealing.primitives import public_key_of
from retick.transport import Conditions, SimulatedNetwork

SERVER = ("192.0.2.1", 7777)
TODAY = 1_800_000_000.0
dice = Random(1)
token_key, key_pair = dice.randbytes(32), dice.randbytes(32)
network = SimulatedNetwork(seed=1, conditions=Conditions.round_trip(0.05))
said: list[str] = []


def clock() -> float:
    return TODAY + network.now


def issue(player: int) -> bytes:
    """The backend has the token key and the server's public key; it sends the token to a player who has logged in."""
    return tokens.issue(
        token_key,
        player=player,
        server_key=public_key_of(key_pair),
        addresses=[SERVER],
        now=clock(),
        entropy=dice.randbytes,
        data=b"gold",
    )


opens = tokens.Tokens(token_key, clock=clock)


def admit(applicant: Applicant) -> Pass | Refuse:
    """The server asks the token first, and then its own list."""
    found = opens(applicant)
    if isinstance(found, Pass) and found.player == 13:
        return Refuse(text="you are suspended until Monday")
    return found


def on_server(events: list[object]) -> None:
    for event in events:
        if isinstance(event, PlayerJoined):
            said.append(f"{event.name} is player {event.player} with {event.data.decode()}")


def join(name: str, host: str, token: bytes) -> None:
    """A client knows nothing but its token."""

    def on_client(events: list[object]) -> None:
        said.extend(f"{name}: {event.text}" for event in events if isinstance(event, JoinFailed))

    client = WorldClient(Raiders(), entropy=dice.randbytes, name=name, token=token)
    network.attach((host, 5000), client, on_events=on_client)
    network.run(until=network.now + 1.0)


def play() -> list[str]:
    """What happened, in lines."""
    server = WorldServer(Raiders, entropy=dice.randbytes, admit=admit, key_pair=key_pair)
    network.attach(SERVER, server, on_events=on_server)
    token = issue(7)
    join("Ann", "192.0.2.7", token)
    join("thief", "192.0.2.66", token)
    join("Max", "192.0.2.13", issue(13))
    late = issue(8)
    network.run(until=network.now + 100.0)
    join("Bob", "192.0.2.8", late)
    return said


if __name__ == "__main__":
    print(*play(), sep="\n")
