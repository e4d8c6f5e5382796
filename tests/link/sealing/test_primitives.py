"""The primitives: what is missing is said with the line that installs it, and nothing is imported too early."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from retick.errors import DecodeError
from retick.link.sealing.primitives import hkdf, public_key_of, shared_key, verify

ROOT = Path(__file__).parents[3]


def python(code: str) -> str:
    found = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, env=os.environ)
    assert found.returncode == 0, found.stderr
    return found.stdout.strip()


MAKE = "from retick.link import LinkConfig, LinkEndpoint; LinkEndpoint(LinkConfig(sealed=%s), entropy=bytes)"


def test_cryptography_is_imported_when_a_sealed_link_is_made_and_not_before() -> None:
    loaded = "import sys; print(any(name.split('.')[0] == 'cryptography' for name in sys.modules))"
    assert python(f"{MAKE % False}; {loaded}") == "False"
    assert python(f"{MAKE % True}; {loaded}") == "True"


@pytest.mark.parametrize(("setup", "found"), [
    ("import sys; sys.modules['cryptography'] = None", "none"),
    ("import cryptography; cryptography.__version__ = '41.0.7'", "41.0.7"),
])  # fmt: skip
def test_without_it_or_with_an_old_one_the_line_that_installs_it_is_shown(setup: str, found: str) -> None:
    code = f"{setup}\ntry:\n    {MAKE % True}\nexcept Exception as error:\n    print(type(error).__name__, error)"
    shown = python(code)
    assert shown.startswith(f"MissingExtra sealed links need cryptography 43 or newer, and found {found}: pip install")


def test_keys_of_a_wrong_size_or_low_order_are_refused() -> None:
    with pytest.raises(DecodeError):
        shared_key(bytes([1]) * 32, bytes(32))
    with pytest.raises(DecodeError):
        shared_key(bytes([1]) * 32, bytes(31))
    with pytest.raises(DecodeError):
        verify(bytes(31), bytes(64), b"")


def test_both_sides_make_the_same_shared_key() -> None:
    one, other = bytes(range(32)), bytes(range(32, 64))
    assert shared_key(one, public_key_of(other)) == shared_key(other, public_key_of(one))


def test_hkdf_gives_as_many_keys_as_asked_for() -> None:
    assert hkdf(bytes(32), b"x", 3)[:2] == hkdf(bytes(32), b"x", 2)
