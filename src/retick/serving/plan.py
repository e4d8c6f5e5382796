"""What one process of ``retick serve`` is told to run; it travels to worker processes as JSON."""

import time
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from retick.cli.exit_codes import complain
from retick.cli.sealing import only_sealed
from retick.errors import UsageError
from retick.host.link_config import ServerSealing
from retick.playing.key_files import KeyLogFile, load_server_key, load_token_key
from retick.tokens import Tokens

__all__ = [
    "ServePlan",
    "public_key_in",
    "sealing_of",
    "tokens_of",
    "with_keys",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ServePlan:
    """One server: its game, its rooms and its address."""

    game: dict[str, str] | None = None
    """Where to import it from, as ``locate_game`` says; None for the runner."""
    runner: dict[str, Any] = field(default_factory=dict)
    """Fields of the runner's own configuration."""
    rooms: tuple[str, ...] = ("",)
    players: int | None = None
    """In a room; None: as the game says."""
    tick_rate: int | None = None
    snapshot_rate: int | None = None
    fixed: bool = False
    """Only fixed snapshots."""
    per_address: int = 8
    """Clients from one address."""
    host: str = "0.0.0.0"
    port: int = 0
    reports: str = "."
    """Folder for reports of failed rooms."""
    record: str | None = None
    """Folder for recordings; None: nothing is recorded."""
    plain: bool = False
    """Links are not sealed."""
    key_pair: str = field(default="", repr=False)
    """The server's private key in hexadecimal digits: it goes to workers through a pipe. Empty: none."""
    token_key: str = field(default="", repr=False)
    """The token key in the same way. Empty: everybody comes in."""
    keylog: str | None = None
    """File to which the keys of all links are appended; None: nowhere."""
    core: int | None = None
    """The core to stay on; None: any."""

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def of_json(cls, job: dict[str, Any]) -> Self:
        return cls(**job | {"rooms": tuple(job["rooms"])})


# What ``retick serve`` is told of sealing: read from key files into its plan, and from the plan into servers.


def with_keys(plan: ServePlan, *, key: Path | None, tokens: Path | None, plain: bool, keylog: Path | None) -> ServePlan:
    """The plan with the keys of these files; UsageError for options that exclude each other."""
    only_sealed(plain, {"--key": key, "--tokens": tokens, "--keylog": keylog})
    if tokens is not None and key is None:
        raise UsageError("--tokens needs --key FILE: a token names the key of its server, and the file is made")
    key_pair = token_key = b""
    if tokens is not None:
        token_key, complaint = load_token_key(tokens)
        if complaint:
            complain(complaint)
    if key is not None:
        key_pair, told = load_server_key(key)
        complain(told)
    if keylog is not None:
        log = KeyLogFile(keylog)
        complain(log.warning())
        log.close()
    return replace(
        plan,
        plain=plain,
        key_pair=key_pair.hex(),
        token_key=token_key.hex(),
        keylog=None if keylog is None else str(keylog.absolute()),
    )


def public_key_in(plan: ServePlan) -> str | None:
    """What clients must know, in hexadecimal digits; None without a key."""
    if not plan.key_pair:
        return None
    from retick.link.sealing.primitives import public_key_of  # imports cryptography, which only sealed links need

    return public_key_of(bytes.fromhex(plan.key_pair)).hex()


def sealing_of(plan: ServePlan) -> ServerSealing:
    """How all links of a plan are sealed: those of its servers, and those of their front."""
    return {
        "sealed": not plan.plain,
        "key_pair": bytes.fromhex(plan.key_pair) or None,
        "keylog": None if plan.keylog is None else KeyLogFile(Path(plan.keylog)),
    }


def tokens_of(plan: ServePlan) -> Tokens | None:
    """Who may come in; None: everybody."""
    return Tokens(bytes.fromhex(plan.token_key), clock=time.time) if plan.token_key else None
