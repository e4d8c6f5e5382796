"""How a match seals its links (with an invite, open to everybody, or plain), and what a refusal means."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypedDict

from retick.errors import UsageError
from retick.link import Invite, Reason


class _Sealing(TypedDict):
    sealed: bool
    invite: Invite | None
    identity: bytes | None
    keylog: Callable[[str], None] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkForm:
    """The sealing arguments of a RollbackSession and a SpectatorSession."""

    sealed: bool = True
    invite: Invite | None = None
    """Only peers with this invite are admitted; if None, everybody who knows the address is."""
    identity: bytes | None = field(default=None, repr=False)
    """The lasting private key of this machine."""
    keylog: Callable[[str], None] | None = field(default=None, repr=False)
    """Called with the keys of each link."""

    @property
    def is_open(self) -> bool:
        """Whether people should compare words, which alone shows that nobody sits between them."""
        return self.sealed and self.invite is None

    @property
    def secret(self) -> bytes:
        """The invite's secret; empty without an invite."""
        return b"" if self.invite is None else self.invite.secret

    @property
    def name(self) -> str:
        """The form in one word, as hosts announce it: ``invite``, ``open`` or ``plain``."""
        return "invite" if self.invite is not None else "open" if self.sealed else "plain"

    def arguments(self) -> _Sealing:
        """The arguments for a session's constructor."""
        return {"sealed": self.sealed, "invite": self.invite, "identity": self.identity, "keylog": self.keylog}


OPEN = LinkForm()
PLAIN = LinkForm(sealed=False)


def why_refused(reason: int, text: str, form: LinkForm) -> str:
    """What a refusal means for a peer that came with ``form``, and what to do; empty if it is not about sealing."""
    if reason == Reason.SECRET and form.invite is not None:
        return (
            "the host refused the invite: it belongs to another match, or this host takes none. Ask for the line that "
            "the host shows now"
        )
    if reason == Reason.SECRET:
        return (
            "the host takes only peers that have its invite: ask for the line that it shows, and give it in place of "
            "the address"
        )
    if reason == Reason.VERSION and "sealed links only" in text and not form.sealed:
        return (
            "the host takes sealed links only, and this side was started with --plain: leave it out, or give it to "
            "both sides"
        )
    if reason == Reason.VERSION and "plain links only" in text and form.sealed:
        return "the host takes plain links only: it was started with --plain. Give it to both sides, or to none"
    return ""


_OTHER_GAME = re.compile(r"another game: this is '([^']*?)(?:/(\d+))?'")
_OTHER_VERSION = re.compile(r"another version of the game: this is version (\d+)")


def why_not_this_game(reason: int, text: str) -> str:
    """Name the game or version of a host that refused ours; empty for other refusals."""
    if reason == Reason.GAME and (found := _OTHER_GAME.fullmatch(text)):
        game = found[1] + (f" for {found[2]} players" if found[2] else "")
        return f"the host there plays another game: {game}. Ask for the address or the line of your host"
    if reason == Reason.GAME_VERSION and (found := _OTHER_VERSION.fullmatch(text)):
        return f"the host there plays version {found[1]} of this game: everybody needs the same version"
    return ""


def only_sealed(plain: bool, options: dict[str, object]) -> None:
    """Raise UsageError for an option that was given although links are plain."""
    for name, given in options.items():
        if plain and given is not None:
            raise UsageError(f"{name} is for sealed links: it cannot be used with --plain")
