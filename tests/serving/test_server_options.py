"""``retick serve`` with keys: who comes in, and that no key is where somebody else could see it."""

import os
import signal
import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from retick.authority import Joined, JoinFailed
from retick.cli.app import app
from retick.cli.exit_codes import MISUSE
from retick.errors import UsageError
from retick.link.sealing.keys import KeyLog
from retick.link.sealing.primitives import public_key_of
from retick.playing.key_files import load_server_key, make_token_key
from retick.serving.plan import ServePlan, public_key_in, sealing_of, with_keys
from retick.tokens import issue
from tests.serving.serving import Player, Serving


def keys(folder: Path) -> tuple[bytes, bytes]:
    return load_server_key(folder / "server.key")[0], make_token_key(folder / "tokens.key")


def token_for(port: int, folder: Path, token_key: bytes, room: str = "", player: int = 7) -> bytes:
    server_key = public_key_of(load_server_key(folder / "server.key")[0])
    return issue(
        token_key,
        player=player,
        room=room,
        server_key=server_key,
        addresses=[("127.0.0.1", port)],
        now=time.time(),
        entropy=os.urandom,
    )


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGTERM that a process could handle")
@pytest.mark.parametrize("workers", [1, 2])
def test_players_with_tokens_come_in_and_no_key_is_where_others_could_see_it(tmp_path: Path, workers: int) -> None:
    key_pair, token_key = keys(tmp_path)
    serving = Serving(
        tmp_path, "--key", "server.key", "--tokens", "tokens.key", "--keylog", "keys.log", "--rooms", "2",
        "--workers", str(workers),
    )  # fmt: skip
    serving.said = (
        "retick: the server's key is in server.key\n"
        "retick: the keys of all links are written to keys.log: whoever has it can read the match\n"
    )
    lines = [serving.first, *(serving.lines_until("listening") if workers > 1 else [])]
    listening = lines[-1]
    token = token_for(listening["port"], tmp_path, token_key, "room 2")
    player = Player(listening["port"], "room 2", token=token)
    other = Player(listening["port"], "room 2", server_key=public_key_of(key_pair))
    try:
        assert listening["server_key"] == public_key_of(key_pair).hex()
        player.play_until(Joined)
        assert other.play_until(JoinFailed).text == "a join token is needed here: ask the game's backend for one"
        seen = [path.read_bytes() for path in _of_processes(serving.process.pid)]
        assert seen
        serving.process.send_signal(signal.SIGTERM)
        serving.process.send_signal(signal.SIGTERM)
        lines += serving.finish()
    finally:
        player.socket.close()
        other.socket.close()
        serving.process.kill()
    (joined,) = [line for line in lines if line["event"] == "player_joined"]
    assert (joined["player"], joined["room"]) == (7, "room 2")
    everything = b"\n".join([str(lines).encode(), serving.said.encode(), *seen])
    for secret in (key_pair, token_key):
        assert secret.hex().encode() not in everything
        assert secret not in everything
    assert token not in everything
    assert (tmp_path / "keys.log").stat().st_mode & 0o777 == 0o600
    assert len(KeyLog.parse((tmp_path / "keys.log").read_text())._keys) >= 4


def _of_processes(first: int) -> list[Path]:
    """What everybody, or the same user, can read of a process and its children."""
    found = [Path(f"/proc/{first}")]
    for children in Path(f"/proc/{first}/task").glob("*/children"):
        found += [Path(f"/proc/{number}") for number in children.read_text().split()]
    return [process / name for process in found for name in ("cmdline", "environ")]


def test_the_key_file_is_made_at_first_use_and_the_public_key_stays(tmp_path: Path) -> None:
    seen = set()
    for _ in range(2):
        serving = Serving(tmp_path, "--key", "server.key", "--seconds", "0.05")
        serving.said = f"retick: {'the' if seen else 'made the'} server's key {'is ' if seen else ''}in server.key\n"
        serving.finish()
        seen.add(serving.first["server_key"])
    assert len(seen) == 1
    assert os.name == "nt" or (tmp_path / "server.key").stat().st_mode & 0o777 == 0o600


def test_plain_and_sealed_exclude_each_other_in_words(tmp_path: Path) -> None:
    runner = CliRunner()
    for option in ("--key", "--tokens", "--keylog"):
        result = runner.invoke(app, ["serve", "runner", "--plain", option, str(tmp_path / "file")])
        assert result.exit_code == MISUSE
        assert f"{option} is for sealed links: it cannot be used with --plain" in result.stderr
    result = runner.invoke(app, ["serve", "runner", "--tokens", str(tmp_path / "file")])
    assert result.exit_code == MISUSE
    assert "--tokens needs --key FILE" in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_the_wrong_key_file_is_named(tmp_path: Path) -> None:
    keys(tmp_path)
    with pytest.raises(UsageError, match=r"tokens\.key does not hold a server's key"):
        with_keys(ServePlan(), key=tmp_path / "tokens.key", tokens=None, plain=False, keylog=None)
    with pytest.raises(UsageError, match=r"server\.key does not hold a token key: retick token keygen"):
        with_keys(ServePlan(), key=tmp_path / "new.key", tokens=tmp_path / "server.key", plain=False, keylog=None)


def test_a_plan_shows_no_key_and_travels_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    key_pair, token_key = keys(tmp_path)
    (tmp_path / "tokens.key").chmod(0o644)
    plan = with_keys(
        ServePlan(), key=tmp_path / "server.key", tokens=tmp_path / "tokens.key", plain=False, keylog=tmp_path / "log"
    )
    shown = repr(plan) + "".join(capsys.readouterr())
    assert key_pair.hex() not in shown
    assert token_key.hex() not in shown
    assert os.name == "nt" or "tokens.key; others can read it: chmod 600 it" in shown
    again = ServePlan.of_json(plan.to_json())
    assert again == plan
    assert sealing_of(again)["key_pair"] == key_pair
    assert public_key_in(again) == public_key_of(key_pair).hex()


def test_without_a_key_everybody_comes_in_sealed_or_plain(tmp_path: Path) -> None:
    assert sealing_of(ServePlan()) == {"sealed": True, "key_pair": None, "keylog": None}
    assert sealing_of(ServePlan(plain=True)) == {"sealed": False, "key_pair": None, "keylog": None}
    assert public_key_in(ServePlan()) is None
    serving = Serving(tmp_path, "--plain", "--seconds", "20")
    player = Player(serving.first["port"], sealed=False)
    other = Player(serving.first["port"])
    try:
        player.play_until(Joined)
        assert "takes plain links only" in other.play_until(JoinFailed).text
    finally:
        player.socket.close()
        other.socket.close()
        serving.process.terminate()
        serving.finish()
