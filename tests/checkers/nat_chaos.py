"""Online matches behind drawn routers, in which paths come and go: mappings expire, routers and relays start again.

``play_online`` runs one match on virtual time, all of it drawn from a seed. A :class:`ChaosFailure` is what must never
happen: a match that hangs or ends, peers that diverge, a run of the game without a network that ends differently.
"""

from collections.abc import Callable
from random import Random

from retick.rollback.events import DesyncDetected, InputConflictDetected, MatchEnded
from retick.rollback.match.config import MatchConfig
from retick.routes import PathChanged, PathKind
from retick.testing.mesh import MeshHung
from retick.testing.online_mesh import RELAY, OnlineMesh
from retick.transport.conditions import Conditions
from retick.transport.nat import Nat, NatKind
from tests.checkers.arenas import Arena
from tests.checkers.chaos import ChaosFailure, Outcome, pressed_by_bots

__all__ = ["draw_nat", "play_online"]

DISCONNECT_AFTER = 15.0
"""Seconds of silence after which a peer counts as lost: more than all troubles of one moment together."""
LONGEST_TROUBLE = 2.5
"""Seconds that a relay is dead, or a path cut."""
TROUBLES_A_SECOND = 0.5
PATIENCE = 60.0
"""Virtual seconds after which a match counts as hung."""


def draw_nat(dice: Random) -> Nat:
    """A router; mappings of some expire soon."""
    return Nat(
        kind=dice.choice(list(NatKind)),
        timeout=dice.choice([3.0, 20.0, 120.0]),
        hairpin=dice.random() < 0.3,
        lenient=dice.random() < 0.5,
        keeps_ports=dice.random() < 0.5,
    )


def play_online(seed: int, arena: Arena, *, peers: int, frames: int) -> Outcome:
    """Run one match; ChaosFailure if it hangs, ends or diverges."""
    dice = Random(f"nat {seed}")
    names = [f"peer{number}" for number in range(peers)]
    conditions = Conditions(
        latency=dice.uniform(0.005, 0.08),
        jitter=dice.uniform(0.0, 0.02),
        loss=dice.choice([0.0, 0.02, 0.08]),
        duplicate=0.02,
    )
    mesh = OnlineMesh(
        arena.game,
        seats=dict.fromkeys(names, 1),
        nats={name: draw_nat(dice) if dice.random() < 0.9 else None for name in (*names, "watcher")},
        behind={names[1]: names[0]} if dice.random() < 0.15 else {},
        relay_only=dice.random() < 0.1,
        invited=dice.random() < 0.8,
        seed=seed,
        conditions=conditions,
        config=MatchConfig(disconnect_after=DISCONNECT_AFTER, input_timeout=DISCONNECT_AFTER),
        press=pressed_by_bots(arena, seed),
    )
    try:
        mesh.start(limit=PATIENCE)
        length = frames / mesh.config.tick_rate
        for _ in range(int(length * TROUBLES_A_SECOND)):
            mesh.at(dice.uniform(0.0, length), _trouble(mesh, dice, names))
        if dice.random() < 0.5:
            mesh.at(dice.uniform(0.5, length / 2), lambda: mesh.watch("watcher", names[0]))
        mesh.run(length + LONGEST_TROUBLE)
        mesh.play(max(frames, *(peer.final_frame + 60 for peer in mesh.alive)), limit=PATIENCE)
        for peer in mesh.alive:
            for kind in (DesyncDetected, InputConflictDetected, MatchEnded):
                for event in peer.events_of(kind):
                    raise ChaosFailure(f"{peer.name} reports {event}")
        mesh.verify()
    except (MeshHung, AssertionError) as error:
        raise ChaosFailure(str(error)) from error
    return _outcome(mesh, frames)


def _trouble(mesh: OnlineMesh, dice: Random, names: list[str]) -> Callable[[], object]:
    """Something that happens to a router, the relay, a path or a machine."""
    kind = dice.choice(["forget", "forget", "relay", "cut", "cut", "cut off", "pause"])
    one, other = dice.sample(names, 2)
    seconds = dice.uniform(0.1, LONGEST_TROUBLE)
    if kind == "forget":
        return lambda: _forget(mesh, one)
    if kind == "relay":
        return lambda: _restart_relay(mesh, seconds)
    if kind == "cut":
        return lambda: mesh.cut(one, other, seconds)
    if kind == "cut off":
        return lambda: mesh.network.cut(mesh.address_of(one), RELAY, seconds)
    return lambda: mesh.pause(one, seconds)


def _forget(mesh: OnlineMesh, name: str) -> None:
    router = mesh.router_of(name)
    if router is not None:
        router.forget()


def _restart_relay(mesh: OnlineMesh, seconds: float) -> None:
    if mesh.relay is not None:
        mesh.stop_relay()
        mesh.at(seconds, mesh.start_relay)


def _outcome(mesh: OnlineMesh, frames: int) -> Outcome:
    outcome = Outcome(matches=1, frames=frames, seconds=mesh.network.now)
    for peer in mesh.alive:
        outcome.count(peer.session.stats(now=mesh.network.now))
        outcome.moves += len(peer.events_of(PathChanged))
        outcome.direct += sum(kind is not PathKind.RELAY for kind in mesh.kinds(peer.name).values())
    outcome.watched = sum(len(spectator.rows) for spectator in mesh.spectators.values())
    return outcome
