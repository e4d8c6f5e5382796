"""Random values as source: right ones for a field, and all others."""

from random import Random

from tests.checkers.worlds.fields import FieldSpec

__all__ = ["POOL", "any_value", "right_value", "wrong_value"]

POOL = (
    *("0", "1", "-1", "2", "7", "100", "127", "128", "-128", "-129", "255", "256", "32767", "32768", "-32769"),
    *("65535", "65536", "2**31 - 1", "2**31", "-2**31 - 1", "2**32 - 1", "2**32", "2**53 + 1", "2**63 - 1", "2**63"),
    *("-2**63", "-2**63 - 1", "2**64 - 1", "2**64", "10**30", "-10**30", "2**2000", "True", "False", "None"),
    *("0.0", "-0.0", "1.5", "-2.25", "3.0", "1e16", "1e300", "5e-324", "0.1", "nan", "-nan", "inf", "-inf"),
    *("MyInt(5)", "MyInt(300)", "MyInt(-1)", "MyFloat(2.5)", "MyFloat(nan)", "MyFloat(-0.0)", "MyStr('my')"),
    *("Mood.CALM", "Mood.ANGRY", "Mood.CROSS", "Mood.ASLEEP", "Size.SMALL", "Size.LARGE", "Tint.RED", "Tint.BLUE"),
    *("Many.M299", "'calm'", "''", "'abc'", "'z\\u00f6e'", "'\\U0001f3a8'", "'\\ud800'", "'x' * 300", "b'abc'"),
    *("[]", "()", "{}", "[1]", "[1, 2]", "(3, 4)", "[1, 2, 3, 4]", "(1.5, nan)", "['a', 'b']", "[None]", "[True]"),
    *("Vector2(1, 2)", "Vector2(-0.0, 0.5)", "Vector2(inf, 1)", "MyVector(3, 4)", "Rect(1, 2, 3, 4)"),
    *(
        "Rect(-5, 0, -7, 0)",
        "FRect(0.5, 1, 2, 3)",
        "FRect(1e300, 0, inf, -0.0)",
        "((1, 2), (3, 4))",
        "(1, 2, 3, 2**40)",
    ),
    *("object", "1j", "Floaty()", "Rude()", "range(2)", "iter([1])", "{1, 2}", "w", "int", "lambda: 0", "Other()"),
)
"""Values of every type."""

INTEGERS = ("0", "1", "-1", "2", "3", "7", "True", "False", "MyInt(5)", "Size.LARGE")
REALS = (
    *("0.0", "-0.0", "1.5", "-2.25", "0.1", "1e300", "5e-324", "inf", "-inf", "3", "-7", "2**53", "MyFloat(2.5)"),
    *("MyInt(4)", "1e-310", "Size.SMALL"),
)
TEXTS = ("''", "'a'", "'z\\u00f6'", "'abc'", "'x' * 9", "MyStr('my')", "Tint.BLUE", "'\\U0001f3a8'", "'\\x00'")
ENUMS = {
    "Mood": ("Mood.CALM", "Mood.ANGRY", "Mood.CROSS", "Mood.ASLEEP"),
    "Size": ("Size.SMALL", "Size.LARGE"),
    "Tint": ("Tint.RED", "Tint.BLUE"),
    "Many": ("Many.M0", "Many.M7", "Many.M255", "Many.M256", "Many.M299"),
}
VECTORS = (
    *("Vector2(1, 2)", "Vector2(-0.0, 0.5)", "(3, 4.5)", "[1, -2]", "MyVector(3, 4)", "Vector2(inf, -inf)", "(0, 0)"),
    *("Vector2()", "iter((1, 2))", "(MyFloat(1.5), True)", "Vector2(5e-324, 1e300)"),
)
RECTS = (
    *("Rect(1, 2, 3, 4)", "(1, 2, 3, 4)", "((1, 2), (3, 4))", "FRect(1.7, -1.7, 2.5, 3.5)", "Rect(-5, 0, -7, 0)"),
    *("[9, 8, 7, 6]", "Rect(2**31 - 1, -2**31, 0, 0)", "Rect()"),
)
FRECTS = (
    *("FRect(0.5, 1, 2, 3)", "(1, 2.5, 3, 4)", "((1, 2), (3, 4))", "Rect(1, 2, 3, 4)", "FRect(1e300, 0, inf, -0.0)"),
    *("FRect(-0.0, -0.0, 0, 0)", "[9, 8, 7, 6]"),
)


def any_value(dice: Random) -> str:
    return dice.choice(POOL)


def wrong_value(dice: Random, field: FieldSpec) -> str:
    """A value of any type that is mostly wrong for the field."""
    if field.kind == "int" and dice.random() < 0.4:
        return dice.choice((f"{field.low - 1}", f"{field.high + 1}", f"{field.high}.0", "1.5", "True", "nan"))
    if field.kind == "float" and dice.random() < 0.4:
        return dice.choice(("nan", "MyFloat(nan)", "2**53 + 1", "2**2000", "True", "inf - inf", "None", "'1'"))
    if field.kind == "text" and dice.random() < 0.4:
        return dice.choice((f"'x' * {field.most + 1}", "'\\ud800'", "b'a'", f"'\\u00f6' * {field.most // 2 + 1}"))
    return any_value(dice)


def right_value(dice: Random, field: FieldSpec) -> str:
    """A value that the field takes; for a thing or a reference see ``operations``."""
    if field.optional and dice.random() < 0.3:
        return "None"
    match field.kind:
        case "int":
            return _integer(dice, field)
        case "float":
            return dice.choice(REALS)
        case "bool":
            return dice.choice(("True", "False"))
        case "enum":
            return dice.choice(ENUMS[field.inner])
        case "text":
            return dice.choice(TEXTS) if field.most >= 16 else dice.choice(("''", "'a'", f"'x' * {field.most}"))
        case "vector":
            return dice.choice(VECTORS)
        case "rect":
            return dice.choice(RECTS)
        case "frect":
            return dice.choice(FRECTS)
        case "cache":
            return dice.choice(("None", "3", "'kept'", "(1, 2)"))
        case "values":
            assert field.of is not None
            return f"[{', '.join(right_value(dice, field.of) for _ in range(dice.randrange(min(field.most, 3) + 1)))}]"
    return "None"


def _integer(dice: Random, field: FieldSpec) -> str:
    if dice.random() < 0.4:
        found = dice.choice(INTEGERS)
        return "1" if field.low >= 0 and found.startswith("-") else found
    return str(dice.choice((field.low, field.high, 1, dice.randint(field.low, field.high), dice.randint(0, 100))))
