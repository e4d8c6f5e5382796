"""Makes the server for a plan; only this module knows which kinds of games can be served.

A game is the runner, a profile (an object that implements ``retick.netrunner.profile.Profile``, or a class or function
that makes one), or a class of declared worlds.
"""

import os
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from retick.audit.game_loader import import_from, import_object, made, module_beside
from retick.authority import RoomHooks, WorldServer, WorldServerConfig
from retick.errors import UsageError
from retick.games.runner import Tuning
from retick.host.config import COMPACT_SNAPSHOTS
from retick.host.link_config import link_config
from retick.link import LinkConfig
from retick.netrunner import NetRunner, RunnerConfig, Server, ServerConfig
from retick.netrunner.profile import link_config_for
from retick.serving.event_log import RoomFiles
from retick.serving.plan import ServePlan, public_key_in, sealing_of, tokens_of
from retick.sim.world import World

HOOKS = "hooks"
"""The name of a game's hooks in its module, and of a module beside it that may have them."""
_PROFILE = ("game_id", "protocol_version", "motor", "config", "layout", "decode_inputs", "encode_snapshot", "judge")


@dataclass(frozen=True, slots=True)
class Served:
    """A server, with the settings that its front needs."""

    server: Any
    """``Server`` or ``WorldServer``: both have the five calls, rooms, drain and close."""
    link: LinkConfig
    """The server's link configuration without keys; its front has the same."""
    public_key: str | None = None
    """The public key that clients need, in hexadecimal digits; None without a key."""


def server_for(plan: ServePlan) -> Served:
    """Make the server of a plan; UsageError with one line if the game cannot be served."""
    if plan.game is None:
        tuning = Tuning(**plan.runner["tuning"])
        return _of_profile(NetRunner(RunnerConfig(**plan.runner | {"tuning": tuning})), plan)
    found = import_object(**plan.game)
    name = plan.game["attribute"]
    if isinstance(found, World):
        raise UsageError(f"{name} is a world, not its class: name the class")
    if isinstance(found, type) and issubclass(found, World):
        return _of_world(found, plan)
    profile = _profile(found, name)
    if plan.players is not None or plan.tick_rate is not None or plan.snapshot_rate is not None:
        raise UsageError(f"{name} sets these itself: leave out --players, --tick-rate and --snapshot-rate")
    return _of_profile(profile, plan)


def _profile(found: Any, name: str) -> Any:
    """The profile itself, or the one that a class or function makes."""
    if isinstance(found, type) or (callable(found) and not hasattr(found, "motor")):
        found = made(found, name)
    missing = [each for each in _PROFILE if not hasattr(found, each)]
    if missing:
        raise UsageError(
            f"{name} cannot be served: it is neither a declared world's class nor a profile (no {', '.join(missing)})"
        )
    return found


def _of_profile(profile: Any, plan: ServePlan) -> Served:
    if plan.record is not None:
        raise UsageError(f"--record is for declared worlds, and {profile.game_id!r} is not one")
    config = ServerConfig(rooms=plan.rooms, delta=not plan.fixed, max_connections_per_address=plan.per_address)
    server = Server(
        profile, entropy=os.urandom, config=config, clock=time.perf_counter, admit=tokens_of(plan), **sealing_of(plan)
    )
    delta = config.delta and profile.layout is not None
    link = link_config_for(profile, timeout=config.timeout, delta=delta, compact=config.compact)
    return Served(server, replace(link, tick_rate=profile.config.server_tick_rate), public_key_in(plan))


def _hooks(plan: ServePlan) -> RoomHooks | None:
    """Find ``hooks``, an object or its class, in the game's module or in ``hooks.py`` beside it."""
    assert plan.game is not None
    found = getattr(import_from(Path(plan.game["root"]), plan.game["module"]), HOOKS, None)
    module = module_beside(plan.game, HOOKS) if found is None else None
    found = getattr(module, HOOKS, found)
    if isinstance(found, type) and issubclass(found, RoomHooks):
        found = made(found, HOOKS)
    if found is not None and not isinstance(found, RoomHooks):
        raise UsageError(f"{HOOKS} must be a retick.authority.RoomHooks or a subclass, not {found!r}")
    return found


def _of_world(game: type[World], plan: ServePlan) -> Served:
    """Serve a declared world; the server raises UsageError for a wrong declaration."""
    if plan.fixed:
        raise UsageError(f"--fixed is for games with fixed snapshots, and {game.__name__} is a declared world")
    if plan.players not in (None, game.num_players):
        raise UsageError(f"{game.__name__} has num_players = {game.num_players}: --players cannot change it")
    rates: dict[str, Any] = {"tick_rate": plan.tick_rate, "snapshot_rate": plan.snapshot_rate}
    if plan.snapshot_rate is None and plan.tick_rate is not None and plan.tick_rate > 0:
        most = min(plan.tick_rate, WorldServerConfig().snapshot_rate)
        rates["snapshot_rate"] = next(rate for rate in range(most, 0, -1) if plan.tick_rate % rate == 0)
    config = WorldServerConfig(
        rooms=plan.rooms,
        max_connections_per_address=plan.per_address,
        **{name: rate for name, rate in rates.items() if rate is not None},
    )
    record = None if plan.record is None else RoomFiles(Path(plan.record)).begin
    hooks = _hooks(plan)
    server = WorldServer(
        game,
        entropy=os.urandom,
        config=config,
        hooks=hooks,
        record=record,
        clock=time.perf_counter,
        admit=tokens_of(plan),
        **sealing_of(plan),
    )
    named: Any = game()
    capabilities = COMPACT_SNAPSHOTS if config.compact else 0
    link = link_config(named.game_id, named.game_version, timeout=config.timeout, capabilities=capabilities)
    return Served(server, replace(link, tick_rate=config.tick_rate), public_key_in(plan))
