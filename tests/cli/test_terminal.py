"""No text from a file, an argument or a peer commands the terminal, in any command."""

import ast
import io
import json
import shutil
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.table import Table
from rich.text import Text
from typer.testing import CliRunner

import retick.cli
from retick import replay
from retick.cli.app import app
from retick.cli.terminal import Screen, safe, say, say_json, working
from retick.cli.trace_notes import header_line
from retick.games.fighter import Fighter
from retick.games.fighter.bots import bout
from retick.playing.key_files import make_token_key
from retick.snapshot import Codec, Component, Field, Schema, Snapshot, UInt, schema_to_json
from retick.tokens import issue, to_text
from retick.transport.capture import CaptureWriter
from retick.transport.discovery import FoundHost
from tests.cli.test_exit_codes import COMMANDS, app_of

TEXTS = [
    "\x1b[31mred\x1b]0;title\x07",
    "\x9b31m\x84\x7f\x00",
    "\u202eover\u2066ride\u200f",
    "two\nretick: all is well\r\n\x0b\x0c\u2028\x85",
    "[red]markup[/red] :skull: [link=http://x]y[/link]",
]
"""What a terminal, or the console library, would take as commands."""
NAMES = [text.replace("\x00", "").replace("/", "|") + "\udcff" for text in TEXTS]
"""The same as file names, with a byte that is no UTF-8."""
VECTOR = Path(__file__).parents[1] / "vectors" / "desync" / "fighter-v1.desync"
CONTROLS = st.text(st.characters(), max_size=40)


@given(CONTROLS)
def test_safe_text_is_printable_and_printable_text_is_left_alone(text: str) -> None:
    assert safe(text).isprintable()
    assert safe(safe(text)) == safe(text)
    if text.isprintable():
        assert safe(text) == text


@pytest.mark.parametrize("letter", ["\x1b", "\x00", "\x7f", "\x9b", "\n", "\r", "\u202e", "\u2066", "\ud800", "\u2028"])
def test_each_kind_of_control_is_escaped(letter: str) -> None:
    assert safe(f"a{letter}b").isascii()
    assert safe(f"a{letter}b").startswith("a\\")


def test_a_line_is_one_line_and_fits_the_encoding_of_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    paper = io.TextIOWrapper(io.BytesIO(), encoding="ascii", newline="\n")
    monkeypatch.setattr(sys, "stdout", paper)
    say("a\nb", "é\udcff")
    paper.seek(0)
    assert paper.read() == "a\\nb\n\\xe9\\udcff\n"


@given(st.recursive(CONTROLS, lambda inner: st.lists(inner) | st.dictionaries(CONTROLS, inner), max_leaves=5))
def test_json_is_plain_ascii_and_means_the_same(value: Any) -> None:
    paper = io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdout", paper)
        say_json(value, indent=2)
    assert json.loads(paper.getvalue()) == value
    assert paper.getvalue().replace("\n", "").isprintable()


def on_a_terminal(draw: Callable[[Screen], None]) -> str:
    """What a colour terminal receives."""
    paper = io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdout", paper)
        patch.setenv("FORCE_COLOR", "1")
        patch.setenv("TERM", "xterm-256color")
        patch.setenv("COLUMNS", "200")
        draw(Screen())
    return paper.getvalue()


@pytest.mark.parametrize("text", TEXTS)
def test_whatever_a_screen_renders_only_its_own_sequences_reach_the_terminal(text: str) -> None:
    def draw(screen: Screen) -> None:
        table = Table("name", text, title=text, caption=text)
        table.add_row(text, Text(text))
        screen.print(table)
        screen.print(text)
        screen.print(Text(text))
        screen.tell((text, "bold"), text)

    shown = on_a_terminal(draw)
    assert "\x1b[1m" in shown  # bold, which is ours
    assert "\x1b[31m" not in shown
    assert "\x1b]" not in shown
    ours = shown.replace("\x1b[", "").replace("\n", "")
    assert ours.isprintable(), [letter for letter in ours if not letter.isprintable()]
    assert ":skull:" in shown or "skull" not in text
    assert "[red]" in shown or "[red]" not in text


@pytest.mark.parametrize("text", TEXTS)
def test_a_status_line_is_safe_too(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    with working(text) as show:
        show(text)
    assert "\x1b[31m" not in capsys.readouterr().err


# The only modules that write elsewhere than here: two that answer their parent through a pipe.
ELSEWHERE = {"demo/peer.py", "bench/sim_worker.py", "terminal.py"}
FORBIDDEN = {"print", "typer.echo", "typer.secho", "sys.stdout.write", "sys.stderr.write", "Console", "rich.print"}


def printed(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and (name := ast.unparse(node.func)) in FORBIDDEN:
            yield f"{name} in line {node.lineno}"
        elif isinstance(node, ast.ImportFrom) and node.module == "rich" and any(a.name == "print" for a in node.names):
            yield f"rich.print in line {node.lineno}"


def test_a_module_that_prints_by_itself_is_noticed() -> None:
    assert len(list(printed(ast.parse("print(1)\ntyper.echo(2)\nConsole().print(3)\nfrom rich import print")))) == 4


def test_no_command_prints_by_itself() -> None:
    root = Path(retick.cli.__file__).parent
    found = {
        path.relative_to(root).as_posix(): calls
        for path in root.rglob("*.py")
        if (calls := list(printed(ast.parse(path.read_text(encoding="utf-8")))))
    }
    assert {path: calls for path, calls in found.items() if path not in ELSEWHERE} == {}


# What each command is given: words, made in a folder from a text and a file name.

Words = list[str]
SCHEMA_ID = 1


def recording(folder: Path, text: str, name: str) -> str:
    path = folder / f"{name}.rtk"
    match = replay.Replay(
        seed=2, frames=bout(2, 30), game_id=text[:60], metadata={text: text, "x": text}, checkpoints={30: 1}
    )
    replay.save(path, match)
    return str(path)


def fight(folder: Path, name: str) -> str:
    path = folder / f"{name}.rtk"
    replay.save(path, replay.sealed(replay.Replay(seed=2, frames=bout(2, 30)), Fighter()))
    return str(path)


def game(folder: Path, text: str) -> str:
    """A game whose fields and errors have such names."""
    (folder / "evil.py").write_text(
        "from retick.games.fighter import Fighter\n"
        f"TEXT = {text!r}\n"
        "class Evil(Fighter):\n"
        "    def fields(self, state):\n"
        "        return [(TEXT, TEXT), ('frame', state.frame)]\n"
        "class Broken(Fighter):\n"
        "    def step(self, state, inputs):\n"
        "        raise ValueError(TEXT)\n"
    )
    return str(folder / "evil.py")


def capture(folder: Path, text: str, name: str) -> str:
    path = folder / f"{name}.rtkc"
    with path.open("wb") as file:
        writer = CaptureWriter(file)
        writer.add(b"RBN1" + text.encode(), text, sent=True, now=0.0)
        writer.add(text.encode(), text, sent=False, now=1.0)
    return str(path)


def snapshot(folder: Path, text: str, name: str) -> Words:
    named = Schema([Component(SCHEMA_ID, [Field(1, UInt(8), name=text)], name=text)])
    path = folder / f"{name}.json"
    path.write_text(schema_to_json(named, names=True))
    packet = Codec(named).encode_full(Snapshot.of(named, tick=7, entities={1: {SCHEMA_ID: (5,)}}))
    return [packet.hex(), "--schema", str(path)]


def bundle(folder: Path, text: str, name: str, *, changed: str) -> str:
    path = folder / f"{name}.{changed}.desync"
    with zipfile.ZipFile(VECTOR) as source, zipfile.ZipFile(path, "w") as target:
        for entry in source.namelist():
            data = source.read(entry)
            if entry == "bundle.json":
                head = json.loads(data)
                if changed == "game":
                    head["game"] = text
                elif changed == "field":
                    head["report"]["fields"][0]["name"] = text
                data = json.dumps(head).encode()
            target.writestr(text if changed == "entry" and entry == "around.rtk" else entry, data)
    return str(path)


def text_file(folder: Path, text: str, name: str) -> str:
    path = folder / f"{name}.txt"
    path.write_text(text, encoding="utf-8")
    return str(path)


Make = Callable[[Path, str, str], Words]
ATTACKS: dict[str, list[Make]] = {
    "audit": [
        lambda folder, text, name: [text],
        lambda folder, text, name: [f"{game(folder, text)}:Evil", "--mask", text],
        lambda folder, text, name: [f"{game(folder, text)}:Broken", "--frames", "5", "--interpreters", "2"],
        lambda folder, text, name: [str(shutil.copy(game(folder, text), folder / f"{name}.py"))],
    ],
    "bots": [
        lambda folder, text, name: ["1", "--connect", text],
        lambda folder, text, name: ["1", "--connect", "127.0.0.1:9", "--room", text, "--seconds", "0.01"],
    ],
    "capture export": [
        lambda folder, text, name: [capture(folder, text, name), "--pcapng", str(folder / name)],
        lambda folder, text, name: [text_file(folder, text, name), "--pcapng", str(folder / "out")],
        lambda folder, text, name: [capture(folder, text, name), "--pcapng", str(folder / "out"), "--local", text],
        lambda folder, text, name: [str(folder / name), "--pcapng", str(folder / "none" / name)],
    ],
    "demo": [lambda folder, text, name: ["--record", str(folder / "none" / name)]],
    "desync explain": [
        lambda folder, text, name: [bundle(folder, text, name, changed="game")],
        lambda folder, text, name: [bundle(folder, text, name, changed="field")],
        lambda folder, text, name: [bundle(folder, text, name, changed="entry")],
        lambda folder, text, name: [str(VECTOR), "--game", text],
        lambda folder, text, name: [str(VECTOR), "--game", f"{game(folder, text)}:Broken"],
        lambda folder, text, name: [str(folder / name)],
    ],
    "export schema": [lambda folder, text, name: [text], lambda folder, text, name: [f"{game(folder, text)}:Broken"]],
    "export wireshark": [lambda folder, text, name: [text]],
    "host": [lambda folder, text, name: ["--bot", "--record", str(folder / "none" / name)]],
    "join": [
        lambda folder, text, name: [text, "--bot"],
        lambda folder, text, name: ["127.0.0.1", "--bot", "--capture", str(folder / "none" / name)],
    ],
    "new": [lambda folder, text, name: [text]],
    "packet": [
        lambda folder, text, name: [capture(folder, text, name)],
        lambda folder, text, name: [capture(folder, text, name), "--full"],
        lambda folder, text, name: [capture(folder, text, name), "--json"],
        lambda folder, text, name: [str(Path(capture(folder, text, name)).parent)],
        lambda folder, text, name: snapshot(folder, text, name),
        lambda folder, text, name: [*snapshot(folder, text, name), "--json"],
        lambda folder, text, name: ["00", "--schema", text_file(folder, text, name)],
        lambda folder, text, name: [text],
    ],
    "package": [
        lambda folder, text, name: [text],
        lambda folder, text, name: [f"{text}.py"],
        lambda folder, text, name: [text_file(folder, "play()", "game.py"), "--name", text],
    ],
    "play": [
        lambda folder, text, name: [text],
        lambda folder, text, name: [f"{game(folder, text)}:Evil"],
    ],
    "relay": [
        lambda folder, text, name: ["--host", text],
        lambda folder, text, name: ["--port", "0", "--key", str(folder / "none" / name)],
        lambda folder, text, name: ["--port", "0", "--key", text_file(folder, text, name)],
        lambda folder, text, name: ["--port", "0", "--metrics", text],
    ],
    "replay diff": [
        lambda folder, text, name: [recording(folder, text, name), fight(folder, "b")],
        lambda folder, text, name: [fight(folder, name), fight(folder, "b"), "--game", text],
        lambda folder, text, name: [fight(folder, name), fight(folder, "b"), "--game", f"{game(folder, text)}:Evil"],
    ],
    "replay export": [
        lambda folder, text, name: [recording(folder, text, name)],
        lambda folder, text, name: [recording(folder, text, name), "--states"],
        lambda folder, text, name: [fight(folder, name), "--states", "--game", f"{game(folder, text)}:Evil"],
        lambda folder, text, name: [fight(folder, name), "--to", "rtk", "--into", str(folder / name)],
        lambda folder, text, name: [fight(folder, name), "--to", "jsonl", "--into", str(folder)],
    ],
    "replay generate": [
        lambda folder, text, name: [str(folder / name), "--matches", "1", "--frames", "5"],
        lambda folder, text, name: [text_file(folder, text, name)],
    ],
    "replay info": [
        lambda folder, text, name: [recording(folder, text, name), str(folder / name)],
        lambda folder, text, name: [recording(folder, text, name), "--json"],
        lambda folder, text, name: [text_file(folder, text, name)],
    ],
    "replay play": [
        lambda folder, text, name: [recording(folder, text, name)],
        lambda folder, text, name: [fight(folder, name), "--game", f"{game(folder, text)}:Evil"],
        lambda folder, text, name: [fight(folder, name), "--game", f"{game(folder, text)}:Broken"],
    ],
    "replay record": [
        lambda folder, text, name: [str(folder / f"{name}.rtk"), "--frames", "5"],
        lambda folder, text, name: [str(folder / "none" / name), "--frames", "5"],
        lambda folder, text, name: [str(folder / "a.rtk"), "--script", text_file(folder, f"3 {text}", name)],
        lambda folder, text, name: [str(folder / "a.rtk"), "--game", text],
    ],
    "replay verify": [
        lambda folder, text, name: [recording(folder, text, name), fight(folder, f"{name}2")],
        lambda folder, text, name: [fight(folder, name), "--expect", text],
        lambda folder, text, name: [
            str(Path(recording(folder, text, name)).parent),
            "--results",
            str(folder / "r.jsonl"),
        ],
        lambda folder, text, name: [str(folder / f"{name}*.rtk"), "--manifest", text_file(folder, text, name)],
        lambda folder, text, name: [
            "--manifest",
            text_file(folder, 'path,seed,checksum\n"' + text.replace('"', "'").replace("\0", "") + '",1,' + "zz", name),
            "--engine",
            "threads",
        ],
        lambda folder, text, name: [f"nosuch://{text}", "--engine", "threads"],
        lambda folder, text, name: [fight(folder, name), "--results", text_file(folder, text, f"{name}.jsonl")],
    ],
    "serve": [
        lambda folder, text, name: ["runner", "--config", str(folder / name)],
        lambda folder, text, name: ["runner", "--config", text_file(folder, text, name)],
        lambda folder, text, name: [
            "runner",
            "--port",
            "0",
            "--seconds",
            "0.01",
            "--config",
            text_file(folder, json.dumps({text: text}), name),
        ],
        lambda folder, text, name: ["runner", "--host", text],
    ],
    "doctor": [lambda folder, text, name: ["--relay", text]],
    "snapshot explain": [
        lambda folder, text, name: [str(folder / name)],
        lambda folder, text, name: [text_file(folder, text, name)],
        lambda folder, text, name: [str(folder), "--schema", text_file(folder, json.dumps({text: text}), name)],
        lambda folder, text, name: [text_file(folder, text, name), "--prior", str(folder / name)],
    ],
    "snapshot train": [
        lambda folder, text, name: [text_file(folder, text, name), "--out", str(folder / "none" / name)],
        lambda folder, text, name: [str(folder / f"no{name}"), "--out", str(folder / name)],
    ],
    "studio": [lambda folder, text, name: [text], lambda folder, text, name: ["--host", text, "--port", "0"]],
    "synctest": [
        lambda folder, text, name: [text],
        lambda folder, text, name: [f"{game(folder, text)}:Broken", "--frames", "5"],
        lambda folder, text, name: [f"{game(folder, text)}:Evil", "--frames", "5", "--rounds", "1"],
    ],
    "token issue": [
        lambda folder, text, name: token_issue(text_file(folder, text, name)),
        lambda folder, text, name: token_issue(str(folder / name)),
        lambda folder, text, name: [*token_issue(token_key(folder, name)), "--room", text],
        lambda folder, text, name: [*token_issue(token_key(folder, name)), "--address", text],
        lambda folder, text, name: [*token_issue(token_key(folder, name)), "--server-key", text],
        lambda folder, text, name: [*token_issue(token_key(folder, name)), "--out", str(folder / f"{name}.token")],
    ],
    "token keygen": [
        lambda folder, text, name: [str(folder / name)],
        lambda folder, text, name: [text_file(folder, text, name)],
        lambda folder, text, name: [str(folder / "none" / name)],
    ],
    "token show": [
        lambda folder, text, name: [text_file(folder, text, name)],
        lambda folder, text, name: [str(folder / name)],
        lambda folder, text, name: [made_token(folder, name)],
        lambda folder, text, name: [made_token(folder, name), "--key", text_file(folder, text, "key")],
    ],
    "trace": [
        lambda folder, text, name: [str(folder / name)],
        lambda folder, text, name: [text_file(folder, text, name)],
        lambda folder, text, name: [text_file(folder, header_line(text, clock=0, rate=60), name)],
    ],
    "watch": [lambda folder, text, name: [text, "--record", str(folder / "none" / name)]],
}


def token_key(folder: Path, name: str) -> str:
    path = folder / f"{name}.key"
    make_token_key(path)
    return str(path)


def token_issue(key: str) -> list[str]:
    return ["--key", key, "--server-key", "00" * 32, "--address", "h:1", "--player", "1"]


def made_token(folder: Path, name: str) -> str:
    path = folder / name
    token = issue(
        bytes(32), player=1, server_key=bytes(32), addresses=[("h", 1)], now=1.0, entropy=bytes, room="\u00e9"
    )
    path.write_text(to_text(token))
    return str(path)


def test_no_command_that_is_given_text_is_left_out() -> None:
    assert set(ATTACKS) == {name for name in COMMANDS if not name.startswith("bench")}


def assert_safe(output: str) -> None:
    wrong = [letter for letter in output.replace("\n", "") if not letter.isprintable()]
    assert not wrong, (wrong, output)
    assert "\nretick: all is well" not in output
    assert "Traceback" not in output


@pytest.mark.parametrize(
    ("command", "number"), [(command, number) for command, made in ATTACKS.items() for number in range(len(made))]
)
def test_no_command_lets_a_text_through(command: str, number: int, tmp_path: Path) -> None:
    for at, (text, name) in enumerate(zip(TEXTS, NAMES, strict=True)):
        folder = tmp_path / str(at)
        folder.mkdir()
        words = ATTACKS[command][number](folder, text, name)
        result = CliRunner().invoke(app, [*command.split(), *words])
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        assert_safe(result.output)
        sys.modules.pop("evil", None)


@pytest.mark.parametrize("command", ["", "replay", *COMMANDS])
@pytest.mark.parametrize("text", TEXTS)
def test_typers_own_complaints_are_safe(command: str, text: str) -> None:
    for words in ([f"--{text}"], [text, text, text, "--no-such"]):
        line, known = app_of(command)
        result = CliRunner().invoke(line, [*known, *words])
        assert_safe(result.output)


@pytest.mark.parametrize("text", TEXTS)
def test_names_of_hosts_on_the_network_are_safe(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    hosts = [FoundHost(text, f"192.0.2.{number}", 9, text) for number in (1, 2)]
    monkeypatch.setattr("retick.cli.play.join.find_hosts", lambda *_given: hosts)
    result = CliRunner().invoke(app, ["join", "--bot"])
    assert "2 hosts were found" in result.output
    assert_safe(result.output)
