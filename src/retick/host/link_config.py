"""Link settings that a server and its clients share, and the sealing options of each."""

from collections.abc import Callable
from typing import TypedDict, cast

from retick.errors import UsageError
from retick.host.config import LARGEST_MESSAGE
from retick.link import LinkConfig, Sealing
from retick.tokens import show


class ServerSealing(TypedDict, total=False):
    """How a server seals its links."""

    sealed: bool
    """False makes plain links, for tests and for clients of older versions; true by default."""
    key_pair: bytes | None
    """The server's private key, 32 random bytes: only clients that know its public half get in."""
    identity: bytes | None
    """A lasting private key, 32 random bytes, by which clients recognise the server."""
    keylog: Callable[[str], None] | None
    """Called with one line of keys per connection: whoever has it can read that connection."""


class ClientSealing(TypedDict, total=False):
    """How a client seals its link."""

    sealed: bool
    """False makes a plain link; true by default."""
    server_key: bytes | None
    """The public key of the server, if it has one; a join token names it too."""
    identity: bytes | None
    """A lasting private key, 32 random bytes, by which the server recognises this client."""
    keylog: Callable[[str], None] | None
    """Called with one line of keys per connection: whoever has it can read that connection."""


def sealing_by_token(token: bytes, sealing: ClientSealing) -> Sealing:
    """The client's sealing options, with the server's key taken from its join token."""
    found = cast("Sealing", {"sealed": True, **sealing})
    if not token:
        return found
    named = show(token).server_key
    if not found["sealed"]:
        raise UsageError("a join token is only for sealed links: leave out sealed=False")
    if found.get("server_key") not in (None, named):
        raise UsageError("the join token is for a server with another key: leave out server_key")
    return {**found, "server_key": named}


def link_config(
    game_id: str, game_version: int, *, timeout: float, capabilities: int = 0, sealing: Sealing | None = None
) -> LinkConfig:
    """The link settings of any game; ``timeout`` is in seconds. Sealed, unless ``sealing`` says otherwise."""
    given: Sealing = {"sealed": True, **(sealing or {})}
    for name in given:
        if name not in Sealing.__annotations__:
            raise TypeError(
                f"there is no argument {name!r}: those about sealing are {', '.join(Sealing.__annotations__)}"
            )
    return LinkConfig(
        game_id=game_id,
        game_version=game_version,
        capabilities=capabilities,
        # The keepalive must be shorter than the timeout, or an idle link would look like a lost one.
        status_interval=min(1.0, timeout / 4),
        quiet_after=min(1.5, timeout / 2),
        timeout=timeout,
        max_message=LARGEST_MESSAGE,
        **given,
    )
