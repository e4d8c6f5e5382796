"""The names of clocks, files, engines and so on that a simulation must not use, by rule.

An entry covers the name itself and everything below it. The longest entry that matches decides, and ``None`` allows a
name below a forbidden one.
"""

__all__ = ["outside_rule"]

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
    """The rule that using ``dotted`` breaks, if any."""
    parts = dotted.replace("()", "").split(".")
    for end in range(len(parts), 0, -1):
        entry = ".".join(parts[:end])
        if entry in _RULES:
            return _RULES[entry]
    return None
