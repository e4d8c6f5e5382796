"""Random operations on the classes of a program, right ones and wrong ones."""

from collections.abc import Callable
from random import Random

from tests.checkers.worlds.declarations import Declarations
from tests.checkers.worlds.fields import ClassSpec, FieldSpec
from tests.checkers.worlds.program import Program
from tests.checkers.worlds.values import any_value, right_value, wrong_value

__all__ = ["FAMILIES", "drawn"]

DICE = FieldSpec(name="state", kind="int", hint="int", low=1, high=0xFFFFFFFF)
BUILT_IN = {
    "Dice": ClassSpec("Dice", {"state": DICE}, names=["flip", "next", "random"]),
    "Cooldown": ClassSpec(
        "Cooldown", {"heat": FieldSpec(name="heat", kind="int", hint="U16", low=0, high=65535)}, names=["rest"]
    ),
}
VARIABLES = 4
PAIRS = ("(1, 2)", "Vector2(0.5, -0.0)", "3", "(nan, 0)", "(inf, -inf)")

Lines = list[str]


def drawn(seed: int, without: frozenset[str] = frozenset()) -> Program:
    """The program of a seed; ``without``: families of operations to leave out."""
    return _Drawing(Random(f"worlds {seed}"), without).program()


class _Drawing:
    """One program while it is drawn."""

    def __init__(self, dice: Random, without: frozenset[str]) -> None:
        self.dice = dice
        self.declared = Declarations(dice)
        self.things = self.declared.things
        self.world = self.declared.world
        self.variables = {f"t{number}": dice.choice(list(self.things)) for number in range(VARIABLES)}
        self.root = "w"
        self.is_clean = False
        """Whether the world is in the state ``s``, which it was stepped to or loaded from."""
        self.is_shut = False
        self.players = dice.randint(1, 3)
        self.watch = dice.choice((0.05, 0.3, 1.0))
        names = [name for name in FAMILIES if name not in without]
        # Each program has a taste of its own.
        weights = {name: FAMILIES[name][1] * dice.choice((0.3, 1, 1, 3)) for name in names}
        self.names, self.weights = list(weights), list(weights.values())

    def program(self) -> Program:
        dice = self.dice
        start = [*self._first_things(), *self._within("self", dice.randint(1, 5), STARTING, careful=True)]
        advance = self._advance()
        rebuild = self._rebuild()
        world = self.declared.world_unit(self.players, start, advance, rebuild)
        units = ["w = W()\nw.reset(1)\nlook(w)", "v = W()\nv.reset(2)", "s = WorldState(w.save())\nolder = [s]"]
        units += [f"{name} = {self.make(cls)}" for name, cls in self.variables.items()]
        for _ in range(dice.randint(15, 45)):
            units.append(self.operation())
            if dice.random() < self.watch:
                units[-1] += f"\nlook(w, {dice.choice((0, 0, 0, 1, 2))})"
        units.append("\n".join(f"peek({name}, {self._links(cls)!r})" for name, cls in self.variables.items()))
        units.append("look(w, 2)\nlook(v, 2)\nattempt(w.diff, v)")
        return Program((*self.declared.units, world), tuple(units))

    def operation(self) -> str:
        dice = self.dice
        family = dice.choices(self.names, self.weights)[0]
        text = FAMILIES[family][0](self)
        if family not in READING:
            self.is_clean = False
        if family in STATES:
            self.is_clean = True
        return "\n".join(text)

    # Methods of the world.

    def _within(self, root: str, count: int, families: tuple[str, ...], *, careful: bool) -> Lines:
        """Lines for a method, which know only the world itself."""
        before, self.root = self.root, root
        lines: Lines = []
        for _ in range(count):
            made = FAMILIES[self.dice.choice(families)][0](self)
            lines += (
                ["try:", *(f"    {line}" for line in made), "except Exception as error:", "    note(error)"]
                if careful
                else made
            )
        self.root = before
        return lines

    def _first_things(self) -> Lines:
        """Most lists begin with some things: an operation on an empty one shows little."""
        lines: Lines = []
        before, self.root = self.root, "self"
        for field in self.world.of_kind("things"):
            if self.dice.random() < 0.85:
                made = ", ".join(self.make(field.inner) for _ in range(self.dice.randint(1, min(3, field.most))))
                lines.append(f"attempt(self.{field.name}.extend, [{made}])")
        self.root = before
        return lines

    def _advance(self) -> Lines:
        dice = self.dice
        lines: Lines = []
        for number in range(dice.randint(1, 5)):
            made = self._within("self", 1, STEPPING, careful=dice.random() < 0.5)
            guard = f"if inputs[{dice.randrange(self.players)}] >> {number} & {dice.choice((1, 3))}:"
            lines += [guard, *(f"    {line}" for line in made)] if dice.random() < 0.7 else made
        if dice.random() < 0.5:
            lines.append("self.cue('sum', sum(inputs))")
        return lines

    def _rebuild(self) -> Lines:
        caches = self.world.of_kind("cache")
        lists = self.world.of_kind("things")
        if not caches or self.dice.random() < 0.3:
            return []
        return [f"self.{self.dice.choice(caches).name} = len(self.{self.dice.choice(lists).name})"]

    # Expressions.

    def make(self, cls: str, *, wrong: float = 0.0) -> str:
        """A call that makes a thing."""
        dice = self.dice
        if cls in BUILT_IN:
            return f"{cls}()"
        given = []
        for field in self.things[cls].fields.values():
            if dice.random() < wrong:
                given.append(f"{field.name}={wrong_value(dice, field)}")
            elif field.is_needed or dice.random() < 0.3:
                value = self.right(field, depth=1)
                if value:
                    given.append(f"{field.name}={value}")
        return f"{cls}({', '.join(given)})"

    def right(self, field: FieldSpec, depth: int = 0) -> str:
        """A right value of any kind of field; empty if there is none but the default."""
        dice = self.dice
        if field.kind == "ref":
            return self.target(field.inner) if dice.random() < 0.7 else "None"
        if field.kind == "part":
            if field.optional and dice.random() < 0.3:
                return "None"
            return self.make(field.inner) if depth < 2 else ""
        if field.kind == "things":
            if depth > 1:
                return "[]"
            return f"[{', '.join(self.make(field.inner) for _ in range(dice.randrange(3)))}]"
        return right_value(dice, field)

    def target(self, cls: str) -> str:
        """An item of a list of the world that a reference may name; None if no list holds such things."""
        lists = [field for field in self.world.of_kind("things") if field.inner == cls]
        if not lists:
            return "None"
        return f"({self.root}.{self.dice.choice(lists).name} or [None])[{self.dice.choice((0, -1))}]"

    def holder(self, *kinds: str) -> tuple[str, ClassSpec]:
        """An expression for the world, a thing in it or a variable, that has a field of one of these kinds."""
        for _ in range(12):
            name, spec = self._holder()
            if not kinds or spec.of_kind(*kinds):
                return name, spec
        return self.root, self.world

    def _holder(self) -> tuple[str, ClassSpec]:
        dice = self.dice
        roll = dice.random()
        if roll < 0.2:
            return self.root, self.world
        if roll < 0.4 and self.root == "w":
            name = dice.choice(list(self.variables))
            return name, self.things[self.variables[name]]
        expression, spec = self.root, self.world
        if roll > 0.97 and self.root == "w":
            expression = "v"
        for _ in range(dice.choice((1, 1, 2, 3))):
            below = spec.of_kind("things", "part", "ref")
            if not below:
                break
            field = dice.choice(below)
            if spec is self.world and dice.random() < 0.6:
                field = dice.choice(spec.of_kind("things"))
            inner = BUILT_IN.get(field.inner) or self.things.get(field.inner)
            if inner is None:
                break
            expression += f".{field.name}" + (f"[{dice.choice((0, 0, 1, -1, 2))}]" if field.kind == "things" else "")
            spec = inner
        return expression, spec

    def place(self, *kinds: str) -> tuple[str, FieldSpec]:
        """An expression for a field of one of these kinds, or of any."""
        holder, spec = self.holder(*kinds)
        found = spec.of_kind(*kinds) if kinds else list(spec.fields.values())
        found = [field for field in found if field.kind != "cache" or kinds] or self.world.of_kind("things")
        field = self.dice.choice(found)
        return f"{holder}.{field.name}", field

    def _links(self, cls: str) -> str:
        return " ".join(field.name for field in self.things[cls].of_kind("ref", "cache"))

    def shown(self, expression: str, field: FieldSpec | None = None) -> Lines:
        """Show a field, or not; a reference of a variable may be revived by an older state."""
        if self.dice.random() < 0.4:
            return []
        is_loose = expression[0] == "t" and expression[1].isdigit()
        loose = "hush" if (is_loose and (field is None or field.kind in ("ref", "things", "part"))) else "show"
        return [f"{loose}({expression})"]

    # Families.

    def write(self) -> Lines:
        place, field = self.place()
        value = self.right(field)
        if self.root == "w" and field.kind == "part" and self.dice.random() < 0.3:
            value = self.dice.choice(list(self.variables))
        return [f"{place} = {value or 'None'}", *self.shown(place, field)]

    def wrong(self) -> Lines:
        place, field = self.place()
        value = wrong_value(self.dice, field)
        if self.root != "w" and value in ("w", "Other()", "iter([1])"):
            value = "None"
        read = f"show({place})" if field.kind not in ("ref", "part", "things") else "pass"
        return ["try:", f"    {place} = {value}", "except Exception as error:", "    note(error)", read]

    def augment(self) -> Lines:
        dice = self.dice
        place, field = self.place("int", "float", "text", "vector", "values", "things", "enum", "bool")
        if field.kind in ("values", "things"):
            return [f"{place} *= {dice.choice(('0', '1', '2', '-1', 'None', '1.5'))}", *self.shown(place)]
        if field.kind == "text":
            return [f"{place} += {right_value(dice, field)}", *self.shown(place)]
        if field.kind == "vector":
            return [
                f"{place} {dice.choice(('+=', '-='))} {dice.choice(PAIRS)}",
                *self.shown(place),
            ]
        by = dice.choice(
            ("1", "2", "-1", "0.5", "3.0", "True", "1e308", "2**31", "nan", "inf", "MyInt(2)", "MyFloat(0.5)")
        )
        sign = dice.choice(("+=", "-=", "*=", "+=", "-=", "//=", "/=", "%=", "|=", "&=", "^=", ">>="))
        return [f"{place} {sign} {by}", *self.shown(place)]

    def temporary(self) -> Lines:
        """A value that stands only for a moment."""
        place, field = self.place("int", "float", "vector", "text", "bool", "enum")
        first = right_value(self.dice, field)
        return [f"{place} = {first}", f"show({place})", f"{place} = {right_value(self.dice, field)}", f"show({place})"]

    def read(self) -> Lines:
        dice = self.dice
        holder, spec = self.holder()
        names = [*spec.fields, *spec.names, "id", "world", "nothing", "__dict__", "predicted"]
        name = dice.choice(names)
        if name == "world":
            return [f"attempt(lambda: {holder}.world is w)"]
        hushed = name in spec.fields and spec.fields[name].kind in ("ref", "cache", "part", "things")
        if dice.random() < 0.2:
            return [f"show(hasattr({holder}, {name!r}))"]
        if dice.random() < 0.2 and not hushed:
            return [f"show(getattr({holder}, {name!r}, 'absent'))"]
        if name in ("churn", "flip", "next", "random", "rest"):
            return [f"show({holder}.{name}())"]
        return [f"{'hush' if hushed else 'show'}({holder}.{name})"]

    def compare(self) -> Lines:
        dice = self.dice
        (a, _), (b, _) = self.holder(), self.holder()
        if dice.random() < 0.3:
            return [f"show({a} is {b}, {a} == {b}, {a} in [{b}], bool({a}))"]
        place, _ = self.place("things")
        name = dice.choice(list(self.variables))
        return [
            f"attempt(lambda: {place}.index({name}))",
            f"show({name} in {place}, {place}.count({name}), len({place}))",
        ]

    def delete(self) -> Lines:
        holder, spec = self.holder()
        name = self.dice.choice([*spec.fields, *spec.names, "id", "nothing", "world"])
        return [f"del {holder}.{name}"]

    def undeclared(self) -> Lines:
        dice = self.dice
        holder, spec = self.holder()
        if spec.names and dice.random() < 0.5:
            name = dice.choice(spec.names)
        else:
            name = dice.choice(
                (
                    "nothing",
                    "speed",
                    "id",
                    "world",
                    "_id",
                    "predicted",
                    "__dict__",
                    "__class__",
                    "__doc__",
                    "save",
                    "cue",
                    "_x",
                    "loose",
                )
            )
        value = any_value(dice)
        if name in ("_id", "__class__") or value in ("w", "iter([1])"):
            name, value = "nothing", "3"
        return ["try:", f"    {holder}.{name} = {value}", "except Exception as error:", "    note(error)"]

    def by_name(self) -> Lines:
        dice = self.dice
        holder, spec = self.holder()
        name = dice.choice([*spec.fields, "nothing"])
        field = spec.fields.get(name)
        value = (self.right(field) if field else "3") or "None"
        return [f"attempt(setattr, {holder}, {dice.choice((repr(name), f'MyStr({name!r})'))}, {value})"]

    def construct(self) -> Lines:
        dice = self.dice
        cls = dice.choice(list(self.things))
        spec = self.things[cls]
        roll = dice.random()
        if roll < 0.3:
            return [f"{dice.choice(list(self.variables))}_ = {self.make(cls)}"]
        if roll < 0.5:
            return [f"attempt(lambda: {self.make(cls, wrong=0.5)})"]
        given = [
            self.right(field, depth=1) or "None"
            for field in list(spec.fields.values())[: dice.randint(0, len(spec.fields))]
        ]
        if roll < 0.7:
            given += [any_value(dice) for _ in range(dice.choice((0, 0, 1, 2)))]
            return [f"attempt(lambda: {cls}({', '.join(given)}))"]
        named = [
            f"{name}={self.right(spec.fields[name], depth=1) or 'None'}"
            for name in dice.sample(list(spec.fields), min(len(spec.fields), 2))
        ]
        if dice.random() < 0.5:
            named.append(f"{dice.choice(('nothing', 'speed', 'id'))}=3")
        return [f"attempt(lambda: {cls}({', '.join([*given, *named])}))"]

    def adopt(self) -> Lines:
        """Give a variable another thing, and remember which class it has."""
        dice = self.dice
        name = dice.choice(list(self.variables))
        lists = self.world.of_kind("things")
        field = dice.choice(lists)
        self.variables[name] = field.inner
        if dice.random() < 0.5:
            return [f"{name} = {self.make(field.inner)}", f"w.{field.name}.append({name})"]
        return [f"{name} = (list(w.{field.name}) or [{self.make(field.inner)}])[{dice.choice((0, -1))}]"]

    def lists(self) -> Lines:
        dice = self.dice
        place, field = self.place("things")
        new = self.make(field.inner)
        free = dice.choice(list(self.variables)) if self.root == "w" else new
        item = dice.choice((new, free, f"{place}[0]", f"{place}[-1]", new))
        where = dice.choice(("0", "1", "-1", "5", "-9", "'a'", "True", "None"))
        part = dice.choice(("0:1", "1:", ":", "::2", "::-1", "5:9", "-1:", "0:0", "::0"))
        several = dice.choice(
            (
                f"[{new}, {self.make(field.inner)}]",
                "[]",
                f"[{item}]",
                f"[{item}, {item}]",
                f"{place}[::-1]",
                f"list({place})",
                f"{place}[1:]",
                "None",
                "[None]",
                "3",
                f"({new} for _ in range(2))",
            )
        )
        name = dice.choice([*self.things.get(field.inner, BUILT_IN["Dice"]).fields, "id", "nothing"])
        names = self.things[field.inner].fields if field.inner in self.things else {}
        loud = "hush" if name in names and names[name].kind in ("ref", "things", "part", "cache") else "show"
        key = dice.choice(("lambda item: item.id", "lambda item: -item.id", f"lambda item: item.{name}", "None"))
        choice = dice.choice((
            f"{place}.append({item})",
            f"{place}.append({item})",
            f"{place}.append({new})",
            f"{place}.append({any_value(dice) if self.root == 'w' else 'None'})",
            f"{place}.extend({several})",
            f"{place} += {several}",
            f"{place} = {several}",
            f"{place}.insert({where}, {item})",
            f"show({place}.pop())",
            f"show({place}.pop({where}))",
            f"{place}.remove({item})",
            f"del {place}[{where}]",
            f"del {place}[{part}]",
            f"{place}[{where}] = {item}",
            f"{place}[{part}] = {several}",
            f"{place}[0], {place}[-1] = {place}[-1], {place}[0]",
            f"{place}[:] = [item for item in {place} if item.id % 2]",
            f"{place}.sort(key={key})",
            f"{place}.sort(key={key}, reverse=True)",
            f"{place}.reverse()",
            f"{place}.clear()",
            f"{place} *= {dice.choice(('0', '1', '2'))}",
            f"show({place} + {several}, {place} * 2)",
            f"show({place}[{where}], {place}[{part}])",
            f"{loud}({place}.column({name!r}))",
            f"show(sorted(item.id for item in {place}), max([item.id for item in {place}], default=0))",
            f"show({place} == list({place}), {place} == [], {place}.copy(), len({place}))",
            f"for item in list({place}): {place}.remove(item)",
            f"for item in {place}: {place}.append({new})" if field.most < 20 else f"show(len({place}))",
            f"w.dice.shuffle({place})" if self.root == "w" else f"{place}.reverse()",
            f"{place}[{where}] = {place}.pop()",
            f"attempt(hash, {place})",
            f"other = {place}; other += [{new}]; show(other is {place})",
            f"show({place}.index({item}), {place}.count({item}))",
        ))  # fmt: skip
        return [choice, *([f"show({place})"] if dice.random() < 0.5 else [])]

    def values(self) -> Lines:
        dice = self.dice
        place, field = self.place("values")
        if field.kind != "values":
            return self.lists()
        assert field.of is not None
        item = right_value(dice, field.of) if dice.random() < 0.7 else wrong_value(dice, field.of)
        if self.root != "w" and item in ("w", "Other()"):
            item = "None"
        where = dice.choice(("0", "1", "-1", "5", "'a'"))
        part = dice.choice(("0:1", "1:", ":", "::2", "::-1", "5:9"))
        several = dice.choice(
            (
                right_value(dice, field),
                f"[{item}]",
                f"({item}, {item})",
                f"{place}",
                f"{place}[::-1]",
                "range(3)",
                "None",
                f"[{item}] * {field.most + 1}",
                f"(each for each in [{item}])",
            )
        )
        choice = dice.choice((
            f"{place}.append({item})",
            f"{place}.append({item})",
            f"{place}.extend({several})",
            f"{place} += {several}",
            f"{place} = {several}",
            f"{place}.insert({where}, {item})",
            f"show({place}.pop({where}))",
            f"{place}.remove({item})",
            f"del {place}[{where}]",
            f"del {place}[{part}]",
            f"{place}[{where}] = {item}",
            f"{place}[{part}] = {several}",
            f"{place}[0], {place}[-1] = {place}[-1], {place}[0]",
            f"{place}.sort()",
            f"{place}.sort(key=repr, reverse=True)",
            f"{place}.reverse()",
            f"{place}.clear()",
            f"{place} *= {dice.choice(('0', '1', '2', '3'))}",
            f"show({place} + [1], {place} * 2, {place}[{part}])",
            f"show({place} == {several}, {item} in {place}, {place}.count({item}))",
            f"other = {place}.copy(); other.append({item}); show(other, {place})",
            f"{place}[0] += 1",
            f"attempt(sum, {place})",
        ))  # fmt: skip
        return [choice, *([f"show({place})"] if dice.random() < 0.7 else [])]

    def references(self) -> Lines:
        dice = self.dice
        place, field = self.place("ref")
        if field.kind != "ref":
            return self.lists()
        value = dice.choice((self.target(field.inner), self.target(field.inner), "None"))
        if self.root == "w":
            value = dice.choice(
                (
                    value,
                    value,
                    dice.choice(list(self.variables)),
                    self.make(field.inner),
                    f"v.{dice.choice(self.world.of_kind('things')).name}[0]",
                    "w",
                    "3",
                )
            )
        leaves = []
        lists = [each for each in self.world.of_kind("things") if each.inner == field.inner]
        if lists and dice.random() < 0.3:
            leaves = [f"del {self.root}.{dice.choice(lists).name}[{dice.choice(('0', ':', '-1'))}]"]
        quiet = "hush" if place.startswith("t") else "show"
        return [f"{place} = {value}", f"{quiet}({place})", *leaves, *([f"{quiet}({place})"] if leaves else [])]

    def shapes(self) -> Lines:
        dice = self.dice
        place, field = self.place("vector", "rect", "frect")
        if field.kind not in ("vector", "rect", "frect"):
            return self.write()
        number = dice.choice(("1", "0.5", "-0.0", "nan", "inf", "1e300", "-7", "'a'", "True", "2**40"))
        other, source = self.place("vector", "rect", "frect")
        if field.kind == "vector":
            choice = dice.choice((
                f"{place}.x = {number}", f"{place}.y += {number}", f"{place} += ({number}, 1)", f"{place} *= {number}",
                f"{place}[0] = {number}", f"{place}.update({number}, 2)", f"{place}.rotate_ip({number})",
                f"{place}.scale_to_length({number})", f"{place}.xy = (3, {number})",
                f"show({place} + (1, 1), -{place}, {place}.length())",
            ))  # fmt: skip
        else:
            choice = dice.choice((
                f"{place}.x = {number}", f"{place}.w += {number}", f"{place}.center = ({number}, 4)",
                f"{place}.move_ip({number}, 2)",
                f"{place}.right = {number}", f"{place}.size = (3, {number})", f"{place}.inflate_ip({number}, 1)",
                f"{place}[2] = {number}", f"{place}.normalize()",
                f"show({place}.colliderect({place}), {place}.topleft)",
            ))  # fmt: skip
        alias = [f"one = {place}", choice, f"show(one == {place}, one is {place})"]
        shared = (
            [f"{place} = {other}", choice, f"show({place}, {other}, {place} is {other})"]
            if source.kind == field.kind
            else alias
        )
        return [*dice.choice(([choice], alias, shared, [f"{place} = {place}", choice])), f"show({place})"]

    def shapes_in_lists(self) -> Lines:
        dice = self.dice
        place, field = self.place("values")
        if field.of is None or field.of.kind not in ("vector", "rect", "frect"):
            return self.shapes()
        return [
            f"one = {right_value(dice, field.of)}",
            f"{place}.append(one)",
            f"{place}[-1][0] += 5",
            f"show(one, {place}, one is {place}[-1])",
            dice.choice(
                (
                    f"{place}[0] = {place}[-1]; {place}[0].x = 9",
                    f"{place} = [{place}[0]] * 2; {place}[0].y = 9",
                    f"{place}[0].x = nan",
                )
            ),
            f"show({place})",
        ]

    def parts(self) -> Lines:
        dice = self.dice
        place, field = self.place("part")
        if field.kind != "part":
            return self.write()
        other, _ = self.place("part")
        value = dice.choice((self.make(field.inner), "None", other, place, any_value(dice)))
        if self.root == "w":
            value = dice.choice((value, dice.choice(list(self.variables))))
        elif value in ("w", "Other()"):
            value = "None"
        return [
            f"one = {place}",
            f"{place} = {value}",
            f"show({place}, one is {place})",
            "show(getattr(one, 'id', None))",
        ]

    def draws(self) -> Lines:
        dice = self.dice
        place, field = self.place("part")
        if field.inner == "Cooldown":
            return [
                f"show({place}.use({dice.randint(0, 4)}, {dice.randint(0, 3)}))",
                f"{place}.rest()",
                f"show({place}.heat)",
            ]
        if field.inner == "Dice":
            call = dice.choice(
                (
                    "below(6)",
                    "uniform(0, 1)",
                    "flip()",
                    "seed(7)",
                    "seed(0)",
                    "choice([1, 2, 3])",
                    "gauss()",
                    "below(0)",
                )
            )
            return [f"show({place}.{call})", f"show({place}.state)"]
        holder, spec = self.holder()
        return [f"jump({holder})"] if spec.of_kind("int") else [f"show({holder}.id)"]

    def saving(self) -> Lines:
        dice = self.dice
        return dice.choice((
            ["saved = w.save()", "older.append(WorldState(saved))", "show(len(saved), crc32(saved))"],
            ["w.load(older[-1].saved)", "look(w, 1)"],
            [f"w.load(older[{dice.randint(-3, 3)}].saved)", "look(w)"],
            ["v.load(w.save())", "show(v.checksum() == w.checksum(), v.diff(w))"],
            ["w.load(v.save())", "look(w)"],
            ["for kind in (bytearray, memoryview, str): attempt(w.load, kind(w.save()))"],
            [f"for data in (w.save()[:{dice.randint(-20, 30)}], b'', Other().save()): attempt(w.load, data)"],
            [f"attempt(w.load, w.save() + bytes({dice.randint(0, 3)}))"],
        ))  # fmt: skip

    def mutations(self) -> Lines:
        """Load bytes in which some are others."""
        dice = self.dice
        at = dice.randint(0, 30) if dice.random() < 0.3 else dice.randint(13, 400)
        value = dice.choice((0, 1, 2, 3, 5, 127, 128, 240, 255, dice.randint(0, 255)))
        call = f"mutated(w.save(), {at}, {value}, {dice.choice((0, 0, 0, 0, 1, -1, 4))})"
        if dice.random() < 0.1:
            call = f"next_id_set(w.save(), {dice.choice((0, 1, 2, 0xFFFFFFFE, 0xFFFFFFFF))})"
        lines = [
            f"attempt({dice.choice(('w', 'v', 'w'))}.{dice.choice(('load', 'load', 'unpack_state'))}, {call})",
            "look(w)",
        ]
        many = [f"for at in range(13, 60): attempt(v.load, mutated(w.save(), at, {value}))", "look(v)"]
        return many if dice.random() < 0.15 else lines

    def looking(self) -> Lines:
        dice = self.dice
        name = dice.choice(list(self.variables))
        return dice.choice((
            ["look(w, 2)"],
            ["look(w, 1)", "show(w.checksum())"],
            [f"peek({name}, {self._links(self.variables[name])!r})"],
            [f"hush(repr({name}))"],
            ["show(w.diff(v))"],
            ["attempt(w.diff, Other())"],
            ["show(w.fields()[-1], w.next_id, w.world is w, w.game_id, w.input_size)"],
        ))  # fmt: skip

    def copies(self) -> Lines:
        dice = self.dice
        name = dice.choice(list(self.variables))
        place, _ = self.place("things", "values")
        return dice.choice((
            [f"attempt(copy.copy, {name})", f"attempt(pickle.dumps, {name})"],
            ["other = copy.deepcopy(w)", "look(other, 1)"],
            ["other = copy.copy(w)", "show(other.diff(w))", "other.reset(3)", "look(other)"],
            ["other = pickle.loads(pickle.dumps(w))", "show(other.checksum() == w.checksum())"],
            [f"it = {place}", "other = copy.copy(it)", "show(type(other), other == it, type(it[:]), type(it.copy()))"],
        ))  # fmt: skip

    def cues(self) -> Lines:
        dice = self.dice
        holder, _ = self.holder()
        return [f"attempt({holder}.cue, 'hit', {any_value(dice) if self.root == 'w' else '(1, 2.5)'})"]

    def stepping(self) -> Lines:
        """Go on from a state, mostly the one that the world is in."""
        dice = self.dice
        inputs = tuple(dice.choice((0, 1, 255, 65535, dice.randrange(65536))) for _ in range(self.players))
        roll = dice.random()
        if roll < 0.15 or not self.is_clean:
            first = (
                [f"s = w.initial_state({dice.randint(1, 9)})"] if roll < 0.5 else ["s = w.reload(WorldState(w.save()))"]
            )
        elif roll < 0.4:
            first = [f"s = w.reload(older[{dice.randint(-4, 3)}])"]
        else:
            first = []
        step = dice.choice((f"s = w.step(s, {inputs})", f"s = w.keep(w.step_unkept(s, {inputs}))"))
        if dice.random() < 0.08:
            step = f"attempt(w.step, s, {dice.choice(('()', '(1,) * 9', 'None', '(nan,) * ' + str(self.players)))})"
            return [*first, step, "s = w.reload(s)"]
        lines = [*first, *[step] * dice.choice((1, 1, 2, 4))]
        after = dice.choice(
            (
                ["show(s)"],
                ["older.append(s)", "show(s)"],
                ["show(s.cues, list(w.cues(s, s)))"],
                [],
                ["show(w.checksum(s), w.fields(s)[:3])"],
            )
        )
        return [*lines, *after, "s = w.reload(s)"] if dice.random() < 0.5 else [*lines, *after]

    def unkept(self) -> Lines:
        """Steps that are not kept, as the engine makes them: a load between them is noticed."""
        dice = self.dice
        inputs = tuple(dice.randrange(65536) for _ in range(self.players))
        return [
            "s = w.initial_state(5)",
            f"s1 = w.step_unkept(s, {inputs})",
            f"s2 = w.step_unkept(s1, {inputs})",
            "attempt(w.keep, s1)",
            "show(w.has(s1), w.has(s2), w.has(3))",
            dice.choice(
                (
                    "w.load_into(v, s2)",
                    "show(w.pack_state(s2) == w.save())",
                    "v.load(w.keep(s2).saved)",
                    "attempt(w.load_into, w, s2)",
                )
            ),
            "s = w.reload(s2)",
            "show(s, v.checksum())",
        ]

    def engine(self) -> Lines:
        dice = self.dice
        if self.players < 2:
            return self.stepping()
        sparse = dice.random() < 0.3
        numbers = f"{dice.randint(3, 12)}, {dice.randint(1, 6)}, {dice.randint(1, 99)}"
        lines = [f"engine_run(w, {numbers}, sparse={sparse}, tell=show)"]
        return [*lines, "s = w.initial_state(1)"]

    def hosted(self) -> Lines:
        dice = self.dice
        ticks = dice.randint(1, 5)
        return [
            "hw = W()",
            f"h = HostedWorld(hw, most_past={dice.randint(1, 4)})",
            "h.begin(3)",
            f"for seat in range({self.players}): attempt(h.join, seat)",
            f"for n in range({ticks}):",
            f"    pressed = tuple(n * 7919 >> seat & 65535 for seat in range({self.players}))",
            f"    attempt(h.advance, pressed, (1 + n % 3,) * {self.players})",
            "    look(hw)",
            f"seen = hw.seen_by({dice.randrange(self.players)})",
            "look(seen, 1)",
            "attempt(h.leave, 0)",
            f"h.resume(w.save(), {ticks})" if dice.random() < 0.3 else "attempt(hw.send, b'abc', 0)",
            "look(hw)",
        ]

    def shut(self) -> Lines:
        """Write to a world that only a load changes."""
        before, self.root = self.root, "r"
        tried: Lines = []
        for _ in range(self.dice.randint(2, 5)):
            made = self.dice.choice(
                (
                    self.write,
                    self.augment,
                    self.lists,
                    self.values,
                    self.shapes,
                    self.parts,
                    self.delete,
                    self.undeclared,
                    self.references,
                )
            )()
            tried += ["try:", *(f"    {line}" for line in made), "except Exception as error:", "    note(error)"]
        self.root = before
        tried = [line.replace("w.dice", "r.dice") for line in tried]
        return [
            "r = W()",
            "r.load(w.save())",
            "make_read_only(r)",
            *tried,
            "look(r, 1)",
            "r.load(v.save())",
            "look(r)",
            "attempt(r.reset, 3)",
            "look(r)",
        ]

    def sent(self) -> Lines:
        return [f"hush(survey(w, {[self.dice.choice((0, 5, None)) for _ in range(self.players)]}))"]

    def kept_cache(self) -> Lines:
        place, field = self.place("cache")
        if field.kind != "cache":
            return self.read()
        return [f"hush({place})", f"{place} = {self.dice.choice(('3', 'None', '[1]', '{}'))}", f"hush({place})"]

    def hot(self) -> Lines:
        """The same line for many things and values, so that the interpreter specialises it."""
        dice = self.dice
        place, field = self.place("int", "float", "bool", "enum", "text", "vector")
        holder, _, name = place.rpartition(".")
        values = ", ".join([*(right_value(dice, field) for _ in range(3)), wrong_value(dice, field)])
        if self.root != "w":
            values = values.replace("Other()", "None")
        loose = dice.sample(list(self.variables), 2) if self.root == "w" else []
        others = ", ".join(dict.fromkeys((holder, *loose)))
        template = dice.choice((WRITTEN, READ, WRITTEN_TO_MANY if self.root == "w" and name in HOT else READ))
        return template.format(holder=holder, name=name, values=values, others=others).split("\n")

    def held(self) -> Lines:
        """A vector in a variable, used by a later operation."""
        place, field = self.place("vector", "rect", "frect")
        if field.kind not in ("vector", "rect", "frect"):
            return self.shapes()
        return self.dice.choice(
            (
                [f"held = {place}"],
                [f"held.x = {self.dice.randint(1, 9)}", "hush(held)", "apart()"],
                [f"hush(held is {place}, held)"],
            )
        )


WRITTEN = """\
it = {holder}
values = [{values}]
for turn in range(20):
    try:
        it.{name} = values[turn % 4]
    except Exception as error:
        if turn > 15: note(error)
    if turn > 12: show(it.{name})"""
READ = """\
for turn in range(16):
    for it in ({others},):
        try:
            found = it.{name}
            if turn > 14: show(found)
        except Exception as error:
            if turn > 14: note(error)"""
WRITTEN_TO_MANY = """\
for turn in range(16):
    for it in ({others},):
        try:
            found = write_{name}(it, [{values}][turn & 3])
            if turn > 14: show(found)
        except Exception as error:
            if turn > 14: note(error)"""
HOT = ("a", "b", "c", "x", "y", "hp", "at", "mood", "best", "aim")
Family = Callable[[_Drawing], Lines]
FAMILIES: dict[str, tuple[Family, float]] = {
    "write": (_Drawing.write, 10),
    "wrong": (_Drawing.wrong, 8),
    "augment": (_Drawing.augment, 6),
    "temporary": (_Drawing.temporary, 2),
    "read": (_Drawing.read, 5),
    "compare": (_Drawing.compare, 2),
    "delete": (_Drawing.delete, 2),
    "undeclared": (_Drawing.undeclared, 4),
    "by_name": (_Drawing.by_name, 2),
    "construct": (_Drawing.construct, 5),
    "adopt": (_Drawing.adopt, 4),
    "lists": (_Drawing.lists, 12),
    "values": (_Drawing.values, 6),
    "references": (_Drawing.references, 6),
    "shapes": (_Drawing.shapes, 5),
    "shapes_in_lists": (_Drawing.shapes_in_lists, 2),
    "parts": (_Drawing.parts, 5),
    "draws": (_Drawing.draws, 2),
    "saving": (_Drawing.saving, 6),
    "mutations": (_Drawing.mutations, 4),
    "looking": (_Drawing.looking, 2),
    "copies": (_Drawing.copies, 1.5),
    "cues": (_Drawing.cues, 1),
    "stepping": (_Drawing.stepping, 6),
    "unkept": (_Drawing.unkept, 1),
    "engine": (_Drawing.engine, 1),
    "hosted": (_Drawing.hosted, 0.7),
    "shut": (_Drawing.shut, 2.5),
    "sent": (_Drawing.sent, 0.5),
    "kept_cache": (_Drawing.kept_cache, 0.7),
    "hot": (_Drawing.hot, 3),
    "held": (_Drawing.held, 0.4),
}
"""What an operation can be, with how often it is drawn."""
READING = frozenset({"looking", "copies", "sent"})
"""Families that do not change the world."""
STATES = frozenset({"stepping", "unkept", "engine"})
"""Families after which the world is in the state ``s``."""
STARTING = ("write", "write", "lists", "values", "references", "parts", "shapes", "draws")
STEPPING = (
    "write",
    "wrong",
    "augment",
    "augment",
    "temporary",
    "lists",
    "lists",
    "values",
    "references",
    "shapes",
    "shapes_in_lists",
    "parts",
    "draws",
    "hot",
    "by_name",
    "cues",
)
