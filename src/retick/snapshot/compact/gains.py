"""How far a motion goes: the factors of one packet, from the ticks between its frames.

A motion with damping d and acceleration a goes on by ``v = d * v + a; x = x + v`` each tick. So a window of m ticks
that ends at the baseline gives the velocity there, and the velocity gives the position n ticks later::

    predicted = x0 + (x0 - xm) * gain + a * lift

For each pair of a window and a history frame inside of it, the same two numbers say where the frame should lie on the
line. A rotation turns along a great circle: ``A * q0 - B * qm``, with A and B as power series in ``|q0 - qm|**2 / 4``.
The numbers are doubles; only additions, products and quotients make them, so that all machines have the same bits.
"""

from array import array
from typing import NamedTuple

from retick.snapshot.compact.numbers import FARTHEST, FRAMES, TERMS

__all__ = ["Gains", "gains_of"]


class Gains(NamedTuple):
    """The factors of one damping, by window; pairs are numbered window * 3 + frame."""

    ahead: "array[float]"
    """By window: gain, lift."""
    back: "array[float]"
    """By pair: the share of ``x0 - xm`` at the frame, and its lift."""
    turns: "array[float]"
    """By window: the series A and B forward; then by pair: those of the frame."""


def _sums(damping: float, ticks: int) -> tuple[float, float, float, float]:
    """Forward: factor of the velocity and of the acceleration; backward: the same two."""
    forward = lifted = 0.0
    power, pushed = 1.0, 0.0
    for _ in range(ticks):
        pushed = pushed * damping + 1.0
        power *= damping
        forward += power
        lifted += pushed
    backward = sunk = 0.0
    power, pushed = 1.0, 0.0
    for _ in range(ticks):
        backward += power
        sunk += pushed
        power /= damping
        pushed += power
    return forward, lifted, backward, sunk


def _series(a: float) -> list[float]:
    """sin(a t) / sin(t) as a power series in sin(t / 2)**2."""
    terms = [a]
    for k in range(TERMS - 1):
        terms.append(terms[-1] * (1.0 + a + k) * (1.0 - a + k) / ((1.5 + k) * (k + 1.0)))
    return terms


def gains_of(damping: float, ahead: int, ages: tuple[int, ...]) -> Gains:
    """For a packet ``ahead`` ticks after its baseline, whose history frames are ``ages`` ticks older than that."""
    forward, lifted, _backward, _sunk = _sums(damping, min(ahead, FARTHEST))
    factors = array("d", bytes(8 * 2 * FRAMES))
    back = array("d", bytes(8 * 2 * FRAMES * FRAMES))
    turns = array("d", bytes(8 * 2 * TERMS * (FRAMES + FRAMES * FRAMES)))
    for window, age in enumerate(ages):
        _f, _l, whole, sunk = _sums(damping, age)
        gain = forward / whole
        factors[2 * window] = gain
        factors[2 * window + 1] = lifted + sunk * gain
        turns[2 * TERMS * window : 2 * TERMS * (window + 1)] = array("d", _series(1.0 + gain) + _series(gain))
        for frame, inner in enumerate(ages):
            _f, _l, part, bent = _sums(damping, inner)
            pair = window * FRAMES + frame
            share = part / whole
            back[2 * pair] = share
            back[2 * pair + 1] = sunk * share - bent
            at = 2 * TERMS * (FRAMES + pair)
            turns[at : at + 2 * TERMS] = array("d", _series(1.0 - share) + [-term for term in _series(share)])
    return Gains(factors, back, turns)
