"""NetRunner protocol 6 as one object: all that an authoritative server or client needs of this game.

A server and a client import no game. They use a profile through the Protocol in authority/profile.py;
docs/formats/netrunner.md lists the calls. A profile holds no session state: everything that changes from tick to tick
is in the values that it gets and returns.
"""

# retick: floats -- rounds the tick length to binary32, as commands carry it

from typing import Final, TypeAlias

from retick.errors import UsageError
from retick.games.runner.motor.commands import Button, Command, CommandBuilder, held, is_acceptable, neutral, sanitised
from retick.games.runner.motor.course import COURSE
from retick.games.runner.motor.motor import RunnerMotor
from retick.games.runner.motor.state import RunnerState
from retick.games.runner.motor.world import World
from retick.games.runner.netrunner.config import WAN, RunnerConfig
from retick.games.runner.netrunner.control import Control, Welcome, decode_control, encode_control
from retick.games.runner.netrunner.fire import FirePacket, decode_fire, encode_fire
from retick.games.runner.netrunner.framing import CONTROL, INPUT_BUNDLE, PROTOCOL_VERSION, SNAPSHOT, packet_type
from retick.games.runner.netrunner.inputs import MAX_COMMANDS, decode_inputs, encode_inputs
from retick.games.runner.netrunner.layout import RunnerLayout
from retick.games.runner.netrunner.shots import judge_shot
from retick.games.runner.netrunner.snapshots import MAX_PLAYERS, RunnerSnapshot, decode_snapshot, encode_snapshot
from retick.wire.binary32 import round32

__all__ = ["NetRunner", "Packet"]

Vector = tuple[float, float, float]
Packet: TypeAlias = tuple[Command, ...] | RunnerSnapshot | Control | FirePacket


class NetRunner:
    """The runner with one configuration and one world, as a server or client uses it."""

    game_id: Final = "retick.runner"
    protocol_version: Final = PROTOCOL_VERSION
    max_players: Final = MAX_PLAYERS
    max_commands: Final = MAX_COMMANDS

    encode_inputs = staticmethod(encode_inputs)
    decode_inputs = staticmethod(decode_inputs)
    encode_snapshot = staticmethod(encode_snapshot)
    decode_snapshot = staticmethod(decode_snapshot)
    encode_control = staticmethod(encode_control)
    decode_control = staticmethod(decode_control)
    encode_fire = staticmethod(encode_fire)
    decode_fire = staticmethod(decode_fire)
    welcome_type: Final = Welcome
    hold = staticmethod(held)
    neutral = staticmethod(neutral)

    def __init__(self, config: RunnerConfig = WAN, world: World = COURSE) -> None:
        self.config = config
        self.motor = RunnerMotor(config.tuning, world, tick_rate=config.server_tick_rate)
        self.layout = RunnerLayout(world)
        self._dt = round32(1 / config.server_tick_rate)
        self._pitch_limit = config.pitch_limit

    def decode(self, data: bytes) -> Packet:
        """Any packet of the protocol, by its type byte; a DecodeError for any other bytes."""
        kind = packet_type(data)
        if kind == INPUT_BUNDLE:
            return decode_inputs(data)
        if kind == SNAPSHOT:
            return decode_snapshot(data)
        return decode_control(data) if kind == CONTROL else decode_fire(data)

    def sanitise(self, command: Command) -> Command | None:
        """The command as the server will run it, or None when it is refused outright."""
        if not is_acceptable(command):
            return None
        return sanitised(command, dt=self._dt, pitch_limit=self._pitch_limit)

    def idle(self, state: RunnerState) -> Command:
        """The command before a player's first: no movement, looking where the state looks."""
        return Command(0, 0, 0, self._dt, yaw=state.yaw, pitch=state.pitch)

    def fires(self, command: Command) -> bool:
        """Whether the command asks for a shot."""
        return command.buttons & Button.FIRE_PRESSED.value != 0

    def judge(self, peer_id: int, state: RunnerState, tick: int, targets: dict[int, Vector]) -> tuple[bytes, ...]:
        """The packets that tell everyone what a shot did; ``targets``: where the shooter saw the others."""
        result, visual = judge_shot(peer_id, state, tick, targets)
        return encode_fire(result), encode_fire(visual)

    def builder(self) -> CommandBuilder:
        """A new builder of commands, for one client."""
        return CommandBuilder(dt=round32(1 / self.config.client_tick_rate), pitch_limit=self._pitch_limit)

    def forget(self, state: RunnerState) -> RunnerState:
        """The state with its locomotion reset: what clients kept of a snapshot before protocol 6."""
        return state.with_initial_locomotion()

    def welcome(self, *, peer_id: int, delay_ticks: int, server_tick: int) -> Welcome:
        """What a server with this profile answers to a hello."""
        return Welcome.of(self.config, peer_id=peer_id, delay_ticks=delay_ticks, server_tick=server_tick)

    def adopt(self, welcome: Welcome) -> "NetRunner":
        """The profile with the server's numbers and this world: what a client runs from its welcome on."""
        if welcome.version != PROTOCOL_VERSION:
            raise UsageError(f"a welcome of protocol {welcome.version} cannot be adopted by {PROTOCOL_VERSION}")
        return NetRunner(welcome.config(), self.motor.world)
