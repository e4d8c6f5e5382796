"""The static half of the audit: applies every rule to every file, and sets aside what allow comments name."""

import ast
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from retick.audit.report import AllowedFinding, Finding, StaticReport
from retick.audit.rules import FLOAT_RULES
from retick.audit.static import rules_global_state, rules_numbers, rules_order, rules_outside, rules_state
from retick.audit.static.allow_comments import Comments, read_comments
from retick.audit.static.declared_fields import declares_float_state, uses_safe_functions
from retick.audit.static.followed_imports import followed, near_imports
from retick.audit.static.parsed_file import Hit, ParsedFile
from retick.audit.static.script_lines import is_game
from retick.audit.targets import SourceFile, find_target

__all__ = ["audit_files", "audit_source", "audit_static"]

_CHECKS: tuple[Callable[[ParsedFile], Iterator[Hit]], ...] = (
    rules_numbers.check,
    rules_outside.check,
    rules_order.check,
    rules_global_state.check,
    rules_state.check,
)


def audit_static(
    target: str, *, follow: bool = True, progress: Callable[[str], None] = lambda text: None
) -> StaticReport:
    """Audit the source of a file, a directory or a module; with ``follow`` also what it imports of its own package.

    ``progress`` is called with a line that says how far it is.
    """
    files = find_target(target, progress=lambda folder: progress(f"looking for source in {folder}")).files
    return audit_files(followed(files) if follow else files, progress)


def audit_source(text: str, *, path: str = "<source>", package: str = "", floats: bool = False) -> StaticReport:
    """Audit one source text. ``floats``: its package has a ``retick: floats`` comment or a state of floats."""
    audited = _File(path, text, package, inherited_floats=floats)
    findings = [*audited.findings, *audited.unused_declaration()]
    return StaticReport(files=(path,), findings=tuple(sorted(findings)), allowed=tuple(audited.allowed))


def audit_files(files: Sequence[SourceFile], progress: Callable[[str], None] = lambda text: None) -> StaticReport:
    """Audit several files.

    A ``retick: floats`` comment in an ``__init__.py`` counts for all files below it; a state that declares floats, for
    all files of its folder and below it.
    """
    audited: list[_File] = []
    declarations: dict[Path, bool] = {}
    float_folders = {file.path.parent for file in files if _has_float_state(file)}
    for number, file in enumerate(files, 1):
        progress(f"file {number} of {len(files)}: {_shown(file.path)}")
        inherited = any(_declares_floats(init, declarations) for init in _inits_above(file))
        audited.append(_read(file, inherited or not float_folders.isdisjoint(file.path.parents)))
    findings = [finding for one in audited for finding in one.findings]
    findings += _imports_of_outside(files, audited)
    for one in audited:
        unused = one.unused_declaration()
        if unused and Path(one.path).name == "__init__.py":
            below = [other for other in audited if Path(one.path).parent in Path(other.path).parents]
            unused = [] if any(other.floats_found for other in below) else unused
        findings += unused
    return StaticReport(
        files=tuple(one.path for one in audited),
        findings=tuple(sorted(findings)),
        allowed=tuple(allowed for one in audited for allowed in one.allowed),
        outside=tuple(one.path for one in audited if one.is_outside),
    )


def _imports_of_outside(files: Sequence[SourceFile], audited: "Sequence[_File]") -> Iterator[Finding]:
    """A file that is audited runs what it imports: that must be audited, too."""
    outside = {file.path.resolve() for file, one in zip(files, audited, strict=True) if one.is_outside}
    for file, one in zip(files, audited, strict=True):
        for node, near, _ in near_imports(file) if outside and not one.is_outside else ():
            if near.path.resolve() in outside:
                line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0) + 1
                what = f"`{near.module}` is imported, which says that it is outside"
                yield Finding(path=one.path, line=line, column=column, rule="outside", what=what)


def _inits_above(file: SourceFile) -> list[Path]:
    """The ``__init__.py`` of each package that the file is in, the file itself left out."""
    folders = [folder for folder in file.path.parents if folder != file.root and file.root in folder.parents]
    return [folder / "__init__.py" for folder in folders if folder / "__init__.py" != file.path]


def _declares_floats(init: Path, known: dict[Path, bool]) -> bool:
    if init not in known:
        try:
            known[init] = read_comments(init.read_text(encoding="utf-8-sig")).floats_line is not None
        except (OSError, ValueError, SyntaxError):
            known[init] = False
    return known[init]


def _has_float_state(file: SourceFile) -> bool:
    try:
        text = file.path.read_text(encoding="utf-8-sig")
        return "retick" in text and declares_float_state(ParsedFile(text, package=file.package))
    except (OSError, ValueError, SyntaxError, RecursionError, MemoryError):
        return False  # reported when the file itself is audited


def _read(file: SourceFile, inherited_floats: bool) -> "_File":
    path = _shown(file.path)
    try:
        # Some editors write a byte order mark first. Python skips it in files; ast.parse of a text does not.
        text = file.path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        return _File(path, "", file.package, unreadable=f"not UTF-8 at byte {error.start}")
    return _File(path, text, file.package, inherited_floats=inherited_floats)


def _shown(path: Path) -> str:
    """The path relative to the working directory, if it is below it."""
    here = Path.cwd()
    return str(path.relative_to(here) if here in path.parents else path)


class _File:
    """The findings of one file, and those that its comments allow."""

    def __init__(
        self, path: str, text: str, package: str, *, inherited_floats: bool = False, unreadable: str | None = None
    ) -> None:
        self.path = path
        self.findings: list[Finding] = []
        self.allowed: list[AllowedFinding] = []
        self.floats_found = False
        self.is_outside = False
        """It says that no simulation runs it."""
        self._comments = Comments()
        if unreadable is not None:
            self._add(1, 1, "syntax", unreadable)
            return
        try:
            self._check(text, package, inherited_floats)
        except (RecursionError, MemoryError):  # by the parser or by a rule: both follow the nesting
            self.findings, self.allowed = [], []
            self._add(1, 1, "syntax", "expressions nested too deeply")

    def _check(self, text: str, package: str, inherited_floats: bool) -> None:
        try:
            tree = ast.parse(text)
            self._comments = read_comments(text)
        except (SyntaxError, ValueError) as error:
            line, column = getattr(error, "lineno", 1) or 1, getattr(error, "offset", 1) or 1
            self._add(line, column, "syntax", str(getattr(error, "msg", error)))
            return
        if self._comments.outside_line is not None:
            self._leave_out(tree, self._comments.outside_line)
            return
        floats = inherited_floats or self._comments.floats_line is not None
        source = ParsedFile(text, path=self.path, package=package, floats=floats)
        source.floats = floats or declares_float_state(source) or uses_safe_functions(source)
        self._apply_comments(source)

    def _leave_out(self, tree: ast.Module, line: int) -> None:
        """No rule for this file, unless it has a game."""
        games = [one for one in tree.body if isinstance(one, ast.ClassDef) and is_game(one)]
        for game in games:
            self._add(line, 1, "outside", f"`{game.name}` on line {game.lineno} is a simulation")
        for at, column, rule, what in self._comments.complaints:
            self._add(at, column, rule, what)
        self.is_outside = not games

    def _add(self, line: int, column: int, rule: str, what: str) -> None:
        self.findings.append(Finding(path=self.path, line=line, column=column, rule=rule, what=what))

    def _apply_comments(self, source: ParsedFile) -> None:
        allows = {(allow.line, allow.rule): allow for allow in self._comments.allows}
        used = set()
        for finding in self._all(source):
            if finding.rule in FLOAT_RULES and source.floats:
                self.floats_found = True
            elif allow := allows.get((finding.line, finding.rule)):
                used.add(allow)
                self.allowed.append(AllowedFinding(finding=finding, because=allow.reason))
            else:
                self.findings.append(finding)
        for allow in self._comments.allows:
            if allow not in used:
                what = f"nothing on line {allow.line} breaks the rule `{allow.rule}`"
                self._add(allow.comment_line, allow.comment_column, "allow-unused", what)
        for line, column, rule, what in self._comments.complaints:
            self._add(line, column, rule, what)

    def _all(self, source: ParsedFile) -> list[Finding]:
        found = set()
        for check in _CHECKS:
            for hit in check(source):
                line, column = getattr(hit.node, "lineno", 1), getattr(hit.node, "col_offset", 0) + 1
                found.add(Finding(path=self.path, line=line, column=column, rule=hit.rule, what=hit.what))
        return sorted(found)

    def unused_declaration(self) -> list[Finding]:
        line = self._comments.floats_line
        if line is None or self.floats_found:
            return []
        what = "`retick: floats` in a file that has none"
        return [Finding(path=self.path, line=line, column=1, rule="allow-unused", what=what)]
