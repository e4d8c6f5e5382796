"""Rules about everything outside of a simulation: clocks, randomness, environment, concurrency, I/O, pickles.

Most findings are at the use of a name, because an unused import does no harm and each use may need its own comment.
Engines have their own rules. Annotations are not uses: a parameter may be annotated with Path.
"""

import ast
import re
from collections.abc import Iterator

from retick.audit.static.parsed_file import Hit, ParsedFile
from retick.audit.static.rules_pictures import is_made_at_the_top, picture_sizes
from retick.audit.static.scopes import absolute_module

# An entry covers the name itself and everything below it. The longest matching entry decides; ``None`` allows a name
# below a forbidden one.

_ENGINES = """
    arcade Box2D bge bpy cocos direct glfw harfang kivy moderngl OpenGL panda3d pybullet pygame pyglet pymunk pyray
    pyxel raylib renpy sdl2 tcod tkinter turtle ursina wasabi2d
"""
_CLOCKS = """
    time timeit sched datetime.datetime.now datetime.datetime.utcnow datetime.datetime.today datetime.date.today
    datetime.datetime.fromtimestamp datetime.date.fromtimestamp os.times
    pygame.time pyglet.clock arcade.clock panda3d.core.ClockObject direct.showbase.ShowBaseGlobal.globalClock
"""
_RANDOM = """
    random secrets uuid.uuid1 uuid.uuid4 uuid.getnode os.urandom os.getrandom numpy.random ssl.RAND_bytes
"""
_ENVIRONMENT = """
    os.environ os.environb os.getenv os.getenvb os.putenv os.unsetenv os.cpu_count os.process_cpu_count os.getpid
    os.getppid os.getlogin os.getuid os.uname os.name os.getloadavg os.sched_getaffinity os.get_terminal_size
    sys.argv sys.byteorder sys.executable sys.flags sys.getrefcount sys.getsizeof sys.hash_info sys.implementation
    sys.maxsize sys.modules sys.path sys.platform sys.version sys.version_info sys.getdefaultencoding
    sys.getfilesystemencoding gc getpass locale platform sysconfig
"""
_CONCURRENCY = """
    _thread anyio asyncio concurrent curio eventlet gevent greenlet multiprocessing queue select selectors signal
    threading trio os.fork os.forkpty
"""
_IO = """
    builtins.open builtins.input builtins.breakpoint io.open io.open_code io.FileIO aiohttp codecs.open curses dbm
    fileinput ftplib glob http.client http.server httpx imaplib importlib.resources mmap pathlib.Path
    pathlib.PosixPath pathlib.WindowsPath pkgutil.get_data poplib requests shelve shutil smtplib socket socketserver
    sqlite3 ssl subprocess sys.stdin tempfile urllib.request webbrowser xmlrpc numpy.fromfile numpy.genfromtxt
    numpy.load numpy.loadtxt numpy.memmap numpy.save numpy.savetxt numpy.savez
    os.access os.chdir os.chmod os.close os.getcwd os.kill os.link os.listdir os.lstat os.makedirs os.mkdir os.open
    os.pipe os.popen os.read os.readlink os.remove os.removedirs os.rename os.renames os.replace os.rmdir os.scandir
    os.stat os.symlink os.system os.truncate os.unlink os.walk os.write os.startfile os.dup os.dup2 os.fdopen
    os.execl os.execv os.execve os.execvp os.posix_spawn os.spawnl os.spawnv
    os.path.abspath os.path.exists os.path.expanduser os.path.expandvars os.path.getatime os.path.getctime
    os.path.getmtime os.path.getsize os.path.isdir os.path.isfile os.path.islink os.path.lexists os.path.realpath
"""
_OUTPUT = """
    builtins.print logging loguru pprint.pp pprint.pprint rich structlog sys.stderr sys.stdout traceback.print_exc
    traceback.print_stack warnings.warn
"""
_PICKLES = """
    pickle _pickle cloudpickle dill jsonpickle joblib.load joblib.dump marshal
"""
_FREE = "time.struct_time pickle.PickleError pickle.PicklingError pickle.UnpicklingError"

_RULES: dict[str, str | None] = dict.fromkeys(_FREE.split())
for _rule, _names in (
    ("engine", _ENGINES),
    ("clock", _CLOCKS),
    ("random", _RANDOM),
    ("environment", _ENVIRONMENT),
    ("concurrency", _CONCURRENCY),
    ("io", _IO),
    ("output", _OUTPUT),
    ("pickle", _PICKLES),
):
    _RULES.update(dict.fromkeys(_names.split(), _rule))


def outside_rule(dotted: str) -> str | None:
    """The rule that using ``dotted`` breaks; None if it breaks none."""
    parts = dotted.replace("()", "").split(".")
    for end in range(len(parts), 0, -1):
        entry = ".".join(parts[:end])
        if entry in _RULES:
            return _RULES[entry]
    return None


_FILE_METHODS = frozenset({"read_text", "read_bytes", "write_text", "write_bytes"})

_DOES = {
    "clock": "reads a clock",
    "random": "draws from outside of the state",
    "environment": "reads the environment",
    "concurrency": "runs concurrently",
    "io": "does I/O",
    "output": "writes output",
    "pickle": "runs code that is in the data",
}


def check(source: ParsedFile) -> Iterator[Hit]:
    """The places that break the rules clock, random, environment, concurrency, io, output and pickle."""
    yield from _imports(source)
    yield from _uses(source)
    for node in source.walk():
        if isinstance(node, ast.AsyncFunctionDef | ast.AsyncFor | ast.AsyncWith | ast.Await):
            yield Hit(node, "concurrency", "asynchronous code")
        elif isinstance(node, ast.Attribute) and node.attr in _FILE_METHODS and not source.resolve(node):
            yield Hit(node, "io", f"`.{node.attr}()` does I/O")


def _imports(source: ParsedFile) -> Iterator[Hit]:
    for node in source.walk():
        for module in _modules_imported(source, node):
            rule = outside_rule(module)
            if rule and rule != "engine" and isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
                yield Hit(node, rule, f"`from {module} import *`")


def _modules_imported(source: ParsedFile, node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [absolute_module(node, source.package)] if isinstance(node, ast.ImportFrom) else []


def _uses(source: ParsedFile) -> Iterator[Hit]:
    for node, names in source.references():
        if source.in_annotation(node) or _is_caught(source, node):
            continue
        for name in names:
            rule = outside_rule(name)
            # A parameter annotated with a class does not use the class, but calls of its methods do.
            if rule and rule != "engine" and not name.endswith("()"):
                plain = name.replace("()", "").removeprefix("builtins.")
                yield Hit(node, rule, f"`{plain}` {_DOES[rule]}")
                break


def _is_caught(source: ParsedFile, node: ast.expr) -> bool:
    """Whether the node is an exception that is only caught, as in ``except asyncio.CancelledError``."""
    above = source.parent(node)
    if isinstance(above, ast.Tuple):
        above = source.parent(above)
    return isinstance(above, ast.ExceptHandler)


# The rules about engines find what a simulation uses of pygame and others, and say what to write instead.
#
# An import alone is not a finding, since the file may draw, too. Nor are constants such as ``pygame.K_a``, and
# rectangles that are made once for the module, which have only integers. Each name is reported once, at its first use.
# Methods of pygame's vectors are reported at every call: they are C code that rounds as the compiler likes.

_CONSTANT = re.compile(r"\.(K_\w+|[A-Z][A-Z0-9_]*)$")
_VECTORS = ("pygame.Vector2", "pygame.Vector3", "pygame.math.Vector2", "pygame.math.Vector3")
_RECTANGLES = ("pygame.Rect", "pygame.rect.Rect")
_INTEGERS = (*_RECTANGLES, "pygame.Color")
_SAME_VECTOR = "write `from retick.sim import Vector2`, which is used in the same way"
_MACHINE = "reads this machine: the buttons of all players are the inputs of `advance` or `step`"
_SOUND = "would play again when the frame is resimulated: call `self.cue(...)` here, and play it in `hear`"
_PICTURE = "belongs in `draw`"
_INSTEAD = {
    "pygame.Vector2": _SAME_VECTOR,
    "pygame.math.Vector2": _SAME_VECTOR,
    "pygame.Rect": "write `from retick.sim import Rect`, which is used in the same way",
    "pygame.rect.Rect": "write `from retick.sim import Rect`, which is used in the same way",
    "pygame.FRect": "has floats of 32 bits: write `from retick.sim import Rect`, or keep F64 fields",
    "pygame.math": "use `retick.sim.maths`",
    "pygame.sprite": "keep the objects in a list of Things (docs/concepts/worlds.md)",
    **dict.fromkeys(("pygame.key", "pygame.mouse", "pygame.joystick", "pygame.event"), _MACHINE),
    **dict.fromkeys(("pygame.mixer", "pygame.sndarray"), _SOUND),
    **dict.fromkeys(
        ("pygame.display", "pygame.draw", "pygame.font", "pygame.freetype", "pygame.gfxdraw", "pygame.image",
         "pygame.Surface", "pygame.surfarray", "pygame.transform"),
        _PICTURE,
    ),
}  # fmt: skip
_VECTOR_METHODS = frozenset({
    "angle_to", "angle_rad_to", "as_polar", "as_spherical", "clamp_magnitude", "clamp_magnitude_ip", "cross",
    "distance_squared_to", "distance_to", "dot", "from_polar", "is_normalized", "length", "length_squared", "lerp",
    "magnitude", "magnitude_squared", "move_towards", "move_towards_ip", "normalize", "normalize_ip", "project",
    "reflect", "reflect_ip", "rotate", "rotate_ip", "rotate_ip_rad", "rotate_rad", "rotate_rad_ip", "scale_to_length",
    "slerp", "smoothstep",
})  # fmt: skip


def check_engines(source: ParsedFile) -> Iterator[Hit]:
    """The places that break the rule engine, and calls of pygame's vectors that break inexact-math."""
    found: dict[str, list[ast.expr]] = {}
    has_vectors = False
    for node, names in source.references():
        for name in names:
            if outside_rule(name) != "engine":
                continue
            has_vectors = has_vectors or _plain(name).startswith(_VECTORS)
            if not source.in_annotation(node) and not _is_harmless(source, node, name):
                found.setdefault(_used(name), []).append(node)
    sizes = picture_sizes(source)
    yield from sizes
    for name, nodes in found.items():
        if sizes and all(is_made_at_the_top(source, node, name) for node in nodes):
            continue  # right once nothing but draw uses the pictures
        first = min(nodes, key=lambda node: (node.lineno, node.col_offset))
        more = f", here and in {len(nodes) - 1} more places" if len(nodes) > 2 else ", used twice" * (len(nodes) == 2)
        instead = _instead(name)
        yield Hit(first, "engine", f"`{name}`{more}" + (f": {instead}" if instead else ""))
    if has_vectors:
        yield from _vector_methods(source)


def _plain(name: str) -> str:
    return name.replace("()", "")


def _is_harmless(source: ParsedFile, node: ast.expr, name: str) -> bool:
    """Whether a name is a constant, a rectangle made once, a parameter that is only passed on, or a vector's method."""
    if name.endswith("()") or _CONSTANT.search(name):
        return True
    if "()." in name and name.partition("()")[0] in _VECTORS:
        return True  # reported as a method, if it is unsafe
    return _plain(name).startswith(_INTEGERS) and source.function_of(node) is None


def _used(name: str) -> str:
    """The name to report, without the attribute of an instance."""
    return name.partition("()")[0]


def _instead(name: str) -> str:
    parts = name.split(".")
    for end in range(len(parts), 0, -1):
        if text := _INSTEAD.get(".".join(parts[:end])):
            return text
    return ""


def _vector_methods(source: ParsedFile) -> Iterator[Hit]:
    for node in source.walk():
        match node:
            case ast.Call(func=ast.Attribute(attr=method) as func) if method in _VECTOR_METHODS:
                imported = source.resolve(func)
                if imported and not all(_plain(name).startswith(_VECTORS) for name in imported):
                    continue
                text = ast.unparse(func)
                shown = text if len(text) <= 40 else f"...{text[-37:]}"
                what = f"`{shown}()` of pygame's vectors: use `retick.sim.Vector2.{method}`"
                yield Hit(node, "inexact-math", what)
