"""The comments in a file that are meant for the audit.

``# retick: allow RULE[, RULE ...] -- reason``
    silences those rules on its own line or, if it stands alone, on the next line that has code.
``# retick: floats -- reason``
    on a line of its own: this file (in an ``__init__.py``: this package) uses floats on purpose.
"""

import io
import re
import tokenize
from dataclasses import dataclass, field

from retick.audit.rules import RULES

__all__ = ["Allow", "Comments", "read_comments"]

_OURS = re.compile(r"#\s*retick:\s*(?P<body>.*)$")
_BODY = re.compile(r"(?P<verb>allow|floats)\b\s*(?P<rules>.*?)\s*(?:--\s*(?P<reason>.*))?$")
_NOT_CODE = {
    tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING,
    tokenize.ENDMARKER,
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Allow:
    """One rule allowed on one line."""

    rule: str
    reason: str
    line: int
    """The line that is silenced."""
    comment_line: int
    comment_column: int


@dataclass(slots=True, kw_only=True)
class Comments:
    """All comments of one file that are meant for the audit."""

    allows: list[Allow] = field(default_factory=list)
    floats_line: int | None = None
    """The line of the ``floats`` comment, if there is one."""
    complaints: list[tuple[int, int, str, str]] = field(default_factory=list)
    """Line, column, rule and text of each comment that is itself wrong."""


def read_comments(text: str) -> Comments:
    """The comments of a file that parses."""
    tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    code_lines = sorted({token.start[0] for token in tokens if token.type not in _NOT_CODE})
    comments = Comments()
    for token in tokens:
        ours = _OURS.match(token.string) if token.type == tokenize.COMMENT else None
        if ours:
            line, column = token.start
            _read_one(comments, ours["body"].strip(), line, column + 1, code_lines)
    return comments


def _read_one(comments: Comments, body: str, line: int, column: int, code_lines: list[int]) -> None:
    parsed = _BODY.match(body)
    alone = line not in code_lines
    if parsed is None or (parsed["verb"] == "floats" and (parsed["rules"] or not alone)):
        comments.complaints.append((line, column, "allow-unknown", f"`retick: {body}`"))
        return
    rules = [rule for rule in re.split(r"[,\s]+", parsed["rules"]) if rule]
    unknown = [rule for rule in rules if rule not in RULES]
    if unknown or (parsed["verb"] == "allow" and not rules):
        what = f"no rule is called {unknown[0]!r}" if unknown else "`allow` names no rule"
        comments.complaints.append((line, column, "allow-unknown", what))
    elif not parsed["reason"]:
        comments.complaints.append((line, column, "allow-reason", f"`retick: {body}` gives no reason"))
    elif parsed["verb"] == "floats":
        comments.floats_line = line
    else:
        target = next((code for code in code_lines if code > line), line) if alone else line
        for rule in rules:
            allow = Allow(rule=rule, reason=parsed["reason"], line=target, comment_line=line, comment_column=column)
            comments.allows.append(allow)
