"""Finds the type of an expression, as far as one file shows it: certainly an integer, or possibly a set.

Each answer errs on the side that its rule needs. ``is_int`` is true only if every binding of a name is an integer;
``is_set`` is true if any binding is a set. An attribute counts as a set if its class assigns or annotates one; for an
object of unknown class, all classes of the file with such an attribute must agree.
"""

import ast
from collections.abc import Callable

from retick.audit.static.declared_fields import DeclaredFields
from retick.audit.static.parsed_file import ParsedFile
from retick.audit.static.scopes import Binding, Scope

_SET_TYPES = frozenset({
    "builtins.set", "builtins.frozenset", "typing.Set", "typing.FrozenSet", "typing.AbstractSet",
    "typing.MutableSet", "collections.abc.Set", "collections.abc.MutableSet", "weakref.WeakSet",
})  # fmt: skip
_SET_METHODS = frozenset({"union", "intersection", "difference", "symmetric_difference", "copy"})
_INT_CALLS = frozenset({
    "builtins.int", "builtins.len", "builtins.ord", "builtins.any", "builtins.all", "builtins.bool",
    "builtins.isinstance", "math.isqrt", "math.gcd", "math.lcm", "math.comb", "math.perm",
    "math.factorial",
})  # fmt: skip
_INT_IF_ARGUMENTS_ARE = frozenset({
    "builtins.abs", "builtins.min", "builtins.max", "builtins.round", "math.floor", "math.ceil", "math.trunc",
})  # fmt: skip
_INT_TYPES = frozenset({"builtins.int", "builtins.bool"})
_WRAPPERS = frozenset({"typing.Final", "typing.ClassVar", "typing.Annotated", "typing.Optional"})


class ValueTypes:
    """Answers about the expressions of one file."""

    def __init__(self, source: ParsedFile) -> None:
        self._source = source
        self.fields = DeclaredFields(source)
        self._busy: set[ast.AST] = set()
        self._set_names: dict[tuple[Scope, str], bool] = {}
        self._attributes: dict[str, dict[ast.ClassDef, bool]] = {}
        self._note_attributes()

    def _note_attributes(self) -> None:
        for node in self._source.walk():
            targets = node.targets if isinstance(node, ast.Assign) else []
            if isinstance(node, ast.AnnAssign):
                targets = [node.target]
            for target in targets:
                name = _attribute_set_by(self._source.scope(node), target)
                owner = self._source.class_of(node)
                if name and owner and isinstance(node, ast.Assign | ast.AnnAssign):
                    known = self._attributes.setdefault(name, {})
                    known[owner] = known.get(owner, False) or self._assigns_set(node)

    def _assigns_set(self, node: ast.Assign | ast.AnnAssign) -> bool:
        if isinstance(node, ast.AnnAssign) and self.is_set_type(node.annotation):
            return True
        return node.value is not None and self.is_set(node.value)

    def is_set_type(self, annotation: ast.expr | None) -> bool:
        """Whether an annotation names a set, also as text, as an alternative or inside Final and the like."""
        if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
            try:
                parsed = ast.parse(annotation.value, mode="eval").body
            except SyntaxError:
                return False
            scope = self._source.scope(annotation)
            return any(
                _SET_TYPES.intersection(scope.resolve(part))
                for part in ([parsed.value] if isinstance(parsed, ast.Subscript) else [parsed])
            )
        if isinstance(annotation, ast.BinOp):
            return self.is_set_type(annotation.left) or self.is_set_type(annotation.right)
        if isinstance(annotation, ast.Subscript):
            if _WRAPPERS.intersection(self._source.resolve(annotation.value)):
                inner = annotation.slice
                return self.is_set_type(inner.elts[0] if isinstance(inner, ast.Tuple) else inner)
            return self.is_set_type(annotation.value)
        return annotation is not None and bool(_SET_TYPES.intersection(self._source.resolve(annotation)))

    def is_set(self, node: ast.expr) -> bool:
        """Whether the value may be a set."""
        return self._without_recursion(self._is_set, node, when_busy=False)

    def _without_recursion(self, check: Callable[[ast.expr], bool], node: ast.expr, *, when_busy: bool) -> bool:
        """Return ``check(node)``, or ``when_busy`` if the same check is already running further up the stack."""
        if node in self._busy:
            return when_busy
        self._busy.add(node)
        try:
            return check(node)
        finally:
            self._busy.discard(node)

    def _is_set(self, node: ast.expr) -> bool:
        match node:
            case ast.Set() | ast.SetComp():
                return True
            case ast.Call():
                return self._call_makes_set(node)
            case ast.BinOp(left=left, op=ast.BitOr() | ast.BitAnd() | ast.Sub() | ast.BitXor(), right=right):
                return any(self.is_set(side) or self._is_keys(side) for side in (left, right))
            case ast.IfExp(body=body, orelse=orelse):
                return self.is_set(body) or self.is_set(orelse)
            case ast.BoolOp(values=values):
                return any(self.is_set(value) for value in values)
            case ast.NamedExpr(value=value):
                return self.is_set(value)
            case ast.Name(id=name):
                return self._name_is_set(self._source.scope(node), name)
            case ast.Attribute():
                return self._attribute_is_set(node)
        return False

    def _name_is_set(self, used_in: Scope, name: str) -> bool:
        found = used_in.find(name)
        if found is None:
            return False
        known = (found[0], name)
        if known not in self._set_names:
            self._set_names[known] = False  # in case a binding uses the name itself
            self._set_names[known] = any(self._binds_set(binding) for binding in found[1])
        return self._set_names[known]

    def _is_keys(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in {
            "keys", "items",
        }  # fmt: skip

    def _call_makes_set(self, node: ast.Call) -> bool:
        if {"builtins.set", "builtins.frozenset", "weakref.WeakSet"}.intersection(self._source.resolve(node.func)):
            return True
        if isinstance(node.func, ast.Attribute) and node.func.attr in _SET_METHODS:
            return self.is_set(node.func.value)
        made_by = self._function_called(node)
        return made_by is not None and self.is_set_type(made_by.returns)

    def _function_called(self, node: ast.Call) -> ast.FunctionDef | None:
        """The called function of this file, if it is called by its plain name or on ``self``."""
        if isinstance(node.func, ast.Name):
            found = self._source.scope(node).find(node.func.id)
        elif isinstance(node.func, ast.Attribute) and (owner := self._source.class_of(node)) and owner.body:
            if not isinstance(node.func.value, ast.Name) or node.func.value.id not in ("self", "cls"):
                return None
            inside = self._source.scope(owner.body[0])
            found = (inside, inside.bindings[node.func.attr]) if node.func.attr in inside.bindings else None
        else:
            return None
        first = found[1][0].node if found else None
        return first if isinstance(first, ast.FunctionDef) else None

    def _binds_set(self, binding: Binding) -> bool:
        if self.is_set_type(binding.annotation):
            return True
        return binding.value is not None and binding.added_by is None and self.is_set(binding.value)

    def _attribute_is_set(self, node: ast.Attribute) -> bool:
        known = self._attributes.get(node.attr, {})
        if isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"):
            owner = self._source.class_of(node)
            if owner in known:
                return known[owner]
        return bool(known) and all(known.values())

    def is_int(self, node: ast.expr) -> bool:
        """Whether the value is certainly an integer."""
        # A name that is defined by itself, as in n = n + 1, has the type of its other bindings.
        return self._without_recursion(self._is_int, node, when_busy=True)

    def _is_int(self, node: ast.expr) -> bool:
        match node:
            case ast.Constant(value=value):
                return isinstance(value, int)
            case ast.UnaryOp(op=op, operand=operand):
                return isinstance(op, ast.Not) or self.is_int(operand)
            case ast.BinOp(left=left, op=op, right=right):
                exact = not isinstance(op, ast.Div | ast.Pow | ast.MatMult)
                return exact and self.is_int(left) and self.is_int(right)
            case ast.Compare():
                return True
            case ast.IfExp(body=body, orelse=orelse):
                return self.is_int(body) and self.is_int(orelse)
            case ast.NamedExpr(value=value):
                return self.is_int(value)
            case ast.Call(func=func, args=args):
                called = set(self._source.resolve(func))
                if called & _INT_IF_ARGUMENTS_ARE:
                    return all(self.is_int(argument) for argument in args)
                return bool(called & _INT_CALLS)
            case ast.Attribute(attr=name):
                return self.fields.is_integer(name)
            case ast.Name(id=name):
                found = self._source.scope(node).find(name)
                return found is not None and all(self._binds_int(found[0], binding) for binding in found[1])
        return False

    def _binds_int(self, scope: Scope, binding: Binding) -> bool:
        if binding.annotation is not None:
            return bool(_INT_TYPES.intersection(scope.resolve(binding.annotation)))
        if binding.value is None or isinstance(binding.added_by, ast.Div | ast.Pow):
            return False
        return self.is_int(binding.value)


def _attribute_set_by(scope: Scope, target: ast.expr) -> str | None:
    """The attribute's name, if the assignment is ``self.name = ...`` or in the class body; otherwise None."""
    if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id in ("self", "cls"):
        return target.attr
    return target.id if isinstance(target, ast.Name) and scope.is_class else None
