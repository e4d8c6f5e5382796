"""Dead code is found: a function or class of src/retick to which nothing in the project refers.

Names are compared as words, so this finds only what is certainly dead: a name that is mentioned anywhere else counts as
used. Not counted as a use are the definition itself, what stands inside of it, and the ``__all__`` of its own module.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from tests.sources import SOURCE, parsed, sources

ROOT = Path(__file__).parents[1]
WORD = re.compile(r"[^\W\d]\w*")
CALLED_BY_OTHERS = re.compile(r"pytest_|__\w+__$")
"""Names that a framework looks for: hooks of pytest, and what the language calls."""

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def _used_names(tree: ast.Module) -> Iterator[tuple[str, Definition | None]]:
    """Every name that the code uses, with the module-level definition that it stands in."""
    for statement in tree.body:
        if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "__all__":
            continue
        inside = statement if isinstance(statement, Definition) else None
        for node in ast.walk(statement):
            if isinstance(node, ast.Name):
                yield node.id, inside
            elif isinstance(node, ast.Attribute):
                yield node.attr, inside
            elif isinstance(node, ast.alias):
                yield node.name.rpartition(".")[2], inside
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                name = node.value.rpartition(":")[2]  # after a colon: a command that is imported at first use
                if name.isidentifier():
                    yield name, inside  # else an annotation in quotes, or a getattr


def dead_code(modules: Mapping[str, str], users: Iterable[str]) -> list[str]:
    """The dead functions and classes of ``modules`` (text by path); ``users`` are other texts that may use them."""
    mentioned = {word for text in users for word in WORD.findall(text)}
    uses: Counter[str] = Counter()
    own_uses: Counter[tuple[str, str]] = Counter()
    trees = {path: parsed(text) for path, text in modules.items()}
    for path, tree in trees.items():
        for name, inside in _used_names(tree):
            uses[name] += 1
            if inside is not None and inside.name == name:
                own_uses[path, name] += 1
    return [
        f"{path}:{node.lineno}: {node.name}"
        for path, tree in trees.items()
        for node in tree.body
        if isinstance(node, Definition)
        and node.name not in mentioned
        and uses[node.name] == own_uses[path, node.name]
        and (isinstance(node, ast.ClassDef) or not node.decorator_list)  # a decorator may register a function
        and not CALLED_BY_OTHERS.match(node.name)
    ]


def test_nothing_in_the_package_is_dead() -> None:
    modules = {file.relative_to(SOURCE).as_posix(): text for file, text in sources().items()}
    places = [ROOT / "pyproject.toml", ROOT / "setup.py", ROOT / "README.md"]
    for folder, ending in (("docs", "md"), ("examples", "py"), ("benchmarks", "py"), ("fuzz", "py"), ("tests", "py")):
        places += [place for place in (ROOT / folder).rglob(f"*.{ending}") if place != Path(__file__)]
    assert dead_code(modules, [place.read_text(encoding="utf-8") for place in places]) == []


def test_planted_dead_code_is_found() -> None:
    planted = """
        __all__ = ["forgotten", "used"]
        def forgotten(): return forgotten()
        class Unused: pass
        def used(): return 1
        def documented(): return 2
        def pytest_configure(): pass
        @dataclass
        class Record: pass
        @command()
        def decorated(): pass
        def quoted(value: "Quoted"): return value
        class Quoted: pass
    """
    lines = "\n".join(line.removeprefix("        ") for line in planted.splitlines())
    user = "from a import used\nused()\nquoted(1)\n"
    assert dead_code({"a.py": lines, "b.py": user}, ["call `documented()`"]) == [
        "a.py:3: forgotten",
        "a.py:4: Unused",
        "a.py:9: Record",
    ]
