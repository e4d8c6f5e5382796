"""Every link between the pages leads somewhere, every page is in the index, and the map of the house is true."""

import ast
import re
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "retick"
PAGES = [
    ROOT / "README.md",
    ROOT / "CHANGELOG.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "SECURITY.md",
    *sorted((ROOT / "docs").rglob("*.md")),
]


def links_of(page: Path) -> list[str]:
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    return [link for link in re.findall(r"\]\(([^)\s]+)\)", text) if "://" not in link]


def anchors_of(page: Path) -> set[str]:
    titles = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in titles}


def test_links_lead_somewhere() -> None:
    broken = []
    for page in PAGES:
        for link in links_of(page):
            name, _, anchor = link.partition("#")
            target = (page.parent / name).resolve() if name else page
            if not target.exists() or (anchor and target.suffix == ".md" and anchor not in anchors_of(target)):
                broken.append(f"{page.relative_to(ROOT)}: {link}")
    assert broken == []


def test_every_page_is_in_the_index() -> None:
    index = ROOT / "docs" / "README.md"
    linked = {(index.parent / link.partition("#")[0]).resolve() for link in links_of(index)}
    start = index.with_name("index.md")  # the first page of the site shows the start of README.md
    missing = [str(page.relative_to(ROOT)) for page in PAGES[4:] if page.resolve() not in linked | {index, start}]
    assert missing == []


def test_the_headings_of_the_index_are_the_folders() -> None:
    text = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    sections = re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", text, flags=re.MULTILINE | re.DOTALL)
    folders = {path.parent.relative_to(ROOT / "docs").parts[0] for path in (ROOT / "docs").rglob("*/*.md")}
    assert [title.lower() for title, _ in sections] == [
        *("start", "tutorials", "concepts", "guides", "servers"),
        *("operating", "reference", "formats", "internals", "decisions"),
    ]
    assert folders == {title.lower() for title, _ in sections}
    for title, body in sections:
        pages = re.findall(r"^[-\d.]+ \[.+?\]\((\S+\.md)\)", body, flags=re.MULTILINE)
        assert [page for page in pages if not page.startswith(f"{title.lower()}/")] == []


def named_in_the_walks() -> list[str]:
    walks = (ROOT / "docs" / "internals" / "walks.md").read_text(encoding="utf-8")
    return re.findall(r"`([a-z_]+(?:\.[a-z_0-9]+)+)`", walks)


def test_the_walks_name_modules_that_exist() -> None:
    names = named_in_the_walks()
    assert len(names) > 40
    assert [name for name in names if not (SOURCE / f"{name.replace('.', '/')}.py").exists()] == []


def test_the_map_of_the_house_shows_every_folder() -> None:
    page = (ROOT / "docs" / "internals" / "architecture.md").read_text(encoding="utf-8")
    tree = page.partition("```\n")[2].partition("```")[0]
    shown = set(re.findall(r"\b(\w+)/", tree))
    folders = {init.parent.name for init in SOURCE.rglob("__init__.py")} - {"native"}
    assert folders <= shown | {"retick"}


def test_the_contributing_page_names_files_that_exist() -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    names = [name for name in re.findall(r"`((?:src|tests|docs|typings)/[^`]+)`", page) if not set(name) & set("<…")]
    assert len(names) > 15
    assert [name for name in names if not (ROOT / name).exists()] == []


def is_there(name: str) -> bool:
    """Whether a dotted name is a module, or something in one."""
    module, members = name.split("."), []
    while module:
        try:
            found = import_module(".".join(module))
        except ImportError:
            members.insert(0, module.pop())
            continue
        for member in members:
            if not hasattr(found, member):
                return False
            found = getattr(found, member)
        return True
    return False


def imported_in(text: str) -> list[str]:
    """Names of the library that code on a page imports."""
    lines = re.findall(
        r"^ *(from retick[\w.]* import (?:\([^)]*\)|[^(\n]*)|import retick[\w., ]*)", text, flags=re.MULTILINE
    )
    names = []
    for line in lines:
        match ast.parse(line).body[0]:
            case ast.ImportFrom(module=str(module), names=members):
                names += [f"{module}.{member.name}" for member in members]
            case ast.Import(names=modules):
                names += [module.name for module in modules]
    return names


def test_names_of_the_library_on_the_pages_exist() -> None:
    fields = ROOT / "docs" / "formats" / "capture.md"  # it has the names of Wireshark's fields, too
    rooms = {path.stem for path in SOURCE.iterdir() if path.suffix in ("", ".py")}
    gone = []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        names = set(imported_in(text))
        if page != fields:
            names |= {name for name in re.findall(r"`(retick(?:\.\w+)+)", text) if name.split(".")[1] in rooms}
        gone += [f"{page.relative_to(ROOT)}: {name}" for name in sorted(names) if not is_there(name)]
    assert gone == []


def test_names_that_are_gone_are_noticed() -> None:
    page = (
        "    from retick.sim import World, Gone as G\nimport retick.nowhere\nfrom retick.link import (\n  Nothing,\n)"
    )
    assert [name for name in imported_in(page) if not is_there(name)] == [
        "retick.sim.Gone",
        "retick.nowhere",
        "retick.link.Nothing",
    ]


FILES_OF_USERS = {
    "game.py", "mygame.py", "file.py", "rules.py", "old/rules.py", "new/rules.py", "mygame/sim.py", "path/to/file.py",
    "json.py", "retick.py", "retick.lua",
}  # fmt: skip
"""Files that texts name as examples: they are in projects of users."""


def path_ends(paths: Iterable[str]) -> set[str]:
    """The ways to name files: for ``src/retick/link/config.py`` also ``link/config.py`` and ``config.py``."""
    return {"/".join(path.split("/")[-depth:]) for path in paths for depth in range(1, path.count("/") + 2)}


def files_of_the_project() -> Iterator[str]:
    yield from (path.name for path in ROOT.iterdir() if path.is_file())
    for folder in ("src", "tests", "docs", "benchmarks", "deploy", "examples", "fuzz", "scripts", "typings"):
        yield from (path.relative_to(ROOT).as_posix() for path in (ROOT / folder).rglob("*.*"))


def files_named_in(text: str) -> list[str]:
    """Words of a text that name a file of code; not those with a placeholder, and not methods such as ``x.js()``."""
    return re.findall(r"(?<![\w./*…<>:-])(?:\.{0,2}/)*((?:[\w.-]+/)*[\w-]+\.(?:py|pxd|lua|js))\b(?![(<*…])", text)


def files_that_are_gone(text: str, there: set[str]) -> list[str]:
    return [name for name in files_named_in(text) if name not in there and name not in FILES_OF_USERS]


def said_in(source: str) -> str:
    """The docstrings and comments of a module."""
    texts = re.findall(r"#.*", source)
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Expr(value=ast.Constant(value=str(text))):
                texts.append(text)
    return "\n".join(texts)


def texts_that_name_files() -> Iterator[tuple[Path, str]]:
    for page in [ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        # The name of a program that runs JavaScript is not one of a file.
        yield page, page.read_text(encoding="utf-8").replace("Node.js", "Node")
    for module in sorted(SOURCE.rglob("*.py")):
        yield module, said_in(module.read_text(encoding="utf-8"))
    for declaration in sorted(SOURCE.rglob("*.pxd")):
        yield declaration, "\n".join(re.findall(r"#.*", declaration.read_text(encoding="utf-8")))


def test_files_that_texts_name_exist() -> None:
    there = path_ends(files_of_the_project())
    gone = [
        f"{where.relative_to(ROOT)}: {name}"
        for where, text in texts_that_name_files()
        for name in files_that_are_gone(text, there)
    ]
    assert gone == []


def test_a_file_that_is_gone_is_noticed() -> None:
    source = (
        '# See motor/heading.py.\ndef f():\n    """As in wire/gone.pxd, but not ``game.py``."""\n    return "away.py"\n'
    )
    there = path_ends(["src/retick/sim/heading.py", "src/retick/wire/here.pxd"])
    assert files_that_are_gone(said_in(source), there) == ["motor/heading.py", "wire/gone.pxd"]
    page = "`heading.py`, ../wire/here.pxd, ./gone.js, old/rules.lua:Game, src/<name>.py, x.js() and *.py"
    assert files_that_are_gone(page, there) == ["gone.js", "old/rules.lua"]


# The tests that show a defence.


def named_tests(text: str) -> set[str]:
    return set(re.findall(r"`(?:[\w/.]+::)?(test_\w+)`", text))


def written_tests() -> set[str]:
    found: set[str] = set()
    for file in (ROOT / "tests").rglob("*.py"):
        found.update(re.findall(r"^\s*def (test_\w+)", file.read_text(encoding="utf-8"), re.MULTILINE))
    return found


def test_the_tests_that_pages_name_exist() -> None:
    there = written_tests()
    pages = {page: named_tests(page.read_text(encoding="utf-8")) for page in sorted((ROOT / "docs").rglob("*.md"))}
    assert {page.name: names - there for page, names in pages.items() if names - there} == {}
    assert len(pages[ROOT / "docs" / "internals" / "threats.md"]) > 100


def test_a_test_that_is_gone_is_noticed() -> None:
    row = "| `test_one`, `tests/a/test_b.py::test_two` | `tests/c/test_d.py` |"
    assert named_tests(row) == {"test_one", "test_two"}
    assert "test_a_test_that_is_gone_is_noticed" in written_tests()
    assert "test_that_was_never_written" not in written_tests()
