"""The options of every command that opens links between peers: open or plain, a lasting key, a log of keys."""

from pathlib import Path
from typing import Annotated

import typer

from retick.cli.terminal import say
from retick.errors import UsageError
from retick.link import Invite
from retick.playing.key_files import KeyLogFile, sealed_form
from retick.playing.link_form import PLAIN, LinkForm

__all__ = ["HostOpenOption", "IdentityOption", "KeylogOption", "LinkOptions", "PlainOption"]

HostOpenOption = Annotated[
    bool, typer.Option("--open", help="Let in everybody who knows the address; sealed, with words to compare aloud.")
]
PlainOption = Annotated[
    bool, typer.Option("--plain", help="Unsealed links, that others can read and forge; all peers must say it.")
]
IdentityOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="This machine's lasting key, by which others recognise it; the file is made at first use.",
        show_default=False,
    ),
]
KeylogOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Append the keys of all links to this file, to read a capture with retick packet --keylog.",
        show_default=False,
    ),
]


class LinkOptions:
    """The checked options; ``form`` opens their files."""

    def __init__(
        self,
        *,
        plain: bool,
        identity: Path | None,
        keylog: Path | None,
        everybody: bool = False,
        lan_compat: bool = False,
    ) -> None:
        """``everybody`` is --open of a host. UsageError for options that exclude each other."""
        self.plain, self.everybody, self.lan_compat = plain, everybody, lan_compat
        unsealed = "--plain" if plain else "--lan-compat" if lan_compat else ""
        for given, name in ((everybody, "--open"), (identity, "--identity"), (keylog, "--keylog")):
            if given and unsealed:
                raise UsageError(f"{name} is for sealed links: it does not go with {unsealed}")
        self._identity, self._keylog = identity, keylog
        self.keylog: KeyLogFile | None = None
        """Open as soon as there is a form, if it was asked for."""

    @property
    def is_plain(self) -> bool:
        """Whether the links are unsealed."""
        return self.plain or self.lan_compat

    def make_files(self) -> None:
        """For a command whose links are opened elsewhere: make the files here, and say where they are."""
        self.form(None)
        if self.keylog is not None:
            self.keylog.close()

    def form(self, invite: Invite | None) -> LinkForm:
        """With the keys of the files; says where they are."""
        if self.is_plain:
            if invite is not None:
                raise UsageError(
                    "an invite is for sealed links: leave out --plain and --lan-compat, or give the address"
                )
            return PLAIN
        form = sealed_form(invite, self._identity, self._keylog, lambda line: say(line, err=True))
        if isinstance(form.keylog, KeyLogFile):
            self.keylog = form.keylog
        return form
