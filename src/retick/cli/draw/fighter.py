"""Draws a match of the fighter: a rich renderable made from a state, for every command that shows one.

Theory of operation. The picture fits the width and height that rich gives it: two lines of text, the hit points, the
field and its ground. Horizontal positions are to scale. So are vertical ones: the scale makes a fighter's box as tall
as its sprite, and a whole jump fits. Nothing depends on colour alone: players have labels, a hit has a word, an open
attack has a box.
"""

from dataclasses import dataclass
from typing import NamedTuple

from rich.console import Console, ConsoleOptions, RenderResult
from rich.style import Style

from retick.cli.draw.canvas import Canvas
from retick.cli.terminal import count
from retick.games.fighter import Action, FighterState, PlayerState
from retick.games.fighter.game import knocked_out
from retick.games.fighter.rules import (
    ATTACK_COOLDOWN_FRAMES,
    DEFAULT_HP,
    GRAVITY,
    HITBOX_HEIGHT,
    HITBOX_WIDTH,
    HITSTUN_FRAMES,
    JUMP_VELOCITY,
    MAX_X,
    PLAYER_HEIGHT,
    PLAYER_WIDTH,
    TICKS_PER_SECOND,
)

# One small picture for each pose of a fighter, in two sizes.
#
# Pictures face right and are plain ASCII, so that every terminal shows them; left-facing ones are mirrored. All of them
# have the same height and width in each size, so that a fighter does not jump about when its pose changes.

_MIRROR = str.maketrans("/\\<>()", "\\/><)(")
_STRIDE = 5
"""Frames for which a running fighter keeps each of its two poses."""
_FOLLOW_THROUGH = 12
"""Frames for which a striking fighter keeps its pose, since the strike itself is too short to be seen."""


class Sprites(NamedTuple):
    """The poses of one size; each picture is its rows from the head down."""

    idle: tuple[str, ...]
    run: tuple[tuple[str, ...], tuple[str, ...]]
    jump: tuple[str, ...]
    attack: tuple[str, ...]
    stunned: tuple[str, ...]

    @property
    def height(self) -> int:
        return len(self.idle)

    @property
    def width(self) -> int:
        return len(self.idle[0])


SMALL = Sprites(
    idle=(" O ", "/|>", "/ \\"),
    run=((" O ", "<|>", "/ >"), (" O ", "/|-", " |\\")),
    jump=("\\O/", " | ", "< >"),
    attack=(" O ", "<|=", "/ \\"),
    stunned=("\\O ", " |\\", "/ /"),
)

LARGE = Sprites(
    idle=("  O  ", " /|\\_", " \\|  ", " / \\ ", "/   \\"),
    run=(
        ("  O  ", " /|\\>", "/ |  ", " / \\_", "/    "),
        ("  O  ", " /|_>", " \\|  ", "  |\\ ", " /  >"),
    ),
    jump=(" \\O/ ", "  |  ", "  |  ", " < > ", " / \\ "),
    attack=("  O  ", " /|==", "/ |  ", " / \\ ", "/   \\"),
    stunned=("\\ O/ ", " \\|  ", "  |\\ ", " / / ", "/ /  "),
)


def picture(sprites: Sprites, player: PlayerState, frame: int) -> tuple[str, ...]:
    """The rows of a player's picture; ``frame`` moves the legs."""
    rows = _pose(sprites, player, frame)
    if player.facing < 0:
        return tuple(row[::-1].translate(_MIRROR) for row in rows)
    return rows


def _pose(sprites: Sprites, player: PlayerState, frame: int) -> tuple[str, ...]:
    if player.state == Action.HITSTUN:
        return sprites.stunned
    if player.attack_cooldown_frames > ATTACK_COOLDOWN_FRAMES - _FOLLOW_THROUGH:
        return sprites.attack
    if player.y > 0:
        return sprites.jump
    if player.state == Action.RUN:
        return sprites.run[frame // _STRIDE % 2]
    return sprites.idle


_HIGHEST = JUMP_VELOCITY * JUMP_VELOCITY // (-2 * GRAVITY) + PLAYER_HEIGHT
"""Height that a jump reaches, including the head."""
_FLASH_FRAMES = 12
_LARGE_FROM_COLUMNS = 110
_CHROME_ROWS = 5
_FALLBACK_ROWS = 22

_DIM = Style(dim=True)
_BOLD = Style(bold=True)
_FLASH = Style(bold=True, color="bright_white", bgcolor="red")
_STRIKE = Style(bold=True, color="bright_yellow")
_BOX = Style(color="yellow")
_GROUND = Style(color="bright_black")
_SEATS = (Style(bold=True, color="bright_cyan"), Style(bold=True, color="bright_magenta"))
_HEALTH = ((50, Style(color="green")), (25, Style(color="yellow")), (0, Style(color="red")))


@dataclass(frozen=True, slots=True)
class _Glyphs:
    bar: str
    empty: str
    lost: str
    wall: str
    ground: str
    tick: str
    shadow: str
    box: str
    spark: str
    trail: str


_UNICODE = _Glyphs("█", "░", "▒", "│", "▀", "▜", "▂", "░", "✶", "╌")
_ASCII = _Glyphs("#", ".", "x", "|", "=", "+", "_", ":", "*", "-")


@dataclass(frozen=True, slots=True, kw_only=True)
class Arena:
    """One state of a match, drawn to fit the space that rich gives it."""

    state: FighterState
    previous: FighterState | None = None
    """The state drawn before; fighters that have moved since then leave a trail."""
    names: tuple[str, str] = ("player 1", "player 2")
    hits: tuple[int, int] | None = None
    """Hits landed so far by each player; None if they were not counted."""
    title: str = "retick"
    footer: str = ""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        columns = max(options.max_width, 20)
        sprites = LARGE if columns >= _LARGE_FROM_COLUMNS else SMALL
        # The scale makes a fighter's box as tall as its sprite.
        wanted = -(-_HIGHEST * sprites.height // PLAYER_HEIGHT) + 1
        rows = min(wanted, (options.height or _FALLBACK_ROWS) - _CHROME_ROWS)
        canvas = Canvas(columns, max(rows, sprites.height) + _CHROME_ROWS)
        glyphs = _ASCII if options.ascii_only else _UNICODE
        _draw_text(canvas, self)
        _draw_health(canvas, self, glyphs)
        _Field(canvas, sprites, glyphs).draw(self.state, self.previous)
        yield from canvas.segments()


def _draw_text(canvas: Canvas, arena: Arena) -> None:
    state = arena.state
    frame, checksum = f"frame {state.frame:>5}", f"0x{state.checksum():08X}"
    seconds = f"{state.frame / TICKS_PER_SECOND:6.2f} s"
    numbers = (f"{frame}   {seconds}   {checksum} ", f"{frame}   {checksum} ", f"{frame} ")
    canvas.put_header(arena.title, numbers, _BOLD)
    if arena.hits is not None:
        canvas.put(1, 2, count(arena.hits[0], "hit"), _SEATS[0], blank=True)
        canvas.put_right(2, count(arena.hits[1], "hit") + " ", _SEATS[1])
    if knocked_out(state):
        canvas.put_centred(2, "  K . O .  ", _FLASH)
    canvas.put(1, canvas.rows - 1, arena.footer, _DIM, blank=True)


def _draw_health(canvas: Canvas, arena: Arena, glyphs: _Glyphs) -> None:
    """Draw both bars, which grow outward from the numbers in the middle, as in arcade games."""
    labels = (f" 1 {arena.names[0]} ", f" {arena.names[1]} 2 ")
    room = canvas.columns // 2 - 6 - max(map(len, labels))
    for seat, player in enumerate((arena.state.p1, arena.state.p2)):
        full, lost = _health_cells(player, max(room, 1))
        style = next(style for limit, style in _HEALTH if player.hp > limit or limit == 0)
        parts = [(glyphs.bar * full, style), (glyphs.lost * lost, _FLASH)]
        parts.append((glyphs.empty * (max(room, 1) - full - lost), _DIM))
        number = f"{player.hp:^5}"
        if seat == 0:
            cells = [(labels[0], _SEATS[0]), *reversed(parts), (number, _BOLD)]
            at = canvas.columns // 2 - sum(len(text) for text, _ in cells)
        else:
            cells = [(number, _BOLD), *parts, (labels[1], _SEATS[1])]
            at = canvas.columns // 2
        for text, cell_style in cells:
            canvas.put(at, 1, text, cell_style, blank=True)
            at += len(text)


def _health_cells(player: PlayerState, room: int) -> tuple[int, int]:
    """The number of full cells in a bar, and of cells lost to a hit that still stuns."""
    # A state from a file may have any number of hit points, also below 0.
    full = min(max(-(-player.hp * room // DEFAULT_HP), 0), room)
    lost = min(room // 4, room - full) if player.hitstun_frames > 0 and player.hp > 0 else 0
    return full, lost


class _Field:
    """The part of the canvas with the fighters: from row 3 to the ground, with walls left and right."""

    def __init__(self, canvas: Canvas, sprites: Sprites, glyphs: _Glyphs) -> None:
        self._canvas = canvas
        self._sprites = sprites
        self._glyphs = glyphs
        self._ground = canvas.rows - 2
        self._height = self._ground - 3

    def draw(self, state: FighterState, previous: FighterState | None) -> None:
        flash = max(state.p1.hitstun_frames, state.p2.hitstun_frames) > HITSTUN_FRAMES - 3
        self._draw_bounds(_STRIKE if flash else _GROUND)
        players = (state.p1, state.p2)
        for player in players:
            self._draw_shadow(player)
        if previous is not None:
            self._draw_trail(state.p1, previous.p1)
            self._draw_trail(state.p2, previous.p2)
        for player in players:
            if player.attack_active_frames > 0:
                self._draw_box(player)
        # The struck player is drawn last, so that nothing hides the word.
        for seat in sorted((0, 1), key=lambda seat: players[seat].hitstun_frames):
            self._draw_fighter(players[seat], seat, state.frame)

    def _column(self, x: int) -> int:
        return 1 + x * (self._canvas.columns - 2) // MAX_X

    def _row(self, y: int) -> int:
        """The row of a fighter's feet, never so high that the head leaves the field."""
        return self._ground - 1 - min(y * (self._height - 1) // _HIGHEST, self._height - self._sprites.height)

    def _middle(self, player: PlayerState) -> int:
        half = self._sprites.width // 2
        middle = self._column(player.x + PLAYER_WIDTH // 2)
        return min(max(middle, 1 + half), self._canvas.columns - 2 - half)

    def _draw_bounds(self, style: Style) -> None:
        canvas, glyphs = self._canvas, self._glyphs
        for row in range(3, self._ground):
            canvas.put(0, row, glyphs.wall, style)
            canvas.put(canvas.columns - 1, row, glyphs.wall, style)
        canvas.put(0, self._ground, glyphs.ground * canvas.columns, style)
        for x in range(MAX_X // 10, MAX_X, MAX_X // 10):
            canvas.put(self._column(x), self._ground, glyphs.tick, style)

    def _draw_shadow(self, player: PlayerState) -> None:
        if player.y > 0:
            half = self._sprites.width // 2
            self._canvas.put(
                self._middle(player) - half, self._ground - 1, self._glyphs.shadow * (2 * half + 1), _GROUND
            )

    def _draw_trail(self, player: PlayerState, before: PlayerState) -> None:
        gone = abs(self._middle(player) - self._middle(before))
        if gone:
            half = self._sprites.width // 2
            behind = -1 if player.x > before.x else 1
            row = self._row(player.y) - self._sprites.height // 2
            for step in range(1, min(gone, 6) + 1):
                self._canvas.put(self._middle(player) + behind * (half + step), row, self._glyphs.trail, _DIM)

    def _draw_box(self, player: PlayerState) -> None:
        """Draw an open attack to scale, but at least one cell beside the sprite."""
        half = self._sprites.width // 2
        if player.facing > 0:
            first = self._middle(player) + half + 1
            last = max(self._column(player.x + PLAYER_WIDTH + HITBOX_WIDTH) - 1, first)
        else:
            last = self._middle(player) - half - 1
            first = min(self._column(player.x - HITBOX_WIDTH), last)
        feet = self._row(player.y)
        tall = max(self._sprites.height * HITBOX_HEIGHT // PLAYER_HEIGHT, 1)
        arm = feet - (self._sprites.height - 2)
        for row in range(feet - tall + 1, feet + 1):
            self._canvas.fill(first, last, row, self._glyphs.box, _BOX)
        self._canvas.fill(first, last, arm, "=", _STRIKE)
        tip, fist = (last, ">") if player.facing > 0 else (first, "<")
        self._canvas.put(tip, arm, fist, _STRIKE)

    def _draw_fighter(self, player: PlayerState, seat: int, frame: int) -> None:
        rows = picture(self._sprites, player, frame)
        struck = player.state == Action.HITSTUN and player.hitstun_frames > HITSTUN_FRAMES - _FLASH_FRAMES
        style = _FLASH if struck else _SEATS[seat]
        left = self._middle(player) - self._sprites.width // 2
        top = self._row(player.y) - self._sprites.height + 1
        for offset, text in enumerate(rows):
            self._canvas.put(left, top + offset, text, style, blank=struck)
        spark = self._glyphs.spark
        label = f"{spark}HIT{spark}" if struck else str(seat + 1)
        self._canvas.put(self._middle(player) - len(label) // 2, top - 1, label, style)
