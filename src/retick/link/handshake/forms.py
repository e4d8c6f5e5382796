"""The two forms of a handshake, plain and sealed: which one an endpoint has.

What a sealed one needs, ``cryptography`` above all, is imported here when such an endpoint is made, not before.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from retick.link.connection import Connection
from retick.link.handshake.acceptor import Acceptor
from retick.link.handshake.cookies import CookieJar
from retick.link.handshake.dialler import Dialler, Wanted
from retick.link.request import Accept, Refuse, Request

if TYPE_CHECKING:
    from retick.link.endpoint import LinkEndpoint

__all__ = ["make_acceptor", "make_dialler"]


def make_acceptor(endpoint: "LinkEndpoint", jar: CookieJar, admit: Callable[[Request], Accept | Refuse]) -> Acceptor:
    if endpoint.config.sealed:
        from retick.link.handshake.sealed_acceptor import SealedAcceptor

        return SealedAcceptor(endpoint, jar, admit)
    return Acceptor(endpoint, jar, admit)


def make_dialler(
    endpoint: "LinkEndpoint", connection: Connection, share: int, wanted: Wanted, heard_of: bool
) -> Dialler:
    if endpoint.config.sealed:
        from retick.link.handshake.sealed_dialler import SealedDialler

        return SealedDialler(endpoint, connection, share=share, wanted=wanted, heard_of=heard_of)
    return Dialler(endpoint, connection, share=share, wanted=wanted, heard_of=heard_of)
