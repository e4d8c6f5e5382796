"""The gate: bans, and what the application says."""

from typing import Any

import pytest

from retick.host import gate as module
from retick.host.gate import NOBODY, Gate
from retick.link import LinkConfig, Refuse
from retick.link.sealing.primitives import public_key_of
from retick.tokens import Applicant, Pass


def gate_of(admit: Any = None, **link: Any) -> Gate:
    return Gate(admit, LinkConfig(**link), lambda event: None)


def asking(room: str = "", fingerprint: str | None = None) -> Applicant:
    return Applicant(room=room, address="here", fingerprint=fingerprint)


def test_without_a_function_everybody_comes_in_and_is_known_by_the_key() -> None:
    assert gate_of().ask(asking(fingerprint="ab")) == Pass(fingerprint="ab")
    assert gate_of().ask(asking()) == NOBODY


def test_the_fingerprint_is_the_links_word_and_not_the_functions() -> None:
    gate = gate_of(lambda applicant: Pass(player=3, fingerprint="made up"))
    assert gate.ask(asking(fingerprint="ab")) == Pass(player=3, fingerprint="ab")


def test_the_key_of_the_server_is_told_in_public_only() -> None:
    assert gate_of().server_key is None
    assert gate_of(sealed=True, key_pair=b"k" * 32).server_key == public_key_of(b"k" * 32)


def test_the_oldest_ban_is_forgotten_when_there_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BANS_KEPT", 2)
    gate = gate_of()
    for fingerprint in ("a", "b", "a", "c"):
        gate.ban("", Pass(fingerprint=fingerprint))
    refused = [isinstance(gate.ask(asking(fingerprint=each)), Refuse) for each in "abc"]
    assert refused == [True, False, True]


def test_one_of_whom_nothing_is_known_bans_nobody_else() -> None:
    gate = gate_of()
    gate.ban("", NOBODY)
    assert gate.ask(asking()) == NOBODY


def test_a_banned_key_is_refused_before_the_function_is_asked() -> None:
    asked: list[Applicant] = []

    def admit(applicant: Applicant) -> Pass:
        asked.append(applicant)
        return Pass()

    gate = gate_of(admit)
    gate.ban("", Pass(fingerprint="a"))
    assert isinstance(gate.ask(asking(fingerprint="a")), Refuse)
    assert asked == []
