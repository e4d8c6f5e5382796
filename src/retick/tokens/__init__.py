"""Join tokens: a backend issues them, a server opens them and lets in who shows one.

Knows bytes and keys; reads no clock, draws no randomness and knows no connection. docs/formats/token.md has the bytes.
"""

from retick.tokens.admission import Applicant, Pass, Tokens
from retick.tokens.codec import (
    KEY_SIZE,
    LIFETIME,
    TOLERANCE,
    JoinToken,
    Shown,
    from_text,
    issue,
    key_id_of,
    open_token,
    show,
    to_text,
)

__all__ = [
    "KEY_SIZE",
    "LIFETIME",
    "TOLERANCE",
    "Applicant",
    "JoinToken",
    "Pass",
    "Shown",
    "Tokens",
    "from_text",
    "issue",
    "key_id_of",
    "open_token",
    "show",
    "to_text",
]
