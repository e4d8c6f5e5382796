"""Boxes that collide, roll and come to rest in a physics engine; the library's own prior learns from them.

It needs the ODE library of the system (Debian: ``apt install libode8``), reached by ctypes. A player of 1.2 m pushes
and hops through a crowd of smaller boxes, and now and then throws those around it into the air.
``python benchmarks/boxes.py FILE`` writes a trace in the format of docs/formats/compact.md. The same library on the
same processor gives the same bytes; elsewhere the boxes may take another course, since piles are chaotic.
"""

import argparse
import ctypes
import math
import random
import struct
from collections.abc import Sequence
from ctypes.util import find_library
from pathlib import Path
from typing import Any

__all__ = ["BOXES", "TICKS", "trace"]

BOXES = 600
TICKS = 1800
TICK = 1 / 60
GRAVITY = 20.0
_SIDE, _PLAYER_SIDE = 0.5, 1.2
_DAMPING = 0.01
_REST = 60
"""Ticks after which a touched box that lies still no longer interacts."""
_REACH = 3.0
"""Radius around the player, in metres, within which boxes are thrown."""
_BELOW = 2.5
"""Metres below the player of the point from which boxes are thrown, more upwards than aside."""
_PUSH, _HOP, _THROW = 60.0, 1400.0, 500.0
"""Forces in newtons, the last two for one tick. The player weighs 4 kg, a box 0.3 kg."""
_WALL = 20.0
_SLOW, _SLEEP = 1.0, 10
"""Speed and number of ticks below which a box falls asleep."""
_CONTACTS = 6
_BOUNCE = 0x004
_ROOT = math.sqrt(0.5)
_real, _pointer = ctypes.c_double, ctypes.c_void_p


class _Surface(ctypes.Structure):
    _fields_ = [("mode", ctypes.c_int), *((name, _real) for name in ("mu", "mu2", "rho", "rho2", "rhoN"))]
    _fields_ += [(name, _real) for name in ("bounce", "bounce_vel", "soft_erp", "soft_cfm")]
    _fields_ += [(name, _real) for name in ("motion1", "motion2", "motionN", "slip1", "slip2")]


class _Point(ctypes.Structure):
    _fields_ = [("pos", _real * 4), ("normal", _real * 4), ("depth", _real)]
    _fields_ += [("g1", _pointer), ("g2", _pointer), ("side1", ctypes.c_int), ("side2", ctypes.c_int)]


class _Contact(ctypes.Structure):
    _fields_ = [("surface", _Surface), ("geom", _Point), ("fdir1", _real * 4)]


class _Mass(ctypes.Structure):
    _fields_ = [("mass", _real), ("c", _real * 4), ("I", _real * 12)]


_Near = ctypes.CFUNCTYPE(None, _pointer, _pointer, _pointer)
_CALLS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "dBodyAddForce": (None, (_pointer, _real, _real, _real)),
    "dBodyCreate": (_pointer, (_pointer,)),
    "dBodyGetPosition": (ctypes.POINTER(_real), (_pointer,)),
    "dBodyGetQuaternion": (ctypes.POINTER(_real), (_pointer,)),
    "dBodyEnable": (None, (_pointer,)),
    "dBodyIsEnabled": (ctypes.c_int, (_pointer,)),
    "dBodySetMass": (None, (_pointer, ctypes.POINTER(_Mass))),
    "dBodySetPosition": (None, (_pointer, _real, _real, _real)),
    "dBodySetAutoDisableFlag": (None, (_pointer, ctypes.c_int)),
    "dCollide": (ctypes.c_int, (_pointer, _pointer, ctypes.c_int, ctypes.POINTER(_Point), ctypes.c_int)),
    "dCreateBox": (_pointer, (_pointer, _real, _real, _real)),
    "dCreatePlane": (_pointer, (_pointer, _real, _real, _real, _real)),
    "dGeomGetBody": (_pointer, (_pointer,)),
    "dGeomSetBody": (None, (_pointer, _pointer)),
    "dHashSpaceCreate": (_pointer, (_pointer,)),
    "dInitODE2": (ctypes.c_int, (ctypes.c_uint,)),
    "dJointAttach": (None, (_pointer, _pointer, _pointer)),
    "dJointCreateContact": (_pointer, (_pointer, _pointer, ctypes.POINTER(_Contact))),
    "dJointGroupCreate": (_pointer, (ctypes.c_int,)),
    "dJointGroupEmpty": (None, (_pointer,)),
    "dMassSetBoxTotal": (None, (ctypes.POINTER(_Mass), _real, _real, _real, _real)),
    "dRandSetSeed": (None, (ctypes.c_ulong,)),
    "dSpaceCollide": (None, (_pointer, _pointer, _Near)),
    "dWorldCreate": (_pointer, ()),
    "dWorldQuickStep": (ctypes.c_int, (_pointer, _real)),
    "dWorldSetAngularDamping": (None, (_pointer, _real)),
    "dWorldSetAutoDisableFlag": (None, (_pointer, ctypes.c_int)),
    "dWorldSetAutoDisableAngularThreshold": (None, (_pointer, _real)),
    "dWorldSetAutoDisableLinearThreshold": (None, (_pointer, _real)),
    "dWorldSetAutoDisableSteps": (None, (_pointer, ctypes.c_int)),
    "dWorldSetGravity": (None, (_pointer, _real, _real, _real)),
    "dWorldSetLinearDamping": (None, (_pointer, _real)),
    "dWorldSetQuickStepNumIterations": (None, (_pointer, ctypes.c_int)),
}


def _library() -> Any:
    name = find_library("ode")
    if name is None:
        raise SystemExit("boxes.py needs the ODE library: apt install libode8")
    library = ctypes.CDLL(name)
    for call, (result, arguments) in _CALLS.items():
        getattr(library, call).restype = result
        getattr(library, call).argtypes = arguments
    return library


class _World:
    """Make the ground, the crowd, and the player as body 0."""

    def __init__(self, boxes: int, seed: int) -> None:
        self._ode = ode = _library()
        ode.dInitODE2(0)
        ode.dRandSetSeed(seed)
        self._world = ode.dWorldCreate()
        ode.dWorldSetGravity(self._world, 0.0, 0.0, -GRAVITY)
        ode.dWorldSetLinearDamping(self._world, _DAMPING)
        ode.dWorldSetAngularDamping(self._world, _DAMPING)
        ode.dWorldSetAutoDisableFlag(self._world, 1)
        ode.dWorldSetAutoDisableLinearThreshold(self._world, _SLOW)
        ode.dWorldSetAutoDisableAngularThreshold(self._world, _SLOW)
        ode.dWorldSetAutoDisableSteps(self._world, _SLEEP)
        ode.dWorldSetQuickStepNumIterations(self._world, 20)
        self._space = ode.dHashSpaceCreate(None)
        walls = (1, 0, 0, -_WALL), (-1, 0, 0, -_WALL), (0, 1, 0, -_WALL), (0, -1, 0, -_WALL)
        for x, y, z, far in ((0, 0, 1, 0), *walls):
            ode.dCreatePlane(self._space, x, y, z, far)
        self._joints = ode.dJointGroupCreate(0)
        self._points = (_Point * _CONTACTS)()
        self._near = _Near(self._touch)
        side = math.ceil(math.sqrt(boxes))
        self.bodies = [self._box(_PLAYER_SIDE, 4.0, (0.0, 0.0, 3.0))]
        for at in range(boxes - 1):
            place = ((at % side - side / 2) * 0.9, (at // side - side / 2) * 0.9, _SIDE / 2)
            self.bodies.append(self._box(_SIDE, 0.3, place))
        ode.dBodySetAutoDisableFlag(self.bodies[0], 0)
        self._numbers = {body: number for number, body in enumerate(self.bodies)}
        self._touching: list[tuple[int, int]] = []
        self._since = [_REST] * boxes

    def _box(self, side: float, mass: float, place: Sequence[float]) -> Any:
        ode, body, weight = self._ode, self._ode.dBodyCreate(self._world), _Mass()
        ode.dMassSetBoxTotal(weight, mass, side, side, side)
        ode.dBodySetMass(body, weight)
        ode.dGeomSetBody(ode.dCreateBox(self._space, side, side, side), body)
        ode.dBodySetPosition(body, *place)
        return body

    def _touch(self, _data: Any, one: Any, other: Any) -> None:
        ode = self._ode
        bodies = ode.dGeomGetBody(one), ode.dGeomGetBody(other)
        if not any(body and ode.dBodyIsEnabled(body) for body in bodies):
            return
        count = ode.dCollide(one, other, _CONTACTS, self._points, ctypes.sizeof(_Point))
        for point in self._points[:count]:
            contact = _Contact(geom=point)
            contact.surface.mode, contact.surface.mu = _BOUNCE, 15.0
            contact.surface.bounce, contact.surface.bounce_vel = 0.8, 0.3
            joint = ode.dJointCreateContact(self._world, self._joints, contact)
            ode.dJointAttach(joint, *bodies)
        if count and all(bodies):
            self._touching.append((self._numbers[bodies[0]], self._numbers[bodies[1]]))

    def step(self, force: Sequence[float], throws: bool) -> None:
        """Run one tick with this force on the player; with ``throws``, the boxes around it fly off."""
        ode = self._ode
        ode.dBodyAddForce(self.bodies[0], *force)
        if throws:
            self._throw()
        self._touching.clear()
        ode.dSpaceCollide(self._space, None, self._near)
        ode.dWorldQuickStep(self._world, TICK)
        ode.dJointGroupEmpty(self._joints)
        self._spread()

    def _throw(self) -> None:
        ode = self._ode
        x, y, z = ode.dBodyGetPosition(self.bodies[0])[:3]
        for number, body in enumerate(self.bodies[1:], 1):
            there = ode.dBodyGetPosition(body)
            way = (there[0] - x, there[1] - y, there[2] - z + _BELOW)
            length = math.hypot(*way)
            if length < _REACH:
                ode.dBodyEnable(body)
                ode.dBodyAddForce(body, *(_THROW * part / max(length, 0.3) for part in way))
                self._since[number] = 0

    def _spread(self) -> None:
        """The boxes that interact: the player, and boxes that touch it, also through other moving boxes."""
        self._since = [ticks + 1 for ticks in self._since]
        self._since[0] = 0
        moving = [bool(self._ode.dBodyIsEnabled(body)) for body in self.bodies]
        for one, other in self._touching:
            for here, there in ((one, other), (other, one)):
                if self._since[here] == 0 and moving[there]:
                    self._since[there] = 0
        for number, moves in enumerate(moving):
            if moves and self._since[number] < _REST:
                self._since[number] = min(self._since[number], 1)

    def place(self) -> Sequence[float]:
        """The position of the player."""
        found: Sequence[float] = self._ode.dBodyGetPosition(self.bodies[0])[:3]
        return found

    def row(self, number: int) -> bytes:
        w, *rest = self._ode.dBodyGetQuaternion(self.bodies[number])[:4]
        turn = [*rest, w]
        largest = max(range(4), key=lambda at: abs(turn[at]))
        sign = -1.0 if turn[largest] < 0 else 1.0
        small = [sign * part for at, part in enumerate(turn) if at != largest]
        bounded = [min(511, max(0, math.floor((part + _ROOT) / (2 * _ROOT) * 511 + 0.5))) for part in small]
        place = [math.floor(x * 512 + 0.5) for x in self._ode.dBodyGetPosition(self.bodies[number])[:3]]
        return struct.pack("<8i", largest, *bounded, *place[:2], max(0, place[2]), int(self._since[number] < _REST))


def trace(ticks: int = TICKS, seed: int = 1, boxes: int = BOXES) -> bytes:
    """Make this many frames of eight 32-bit numbers per box; the seed decides what the player does."""
    rng = random.Random(seed)
    world = _World(boxes, seed)
    out = bytearray()
    heading, left = 0.0, 0
    edge = 0.5 * math.ceil(math.sqrt(boxes))
    for _tick in range(ticks):
        throws = left == 0 and rng.random() < 0.4
        if left == 0:
            left = rng.randrange(20, 90)
            x, y, _z = world.place()
            heading = rng.gauss(heading, 1.2) if math.hypot(x, y) < edge else math.atan2(-y, -x)
        left -= 1
        hop = _HOP if world.place()[2] < _PLAYER_SIDE and rng.random() < 0.02 else 0.0
        world.step((_PUSH * math.cos(heading), _PUSH * math.sin(heading), hop), throws)
        for number in range(boxes):
            out += world.row(number)
    return bytes(out)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--ticks", type=int, default=TICKS)
    parser.add_argument("--boxes", type=int, default=BOXES)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    options.file.write_bytes(trace(options.ticks, options.seed, options.boxes))


if __name__ == "__main__":
    main()
