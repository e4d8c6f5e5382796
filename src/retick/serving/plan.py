"""The settings of one process of ``retick serve``; worker processes get them as JSON."""

import time
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from retick.errors import UsageError
from retick.host.link_config import ServerSealing
from retick.playing.key_files import KeyLogFile, load_server_key, load_token_key
from retick.playing.link_form import only_sealed
from retick.playing.printing import complain
from retick.tokens import Tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class ServePlan:
    """One server: its game, its rooms and its address."""

    game: dict[str, str] | None = None
    """Where to import the game from, as ``locate_game`` returns it; None for the runner."""
    runner: dict[str, Any] = field(default_factory=dict)
    """Fields of the runner's own configuration."""
    rooms: tuple[str, ...] = ("",)
    """Names of the rooms."""
    players: int | None = None
    """Players per room; None for the game's own number."""
    tick_rate: int | None = None
    """Ticks per second; None for the game's own rate."""
    snapshot_rate: int | None = None
    """Snapshots per second; None for the game's own rate."""
    fixed: bool = False
    """Send only fixed snapshots, no deltas."""
    per_address: int = 8
    """Most clients from one address."""
    host: str = "0.0.0.0"
    port: int = 0
    reports: str = "."
    """Folder for reports of failed rooms."""
    record: str | None = None
    """Folder for recordings; None to record nothing."""
    plain: bool = False
    """Leave links unsealed."""
    key_pair: str = field(default="", repr=False)
    """The server's private key in hexadecimal digits, sent to workers through a pipe; empty without a key."""
    token_key: str = field(default="", repr=False)
    """The token key in hexadecimal digits; empty to admit everybody."""
    keylog: str | None = None
    """File to which the keys of all links are appended; None for no log."""
    core: int | None = None
    """The core to which the process is pinned; None for any."""

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def of_json(cls, job: dict[str, Any]) -> Self:
        return cls(**job | {"rooms": tuple(job["rooms"])})


def with_keys(plan: ServePlan, *, key: Path | None, tokens: Path | None, plain: bool, keylog: Path | None) -> ServePlan:
    """Add the keys in these files to the plan; UsageError for options that exclude each other."""
    only_sealed(plain, {"--key": key, "--tokens": tokens, "--keylog": keylog})
    if tokens is not None and key is None:
        raise UsageError("--tokens needs --key FILE: a token names its server's key. The file is made if missing")
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
    """The public key that clients need, in hexadecimal digits; None without a key."""
    if not plan.key_pair:
        return None
    from retick.link.sealing.primitives import public_key_of  # imports cryptography, which only sealed links need

    return public_key_of(bytes.fromhex(plan.key_pair)).hex()


def sealing_of(plan: ServePlan) -> ServerSealing:
    """The sealing of all links of a plan, those of its servers and of their front."""
    return {
        "sealed": not plan.plain,
        "key_pair": bytes.fromhex(plan.key_pair) or None,
        "keylog": None if plan.keylog is None else KeyLogFile(Path(plan.keylog)),
    }


def tokens_of(plan: ServePlan) -> Tokens | None:
    """Checks join tokens; None if everybody is admitted."""
    return Tokens(bytes.fromhex(plan.token_key), clock=time.time) if plan.token_key else None
