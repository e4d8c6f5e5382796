"""The options of commands that open links to a server: its key, a join token, plain links, a key log."""

from pathlib import Path
from typing import Annotated, Final

import typer

from retick.cli.exit_codes import complain
from retick.errors import RetickError, UsageError
from retick.host.link_config import ClientSealing
from retick.playing.key_files import KeyLogFile, kind_of_key, load_identity
from retick.playing.link_form import only_sealed
from retick.replay import ReadLimits
from retick.replay.storage import read_bounded
from retick.tokens import KEY_SIZE, from_text, show

MOST_TOKEN_FILE: Final = 4096
"""Most bytes of a token's file."""
ServerKeyOption = Annotated[
    str | None,
    typer.Option(metavar="HEX", help="The server's public key, as retick serve --key shows it.", show_default=False),
]
TokenOption = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="A join token: names the server's address and key.", show_default=False),
]
ClientIdentityOption = Annotated[
    Path | None,
    typer.Option(
        "--identity",
        metavar="FILE",
        help="A lasting key, by which the server recognises this player; the file is made if missing.",
        show_default=False,
    ),
]
ClientPlainOption = Annotated[
    bool, typer.Option("--plain", help="An unsealed link, which others can read and forge; the server must say it too.")
]
ClientKeylogOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Append the keys of all links to this file, to read captures with retick packet --keylog.",
        show_default=False,
    ),
]


def read_server_key(text: str) -> bytes:
    """Parse a public key that was typed."""
    try:
        key = bytes.fromhex(text)
    except ValueError:
        key = b""
    if len(key) != KEY_SIZE:
        raise UsageError(f"a server's public key has {2 * KEY_SIZE} hexadecimal digits: retick serve --key shows it")
    return key


def read_token(path: Path) -> bytes:
    """Read the join token in a file; UsageError if there is none. No message shows the token."""
    try:
        text = bytes(read_bounded(path, ReadLimits(max_bytes=MOST_TOKEN_FILE)))
        if kind := kind_of_key(text):
            raise UsageError(f"{path} is {kind}, not a token")
        token = from_text(text)
        show(token)
    except UsageError:
        raise
    except RetickError as error:
        raise UsageError(f"{path}: {error}: use the token as the backend issued it") from None
    return token


def client_sealing(
    *, server_key: str | None, token: Path | None, identity: Path | None, plain: bool, keylog: Path | None
) -> ClientSealing:
    """Make a client's sealing arguments; UsageError for options that exclude each other."""
    only_sealed(plain, {"--server-key": server_key, "--token": token, "--identity": identity, "--keylog": keylog})
    if server_key is not None and token is not None:
        raise UsageError("--token names the server's key: leave out --server-key")
    key = log = None
    if identity is not None:
        key, told = load_identity(identity)
        complain(told)
    if keylog is not None:
        log = KeyLogFile(keylog)
        complain(log.warning())
    return {
        "sealed": not plain,
        "server_key": None if server_key is None else read_server_key(server_key),
        "identity": key,
        "keylog": log,
    }
