"""How the links of a match are made: with an invite, open to everybody, or plain; and what their refusal means."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypedDict

from retick.link import Invite, Reason

__all__ = ["OPEN", "PLAIN", "LinkForm", "why_refused"]


class _Sealing(TypedDict):
    sealed: bool
    invite: Invite | None
    identity: bytes | None
    keylog: Callable[[str], None] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkForm:
    """What a RollbackSession and a SpectatorSession are told of sealing."""

    sealed: bool = True
    invite: Invite | None = None
    """With it only those come in who have it; without it everybody who knows the address."""
    identity: bytes | None = field(default=None, repr=False)
    """The lasting private key of this machine."""
    keylog: Callable[[str], None] | None = field(default=None, repr=False)
    """Gets the keys of each link."""

    @property
    def is_open(self) -> bool:
        """Whether people should compare words: nothing else shows that nobody sits between them."""
        return self.sealed and self.invite is None

    @property
    def secret(self) -> bytes:
        """That of the invite; empty without one."""
        return b"" if self.invite is None else self.invite.secret

    @property
    def name(self) -> str:
        """In one word, as hosts announce it: ``invite``, ``open`` or ``plain``."""
        return "invite" if self.invite is not None else "open" if self.sealed else "plain"

    def arguments(self) -> _Sealing:
        """For the constructor of a session."""
        return {"sealed": self.sealed, "invite": self.invite, "identity": self.identity, "keylog": self.keylog}


OPEN = LinkForm()
PLAIN = LinkForm(sealed=False)


def why_refused(reason: int, text: str, form: LinkForm) -> str:
    """What a refusal means for one who came with ``form``, and what to do; empty if it is not about sealing."""
    if reason == Reason.SECRET and form.invite is not None:
        return (
            "the host refused the invite: it is of another match, or this host takes none. Ask for the line that it "
            "shows now"
        )
    if reason == Reason.SECRET:
        return (
            "the host takes only those who have its invite: ask for the line that it shows, and give it in place of "
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
