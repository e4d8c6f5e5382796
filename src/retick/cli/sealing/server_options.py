"""What ``retick serve`` is told of sealing: read from key files into its plan, and from the plan into servers."""

import time
from dataclasses import replace
from pathlib import Path

from retick.authority.link_config import ServerSealing
from retick.cli.exit_codes import complain
from retick.cli.sealing.client_options import only_sealed
from retick.cli.serve.plan import ServePlan
from retick.errors import UsageError
from retick.playing.key_files import KeyLogFile, load_server_key, load_token_key
from retick.tokens import Tokens

__all__ = ["public_key_in", "sealing_of", "tokens_of", "with_keys"]


def with_keys(plan: ServePlan, *, key: Path | None, tokens: Path | None, plain: bool, keylog: Path | None) -> ServePlan:
    """The plan with the keys of these files; UsageError for options that exclude each other."""
    only_sealed(plain, {"--key": key, "--tokens": tokens, "--keylog": keylog})
    if tokens is not None and key is None:
        raise UsageError("--tokens needs --key FILE: a token names the key of its server, and the file is made")
    key_pair = token_key = b""
    if tokens is not None:
        token_key, complaint = load_token_key(tokens)
        if complaint:
            complain(complaint)
    if key is not None:
        key_pair, told = load_server_key(key)
        complain(told)
    if keylog is not None:
        log = KeyLogFile(keylog)
        complain(log.warning())
        log.close()
    return replace(
        plan,
        plain=plain,
        key_pair=key_pair.hex(),
        token_key=token_key.hex(),
        keylog=None if keylog is None else str(keylog.absolute()),
    )


def public_key_in(plan: ServePlan) -> str | None:
    """What clients must know, in hexadecimal digits; None without a key."""
    if not plan.key_pair:
        return None
    from retick.link.sealing.primitives import public_key_of  # imports cryptography, which only sealed links need

    return public_key_of(bytes.fromhex(plan.key_pair)).hex()


def sealing_of(plan: ServePlan) -> ServerSealing:
    """How all links of a plan are sealed: those of its servers, and those of their front."""
    return {
        "sealed": not plan.plain,
        "key_pair": bytes.fromhex(plan.key_pair) or None,
        "keylog": None if plan.keylog is None else KeyLogFile(Path(plan.keylog)),
    }


def tokens_of(plan: ServePlan) -> Tokens | None:
    """Who may come in; None: everybody."""
    return Tokens(bytes.fromhex(plan.token_key), clock=time.time) if plan.token_key else None
