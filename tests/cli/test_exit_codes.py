"""The one rule by which every command ends: 0 yes, 1 no, 2 misuse, 130 after Ctrl-C; one line, no traceback."""

import errno
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest
import typer
from benchmarks.__main__ import app as benchmarks
from typer.testing import CliRunner, Result

from retick import __main__
from retick.cli.app import app
from retick.cli.exit_codes import INTERRUPTED, MISUSE, NO, READER_GONE, exits, named, playing
from retick.errors import DecodeError, RetickError, UsageError
from retick.transport.capture import CaptureWriter
from tests.full_disk import NO_BYTECODE

FIGHTER = "retick.games.fighter:Fighter"
MISSING = "no/such/file"

WRONG_VALUE: dict[str, list[str]] = {
    "audit": [FIGHTER, "--frames", "0"],
    "benchmarks agents": ["--matches", "0"],
    "benchmarks authority": ["--part", "nothing"],
    "benchmarks chaos": ["--players", "9"],
    "benchmarks cheats": ["--players", "9"],
    "benchmarks frames": ["--rounds", "0"],
    "benchmarks relay": ["--rooms", "0"],
    "benchmarks rollback": ["--rounds", "0"],
    "benchmarks sessions": ["--sessions", "0"],
    "benchmarks sim": ["--rounds", "0"],
    "benchmarks snapshot": ["--rounds", "0"],
    "benchmarks things": ["--rounds", "0"],
    "benchmarks verify": ["--frames", "0"],
    "bench game": [FIGHTER, "--rounds", "0"],
    "bots": ["0"],
    "capture export": [__file__, "--pcapng", "new.pcapng", "--local", "nowhere"],
    "demo": ["--loss", "91"],
    "desync explain": [__file__, "--game-a", "x:Y"],
    "doctor": ["--relay", "host:0"],
    "export schema": ["no_such_module:Game"],
    "export wireshark": ["one too many"],
    "host": ["--bot", "--delay", "31"],
    "join": ["--bot", "--wait", "0"],
    "new": ["no/slash"],
    "packet": ["no hex digits"],
    "package": ["game.txt"],
    "play": ["--host", "--join", "127.0.0.1"],
    "relay": ["--rooms", "0"],
    "replay diff": ["only-one"],
    "replay export": [__file__, "--to", "rplk"],
    "replay generate": ["new", "--matches", "0"],
    "replay info": [],
    "replay play": [__file__, "--every", "0"],
    "replay record": ["new.rtk", "--frames", "0"],
    "replay verify": [__file__, "--expect", "four"],
    "serve": ["runner", "--rooms", "65"],
    "snapshot explain": [__file__, "--lag", "0"],
    "snapshot train": [__file__, "--out", "new.prior", "--lag", "0"],
    "studio": ["--port", "65536"],
    "synctest": ["no_such_module:Game"],
    "token issue": [
        "--key",
        "new",
        "--server-key",
        "zz",
        "--address",
        "h:1",
        "--player",
        "1",
    ],
    "token keygen": [],
    "token show": ["."],
    "trace": [],
    "watch": ["127.0.0.1", "--delay", "601"],
}
"""A wrong value for each command."""

MISSING_FILE: dict[str, list[str]] = {
    "audit": [f"{MISSING}.py:Game"],
    "bench game": [f"{MISSING}.py:Game"],
    "capture export": [f"{MISSING}.rtkc", "--pcapng", "new.pcapng"],
    "demo": ["--record", f"{MISSING}.rtk"],
    "desync explain": [f"{MISSING}.desync"],
    "export schema": [f"{MISSING}.py:Game"],
    "host": ["--bot", "--record", f"{MISSING}.rtk"],
    "join": ["127.0.0.1", "--bot", "--capture", f"{MISSING}.rtkc"],
    "packet": ["00", "--schema", f"{MISSING}.json"],
    "package": [f"{MISSING}.py"],
    "play": [f"{MISSING}.py:Game"],
    "relay": ["--port", "0", "--key", f"{MISSING}.key"],
    "replay diff": [f"{MISSING}.rtk", f"{MISSING}.rtk"],
    "replay export": [f"{MISSING}.rtk"],
    "replay info": [f"{MISSING}.rtk"],
    "replay play": [f"{MISSING}.rtk"],
    "replay record": ["new.rtk", "--script", f"{MISSING}.txt"],
    "replay verify": [f"{MISSING}.rtk"],
    "serve": ["runner", "--config", f"{MISSING}.json"],
    "snapshot explain": [f"{MISSING}.bin"],
    "snapshot train": [f"{MISSING}.bin", "--out", "new.prior"],
    "studio": [f"{MISSING}.py:Game"],
    "synctest": [f"{MISSING}.py:Game"],
    "token issue": ["--key", MISSING, "--server-key", "00" * 32, "--address", "h:1", "--player", "1"],
    "token keygen": [f"{MISSING}/key"],
    "token show": [MISSING],
    "trace": [f"{MISSING}.rtkt"],
    "watch": ["127.0.0.1", "--record", f"{MISSING}.rtk"],
}
"""A file that is not there, for each command that opens one."""

INTERRUPTS: dict[str, tuple[list[str], str]] = {
    "audit": ([FIGHTER], "retick.cli.audit.audit_dynamic"),
    "benchmarks agents": ([], "benchmarks.commands.agents.measure_agents"),
    "benchmarks authority": ([], "benchmarks.commands.authority.measure_authority"),
    "benchmarks chaos": (["--processes", "1"], "benchmarks.commands.chaos.run_seed"),
    "benchmarks cheats": (["--processes", "1"], "benchmarks.commands.cheats.run_cheats"),
    "benchmarks frames": ([], "benchmarks.commands.frames.c_loop_ns"),
    "benchmarks relay": ([], "benchmarks.commands.relay.relay.measure_throughput"),
    "benchmarks rollback": ([], "benchmarks.commands.rollback.measure_rollback"),
    "benchmarks sessions": ([], "benchmarks.commands.sessions.measure_overhead"),
    "benchmarks sim": ([], "benchmarks.commands.sim.measure"),
    "benchmarks snapshot": ([], "benchmarks.commands.snapshot.measure_snapshot"),
    "benchmarks things": ([], "benchmarks.commands.things.c_loop_ns"),
    "benchmarks verify": ([], "benchmarks.commands.verify.verify.verify"),
    "bench game": ([FIGHTER], "retick.cli.bench_game.measure_game"),
    "bots": (["1"], "retick.cli.bots._run"),
    "capture export": ([__file__, "--pcapng", "new.pcapng"], "retick.cli.capture.read_capture"),
    "demo": ([], "retick.cli.demo.network.NetworkDemo._start"),
    "desync explain": ([__file__], "retick.cli.desync.load_bundle"),
    "doctor": ([], "retick.cli.doctor.examine"),
    "export schema": (["a:B"], "retick.cli.export.load_game"),
    "export wireshark": ([], "retick.cli.export.dissector"),
    "host": (["--bot", "--port", "0", "--no-announce"], "retick.playing.match_driver.MatchDriver.wait"),
    "join": (["127.0.0.1:9", "--bot"], "retick.playing.match_driver.MatchDriver.wait"),
    "new": (["tanks"], "retick.cli.new.project_files"),
    "packet": (["00"], "retick.packets.formats.explain_datagram"),
    "package": ([__file__], "retick.cli.package.read_text"),
    "play": (["a:B"], "retick.cli.play.play.find_window"),
    "relay": (["--port", "0", "--key", "relay.key"], "retick.serving.relay.RelayLoop"),
    "replay diff": ([__file__, __file__], "retick.cli.replay.show.load_within"),
    "replay export": ([__file__], "retick.cli.replay.show.load_within"),
    "replay generate": (["new"], "retick.cli.replay.record.write_matches"),
    "replay info": ([__file__], "retick.cli.replay.show.load_within"),
    "replay play": ([__file__], "retick.cli.replay.play.load_within"),
    "replay record": (["new.rtk"], "retick.cli.replay.record.fight"),
    "replay verify": ([__file__], "retick.cli.replay.verify.load_within"),
    "serve": (["runner", "--port", "0"], "retick.serving.hosting.Pump"),
    "snapshot explain": ([__file__], "retick.cli.snapshot.read_source"),
    "snapshot train": ([__file__, "--out", "new.prior"], "retick.cli.snapshot.read_source"),
    "studio": (["--port", "0"], "retick.studio.run.make_app"),
    "synctest": ([FIGHTER], "retick.cli.synctest.Search"),
    "token issue": (
        ["--key", __file__, "--server-key", "00" * 32, "--address", "h:1", "--player", "1"],
        "retick.cli.token.load_token_key",
    ),
    "token keygen": (["new"], "retick.cli.token.make_token_key"),
    "token show": ([__file__], "retick.cli.token.read_token"),
    "trace": ([__file__], "retick.cli.trace.read_bounded"),
    "watch": (["127.0.0.1:9"], "retick.cli.play.watch._Watcher._watch"),
}
"""For each command, what it is doing when Ctrl-C comes."""

ROOM = 1000
"""Bytes of the largest file in tests of full disks."""


def leaves(command: Any, name: str = "") -> Iterator[str]:
    if not hasattr(command, "commands"):
        yield name
        return
    for child, below in command.commands.items():
        yield from leaves(below, f"{name} {child}".strip())


COMMANDS = sorted([*leaves(typer.main.get_command(app)), *leaves(typer.main.get_command(benchmarks), "benchmarks")])


def app_of(command: str) -> tuple[Any, list[str]]:
    """The command line that has this command, and the words that it gets: ``retick`` or ``python -m benchmarks``."""
    words = command.split()
    return (benchmarks, words[1:]) if words[:1] == ["benchmarks"] else (app, words)


def run(command: str, *arguments: str) -> Result:
    line, words = app_of(command)
    return CliRunner().invoke(line, [*words, *arguments])


def test_no_command_is_left_out_here() -> None:
    assert sorted(WRONG_VALUE) == sorted(INTERRUPTS) == COMMANDS
    assert set(MISSING_FILE) < set(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_an_unknown_option_is_misuse(command: str) -> None:
    result = run(command, "--no-such-option")
    assert result.exit_code == MISUSE
    assert "Traceback" not in result.output


@pytest.mark.parametrize("command", COMMANDS)
def test_a_wrong_value_is_misuse(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = run(command, *WRONG_VALUE[command])
    assert result.exit_code == MISUSE
    assert result.stderr
    assert "Traceback" not in result.output
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", MISSING_FILE)
def test_a_missing_file_is_misuse_in_one_line_that_names_it(command: str) -> None:
    result = run(command, *MISSING_FILE[command])
    assert result.exit_code == MISUSE
    (line,) = result.stderr.splitlines()
    assert line.startswith("retick: ")
    assert MISSING in line.replace(os.sep, "/")


@pytest.mark.parametrize("command", COMMANDS)
def test_an_interrupt_is_130_and_one_line(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_given: object, **_named: object) -> NoReturn:
        raise KeyboardInterrupt

    monkeypatch.chdir(tmp_path)
    arguments, where = INTERRUPTS[command]
    monkeypatch.setattr(where, interrupted)
    result = run(command, *arguments)
    assert result.exit_code == INTERRUPTED
    assert result.stderr == "retick: interrupted\n"
    assert "Traceback" not in result.output


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is no signal that one process sends another there")
@pytest.mark.parametrize(
    "command",
    [
        ["serve", "runner", "--port", "0"],
        ["relay", "--port", "0"],
        ["host", "--bot", "--port", "0", "--no-announce"],
        ["demo", "--frames", "100000"],
        ["bots", "1", "--connect", "127.0.0.1:9", "--seconds", "60"],
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_ctrl_c_in_a_terminal_is_one_line_although_child_processes_run(command: list[str]) -> None:
    """As a terminal does it: the signal goes to the whole foreground group, after the first line of output."""
    with subprocess.Popen(
        [sys.executable, "-m", "retick", *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    ) as process:
        guard = threading.Timer(60, process.kill)
        guard.start()
        try:
            assert process.stdout is not None
            assert process.stdout.readline()
            os.killpg(process.pid, signal.SIGINT)
            _, errors = process.communicate()
        finally:
            process.kill()
            guard.cancel()
    assert process.returncode == INTERRUPTED
    assert errors == "retick: interrupted\n"


def ended(error: BaseException) -> int:
    with pytest.raises(SystemExit) as stopped, exits():
        raise error
    return int(stopped.value.code or 0)


def test_errors_become_a_code_and_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert ended(UsageError("wrong")) == MISUSE
    assert ended(RetickError("no")) == NO
    assert ended(DecodeError("bad bytes")) == NO
    assert ended(PermissionError(13, "Permission denied", "secret.rtk")) == MISUSE
    assert ended(KeyboardInterrupt()) == INTERRUPTED
    assert ended(MemoryError()) == NO
    lines = [
        "wrong",
        "no",
        "bad bytes",
        "secret.rtk: Permission denied",
        "interrupted",
        "there is too little memory for this",
    ]
    assert capsys.readouterr().err == "".join(f"retick: {line}\n" for line in lines)


@pytest.mark.parametrize("full", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO])
def test_an_output_that_cannot_be_written_is_misuse_and_one_line(
    full: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("retick.cli.exit_codes._close_outputs", lambda: None)
    assert ended(OSError(full, os.strerror(full))) == MISUSE
    assert capsys.readouterr().err == f"retick: the output: {os.strerror(full)}\n"


@pytest.mark.skipif(sys.platform == "win32", reason="pipes and full devices are POSIX things")
@pytest.mark.parametrize("command", ["packet 00", "replay info {match}", "replay export {match}", "--version"])
def test_a_full_disk_and_a_reader_that_has_gone_cause_no_traceback(command: str, match: Path) -> None:
    words = [sys.executable, "-m", "retick", *command.format(match=match).split()]
    with open("/dev/full", "wb") as full:
        done = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr) == (MISUSE, "retick: the output: No space left on device\n")
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(words, stdout=writer, stderr=subprocess.PIPE, text=True)
    os.close(writer)
    assert (done.returncode, done.stderr) == (READER_GONE, "")


@pytest.mark.skipif(sys.platform == "win32", reason="full devices are a POSIX thing")
def test_a_full_standard_error_changes_no_exit_code(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "retick", "replay", "verify", str(tmp_path / "missing.rtk")]
    with open("/dev/full", "wb") as full:
        assert subprocess.run(words, stdout=subprocess.DEVNULL, stderr=full).returncode == MISUSE


@pytest.mark.parametrize(
    "words",
    [
        "replay record {folder}/new.rtk --frames 100000",
        "replay export {match} --to jsonl --into {folder}",
        "replay export {match} --to rplk --into {folder}",
        "capture export {capture} --pcapng {folder}/match.pcapng",
    ],
)
@pytest.mark.skipif(sys.platform == "win32", reason="limits of file sizes are a POSIX thing")
def test_a_file_for_which_there_is_no_room_is_one_line_and_leaves_nothing(
    words: str, match: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "full"
    folder.mkdir()
    limited = f"import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, ({ROOM}, {ROOM}))"
    code = f"{limited}\nfrom retick.__main__ import main\nmain()"
    capture = tmp_path / "match.rtkc"
    with capture.open("wb") as file:
        CaptureWriter(file).add(bytes(2 * ROOM), ("192.0.2.7", 7777), sent=True, now=0.0)
    arguments = words.format(match=match, folder=folder, capture=capture).split()
    environment = os.environ | NO_BYTECODE
    done = subprocess.run([sys.executable, "-c", code, *arguments], env=environment, capture_output=True, text=True)
    assert done.returncode == MISUSE
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith(f"retick: {folder}")
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("defect", [ZeroDivisionError(), OSError(errno.EINVAL, "Invalid argument")])
def test_a_defect_is_left_alone(defect: Exception) -> None:
    with pytest.raises(type(defect)), exits():
        raise defect


def test_what_is_wrong_in_a_file_is_said_with_its_name() -> None:
    with pytest.raises(RetickError, match=r"^match\.rtk: bad bytes$"), named(Path("match.rtk")):
        raise DecodeError("bad bytes")
    with pytest.raises(UsageError, match=r"^add --game$"), named(Path("match.rtk")):
        raise UsageError("add --game")


def test_what_a_game_raises_is_an_answer_with_the_place() -> None:
    with (
        pytest.raises(RetickError, match=rf"^the game raised KeyError: 'x' .*{Path(__file__).name}") as caught,
        playing(),
    ):
        raise KeyError("x")
    assert isinstance(caught.value.__cause__, KeyError)


def test_an_interrupt_while_commands_are_imported_is_reported_in_the_same_way(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Interrupting:
        def __getattr__(self, name: str) -> NoReturn:
            raise KeyboardInterrupt

    monkeypatch.setitem(sys.modules, "retick.cli.app", Interrupting())  # type: ignore[arg-type]  # stands for a module
    with pytest.raises(SystemExit) as stopped:
        __main__.main()
    assert stopped.value.code == INTERRUPTED
    assert capsys.readouterr().err == "retick: interrupted\n"
