"""The static half of the audit: applies every rule to every file, and sets aside what allow comments name."""

import ast
import io
import re
import sys
import tokenize
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from retick._regular_files import read_bytes, read_text
from retick.audit.report import AllowedFinding, Finding, StaticReport
from retick.audit.rules import FLOAT_RULES, RULES
from retick.audit.static import rules_numbers, rules_order, rules_outside, rules_state
from retick.audit.static.declared_fields import declares_float_state, uses_safe_functions
from retick.audit.static.parsed_file import Hit, ParsedFile
from retick.audit.static.reach import SourceOf, set_aside_unreached
from retick.audit.static.rules_outside import outside_rule
from retick.audit.static.scopes import absolute_module
from retick.audit.targets import SourceFile, find_target

# Comments for the audit are:
#
# ``# retick: allow RULE[, RULE ...] -- reason``
#     silences those rules on its own line or, if it stands alone, on the next line that has code.
# ``# retick: floats -- reason``
#     on a line of its own: this file (in an ``__init__.py``: this package) uses floats on purpose.

_OURS = re.compile(r"#\s*retick:\s*(?P<body>.*)$")
_BODY = re.compile(r"(?P<verb>allow|floats)\b\s*(?P<rules>.*?)\s*(?:--\s*(?P<reason>.*))?$")
_NOT_CODE = {
    tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING,
    tokenize.ENDMARKER,
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Allow:
    """One rule allowed on one line."""

    rule: str
    reason: str
    line: int
    """The line that is silenced."""
    comment_line: int
    comment_column: int


@dataclass(slots=True, kw_only=True)
class Comments:
    """The comments for the audit in one file."""

    allows: list[Allow] = field(default_factory=list)
    floats_line: int | None = None
    """The line of the ``floats`` comment, if there is one."""
    complaints: list[tuple[int, int, str, str]] = field(default_factory=list)
    """Line, column, rule and text of each wrong comment."""


def read_comments(text: str) -> Comments:
    """Read the comments of a file that can be parsed."""
    tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    code_lines = sorted({token.start[0] for token in tokens if token.type not in _NOT_CODE})
    comments = Comments()
    for token in tokens:
        ours = _OURS.match(token.string) if token.type == tokenize.COMMENT else None
        if ours:
            line, column = token.start
            _read_one(comments, ours["body"].strip(), line, column + 1, code_lines)
    return comments


def _read_one(comments: Comments, body: str, line: int, column: int, code_lines: list[int]) -> None:
    parsed = _BODY.match(body)
    alone = line not in code_lines
    if parsed is None or (parsed["verb"] == "floats" and (parsed["rules"] or not alone)):
        comments.complaints.append((line, column, "allow-unknown", f"`retick: {body}`"))
        return
    rules = [rule for rule in re.split(r"[,\s]+", parsed["rules"]) if rule]
    unknown = [rule for rule in rules if rule not in RULES]
    if unknown or (parsed["verb"] == "allow" and not rules):
        what = f"no rule is called {unknown[0]!r}" if unknown else "`allow` names no rule"
        comments.complaints.append((line, column, "allow-unknown", what))
    elif not parsed["reason"]:
        comments.complaints.append((line, column, "allow-reason", f"`retick: {body}` gives no reason"))
    elif parsed["verb"] == "floats":
        comments.floats_line = line
    else:
        target = next((code for code in code_lines if code > line), line) if alone else line
        for rule in rules:
            allow = Allow(rule=rule, reason=parsed["reason"], line=target, comment_line=line, comment_column=column)
            comments.allows.append(allow)


def followed(files: tuple[SourceFile, ...]) -> tuple[SourceFile, ...]:
    """Add what ``files`` import from their own top-level package or, without a package, from files beside them.

    The ``__init__`` of a package around an imported module runs too, and is read. Its imports are followed only if the
    package itself is imported: a package that exports its window does not make the window a simulation.
    """
    found = {file.path: file for file in files}
    waiting = list(files)
    followed = set(found)
    while waiting:
        for near, is_imported in _imported_by(waiting.pop()):
            found.setdefault(near.path, near)
            if is_imported and near.path not in followed:
                followed.add(near.path)
                waiting.append(near)
    return tuple(found.values())


def _imported_by(file: SourceFile) -> Iterator[tuple[SourceFile, bool]]:
    """The files nearby that run for the imports of ``file``, and whether each is itself imported."""
    try:
        tree = ast.parse(read_bytes(file.path))
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return
    own = file.module.split(".")[0]
    for node in ast.walk(tree):
        for module in _modules_named(node, file):
            same_package = module.split(".")[0] == own and file.package
            beside = not file.package and module.split(".")[0] not in sys.stdlib_module_names
            if same_package or beside:
                for source in _sources_of(file.root, module):
                    yield source, source.module == module


def _modules_named(node: ast.AST, file: SourceFile) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        module = absolute_module(node, file.package)
        inner = [f"{module}.{alias.name}" for alias in node.names]
        modules = [name for name in inner if any(source.module == name for source in _sources_of(file.root, name))]
        return modules if len(modules) == len(inner) else [module, *modules]
    return []


def _sources_of(root: Path, module: str) -> list[SourceFile]:
    """The ``__init__`` of each package around a module, and the module's file last, if they exist."""
    path, found = root, []
    for part in module.split("."):
        if not part:
            break
        path = path / part
        for candidate in (path / "__init__.py", path.with_suffix(".py")):
            if candidate.exists():
                found.append(SourceFile(candidate, root))
                break
    return found


_CHECKS: tuple[Callable[[ParsedFile], Iterator[Hit]], ...] = (
    rules_numbers.check,
    rules_outside.check,
    rules_outside.check_engines,
    rules_order.check,
    rules_state.check_global_state,
    rules_state.check,
)


def audit_static(
    target: str, *, follow: bool = True, progress: Callable[[str], None] = lambda text: None
) -> StaticReport:
    """Audit the source of a file, a directory or a module; with ``follow`` also its imports from its own package.

    ``progress`` is called with lines about the progress.
    """
    found = find_target(target, progress=lambda folder: progress(f"looking for source in {folder}"))
    return audit_files(followed(found.files) if follow else found.files, progress, game=found.attribute)


def audit_source(text: str, *, path: str = "<source>", package: str = "", floats: bool = False) -> StaticReport:
    """Audit one source text; with ``floats``, its package has a ``retick: floats`` comment or a state with floats."""
    audited = _File(path, text, package, inherited_floats=floats)
    _apply_rules([audited], ["__source__"], None)
    findings = [*audited.findings, *audited.unused_declaration()]
    return StaticReport(files=(path,), findings=tuple(sorted(findings)), allowed=tuple(audited.allowed))


def audit_files(
    files: Sequence[SourceFile], progress: Callable[[str], None] = lambda text: None, *, game: str | None = None
) -> StaticReport:
    """Audit several files, as far as games reach them; ``game`` names one game in the first file.

    A ``retick: floats`` comment in an ``__init__.py`` holds for all files below it; a state that declares floats, for
    all files in and below its folder.
    """
    audited: list[_File] = []
    declarations: dict[Path, bool] = {}
    float_folders = {file.path.parent for file in files if _has_float_state(file)}
    for number, file in enumerate(files, 1):
        progress(f"file {number} of {len(files)}: {_shown(file.path)}")
        inherited = any(_declares_floats(init, declarations) for init in _inits_above(file))
        audited.append(_read(file, inherited or not float_folders.isdisjoint(file.path.parents)))
    outside = _apply_rules(audited, files, game)
    findings = [finding for one in audited for finding in one.findings]
    for one in audited:
        unused = [] if one in outside else one.unused_declaration()
        if unused and Path(one.path).name == "__init__.py":
            below = [other for other in audited if Path(one.path).parent in Path(other.path).parents]
            unused = [] if any(other.floats_found for other in below) else unused
        findings += unused
    return StaticReport(
        files=tuple(one.path for one in audited if one not in outside),
        outside=tuple(one.path for one in outside),
        findings=tuple(sorted(findings)),
        allowed=tuple(allowed for one in audited for allowed in one.allowed),
    )


def _apply_rules(audited: "list[_File]", files: Sequence[SourceFile | str], game: str | None) -> "list[_File]":
    """Apply the rules to what games reach; return the files that are not part of a simulation."""
    parsed: list[SourceOf] = []
    readable: list[_File] = []
    for one, file in zip(audited, files, strict=True):
        if one.source is not None:
            root, module = ("", file) if isinstance(file, str) else (str(file.root), file.module)
            parsed.append(SourceOf(root, module, one.source))
            readable.append(one)
    named = (0, game) if game and readable and readable[0] is audited[0] else None
    try:
        outside = {readable[number].path for number in set_aside_unreached(parsed, named)}
    except RecursionError:  # the rules report it for the file with the deep expression
        outside = set()
    for one in readable:
        if one.path not in outside:
            one.apply_rules()
    return [one for one in audited if one.path in outside]


def _inits_above(file: SourceFile) -> list[Path]:
    """The ``__init__.py`` of each package around the file, except the file itself."""
    folders = [folder for folder in file.path.parents if folder != file.root and file.root in folder.parents]
    return [folder / "__init__.py" for folder in folders if folder / "__init__.py" != file.path]


def _declares_floats(init: Path, known: dict[Path, bool]) -> bool:
    if init not in known:
        try:
            known[init] = read_comments(read_text(init, "utf-8-sig")).floats_line is not None
        except (OSError, ValueError, SyntaxError):
            known[init] = False
    return known[init]


def _has_float_state(file: SourceFile) -> bool:
    try:
        text = read_text(file.path, "utf-8-sig")
        return "retick" in text and declares_float_state(ParsedFile(text, package=file.package))
    except (OSError, ValueError, SyntaxError, RecursionError, MemoryError):
        return False  # the audit of the file itself reports it


def _read(file: SourceFile, inherited_floats: bool) -> "_File":
    path = _shown(file.path)
    try:
        # Some editors write a byte order mark first. Python skips it in files; ast.parse of a text does not.
        text = read_text(file.path, "utf-8-sig")
    except UnicodeDecodeError as error:
        return _File(path, "", file.package, unreadable=f"not UTF-8 at byte {error.start}")
    return _File(path, text, file.package, inherited_floats=inherited_floats)


def _shown(path: Path) -> str:
    """The path relative to the working directory, if the file is below it."""
    here = Path.cwd()
    return str(path.relative_to(here) if here in path.parents else path)


def _is_not_ported(source: ParsedFile) -> bool:
    """Whether this is a game of an engine that does not use this library yet."""
    modules = set(source.imports())
    engine = any(outside_rule(module) == "engine" for module in modules)
    return engine and not any(module.split(".")[0] == "retick" for module in modules)


def _folded(findings: list[Finding]) -> list[Finding]:
    """Merge all findings about floats, which one declaration of the state's fields answers."""
    floats = [finding for finding in findings if finding.rule in FLOAT_RULES]
    rest = [finding for finding in findings if finding.rule not in FLOAT_RULES]
    if len(floats) < 2:
        return findings
    lines = len({finding.line for finding in floats})
    return sorted([replace(floats[0], what=f"{floats[0].what}, the first of floats on {lines} lines"), *rest])


class _File:
    """The findings of one file, and those that its comments allow."""

    def __init__(
        self, path: str, text: str, package: str, *, inherited_floats: bool = False, unreadable: str | None = None
    ) -> None:
        self.path = path
        self.findings: list[Finding] = []
        self.allowed: list[AllowedFinding] = []
        self.floats_found = False
        self.source: ParsedFile | None = None
        """The parsed file; None if it cannot be parsed."""
        self._comments = Comments()
        if unreadable is not None:
            self._add(1, 1, "syntax", unreadable)
            return
        try:
            self._parse(text, package, inherited_floats)
        except (RecursionError, MemoryError):  # raised by the parser, which follows the nesting
            self._too_deep()

    def _too_deep(self) -> None:
        self.findings, self.allowed = [], []
        self._add(1, 1, "syntax", "expressions nested too deeply")

    def apply_rules(self) -> None:
        """Note what breaks a rule, except in code that is set aside."""
        try:
            if self.source is not None:
                self._apply_comments(self.source)
        except (RecursionError, MemoryError):  # raised by a rule, which follows the nesting
            self._too_deep()

    def _parse(self, text: str, package: str, inherited_floats: bool) -> None:
        try:
            ast.parse(text)
            self._comments = read_comments(text)
        except (SyntaxError, ValueError) as error:
            line, column = getattr(error, "lineno", 1) or 1, getattr(error, "offset", 1) or 1
            self._add(line, column, "syntax", str(getattr(error, "msg", error)))
            return
        floats = inherited_floats or self._comments.floats_line is not None
        source = ParsedFile(text, path=self.path, package=package, floats=floats)
        source.floats = floats or declares_float_state(source) or uses_safe_functions(source)
        self.source = source

    def _add(self, line: int, column: int, rule: str, what: str) -> None:
        self.findings.append(Finding(path=self.path, line=line, column=column, rule=rule, what=what))

    def _apply_comments(self, source: ParsedFile) -> None:
        allows = {(allow.line, allow.rule): allow for allow in self._comments.allows}
        used = set()
        for finding in _folded(self._all(source)) if _is_not_ported(source) else self._all(source):
            if finding.rule in FLOAT_RULES and source.floats:
                self.floats_found = True
            elif allow := allows.get((finding.line, finding.rule)):
                used.add(allow)
                self.allowed.append(AllowedFinding(finding=finding, because=allow.reason))
            else:
                self.findings.append(finding)
        lines = {getattr(node, "lineno", 0) for node in source.walk()}
        for allow in self._comments.allows:
            if allow not in used and allow.line in lines:
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
