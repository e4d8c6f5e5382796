"""All rules of the static audit: id, reason, and what to do instead.

Allow comments name rules by their ids. docs/guides/audit.md shows each rule with an example; a test compares both.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One thing that a simulation must not do."""

    id: str
    """The rule's name in reports and allow comments."""
    reason: str
    """Why breaking the rule breaks a match."""
    advice: str
    """What to do instead."""


_RULES = (
    Rule(
        id="float",
        reason="no field of the state is declared as a float, and careless floats differ between machines",
        advice="use integers in a fixed scale (retick.sim.fixed); or declare float fields as F64 and use "
        "retick.sim.maths (docs/concepts/floats.md); or write in the file: # retick: floats -- reason",
    ),
    Rule(
        id="division",
        reason="true division gives a float, even for two integers, and no field of the state is declared as one",
        advice="use // with the rounding that you mean, or retick.sim.fixed.div; or declare float fields as F64",
    ),
    Rule(
        id="float-field",
        reason="an integer field cannot hold a float",
        advice="declare the field as float (F64), or round: int(), math.floor() or round()",
    ),
    Rule(
        id="inexact-math",
        reason="the last bits of this result differ between C libraries, processors or Python versions",
        advice="use retick.sim.maths, retick.sim.Vector2, or + - * / and math.sqrt; for integers, retick.sim.fixed or "
        "math.isqrt",
    ),
    Rule(
        id="clock",
        reason="no two peers, and no two runs of a frame, read the same time",
        advice="count frames in the state: a frame has a fixed length",
    ),
    Rule(
        id="random",
        reason="its state is not in the game's state, so a resimulated frame gets other numbers",
        advice="in a World, declare a field `dice: Dice` and write `from retick.sim import Dice, random` in place of "
        "`import random`; in a game whose state is a Record, keep a retick.sim.XorShift32 in the state",
    ),
    Rule(
        id="identity",
        reason="hashes of text differ in each process, and id() is an address",
        advice="number your objects with integers; for a checksum of integers use retick.sim.fnv1a",
    ),
    Rule(
        id="set-order",
        reason="the order of a set depends on hashes and on the order of insertion",
        advice="iterate over sorted(...), or keep a dict or a list, which have an order",
    ),
    Rule(
        id="environment",
        reason="it differs between peers",
        advice="read it outside of the simulation, and pass what is needed in the state or the constructor",
    ),
    Rule(
        id="concurrency",
        reason="the scheduler decides the order",
        advice="step in one thread; use threads only outside of the simulation",
    ),
    Rule(
        id="io",
        reason="a frame may run many times and on every peer; files, sockets and keyboards give other data each time",
        advice="read before the match, write after it, and pass data as arguments",
    ),
    Rule(
        id="output",
        reason="a resimulated frame prints again, and a replay runs thousands of frames",
        advice="put what happened in the state, and show it outside of the simulation; while debugging: "
        "# retick: allow output -- reason",
    ),
    Rule(
        id="engine",
        reason="an engine has its own clock, floats and order, and is not installed on a server or verifier",
        advice="keep it in `draw`, `press` and `hear`, outside of the simulation; if its results are the same on every "
        "machine, write: # retick: allow engine -- reason",
    ),
    Rule(
        id="global-state",
        reason="values outside of the state are not saved, so a rollback does not restore them",
        advice="put it in the state (in a World: a declared field); do not change module variables, class attributes "
        "and defaults after import",
    ),
    Rule(
        id="hidden-state",
        reason="step() changes the game object, which is not saved, so a rollback does not restore it",
        advice="put it in the state; the game object must only have values that never change",
    ),
    Rule(
        id="state-mutation",
        reason="saved states are references, so changing the state changes them, too",
        advice="return a new state: Record.replace, dataclasses.replace, or change a deep copy",
    ),
    Rule(
        id="pickle",
        reason="a saved state comes from other peers too, and loading a pickle runs whatever code its sender wrote",
        advice="declare the state (retick.sim.World or Record), or save and load plain bytes with struct",
    ),
)

_META_RULES = (
    Rule(
        id="syntax",
        reason="a file that cannot be parsed cannot be audited",
        advice="make the file valid Python in UTF-8",
    ),
    Rule(
        id="allow-reason",
        reason="an allow comment without a reason cannot be reviewed, and silences nothing",
        advice="write: # retick: allow RULE -- reason",
    ),
    Rule(
        id="allow-unused",
        reason="the comment silences nothing now, and would hide a later mistake",
        advice="remove it",
    ),
    Rule(
        id="allow-unknown",
        reason="the audit does not know this comment",
        advice="write: # retick: allow RULE -- reason, or on a line of its own: # retick: floats -- reason",
    ),
)

RULES: dict[str, Rule] = {rule.id: rule for rule in _RULES}
"""The rules that an allow comment can name."""

META_RULES: dict[str, Rule] = {rule.id: rule for rule in _META_RULES}
"""The rules about allow comments and unreadable files; they cannot be silenced."""

FLOAT_RULES = frozenset({"float", "division"})
"""The rules that do not apply if the state has floats, or with a ``retick: floats`` comment."""
