"""The rules for ``step``: it must change neither its state and inputs, nor its game object.

They apply to ``step``, ``run``, ``checksum``, ``fields`` and ``pack_state`` of a class that has a ``step``, and to a
module-level function called ``step``. A step whose only argument besides ``self`` is the inputs belongs to a mutable
world, which may change itself.
"""

import ast
from collections.abc import Iterator

from retick.audit.static.argument_changes import FunctionChanges, is_fresh_mutable, stored_into, what_call_changes
from retick.audit.static.declared_fields import DeclaredFields
from retick.audit.static.parsed_file import Hit, ParsedFile, root_name
from retick.audit.static.scopes import Binding, FunctionNode, Scope, parameters_of

_CONTRACT = frozenset({"step", "run", "checksum", "fields", "pack_state"})


def check(source: ParsedFile) -> Iterator[Hit]:
    """The places that break the rules state-mutation and hidden-state."""
    function_changes = FunctionChanges(source)
    for node in source.walk():
        if isinstance(node, ast.ClassDef):
            methods = [part for part in node.body if isinstance(part, ast.FunctionDef)]
            step = next((method for method in methods if method.name == "step"), None)
            if step is not None:
                pure = len(parameters_of(step)) > 2 or source.is_decorated(step, "builtins.staticmethod")
                for method in methods:
                    if method.name in _CONTRACT:
                        yield from _check_method(source, function_changes, method, pure)
        elif isinstance(node, ast.FunctionDef) and node.name == "step" and source.scope(node).is_module:
            for change in function_changes.changes(node):
                yield Hit(change.node, "state-mutation", f"{change.what} in `step`")


def _check_method(
    source: ParsedFile, function_changes: FunctionChanges, method: ast.FunctionDef, pure: bool
) -> Iterator[Hit]:
    parameters = parameters_of(method)
    static = source.is_decorated(method, "builtins.staticmethod")
    itself = None if static or not parameters else parameters[0].arg
    for change in function_changes.changes(method):
        if change.parameter != itself:
            yield Hit(change.node, "state-mutation", f"{change.what} in `{method.name}`")
        elif pure:
            yield Hit(change.node, "hidden-state", f"{change.what} in `{method.name}`")


# The rule about values that all frames share: module variables, class attributes, defaults, function attributes.
#
# Code at the top level of a module may fill its tables, but a function must not change them afterwards. So only code in
# functions is checked, except hooks that run while a class is being made.

_CLASS_HOOKS = frozenset({"__init_subclass__", "__set_name__", "__class_getitem__"})


def check_global_state(source: ParsedFile) -> Iterator[Hit]:
    """The places that break the rule global-state."""
    function_changes = FunctionChanges(source)
    states = DeclaredFields(source).states
    for node in source.walk():
        if isinstance(node, FunctionNode):
            yield from _mutable_defaults(source, node)
        if source.function_of(node) is None:
            continue
        if isinstance(node, ast.Global):
            yield Hit(node, "global-state", f"`global {', '.join(node.names)}`")
        for changed in [*_changed_by(source, node), *_changed_inside(function_changes, node)]:
            if what := _shared(source, changed, states):
                yield Hit(node, "global-state", what)


def _mutable_defaults(source: ParsedFile, function: FunctionNode) -> Iterator[Hit]:
    for default in (*function.args.defaults, *function.args.kw_defaults):
        if default is not None and is_fresh_mutable(source, default):
            yield Hit(default, "global-state", f"the default `{ast.unparse(default)}`, made once for all calls")


def _changed_by(source: ParsedFile, node: ast.AST) -> list[ast.expr]:
    match node:
        case ast.Assign(targets=targets) | ast.Delete(targets=targets):
            return [changed for target in targets for changed in stored_into(target)]
        case ast.AugAssign(target=target) | ast.For(target=target):
            return stored_into(target)
        case ast.AnnAssign(target=target, value=ast.expr()):
            return stored_into(target)
        case ast.Call():
            changed = what_call_changes(source, node)
            return [changed] if changed is not None else []
    return []


def _changed_inside(function_changes: FunctionChanges, node: ast.AST) -> list[ast.expr]:
    """The arguments, including a method's object, that a called function of this file changes."""
    called = function_changes.called(node) if isinstance(node, ast.Call) else None
    if called is None:
        return []
    function, arguments = called
    names = {change.parameter for change in function_changes.changes(function)}
    pairs = zip(parameters_of(function), arguments, strict=False)
    # Changes of self are found in the method itself; a class has no state of its own, as in Base.__init__(self).
    source = function_changes.source
    return [
        given
        for parameter, given in pairs
        if parameter.arg in names and not _is_self(given) and not _is_class(source, given)
    ]


def _is_class(source: ParsedFile, node: ast.expr) -> bool:
    found = source.scope(node).find(node.id) if isinstance(node, ast.Name) else None
    return found is not None and isinstance(found[1][-1].node, ast.ClassDef)


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in ("self", "cls")


def _shared(source: ParsedFile, changed: ast.expr, states: set[str]) -> str | None:
    """Describe ``changed`` if all instances or all frames share it; otherwise None."""
    if isinstance(changed, ast.Call):
        called = source.resolve(changed.func)
        if "builtins.globals" in called or "builtins.vars" in called:
            return f"a change through `{ast.unparse(changed)}`"
    if what := _class_attribute(source, changed, states):
        return what
    root = root_name(changed)
    if root is None:
        return None
    found = source.scope(root).find(root.id)
    found = _behind_alias(found) if found else None
    if found is None or not found[0].is_module:
        return None
    if any(_is_module(binding) for binding in found[1]) and root is changed and not _is_target(source, changed):
        return None
    return f"a change of `{ast.unparse(changed)}`, which belongs to the module"


def _behind_alias(found: tuple[Scope, list[Binding]]) -> tuple[Scope, list[Binding]] | None:
    """Follow a local name whose only binding is another name."""
    scope, bindings = found
    while not scope.is_module and len(bindings) == 1 and bindings[0].value is not None:
        value = bindings[0].value
        root = root_name(value)
        next_found = scope.find(root.id) if root else None
        if next_found is None or next_found[0] is scope:
            break
        scope, bindings = next_found
    return scope, bindings


def _is_module(binding: Binding) -> bool:
    return binding.dotted is not None and isinstance(binding.node, ast.Import)


def _is_target(source: ParsedFile, node: ast.expr) -> bool:
    """Whether the node is assigned to: ``module.name = 1`` changes the module, ``module.remove(x)`` does not."""
    above = source.parent(node)
    return isinstance(above, ast.Attribute | ast.Subscript) and isinstance(above.ctx, ast.Store | ast.Del)


def _class_attribute(source: ParsedFile, changed: ast.expr, states: set[str]) -> str | None:
    owner = source.class_of(changed)
    function = source.function_of(changed)
    if owner is None or not isinstance(function, ast.FunctionDef) or function.name in _CLASS_HOOKS:
        return None
    text = ast.unparse(changed)
    if _is_own_class(source, function, _strip(changed)):
        return f"a change of the class through `{text}`"
    attribute = _attribute_of_self(changed)
    if attribute and _is_shared_by_instances(source, owner, attribute, states):
        whose = f"`self.{attribute}`" if text == f"self.{attribute}" else f"`{text}`"
        return f"a change of {whose}: `{attribute}` is made once in the class body, for all games, and is not saved"
    return None


def _attribute_of_self(node: ast.expr) -> str | None:
    """The attribute of ``self`` in a chain: ``ship`` in ``self.ship.position[0]``."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
            return node.attr
        node = node.value
    return None


def _strip(node: ast.expr) -> ast.expr:
    """The object at the root of a chain; ``self.__class__`` counts as one."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        if isinstance(node, ast.Attribute) and node.attr == "__class__":
            return node
        node = node.value
    return node


def _is_own_class(source: ParsedFile, function: ast.FunctionDef, root: ast.expr) -> bool:
    if isinstance(root, ast.Attribute):
        return root.attr == "__class__"
    if isinstance(root, ast.Call):
        return source.calls(root, "builtins.type") and len(root.args) == 1
    first = function.args.args[0].arg if function.args.args else None
    is_first = isinstance(root, ast.Name) and root.id == first
    return is_first and source.is_decorated(function, "builtins.classmethod")


def _is_shared_by_instances(source: ParsedFile, owner: ast.ClassDef, attribute: str, states: set[str]) -> bool:
    """Whether an attribute is a mutable value of the class body that no method replaces, and not a declared field."""
    made_in_body = any(
        binding.value is not None
        and _is_mutable(source, binding.value)
        and not (owner.name in states and binding.annotation is not None)
        for binding in source.scope(owner.body[0]).bindings.get(attribute, [])
    )
    replaced = any(
        isinstance(node, ast.Attribute) and node.attr == attribute and isinstance(node.ctx, ast.Store)
        for node in ast.walk(owner)
    )
    return made_in_body and not replaced


def _is_mutable(source: ParsedFile, value: ast.expr) -> bool:
    """Whether a value is a new list, dict or the like, also by ``[0] * 9``, or an object of a class in this file."""
    match value:
        case ast.BinOp(left=left, op=ast.Mult() | ast.Add(), right=right):
            return is_fresh_mutable(source, left) or is_fresh_mutable(source, right)
        case ast.Call(func=ast.Name(id=name)):
            found = source.scope(value).find(name)
            made = found[1][-1].node if found else None
            return is_fresh_mutable(source, value) or isinstance(made, ast.ClassDef)
    return is_fresh_mutable(source, value)
