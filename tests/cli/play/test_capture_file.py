"""``--capture``: what passed the socket is in the file, whatever ended the match, and ``retick packet`` reads it."""

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from typer.testing import CliRunner

from retick.cli.app import app
from retick.cli.demo.network import files_of
from retick.cli.play.files import CaptureFile, captured, check_capture
from retick.errors import UsageError
from retick.games.fighter import Fighter
from retick.link import Invite
from retick.link.layout import CONTROL, PAYLOAD, REQUEST
from retick.rollback.session.session import RollbackSession
from retick.transport import MemoryHub, read_capture
from retick.transport.capture import Recorded
from tests.cli.play.hosting import FAST, hosting, last_words, line_of_play
from tests.full_disk import NO_BYTECODE
from tests.transport.echo import Recorder

RUNNER = CliRunner()
HOME = ("127.0.0.1", 7777)


def records(path: Path) -> list[Recorded]:
    return list(read_capture(path.read_bytes()))


def passed(found: list[Recorded], *, sent: bool) -> list[bytes]:
    return [record.data for record in found if record.sent is sent]


def assert_arrived(source: list[Recorded], target: list[Recorded]) -> None:
    """What one end has received is what the other one has sent, in that order. A busy machine may lose some of it."""
    sent = iter(passed(source, sent=True))
    arrived = passed(target, sent=False)
    assert arrived
    assert all(data in sent for data in arrived), "not sent, or not in this order"


def test_on_a_network_that_loses_nothing_both_ends_capture_the_same_datagrams(tmp_path: Path) -> None:
    hub, now = MemoryHub(), 0.0
    files = {name: CaptureFile(tmp_path / f"{name}.rtkc") for name in ("host", "joiner")}
    sessions = [
        RollbackSession(Fighter(), entropy=Random(name).randbytes, host_address="host" if name == "joiner" else None)
        for name in files
    ]
    for session, (name, file) in zip(sessions, files.items(), strict=True):
        hub.attach(name, captured(session, file))
    while not all(session.running and session.frame >= 60 for session in sessions):
        now += 1 / 60
        hub.exchange(now=now)
        for session in sessions:
            if session.due(now=now):
                session.advance(1, now=now)
    for file in files.values():
        file.close()
    host, joiner = (records(file.path) for file in files.values())
    assert passed(host, sent=True) == passed(joiner, sent=False)
    assert passed(joiner, sent=True) == passed(host, sent=False)
    assert len(passed(host, sent=True)) > 60


def test_both_ends_of_a_match_are_captured_and_packet_explains_all(tmp_path: Path) -> None:
    files = [tmp_path / "host.rtkc", tmp_path / "join.rtkc"]
    keys = ["--keylog", str(tmp_path / "keys.txt")]
    with hosting("--capture", str(files[0]), *keys) as (process, way):
        result = RUNNER.invoke(app, ["join", way, *FAST, "--capture", str(files[1])])
        output, code = last_words(process)
    assert (result.exit_code, code) == (0, 0), result.output + output
    for file, said, more in zip(files, (output, result.output), (f" {' '.join(keys)}", ""), strict=True):
        assert f"captured in {file}; to read it: retick packet {file}{more}\n" in said
    host, joiner = (records(file) for file in files)
    assert {record.address for record in joiner} == {Invite.parse(way).address}
    assert_arrived(joiner, host)
    assert_arrived(host, joiner)
    assert "RBN1" not in RUNNER.invoke(app, ["packet", str(files[0])]).output
    shown = RUNNER.invoke(app, ["packet", str(files[0]), *keys])
    assert shown.exit_code == 0, shown.output
    assert "REQUEST nonce" in shown.output
    assert "RBN1" in shown.output
    assert "BYE" in shown.output
    assert f"{len(host)} datagrams" in shown.output


def test_the_original_protocol_is_captured_too(tmp_path: Path) -> None:
    file = tmp_path / "lan.rtkc"
    with hosting("--lan-compat") as (process, way):
        arguments = ["join", way, *FAST, "--lan-compat", "--port", "0", "--capture", str(file)]
        assert RUNNER.invoke(app, arguments).exit_code == 0
        last_words(process)
    found = records(file)
    assert found[0].sent
    assert found[0].data == b"HELLO"
    assert any(record.data.startswith(b"RBN1") for record in found if not record.sent)
    assert RUNNER.invoke(app, ["packet", str(file)]).exit_code == 0


def test_a_match_that_never_began_is_captured_up_to_the_refusal(tmp_path: Path) -> None:
    file = tmp_path / "refused.rtkc"
    with hosting() as (_, way):
        result = RUNNER.invoke(app, ["join", way, "--bot", "--rate", "50", "--capture", str(file)])
    assert result.exit_code == 1
    assert f"captured in {file}" in result.output
    assert "another tick rate" in RUNNER.invoke(app, ["packet", str(file), "--full"]).output


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Tests that a shell started in the background ignore SIGINT, and so would the programs that they start."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.skipif(sys.platform == "win32", reason="sends POSIX signals")
@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize(("name", "code"), [("SIGINT", 130), ("SIGKILL", -9)])
def test_what_ends_the_program_leaves_a_file_of_whole_datagrams(tmp_path: Path, name: str, code: int) -> None:
    file = tmp_path / "short.rtkc"
    slow = ["--rate", "100"]
    with hosting(*slow, "--capture", str(file)) as (process, way):
        command = [sys.executable, "-m", "retick", "join", way, "--bot", *slow]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as joiner:
            assert process.stdout is not None
            assert "1 s  frame" in line_of_play(process)
            os.kill(process.pid, getattr(signal, name))
            output, ended = last_words(process)
            joiner.kill()
    assert ended == code
    assert ("captured in" in output) == (name == "SIGINT")
    found = records(file)
    assert found[0].data[0] == REQUEST
    # The first hundred frames have run, on inputs of the joiner.
    for sent in (False, True):
        assert any(PAYLOAD <= data[0] < CONTROL for data in passed(found, sent=sent))


def test_the_demo_captures_each_process_in_a_file_of_its_own(tmp_path: Path) -> None:
    quick = ["demo", "--frames", "100", "--rate", "300", "--rtt", "20", "--loss", "20", "--seed", "3"]
    result = RUNNER.invoke(app, [*quick, "--capture", str(tmp_path / "demo.rtkc")])
    assert result.exit_code == 0, result.output
    files = [tmp_path / "demo-host.rtkc", tmp_path / "demo-joiner.rtkc"]
    assert f"captured  {files[0]} and {files[1]}; to read one: retick packet {files[0]}" in result.output
    host, joiner = (records(file) for file in files)
    # What the bad link loses never passes the socket.
    assert_arrived(joiner, host)
    assert_arrived(host, joiner)
    again = RUNNER.invoke(app, [*quick, "--capture", str(tmp_path / "demo.rtkc")])
    assert again.exit_code == 2
    assert "demo-host.rtkc exists already" in again.stderr


def test_the_link_of_the_demo_is_sealed_and_its_log_of_keys_opens_it(tmp_path: Path) -> None:
    quick = ["demo", "--frames", "60", "--rate", "300", "--rtt", "0", "--loss", "0"]
    keys, file = tmp_path / "keys.txt", tmp_path / "demo-host.rtkc"
    result = RUNNER.invoke(app, [*quick, "--capture", str(tmp_path / "demo.rtkc"), "--keylog", str(keys)])
    assert result.exit_code == 0, result.output
    assert f"retick packet {file} --keylog {keys}" in result.output
    assert "RBN1" not in RUNNER.invoke(app, ["packet", str(file)]).output
    assert "RBN1" in RUNNER.invoke(app, ["packet", str(file), "--keylog", str(keys)]).output
    plain = RUNNER.invoke(app, [*quick, "--capture", str(tmp_path / "plain.rtkc"), "--plain"])
    assert plain.exit_code == 0, plain.output
    assert "RBN1" in RUNNER.invoke(app, ["packet", str(tmp_path / "plain-host.rtkc")]).output


NO_ROOM = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200))  # as on a full disk, writes fail
sys.argv = ["retick", *sys.argv[1:]]
from retick.__main__ import main
main()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="files have no such limit there")
@pytest.mark.parametrize("option", ["--capture", "--record"])
def test_files_of_the_demo_that_cannot_be_written_are_named_and_the_answer_is_no(tmp_path: Path, option: str) -> None:
    quick = ["demo", "--frames", "600", "--rate", "300", "--rtt", "20", "--loss", "20", "--seed", "3"]
    words = [sys.executable, "-c", NO_ROOM, *quick, option, str(tmp_path / "file")]
    ended = subprocess.run(words, env=os.environ | NO_BYTECODE, capture_output=True, text=True, check=False)
    assert ended.returncode in (1, 2)
    assert "File too large" in ended.stderr
    assert str(tmp_path / "file") in ended.stderr
    assert "Traceback" not in ended.stderr


def test_without_a_file_nothing_is_in_the_way() -> None:
    endpoint = Recorder()
    assert captured(endpoint, None) is endpoint
    assert files_of(None) == []
    check_capture(None, Path("match.rtk"))


class FullDisk:
    """A file in which there is room for a few writes."""

    def __init__(self, file: Any, room: int) -> None:
        self.file = file
        self.room = room

    def write(self, data: bytes) -> int:
        if self.room == 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        self.room -= 1
        written: int = self.file.write(data)
        return written


def test_a_disk_that_is_full_ends_the_capture_and_not_the_match(tmp_path: Path) -> None:
    endpoint = Recorder()
    file = CaptureFile(tmp_path / "full.rtkc")
    file._file = FullDisk(file._file, room=2)  # type: ignore[assignment]  # all of a file that a writer uses
    tapped = captured(endpoint, file)
    for number in range(4):
        tapped.receive_datagram(b"%d" % number, HOME, now=float(number))
    file.close()
    assert endpoint.payloads == [b"0", b"1", b"2", b"3"]
    assert passed(records(file.path), sent=False) == [b"0", b"1"]
    assert "up to where it could not be written: No space left on device" in file.summary()


@pytest.mark.parametrize("command", ["host", "join 127.0.0.1", "demo"])
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("no/such/match.rtkc", "there is no folder"),
        ("x" * 300, "cannot be written"),
        ("file/match.rtkc", "there is no folder"),
    ],
)
def test_a_file_that_cannot_be_is_refused_before_anything_starts(
    tmp_path: Path, command: str, name: str, words: str
) -> None:
    (tmp_path / "file").write_bytes(b"")
    bot = [] if command == "demo" else ["--bot"]
    for option in ("--capture", "--record"):
        result = RUNNER.invoke(app, [*command.split(), *bot, option, str(tmp_path / name)])
        assert result.exit_code == 2, result.output
        assert words in result.stderr
        assert len(result.stderr.splitlines()) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("command", ["host", "join 127.0.0.1"])
def test_no_file_is_overwritten_and_none_is_for_two_things(tmp_path: Path, command: str) -> None:
    file = tmp_path / "match.rtkc"
    both = RUNNER.invoke(app, [*command.split(), "--bot", "--capture", str(file), "--record", str(file)])
    assert both.exit_code == 2
    assert "need different files" in both.stderr
    file.write_bytes(b"mine")
    taken = RUNNER.invoke(app, [*command.split(), "--bot", "--capture", str(file)])
    assert taken.exit_code == 2
    assert "exists already: choose another name" in taken.stderr
    with pytest.raises(UsageError, match="cannot be written"):
        CaptureFile(file)
    assert file.read_bytes() == b"mine"


def test_a_demo_without_two_peers_has_nothing_to_capture() -> None:
    result = RUNNER.invoke(app, ["demo", "--authority", "--capture", "demo.rtkc"])
    assert result.exit_code == 2
    assert "--capture cannot be used with --authority" in result.stderr
