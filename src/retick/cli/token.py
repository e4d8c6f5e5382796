"""``retick token``: makes token keys, issues join tokens, and shows them."""

import os
import time
from datetime import UTC, datetime
from math import ceil
from pathlib import Path
from typing import Annotated

import typer

from retick.cli.exit_codes import NO, complain, named
from retick.cli.sealing import read_server_key, read_token
from retick.cli.terminal import say, say_json
from retick.errors import RetickError, UsageError
from retick.playing.key_files import load_token_key, make_token_key, write_secret
from retick.tokens import LIFETIME, TOLERANCE, JoinToken, Shown, issue, key_id_of, open_token, show, to_text
from retick.transport.udp import parse_address

token_app = typer.Typer(name="token", no_args_is_help=True, help="Join tokens: who may join a server's rooms.")
KeyOption = Annotated[Path, typer.Option("--key", metavar="FILE", help="The token key.", show_default=False)]


@token_app.callback()
def token() -> None:
    """Join tokens: who may join a server's rooms."""


@token_app.command()
def keygen(file: Annotated[Path, typer.Argument(metavar="FILE", help="The new file; only you can read it.")]) -> None:
    """Make a token key: the backend issues tokens with it, and servers open them.

    Exit code 0: made. 2: misuse, or the file exists.

    Example: retick token keygen tokens.key
    """
    key = make_token_key(file)
    say(f"made the token key {key_id_of(key)} in {file}: give it to the backend and the servers, and to nobody else")


@token_app.command("issue")
def issue_token(
    key: KeyOption,
    server_key: Annotated[
        str, typer.Option(metavar="HEX", help="The server's public key, as retick serve --key shows it.")
    ],
    address: Annotated[list[str], typer.Option(metavar="HOST:PORT", help="The server's address; may be repeated.")],
    player: Annotated[int, typer.Option(help="The player id, 0 to 2^64 - 1.")],
    room: Annotated[str, typer.Option(help="The room's name.")] = "",
    seconds: Annotated[float, typer.Option(help="Seconds for which the token is valid.")] = LIFETIME,
    data: Annotated[str, typer.Option(help="Text for the server's application, at most 256 bytes.")] = "",
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A new file for it that only you can read.", show_default=False)
    ] = None,
) -> None:
    """Issue a join token for one player, and print it: whoever has it can join as that player, from one address.

    Exit code 0: issued. 2: misuse, or a file that cannot be read or made.

    Example: retick token issue --key tokens.key --server-key HEX --address 192.0.2.1:7777 --player 7 --out ann.token
    """
    made = issue(
        _token_key(key),
        player=player,
        server_key=read_server_key(server_key),
        addresses=[parse_address(each, default_port=7777) for each in address],
        now=time.time(),
        entropy=os.urandom,
        room=room,
        data=data.encode(),
        lifetime=seconds,
    )
    if out is None:
        say(to_text(made))
        return
    try:
        write_secret(out, to_text(made) + "\n")
    except FileExistsError:
        raise UsageError(f"{out} exists already: name a new file") from None
    say(f"wrote {out}: a token for player {player}, valid for {seconds:g} s")


@token_app.command("show")
def show_token(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file with a token.")],
    key: Annotated[
        Path | None, typer.Option("--key", metavar="FILE", help="The token key: shows what is sealed.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Show the contents of a join token; with the token key, also its player. The token itself is not shown.
    Exit code 0: it is valid now, as far as can be seen. 1: it has expired, is not valid yet, or does not open. 2:
    misuse, or no token.

    Example: retick token show ann.token --key tokens.key
    """
    data = read_token(file)
    with named(file):
        found = show(data) if key is None else open_token(data, _token_key(key))
    now = time.time()
    if as_json:
        say_json(_facts(found))
    else:
        _print(found)
    late = now - found.expires_at
    if late > TOLERANCE:
        raise RetickError(f"{file}: the token has expired: ask the backend for a new one")
    if late > 0:
        complain(
            f"{file}: the token expired {ceil(late)} s ago by this clock; since clocks differ, servers take it up to "
            f"{TOLERANCE:g} s late"
        )
    if found.issued_at > now + TOLERANCE:
        complain(f"{file}: the token is not valid yet, or a clock is wrong")
        raise typer.Exit(NO)


def _token_key(path: Path) -> bytes:
    key, complaint = load_token_key(path)
    if complaint:
        complain(complaint)
    return key


def _time(seconds: int) -> str:
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")
    except (ValueError, OverflowError, OSError):
        return f"{seconds} s after 1970"


def _facts(found: Shown) -> dict[str, object]:
    facts: dict[str, object] = {
        "token_key": found.key_id,
        "server_key": found.server_key.hex(),
        "addresses": [f"[{host}]:{port}" if ":" in host else f"{host}:{port}" for host, port in found.addresses],
        "issued_at": _time(found.issued_at),
        "expires_at": _time(found.expires_at),
    }
    if isinstance(found, JoinToken):
        facts |= {"player": found.player, "room": found.room, "data_bytes": len(found.data)}
    return facts


def _print(found: Shown) -> None:
    for name, value in _facts(found).items():
        say(f"{name.replace('_', ' '):12} {', '.join(value) if isinstance(value, list) else value}")
