"""An arena shooter for eight in two teams. One file for both models: peers play it by rollback, or a server runs it.

``retick synctest examples/arena/game.py:Arena`` plays it. README.md says what can be learned from it.
"""

from math import pi
from typing import Annotated

from level import DOORS, HEIGHT, SIZE, STARTS, TILE, WIDTH, doors_between, is_free, is_near, is_solid, places, tile_of

from retick.sim import (
    F64,
    I8,
    NOBODY,
    U8,
    U16,
    Angle,
    Cache,
    Command,
    Cooldown,
    Dice,
    Jumps,
    Most,
    OwnerOnly,
    Player,
    Range,
    ServerOnly,
    Thing,
    World,
    jump,
    maths,
)

TEAMS, MOST_SHOTS, SHOT_SIZE = 2, 40, 3
SPEED, SHOT_SPEED = 3.0, 9.0
AMMO, DAMAGE = 20, 25
SIGHT, HEARING, REACH = 420, 600, 56
LYING, PAUSE, ROUND_TIME, DOOR_TIME, PAD_TIME = 120, 180, 60 * 90, 90, 60 * 8
"""In ticks; sixty are a second."""
POINTS, WINS = 10, 3
"""For a round, and for the match."""

# Everything moves by whole eighths of a pixel, and is sent in such steps: so a client has exactly what the server has,
# and the place of what flies on straight is known without being sent.
Across = Annotated[F64, Range(0, WIDTH, step=1 / 8)]
Down = Annotated[F64, Range(0, HEIGHT, step=1 / 8)]
Speed = Annotated[F64, Range(-SHOT_SPEED, SHOT_SPEED, step=1 / 8)]
Direction = Annotated[Angle, Range(-pi, pi, step=pi / 128)]
Tally = Annotated[list[U8], Most(TEAMS)]


class Wish(Command):
    aim: Direction = 0.0
    right: Annotated[I8, Range(-1, 1)] = 0
    down: Annotated[I8, Range(-1, 1)] = 0
    fire: bool = False
    use: bool = False


class Fighter(Thing):
    predicted = False  # nobody knows where others turn: a client draws them a moment ago, and its own one now
    player: Player
    x: Across
    y: Down
    aim: Direction = 0.0
    alive: bool = True
    kills: U8 = 0
    jumps: Jumps
    # Others do not get these: there they are as declared here. So no client expects that others fire, die or come back.
    health: Annotated[U8, OwnerOnly] = 100
    ammo: Annotated[U8, OwnerOnly] = 0
    gun: Annotated[Cooldown, OwnerOnly]
    lying: Annotated[U8, OwnerOnly] = 0
    home: Annotated[U8, OwnerOnly] = 0
    wounds: Annotated[U8, ServerOnly] = (
        0  # these kill, so no client expects a death: others hit what was on their screen
    )


class Shot(Thing):
    player: Player
    x: Across
    y: Down
    vx: Speed
    vy: Speed


class Door(Thing):
    x: Across
    y: Down
    needs_use: bool
    is_open: bool = False
    wait: Annotated[U8, ServerOnly] = 0  # a client never shuts a door: it cannot see who stands behind it


class Pad(Thing):
    x: Across
    y: Down
    heals: bool
    is_full: bool = True
    wait: Annotated[U16, ServerOnly] = 0  # nobody is to know when it comes back


class Arena(World):
    num_players = 8
    game_id, game_version = "example.arena", 1
    command = Wish
    fighters: Annotated[list[Fighter], Most(8)]
    shots: Annotated[list[Shot], Most(MOST_SHOTS)]
    doors: Annotated[list[Door], Most(len(DOORS))]
    pads: Annotated[list[Pad], Most(16)]
    points: Tally
    wins: Tally
    clock: Annotated[U16, Range(0, ROUND_TIME, step=1)] = PAUSE
    is_running: bool = False
    dice: Dice
    opened: Cache[frozenset] = frozenset()  # the tiles of open doors; a door that a client does not see counts as shut

    def start(self, seed):
        self.points, self.wins = [0] * TEAMS, [0] * TEAMS
        for (x, y), sign in places("DU"):
            self.doors.append(Door(x=x, y=y, needs_use=sign == "U"))
        for (x, y), sign in places("+*"):
            self.pads.append(Pad(x=x, y=y, heals=sign == "+"))

    def join(self, player):
        x, y = STARTS[team_of(player)][player // TEAMS]
        self.fighters.append(Fighter(player=player, x=x, y=y, ammo=AMMO))

    def leave(self, player):
        self.fighters = [fighter for fighter in self.fighters if fighter.player != player]
        self.shots = [shot for shot in self.shots if shot.player != player]

    def advance(self, inputs):
        if self.winner() is not None:
            return
        for fighter in self.fighters:
            fighter.gun.rest()
            if fighter.alive:
                self.act(fighter, inputs[fighter.player])
            elif fighter.lying:
                fighter.lying -= 1
                if not fighter.lying:
                    self.put(fighter, STARTS[team_of(fighter.player)][fighter.home])
        for shot in list(self.shots):
            self.fly(shot)
        for door in self.doors:
            self.work(door, inputs)
        for pad in self.pads:
            self.fill(pad)
        self.referee()

    # Fighters and shots

    def act(self, fighter, wish):
        step = SPEED if not (wish.right and wish.down) else 2.125
        # One axis after the other: who runs against a wall at an angle slides along it.
        if is_free(fighter.x + step * wish.right, fighter.y, self.opened):
            fighter.x += step * wish.right
        if is_free(fighter.x, fighter.y + step * wish.down, self.opened):
            fighter.y += step * wish.down
        fighter.aim = wish.aim
        can_fire = self.is_running and fighter.ammo and len(self.shots) < MOST_SHOTS
        if wish.fire and can_fire and fighter.gun.use(every=12, burst=2):
            fighter.ammo -= 1
            vx, vy = eighths(SHOT_SPEED * maths.cos(wish.aim)), eighths(SHOT_SPEED * maths.sin(wish.aim))
            self.shots.append(Shot(player=fighter.player, x=fighter.x, y=fighter.y, vx=vx, vy=vy))
            self.cue("shot", fighter.player)

    def fly(self, shot):
        shot.x += shot.vx
        shot.y += shot.vy
        # On a server: where the others were on the screen of the player who fired.
        seen = self.seen_by(shot.player).fighters
        hit = next((each for each in seen if each.alive and is_hit(each, shot)), None)
        if hit is not None or is_solid(shot.x, shot.y, self.opened):
            self.shots.remove(shot)
        for fighter in self.fighters:
            # Who has come back elsewhere since then is not hit.
            if hit is not None and fighter.id == hit.id and fighter.alive and fighter.jumps == hit.jumps:
                self.hurt(fighter, shot.player)

    def hurt(self, fighter, by):
        self.cue("hit", fighter.player)
        fighter.health = max(fighter.health - DAMAGE, 0)
        fighter.wounds = min(fighter.wounds + DAMAGE, 100)
        if fighter.wounds == 100:
            fighter.alive, fighter.lying = False, LYING
            # Drawn now, used in two seconds: until then the owner has it from the server, whatever its own dice said.
            fighter.home = self.dice.below(len(STARTS[0]))
            self.points[team_of(by)] = min(self.points[team_of(by)] + 1, POINTS)
            shooter = self.fighter_of(by)
            if shooter is not None:
                shooter.kills = min(shooter.kills + 1, 255)

    def put(self, fighter, place):
        """Bring a fighter back to life at a start. It jumps there: nobody draws a way."""
        fighter.x, fighter.y = place
        fighter.alive, fighter.health, fighter.wounds, fighter.ammo, fighter.lying = True, 100, 0, AMMO, 0
        jump(fighter)

    def fighter_of(self, player):
        """None for spectators, and on a client for those that it does not see."""
        for fighter in self.fighters:
            if fighter.player == player:
                return fighter
        return None

    # Doors and pads

    def work(self, door, inputs):
        if any(is_opening(fighter, door, inputs[fighter.player]) for fighter in self.fighters):
            if not door.is_open:
                self.swing(door)
            door.wait = DOOR_TIME
        elif door.wait:
            door.wait -= 1
            if not door.wait:
                self.swing(door)

    def swing(self, door):
        door.is_open = not door.is_open
        self.rebuild()
        self.cue("door", door.id)

    def rebuild(self):
        self.opened = frozenset(tile_of(door) for door in self.doors if door.is_open)

    def fill(self, pad):
        if pad.wait:
            pad.wait -= 1
            pad.is_full = not pad.wait
        if not pad.is_full:
            return
        for fighter in self.fighters:
            if fighter.alive and is_near(fighter, pad, SIZE + 10):
                if pad.heals:
                    fighter.health, fighter.wounds = min(fighter.health + 50, 100), max(fighter.wounds - 50, 0)
                else:
                    fighter.ammo = min(fighter.ammo + 10, 99)
                pad.is_full, pad.wait = False, PAD_TIME + self.dice.below(PAD_TIME)
                self.cue("pickup", pad.id)
                return

    # Rounds

    def referee(self):
        self.clock = max(self.clock - 1, 0)
        if self.is_running and (self.clock == 0 or max(self.points) == POINTS):
            for team, points in enumerate(self.points):
                self.wins[team] += points == max(self.points) and points > min(self.points)
            self.is_running, self.clock, self.shots = False, PAUSE, []
            self.cue("round", 0)
        elif self.clock == 0:
            self.is_running, self.clock, self.points = True, ROUND_TIME, [0] * TEAMS
            for fighter in self.fighters:
                self.put(fighter, STARTS[team_of(fighter.player)][fighter.player // TEAMS])
            self.cue("round", 1)

    def winner(self):
        """The team that has won the match, None before."""
        return next((team for team, wins in enumerate(self.wins) if wins == WINS), None)

    # What a player may know: only a server and the window ask.

    def visible(self, player, thing):
        me = self.fighter_of(player)
        if me is None:
            return player == NOBODY  # a spectator sees everything
        if isinstance(thing, Fighter) and team_of(thing.player) == team_of(player):
            return True
        if isinstance(thing, Door) and is_near(me, thing, 2 * REACH):
            return True  # the door that one runs into next
        return is_near(me, thing, SIGHT) and self.is_lit(tile_of(me), tile_of(thing))

    def is_lit(self, here, there):
        """Whether there is no wall and no shut door between two tiles."""
        doors = doors_between(here, there)
        return doors is not None and doors <= self.opened

    def hears(self, player, cue):
        me, kind = self.fighter_of(player), cue[0]
        if me is None or kind == "round":
            return True
        if kind in ("shot", "hit"):
            place = self.fighter_of(cue[1])
        else:
            place = next((thing for thing in (*self.doors, *self.pads) if thing.id == cue[1]), None)
        return place is not None and is_near(me, place, HEARING)


class Duel(Arena):
    """The same for two."""

    num_players = 2
    game_id = "example.arena.duel"


def team_of(player):
    return player % TEAMS


def eighths(number):
    return round(8 * number) / 8


def is_hit(fighter, shot):
    return team_of(fighter.player) != team_of(shot.player) and is_near(fighter, shot, SIZE + SHOT_SIZE)


def is_opening(fighter, door, wish):
    if not fighter.alive or not is_near(fighter, door, REACH):
        return False
    stands_in_it = is_near(fighter, door, SIZE + TILE // 2)
    return wish.use or not door.needs_use or stands_in_it
