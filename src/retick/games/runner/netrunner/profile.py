"""NetRunner protocol 6 as one object: what an authoritative server or client needs to know of this game.

A server and a client drive a profile by its shape and import no game; docs/formats/netrunner.md lists the calls. A
profile holds no session state: whatever changes from tick to tick is in the values it takes and returns.
"""

# retick: floats -- rounds the tick length to binary32 as it travels in commands

from typing import Final

from retick.errors import UsageError
from retick.games.runner.motor.binary32 import round32
from retick.games.runner.motor.commands import Button, Command, CommandBuilder, held, is_acceptable, neutral, sanitised
from retick.games.runner.motor.course import COURSE
from retick.games.runner.motor.motor import RunnerMotor
from retick.games.runner.motor.state import RunnerState
from retick.games.runner.motor.world import World
from retick.games.runner.netrunner import control
from retick.games.runner.netrunner.config import WAN, RunnerConfig
from retick.games.runner.netrunner.control import Control, Welcome, decode_control, encode_control
from retick.games.runner.netrunner.fire import FirePacket, decode_fire, encode_fire
from retick.games.runner.netrunner.framing import CONTROL, INPUT_BUNDLE, PROTOCOL_VERSION, SNAPSHOT, packet_type
from retick.games.runner.netrunner.inputs import MAX_COMMANDS, decode_inputs, encode_inputs
from retick.games.runner.netrunner.layout import RunnerLayout
from retick.games.runner.netrunner.shots import judge_shot
from retick.games.runner.netrunner.snapshots import MAX_PLAYERS, RunnerSnapshot, decode_snapshot, encode_snapshot

__all__ = ["NetRunner", "Packet"]

Vector = tuple[float, float, float]
Packet = tuple[Command, ...] | RunnerSnapshot | Control | FirePacket


class NetRunner:
    """One configuration of the runner, ready to be served or joined."""

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
    messages: Final = control
    """Where the six control messages are, by name."""
    hold = staticmethod(held)
    neutral = staticmethod(neutral)

    def __init__(self, config: RunnerConfig = WAN, world: World = COURSE) -> None:
        self.config = config
        self.motor = RunnerMotor(config.tuning, world, tick_rate=config.server_tick_rate)
        self.layout = RunnerLayout(world)
        self._dt = round32(1 / config.server_tick_rate)
        self._pitch_limit = config.pitch_limit

    def decode(self, data: bytes) -> Packet:
        """Any packet of the protocol, by its type byte; a DecodeError for all else."""
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
        """What a player does before the first command: nothing, looking where the state looks."""
        return Command(0, 0, 0, self._dt, yaw=state.yaw, pitch=state.pitch)

    def fires(self, command: Command) -> bool:
        return command.buttons & Button.FIRE_PRESSED.value != 0

    def judge(self, peer_id: int, state: RunnerState, tick: int, targets: dict[int, Vector]) -> tuple[bytes, ...]:
        """The packets that tell everyone what a shot did; ``targets`` are the others as the shooter saw them."""
        result, visual = judge_shot(peer_id, state, tick, targets)
        return encode_fire(result), encode_fire(visual)

    def builder(self) -> CommandBuilder:
        """A client's own, for its commands: the one place where presses are remembered."""
        return CommandBuilder(dt=round32(1 / self.config.client_tick_rate), pitch_limit=self._pitch_limit)

    def forget(self, state: RunnerState) -> RunnerState:
        """The state with its locomotion reset: what a client kept of a snapshot before protocol 6."""
        return state.with_initial_locomotion()

    def welcome(self, *, peer_id: int, delay_ticks: int, server_tick: int) -> Welcome:
        """What a server with this profile tells a client that it accepts."""
        return Welcome.of(self.config, peer_id=peer_id, delay_ticks=delay_ticks, server_tick=server_tick)

    def adopt(self, welcome: Welcome) -> "NetRunner":
        """The profile that a welcomed client runs: this world, the server's numbers."""
        if welcome.version != PROTOCOL_VERSION:
            raise UsageError(f"a welcome of protocol {welcome.version} cannot be adopted by {PROTOCOL_VERSION}")
        return NetRunner(welcome.config(), self.motor.world)
