"""What a game must provide to be served: its motor, its commands and its packets, as Protocols.

Nothing here is inherited from. A profile is one object with everything that is particular to a game; ``NetRunner`` in
runner.py is one. States and commands are immutable values: keeping a reference is saving.

``Any`` stands for the game's own values, which go back to the game unchanged: its states, its commands, the controls
that its players hold, its Welcome and its messages.
"""

from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias, runtime_checkable

from retick.errors import UsageError
from retick.host.config import COMPACT_SNAPSHOTS, DELTA_SNAPSHOTS, LARGEST_MESSAGE
from retick.host.link_config import link_config
from retick.link import LinkConfig, Sealing
from retick.netrunner.messages import PlayerView

Vector: TypeAlias = tuple[float, float, float]
State: TypeAlias = Any
"""A player after a tick. Only ``position``, ``velocity``, ``yaw``, ``pitch`` and ``grounded`` are read."""
Command: TypeAlias = Any
"""What a player wants for one tick. Only ``seq``, ``tick`` and ``epoch`` are read."""
Intent: TypeAlias = Any
"""The controls held now. Only the game's builder reads them."""
Stats: TypeAlias = Any
"""How the server ran a player's commands, for the game and its people; not read here. See InputStats."""
Rewound: TypeAlias = dict[int, Vector]
"""Each peer id with the player's place when the shooter saw it."""


class Motor(Protocol):
    """The pure step of one player."""

    def spawn(self, peer_id: int, /) -> State:
        """The state in which this player begins."""

    def step(self, state: State, command: Command, /) -> State:
        """The state one tick later."""


class Numbers(Protocol):
    """The numbers that a server decides for a session; SessionNumbers in ``messages`` has the units."""

    @property
    def server_tick_rate(self) -> int: ...
    @property
    def client_tick_rate(self) -> int: ...
    @property
    def snapshot_rate(self) -> int: ...
    @property
    def input_delay_ticks(self) -> int: ...
    @property
    def interpolation_delay_ms(self) -> int: ...
    @property
    def max_extrapolation_ms(self) -> int: ...
    @property
    def reconcile_smooth_ms(self) -> int: ...
    @property
    def reconcile_snap_threshold(self) -> float: ...
    @property
    def max_players(self) -> int: ...


class Builder(Protocol):
    """Turns what one client holds at the controls into commands."""

    def sample(self, intent: Intent, state: State | None, /) -> None:
        """Read the controls, once per client tick."""

    def build(self, intent: Intent, /, *, seq: int, tick: int, epoch: int) -> Command:
        """Make the command for one server tick."""

    def clear(self) -> None:
        """Forget presses that no command has carried yet."""


class RowLayout(Protocol):
    """A game's state as rows of integers, for delta snapshots."""

    @property
    def exact(self) -> Sequence[tuple[str, int, int]]:
        """Name, lowest and highest value of each number in a player's own row."""

    @property
    def public(self) -> Sequence[tuple[str, int, int]]:
        """Name, lowest and highest value of each number in the row that other players get."""

    def exact_row(self, state: State, /) -> tuple[int, ...]:
        """The row from which :meth:`exact_state` makes exactly the same state."""

    def exact_state(self, row: tuple[int, ...], /) -> State:
        """The state of a row; raises InvalidValue if no state has it."""

    def public_row(self, state: State, /) -> tuple[int, ...]:
        """The row with everything that others need to draw this player."""

    def public_state(self, row: tuple[int, ...], /) -> State:
        """The state of a public row, as closely as it tells."""


class BodyState(Protocol):
    """One player in a decoded snapshot; PlayerView in ``messages`` has these."""

    @property
    def peer_id(self) -> int: ...
    @property
    def ack(self) -> int: ...
    @property
    def state(self) -> State: ...
    @property
    def stats(self) -> Stats: ...


class ProfileView(Protocol):
    """A decoded snapshot; SnapshotView in ``messages`` has these."""

    @property
    def tick(self) -> int: ...
    @property
    def players(self) -> Sequence[BodyState]: ...


class ProfileWelcome(Protocol):
    """A server's answer to a hello. A game's own has more: see ControlMessages in ``messages``."""

    @property
    def peer_id(self) -> int: ...
    @property
    def input_delay_ticks(self) -> int: ...
    @property
    def server_tick(self) -> int: ...


class GameProfile(Protocol):
    """One game, as a server or a client uses it. docs/formats/netrunner.md explains each member."""

    @property
    def game_id(self) -> str: ...
    @property
    def protocol_version(self) -> int: ...
    @property
    def max_commands(self) -> int: ...
    @property
    def config(self) -> Numbers: ...
    @property
    def motor(self) -> Motor: ...
    @property
    def layout(self) -> RowLayout | None:
        """The layout for delta snapshots; None if this game has none."""

    @property
    def welcome_type(self) -> type[ProfileWelcome]:
        """The class of this game's Welcome; the other control messages are the shared ones."""

    def sanitise(self, command: Command, /) -> Command | None: ...
    def idle(self, state: State, /) -> Command: ...
    def hold(self, command: Command, /) -> Command: ...
    def neutral(self, command: Command, /) -> Command: ...
    def fires(self, command: Command, /) -> bool: ...
    def builder(self) -> Builder: ...
    def forget(self, state: State, /) -> State: ...
    def encode_inputs(self, commands: Sequence[Command], /) -> bytes: ...
    def decode_inputs(self, data: bytes, /) -> Sequence[Command]: ...
    def encode_snapshot(self, tick: int, players: Sequence[PlayerView[State]], /) -> bytes: ...
    def decode_snapshot(self, data: bytes, /) -> ProfileView: ...
    def encode_control(self, message: Any, /) -> bytes:
        """Encode ``message``, a shared control message or this game's Welcome."""

    def decode(self, data: bytes, /) -> object:
        """Decode a control message, or a message of the game's own."""

    def welcome(self, *, peer_id: int, delay_ticks: int, server_tick: int) -> ProfileWelcome: ...
    def adopt(self, welcome: Any, /) -> "GameProfile":
        """The profile with the server's numbers; ``welcome`` is this game's own, decoded."""

    def judge(self, peer_id: int, state: State, tick: int, targets: Rewound, /) -> Sequence[bytes]:
        """The messages that tell everyone the result of a shot, each of at most 4096 bytes."""


@runtime_checkable
class JudgesInRoom(Protocol):
    """An optional part of a profile: if present, a server calls this instead of ``judge``."""

    def judge_in_room(self, room: str, peer_id: int, state: State, tick: int, targets: Rewound, /) -> Sequence[bytes]:
        """Judge a shot as ``judge`` does, given also the name of its room."""


def checked_message(game_id: str, message: bytes) -> bytes:
    """Return the message; raise a UsageError if it is longer than a link can carry."""
    if len(message) > LARGEST_MESSAGE:
        raise UsageError(f"judge of {game_id!r} gave a message of {len(message)} bytes, more than {LARGEST_MESSAGE}")
    return message


def link_config_for(
    profile: GameProfile, *, timeout: float, delta: bool, compact: bool = True, sealing: Sealing | None = None
) -> LinkConfig:
    """The link settings; ``timeout`` is in seconds; ``delta`` and ``compact``: the deltas that this side can use."""
    capabilities = (DELTA_SNAPSHOTS | (COMPACT_SNAPSHOTS if compact else 0)) if delta else 0
    return link_config(
        profile.game_id, profile.protocol_version, timeout=timeout, capabilities=capabilities, sealing=sealing
    )
