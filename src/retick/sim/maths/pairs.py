"""What one rounded operation leaves out, exactly: sums, products and roots as pairs of a high and a low part.

``high + low`` has twice the digits of a double. The low part is found with + - * alone (Knuth for sums, Dekker for
products), never with a fused multiply-add, which not every processor has. The compiled form is in pairs.pxd.
"""

__all__ = ["product_error", "root_error", "sum_error"]

_SPLITTER = 134217729.0
"""2**27 + 1: cuts a double into two halves of 26 bits."""


def sum_error(a: float, b: float, total: float) -> float:
    """What is missing in ``total``, the rounded ``a + b``."""
    grown = total - a
    return (a - (total - grown)) + (b - grown)


def product_error(a: float, b: float, product: float) -> float:
    """What is missing in ``product``, the rounded ``a * b``. Neither factor is above 2**995."""
    a_high = _SPLITTER * a
    b_high = _SPLITTER * b
    a_high = a_high - (a_high - a)
    b_high = b_high - (b_high - b)
    a_low = a - a_high
    b_low = b - b_high
    return ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low


def root_error(square: float, square_low: float, root: float) -> float:
    """What is missing in ``root``, the rounded square root of ``square``, to that of ``square + square_low``."""
    again = root * root
    return (((square - again) - product_error(root, root, again)) + square_low) / (root + root)
