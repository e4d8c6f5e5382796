"""Why a peer was refused or expelled, as codes of the session protocol and in words; others are those of the link."""

from retick.link import describe as describe_link_reason

__all__ = [
    "ASK_SPONSOR",
    "EQUIVOCATION",
    "GAVE_UP",
    "NO_ACKNOWLEDGEMENTS",
    "NO_INPUTS",
    "NO_MATCH",
    "OTHER_VERSION",
    "REACHES_TOO_FAR",
    "RETURNED",
    "UNSIGNED",
    "WORDS",
    "describe",
]

ASK_SPONSOR = 200
"""Of a refusal: the text is the address of the sponsor."""
OTHER_VERSION = 201
"""The other side speaks another version of the session protocol."""
REACHES_TOO_FAR = 210
"""The other side's window and delay are more than our history holds."""
NO_INPUTS = 211
"""Inputs that everyone waits for are not sent."""
NO_ACKNOWLEDGEMENTS = 212
"""Our inputs are not acknowledged."""
RETURNED = 213
"""The peer of this connection has come back over another one."""
GAVE_UP = 214
"""The sender has given up its match, to come back to that of others: what it showed last may not be theirs."""
NO_MATCH = 215
"""Of a refusal: there is no match here to come back to."""
EQUIVOCATION = 216
"""It told two others different inputs for the same frame; the two signatures are the proof."""
UNSIGNED = 217
"""It does not sign its inputs, or signs others than it sends."""

WORDS = {
    ASK_SPONSOR: "another peer lets newcomers in",
    OTHER_VERSION: "another version of the session protocol",
    REACHES_TOO_FAR: "its window and delay are too large",
    NO_INPUTS: "sends no inputs",
    NO_ACKNOWLEDGEMENTS: "acknowledges no inputs",
    RETURNED: "came back over another connection",
    GAVE_UP: "comes back to the match of others",
    NO_MATCH: "has no match",
    EQUIVOCATION: "told two others different inputs, as its signatures prove",
    UNSIGNED: "does not sign the inputs that it sends",
}


def describe(reason: int) -> str:
    """Words for a code of the session protocol or of the link, known or not."""
    return WORDS.get(reason) or describe_link_reason(reason)
