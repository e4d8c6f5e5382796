"""The catalogue: every rule with its id, why it exists and what to do instead.

The ids are the words that allow comments use. docs/audit.md shows each rule with an example; a test holds the
two lists together.
"""

from dataclasses import dataclass

__all__ = ["FLOAT_RULES", "META_RULES", "RULES", "Rule"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One thing that a simulation must not do."""

    id: str
    """The word that reports and allow comments use."""
    reason: str
    """Why it breaks a match."""
    advice: str
    """What to do instead."""


_RULES = (
    Rule(
        id="float",
        reason="floats round, and compilers, libraries and machines do not all round alike",
        advice="keep integers in a fixed scale (retick.sim.fixed), or declare the file: # retick: floats -- reason",
    ),
    Rule(
        id="division",
        reason="true division makes a float even of two integers",
        advice="use // with the rounding that you mean, or retick.sim.fixed.div",
    ),
    Rule(
        id="inexact-math",
        reason="the last bits of this result differ between C libraries, processors or Python versions",
        advice="use an integer table, math.isqrt, or code of your own made of + - * //",
    ),
    Rule(
        id="clock",
        reason="no two machines, and no two runs of one frame, read the same time",
        advice="count frames in the state; a frame has a fixed length",
    ),
    Rule(
        id="random",
        reason="its state is not in the game's state, so a frame that runs again draws other numbers",
        advice="keep a retick.sim.XorShift32 in the state and draw from it",
    ),
    Rule(
        id="identity",
        reason="hashes of text differ in each process, and ids are addresses",
        advice="give things integer numbers of their own; for a checksum of integers use retick.sim.fnv1a",
    ),
    Rule(
        id="set-order",
        reason="the order of a set depends on hashes and on how it was filled",
        advice="iterate over sorted(...), or keep a dict or a list, which have an order",
    ),
    Rule(
        id="environment",
        reason="it differs between machines",
        advice="read it outside of the simulation and pass what matters in the state or the constructor",
    ),
    Rule(
        id="concurrency",
        reason="the scheduler decides the order",
        advice="step in one thread; let the program around the simulation be concurrent",
    ),
    Rule(
        id="io",
        reason="a frame may run many times and on every machine; files, sockets and keyboards answer differently",
        advice="read before the match, write after it, and pass data in as arguments",
    ),
    Rule(
        id="output",
        reason="a frame that rolls back says it again, and frames are stepped by the thousand",
        advice="return what happened in the state, and show it outside of the simulation",
    ),
    Rule(
        id="engine",
        reason="an engine brings its own clock, floats and order, and a server or verifier has none",
        advice="keep drawing and input in another module that imports the simulation",
    ),
    Rule(
        id="global-state",
        reason="what lives outside of the state is not saved, and survives a rollback",
        advice="put it in the state; leave module tables, class attributes and defaults unchanged after import",
    ),
    Rule(
        id="hidden-state",
        reason="step() changes the game object, which is not saved, and survives a rollback",
        advice="put it in the state; the game object holds only what never changes",
    ),
    Rule(
        id="state-mutation",
        reason="saving a state is keeping a reference to it, so changing it changes the past",
        advice="return a new state: Record.replace, dataclasses.replace, or change a deep copy",
    ),
)

_META_RULES = (
    Rule(
        id="syntax",
        reason="what cannot be parsed cannot be audited",
        advice="make the file valid Python in UTF-8",
    ),
    Rule(
        id="allow-reason",
        reason="an exception without a reason cannot be reviewed; it silences nothing",
        advice="write: # retick: allow RULE -- reason",
    ),
    Rule(
        id="allow-unused",
        reason="it silences nothing here, and would hide the next mistake",
        advice="remove it",
    ),
    Rule(
        id="allow-unknown",
        reason="this comment is not one that the audit knows",
        advice="write: # retick: allow RULE -- reason, or on a line of its own: # retick: floats -- reason",
    ),
)

RULES: dict[str, Rule] = {rule.id: rule for rule in _RULES}
"""The rules that an allow comment can name."""

META_RULES: dict[str, Rule] = {rule.id: rule for rule in _META_RULES}
"""The rules about the audit's own comments and about readable files; nothing silences them."""

FLOAT_RULES = frozenset({"float", "division"})
"""What a file that declares its floats is excused from; inexact functions are still found."""
