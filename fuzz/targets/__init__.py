"""All fuzz targets. A test compares them with the decoders in the source."""

from fuzz.target import Target
from fuzz.targets import (
    authority,
    endpoint,
    evidence,
    front,
    lan,
    link,
    messages,
    netrunner,
    packets,
    relay,
    replay,
    routes,
    sealed,
    sessions,
    snapshot,
    states,
    tokens,
    transport,
    wire,
    world_client,
    world_server,
    worlds,
)

__all__ = ["TARGETS", "matching"]

MODULES = (
    wire, link, sealed, tokens, messages, evidence, snapshot, replay, states, netrunner, transport, endpoint, lan,
    sessions, authority, worlds, world_server, world_client, front, packets, relay, routes,
)  # fmt: skip
TARGETS: dict[str, Target] = {target.name: target for module in MODULES for target in module.TARGETS}


def matching(names: list[str]) -> list[Target]:
    """The targets of these names or families; all for none."""
    found = [target for target in TARGETS.values() if not names or {target.name, target.family} & set(names)]
    unknown = set(names) - {target.name for target in found} - {target.family for target in found}
    if unknown:
        raise SystemExit(f"no target is called {', '.join(sorted(unknown))}: see python -m fuzz list")
    return found
