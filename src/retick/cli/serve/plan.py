"""What one process of ``retick serve`` is told to run; it travels to worker processes as JSON."""

from dataclasses import asdict, dataclass, field
from typing import Any, Self

__all__ = ["ServePlan"]


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
