"""Each endpoint has one form of the handshake, by its setting."""

from retick.link.handshake.acceptor import Acceptor
from retick.link.handshake.dialler import Dialler
from retick.link.handshake.sealed import SealedAcceptor, SealedDialler
from retick.link.layout import CLAIM, PROOF, PROVE
from tests.link.pair import make_endpoint


def test_an_endpoint_has_the_form_of_its_setting() -> None:
    plain, sealed = make_endpoint(1, sealed=False), make_endpoint(1)
    assert (type(plain._acceptor), type(sealed._acceptor)) == (Acceptor, SealedAcceptor)
    assert type(plain.dial("host")._dialler) is Dialler
    assert type(sealed.dial("host")._dialler) is SealedDialler
    assert {PROVE, PROOF, CLAIM} <= set(plain._readers)
    assert not {PROVE, PROOF, CLAIM} & set(sealed._readers), "sealed, they have an envelope; and there is no CLAIM"
