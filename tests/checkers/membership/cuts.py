"""Every cut of an honest leaver's inputs that honest tails and one liar's lead to, in a few frames.

Honest members know the same inputs, up to frames that differ by the spread at most. The liar claims any frame, and
shows any inputs before it.
"""

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

from retick.rollback.session import outcome
from retick.rollback.session.messages.agreement import Statement, Tail
from retick.rollback.session.messages.roster import MemberTerms, Reach

TRUE, FALSE = 1, 2
REACH = 1
SPREAD = 2 * REACH
KNOWN = 6
"""The frame up to which the first honest member has all inputs."""
FURTHEST = KNOWN + SPREAD + 3


class CutsFound(NamedTuple):
    cuts: int
    wrongs: tuple[str, ...]


def search_cuts(honest: int) -> CutsFound:
    """Try all tails of so many honest members and one liar; the lost player was of one more."""
    cuts = 0
    for missing in product(range(KNOWN, KNOWN + SPREAD + 1), repeat=honest):
        tails = [Tail(0, each, (TRUE,) * (2 * SPREAD)) for each in missing]
        for lie in _lies():
            cuts += 1
            wrong = _wrong(missing, [*tails, lie])
            if wrong:
                return CutsFound(cuts, (f"{wrong}: honest members miss {missing}, the liar says {lie}",))
    return CutsFound(cuts, ())


def _lies() -> Iterator[Tail]:
    for missing in range(FURTHEST + 1):
        for count in range(min(missing, 2 * SPREAD) + 1):
            for inputs in product((TRUE, FALSE), repeat=count):
                yield Tail(0, missing, inputs)


def _wrong(missing: tuple[int, ...], tails: list[Tail]) -> str:
    lost = len(tails)
    terms = {peer_id: MemberTerms((peer_id + 1,), b"", Reach(REACH, 0)) for peer_id in range(lost)}
    terms[lost] = MemberTerms((0,), b"", Reach(REACH, 0))
    members = outcome.SlotMembers(terms, {}, (), lost + 1, 4)
    said = {author: Statement(0, b"", author, tails=(tail,)) for author, tail in enumerate(tails)}
    [cut] = outcome.decided(0, members, [lost], said).cuts
    shown = dict(zip(range(cut.first, cut.frame), cut.inputs, strict=True))
    if cut.frame > max(missing) + REACH:
        return f"inputs up to {cut.frame} are invented"
    if len(missing) == 1:
        return ""  # it plays with a liar alone
    if cut.frame < min(missing):
        return f"inputs that all honest members have are lost from {cut.frame} on"
    if any(value == FALSE for frame, value in shown.items() if frame < min(missing)):
        return f"inputs that all honest members have are changed: {shown}"
    return ""
