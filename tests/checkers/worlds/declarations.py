"""Random declarations of things and of a world, right ones and wrong ones."""

from random import Random

from tests.checkers.worlds.fields import ClassSpec, FieldSpec
from tests.checkers.worlds.values import ENUMS, any_value, right_value

__all__ = ["Declarations"]

NAMES = (
    "a",
    "b",
    "c",
    "x",
    "y",
    "hp",
    "at",
    "mood",
    "box",
    "kids",
    "tags",
    "trail",
    "best",
    "aim",
    "gun",
    "_low",
    "\u00e9t",
)
LISTS = ("team", "shots", "crew", "walls")
INTEGERS = {
    **{f"I{bits}": (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) for bits in (8, 16, 32, 64)},
    **{f"U{bits}": (0, (1 << bits) - 1) for bits in (8, 16, 32, 64)},
    "int": (-(1 << 63), (1 << 63) - 1),
    "Player": (0, 255),
    "Jumps": (0, 255),
}
WRONG_LINES = (
    *("{n}: U8 = 256", "{n}: U8 = 1.5", "{n}: U8 = None", "{n}: float = nan", "{n}: bool = 1", "{n}: Mood = 'calm'"),
    *(
        "{n}: str = 'x' * 256",
        "{n}: str = b'x'",
        "{n}: Vector2 = 3",
        "{n}: Rect = (1, 2)",
        "{n}: dict",
        "{n}: dict[str, int]",
    ),
    *("{n}: list", "{n}: list[str]", "{n}: list[int] | None", "{n}: list[int | None]", "{n}: list[list[int]]"),
    *("{n}: tuple[int, int]", "{n}: int | float", "{n}: int | str | None", "{n}: bytes", "{n}: object", "{n}: Any"),
    *("{n}: Bits", "{n}: Ref[int]", "{n}: Ref[World]", "{n}: 'Nowhere'", "{n}: list['Nowhere']", "{n}: nothing"),
    *("{n}: Player | None", "p: Player\n    q: Player", "j: Jumps\n    k: Jumps", "id: int", "world: int", "cue: int"),
    *("{n}: list[int] = ['a']", "{n}: Annotated[list[int], Most(2)] = [1, 2, 3]", "{n}: Annotated[list[int], Most(0)]"),
    *("{n}: Cache[list[int]] = []", "{n}: Annotated[int, Range(3, 1)]", "{n}: Annotated[int, Range(0, 1, step=0)]"),
    *(
        "{n}: Dice = 3",
        "{n}: Dice = None",
        "{n}: Ref['Self'] = 3",
        "def id(self): return 1",
        "predicted = 3",
        "{n}: set[int]",
    ),
    *(
        "{n}: 'int +'",
        "{n}: None",
        "{n}: int = int",
        "{n}: 5",
        "__slots__ = ('a', 'b')",
        "__slots__ = ('{n}',)\n    {n}: int",
    ),
    *(
        "{n}: complex",
        "{n}: Vector2 | Rect",
        "{n}: Optional[Rect] = Rect(1, 2, 3)",
        "{n}: Annotated[str, Most(3)] = 'four'",
    ),
)
"""Lines of a class that are mostly refused."""


class Declarations:
    """The classes of one program; ``units`` is their source."""

    def __init__(self, dice: Random) -> None:
        self.dice = dice
        self.units: list[str] = []
        self.things: dict[str, ClassSpec] = {}
        self.mixins: list[str] = []
        self.count = dice.randint(2, 5)
        for number in range(self.count):
            if dice.random() < 0.1:
                self._mixin(number)
            self._thing(f"T{number}")
            if dice.random() < 0.15:
                self._wrong(f"Wrong{number}")
        self.world = self._world()
        if dice.random() < 0.15:
            self._wrong("WrongWorld", "World")

    def _mixin(self, number: int) -> None:
        dice = self.dice
        lines = [f"class Mix{number}:"]
        lines += dice.sample(
            (
                "    __slots__ = ()",
                "    BONUS = 5",
                "    def mixed(self): return type(self).__name__",
                "    @property\n    def twice(self): return 2 * len(type(self).__name__)",
                "    extra: int = 3",
                "    bonus = 4",
            ),
            dice.randint(1, 3),
        )
        self.units.append("\n".join(lines))
        self.mixins.append(f"Mix{number}")

    def _wrong(self, name: str, base: str = "") -> None:
        """A class that is mostly refused; nothing else uses it."""
        dice = self.dice
        lines = [dice.choice(WRONG_LINES).format(n=dice.choice(NAMES)) for _ in range(dice.randint(1, 2))]
        if dice.random() < 0.5:
            lines.insert(dice.randrange(len(lines) + 1), "fine: int = 1")
        base = base or dice.choice(("Thing", "Thing", "Thing", *self.things))
        body = "\n    ".join(lines)
        more = "\n    num_players = 2" if base == "World" else ""
        self.units.append(
            f"class {name}({base}):{more}\n    {body}\nshow({name}())\nshow([m.name for m in members_of({name})])"
        )

    # Fields.

    def field(self, name: str, *, is_world: bool = False) -> FieldSpec:
        dice = self.dice
        kind = dice.choices(
            ("int", "float", "bool", "enum", "text", "shape", "ref", "cache", "part", "things", "values"),
            (7, 6, 2, 3, 2, 4, 3, 0.6, 2, 6 if is_world else 1.5, 2.5),
        )[0]
        made = self._of_kind(name, kind, is_world=is_world)
        hint = made.hint
        if dice.random() < 0.08 and made.kind in ("int", "float", "vector"):
            hint = f"Annotated[{hint}, Range(0, 100{dice.choice(('', ', step=1', ', step=0.25'))})]"
        if dice.random() < 0.06:
            hint = f"Annotated[{hint}, ServerOnly]"
        default = made.default
        if not default and made.kind not in ("ref", "part", "things", "cache") and dice.random() < 0.6:
            default = right_value(dice, made)
        if made.kind in ("ref", "cache") and dice.random() < 0.6:
            default = "None"
        if made.kind == "things" and dice.random() < 0.2:
            default = "[]"
        return FieldSpec(
            **{**{slot: getattr(made, slot) for slot in FieldSpec.__slots__}, "hint": hint, "default": default}
        )

    def _of_kind(self, name: str, kind: str, *, is_world: bool) -> FieldSpec:
        dice = self.dice
        optional = dice.random() < 0.2
        maybe = " | None" if optional else ""
        known = list(self.things)
        if kind == "int":
            hint = dice.choice(list(INTEGERS))
            if hint in ("Player", "Jumps"):
                if is_world:
                    hint = "int"
                else:
                    optional, maybe = False, ""
            low, high = INTEGERS[hint]
            return FieldSpec(name=name, kind="int", hint=hint + maybe, optional=optional, low=low, high=high)
        if kind == "float":
            return FieldSpec(
                name=name, kind="float", hint=dice.choice(("float", "F64", "F64", "Angle")) + maybe, optional=optional
            )
        if kind == "enum":
            inner = dice.choice(list(ENUMS))
            return FieldSpec(name=name, kind="enum", hint=inner + maybe, optional=optional, inner=inner)
        if kind == "text":
            most = dice.choice((255, 255, 16, 3))
            hint = "str" + maybe if most == 255 else f"Annotated[str{maybe}, Most({most})]"
            return FieldSpec(name=name, kind="text", hint=hint, optional=optional, most=most)
        if kind == "shape":
            kind, hint = dice.choice(
                (("vector", "Vector2"), ("vector", "Vector2"), ("rect", "Rect"), ("frect", "FRect"))
            )
            return FieldSpec(name=name, kind=kind, hint=hint + maybe, optional=optional)
        if kind == "cache":
            return FieldSpec(
                name=name, kind="cache", hint=dice.choice(("Cache[int]", "Cache[Any]", "Cache[dict[int, int] | None]"))
            )
        if kind == "values":
            return self._values(name)
        if kind == "ref":
            inner = dice.choice([f"T{number}" for number in range(self.count)])
            quoted = inner if inner in known and dice.random() < 0.5 else f'"{inner}"'
            return FieldSpec(name=name, kind="ref", hint=f"Ref[{quoted}]", inner=inner, optional=True)
        if kind == "part" and (not known or dice.random() < 0.3):
            inner = dice.choice(("Dice", "Cooldown"))
            return FieldSpec(name=name, kind="part", hint=inner, inner=inner)
        if kind == "things" and known:
            inner = dice.choice(known)
            most = dice.choice((3, 4, 8, 1024))
            hint = f"list[{inner}]" if most == 1024 else f"Annotated[list[{inner}], Most({most})]"
            return FieldSpec(name=name, kind="things", hint=hint, most=most, inner=inner)
        if kind == "part":
            inner = dice.choice(known)
            return FieldSpec(name=name, kind="part", hint=inner + maybe, optional=optional, inner=inner)
        return FieldSpec(name=name, kind="bool", hint="bool" + maybe, optional=optional)

    def _values(self, name: str) -> FieldSpec:
        dice = self.dice
        while True:
            of = self._of_kind(name, dice.choice(("int", "float", "bool", "enum", "shape")), is_world=True)
            if not of.optional:
                break
        most = dice.choice((2, 3, 5, 1024))
        hint = f"list[{of.hint}]" if most == 1024 else f"Annotated[list[{of.hint}], Most({most})]"
        return FieldSpec(name=name, kind="values", hint=hint, most=most, of=of)

    # Classes.

    def _thing(self, name: str) -> None:
        dice = self.dice
        bases = self._bases()
        fields: dict[str, FieldSpec] = {}
        for base in reversed(bases):
            if base in self.things:
                fields |= self.things[base].fields
        own: dict[str, FieldSpec] = {}
        for field_name in dice.sample(NAMES, dice.randint(0 if bases else 1, 6)):
            made = self.field(field_name)
            if "Player" in made.hint and any("Player" in each.hint for each in (*fields.values(), *own.values())):
                continue
            if "Jumps" in made.hint and any("Jumps" in each.hint for each in (*fields.values(), *own.values())):
                continue
            if not made.default and field_name in fields and fields[field_name].default:
                continue  # the default would be the inherited one
            own[field_name] = made
        spec = ClassSpec(name, fields | own, bases=bases)
        lines = [_line(each) for each in own.values()] + self._extras(spec)
        if dice.random() < 0.12 and fields:
            field_name = dice.choice(list(fields))
            if field_name not in own and fields[field_name].kind in ("int", "float", "text"):
                lines.append(f"{field_name} = {right_value(dice, fields[field_name])}")  # no annotation: a constant
                del spec.fields[field_name]
                spec.names.append(field_name)
        named = ", ".join((*bases, *(() if any(base in self.things for base in bases) else ("Thing",))))
        self.units.append(
            f"class {name}({named}):\n    "
            + "\n    ".join(lines or ["pass"])
            + f"\nshow([m.name for m in members_of({name})])"
        )
        self.things[name] = spec

    def _bases(self) -> tuple[str, ...]:
        dice, known = self.dice, list(self.things)
        mixed = tuple(dice.sample(self.mixins, 1)) if self.mixins and dice.random() < 0.4 else ()
        if not known or dice.random() < 0.6:
            return mixed
        found = [dice.choice(known)]
        if dice.random() < 0.3:
            other = dice.choice(known)
            related = self._ancestors(found[0]) | self._ancestors(other)
            if other not in self._ancestors(found[0]) and found[0] not in self._ancestors(other) and related:
                found.append(other)
        return (*mixed, *found)

    def _ancestors(self, name: str) -> set[str]:
        if name not in self.things:
            return {name}
        return {name}.union(*(self._ancestors(base) for base in self.things[name].bases))

    def _extras(self, spec: ClassSpec) -> list[str]:
        """Constants, properties and methods."""
        dice = self.dice
        lines: list[str] = []
        whole, real = spec.of_kind("int"), spec.of_kind("float")
        if dice.random() < 0.3:
            name, value = dice.choice((("SPEED", "3"), ("LIMIT", "2.5"), ("TAG", "'tag'"), ("TABLE", "(1, 2)")))
            lines.append(f"{(dice.choice(('', 'ClassVar[Any]')) and name + ': ClassVar[Any]') or name} = {value}")
            spec.names.append(name)
        if real and dice.random() < 0.3:
            name = dice.choice(real).name
            lines += ["@property", f"def doubled(self): return None if self.{name} is None else self.{name} * 2"]
            spec.names.append("doubled")
            if dice.random() < 0.5:
                lines += ["@doubled.setter", f"def doubled(self, value): self.{name} = value / 2"]
        if whole and dice.random() < 0.4:
            name = dice.choice(whole).name
            lines += [
                "def churn(self, by=1):",
                "    for _ in range(12):",
                f"        self.{name} = (self.{name} or 0) + by",
                f"    return self.{name}",
            ]
            spec.names.append("churn")
        if dice.random() < 0.08:
            lines += ["def __eq__(self, other): return self is other", "def __hash__(self): return 7"]
        if dice.random() < 0.04:
            lines.append("def __bool__(self): return False")
        if dice.random() < 0.04:
            lines.append(
                "def __getattr__(self, name): return 3 if name == 'absent' else object.__getattribute__(self, name)"
            )
        if dice.random() < 0.04:
            lines.append(
                "def __setattr__(self, name, value): super().__setattr__(name, 1 if value == 'one' else value)"
            )
        if dice.random() < 0.04:
            lines.append("__slots__ = ('loose',)")
        if dice.random() < 0.12 and spec.fields:
            spec.has_own_init = True
            name = dice.choice(list(spec.fields))
            lines += ["def __init__(self, *given, **named):", *self._own_init(spec, name)]
        if dice.random() < 0.1:
            lines.append("predicted = False")
        return lines

    def _own_init(self, spec: ClassSpec, name: str) -> list[str]:
        dice = self.dice
        field = spec.fields[name]
        value = right_value(dice, field) if field.kind not in ("part", "things", "ref") else ""
        write = f"    self.{name} = {value}" if value else f"    show(self.{name})"
        return (
            [write, "    super().__init__(*given, **named)"]
            if dice.random() < 0.5
            else ["    super().__init__(*given, **named)", write]
        )

    def _world(self) -> ClassSpec:
        dice = self.dice
        fields: dict[str, FieldSpec] = {}
        for name in dice.sample(LISTS, dice.randint(2, 4)):
            inner = dice.choice(list(self.things))
            most = dice.choice((3, 4, 8, 1024))
            hint = f"list[{inner}]" if most == 1024 else f"Annotated[list[{inner}], Most({most})]"
            fields[name] = FieldSpec(name=name, kind="things", hint=hint, most=most, inner=inner)
        for name in dice.sample(NAMES, dice.randint(1, 6)):
            fields[name] = self.field(name, is_world=True)
        if dice.random() < 0.7:
            fields["dice"] = FieldSpec(name="dice", kind="part", hint="Dice", inner="Dice")
        ordered = list(fields.items())
        dice.shuffle(ordered)
        return ClassSpec("W", dict(ordered))

    def world_unit(self, players: int, start: list[str], advance: list[str], rebuild: list[str]) -> str:
        """The source of the world, whose methods are made when all operations are known."""
        dice = self.dice
        lines = [f"num_players = {players}", *(_line(each) for each in self.world.fields.values())]
        if dice.random() < 0.2:
            lines.append("LIMIT = 4")
            self.world.names.append("LIMIT")
        for head, body in (
            ("start(self, seed)", start),
            ("advance(self, inputs)", advance),
            ("rebuild(self)", rebuild),
        ):
            if body:
                lines += [f"def {head}:", *(f"    {line}" for line in body)]
        if dice.random() < 0.4:
            lines += ["def join(self, player):", "    self.cue('joined', player)"]
        return "class W(World):\n    " + "\n    ".join(lines) + "\nshow([m.name for m in members_of(W)])"


def _line(field: FieldSpec) -> str:
    return f"{field.name}: {field.hint}" + (f" = {field.default}" if field.default else "")


def stray_value(dice: Random) -> str:
    """A value for a name that nobody declared."""
    return any_value(dice)
