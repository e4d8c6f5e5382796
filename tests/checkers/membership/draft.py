"""A state that is being changed by one step; what goes against the invariants on the way is noted."""

from typing import Any

from retick.rollback.session.session import Phase
from tests.checkers.membership.canonical import OLD
from tests.checkers.membership.conduct import broken_by
from tests.checkers.membership.frames import ORIGIN, shift_item, shift_message
from tests.checkers.membership.link import Key
from tests.checkers.membership.machine import Machines, Result
from tests.checkers.membership.state import BROKEN, DEAD, Budget, Channel, Fact, Member, Pair, State, chained, pair
from tests.checkers.membership.view import View

__all__ = ["Draft"]

GHOST = 500
"""Added to the number of a dial: the same request, once more."""


class Draft:
    """A state with lists in place of tuples, and the things that can happen to it."""

    def __init__(self, machines: Machines, names: tuple[str, ...], state: State) -> None:
        self._machines = machines
        self._names = names
        self.members: list[Member] = list(state.members)
        self.channels: dict[tuple[int, int, Key], tuple[int, tuple[int, ...]]] = {
            channel[:3]: channel[3:] for channel in state.channels
        }
        self.budget: Budget = state.budget
        self.cuts = state.cuts
        self.facts = list(state.facts)
        self.overdue = state.overdue
        self.wrongs: list[str] = []
        """Invariants that do not hold, in words."""

    # The steps of the model, by the names that ``world`` gives them.

    def deliver(self, source: int, target: int, key: Key) -> None:
        held, (first, *rest) = self.channels.pop((source, target, key))
        if rest:
            self.channels[source, target, key] = (held, tuple(rest))
        self._arrive(source, target, key, self._machines.items[first])

    def overtake(self, source: int, target: int, key: Key) -> None:
        """A goodbye that does not wait arrives before the messages that were sent before it; they are lost."""
        _, items = self.channels.pop((source, target, key))
        self._arrive(source, target, key, self._machines.items[items[-1]])

    def silence(self, at: int, key: Key) -> None:
        """A machine finds the other end of a connection silent: what is still under way comes too late."""
        self.channels = {channel: held for channel, held in self.channels.items() if channel[1:] != (at, key)}
        self._happen(at, ("arrive", "", key, ("silence",)))

    def frame(self, at: int) -> None:
        """A machine runs a frame while the others wait."""
        self.budget = self.budget._replace(frames=self.budget.frames - 1)
        self.tick(at)

    def tick(self, at: int, lost: tuple[int, ...] = ()) -> int:
        """A machine runs a frame if it may, and sends its inputs; the frames that it went on."""
        offset = self.members[at][1]
        return self._send(at, self._happen(at, ("tick",)), offset, lost)

    def resend(self, at: int) -> None:
        """A machine sends its inputs again, and runs no frame."""
        self._send(at, self._happen(at, ("resend",)), self.members[at][1], ())

    def _send(self, at: int, result: Result, offset: int, lost: tuple[int, ...]) -> int:
        for address, key, data in result.payloads:
            target = self._names.index(str(address))
            if target not in lost and self._is_reachable(at, target):
                self._arrive(at, target, key, ("payload", shift_message(data, offset)))
        return result.moved

    def wait(self, at: int, silent: tuple[Key, ...]) -> None:
        """Time passes for one machine, and over the connections ``silent`` nothing comes."""
        local, offset, clock = self.members[at]
        self.members[at] = (local, offset, clock + 1)
        self._send(at, self._happen(at, ("wait", silent)), offset, ())

    def round(self, silent: dict[int, tuple[Key, ...]]) -> None:
        """Time passes for everyone, and nobody has anything to say about it."""
        for at, member in enumerate(self.members):
            if member and member[0] > 0:
                self.wait(at, silent[at])

    def crash(self, at: int, reached: int | None, lost: int = 0) -> None:
        """A machine is gone; with ``reached``, while it sent its last inputs, which only that one has received."""
        self.budget = self.budget._replace(faults=self.budget.faults - lost)
        if reached is not None:
            others = tuple(other for other in range(len(self.members)) if other != reached)
            self.tick(at, lost=others)
        self._bury(at)

    def leave(self, at: int) -> None:
        self._happen(at, ("leave",))
        self._bury(at)

    def _bury(self, at: int) -> None:
        self.members[at] = DEAD
        self.facts[at] = ()
        self.channels = {channel: held for channel, held in self.channels.items() if channel[1] != at}
        self.budget = self.budget._replace(exits=self.budget.exits - 1)
        self.overdue = 0

    def dial(self, at: int, target: int) -> None:
        """A program starts and asks ``target`` for a seat."""
        self.budget = self.budget._replace(joins=self.budget.joins - 1)
        self.open(at, target, first_dial=16 * self.budget.joins)

    def open(self, at: int, host: int | None, first_dial: int = 0) -> None:
        name = self._names[at]
        result = self._machines.open(name, self._names[host] if host is not None else None, first_dial)
        self.members[at] = (result.local, 0, 0)
        self.facts[at] = ()
        self._post(at, result, 0)

    # Faults.

    def lose_inputs(self, at: int, target: int) -> None:
        self._use_fault()
        self.tick(at, lost=(target,))

    def lose(self, source: int, target: int, key: Key) -> None:
        """A request, or the answer to one, is lost as often as it is sent."""
        self._use_fault()
        held, (_, *rest) = self.channels.pop((source, target, key))
        if rest:
            self.channels[source, target, key] = (held, tuple(rest))

    def delay(self, late: tuple[tuple[int, int, Key], ...]) -> None:
        """Everything that is under way takes longer than a step of time; each channel is a fault."""
        for channel in late:
            self._use_fault()
            self.budget = self.budget._replace(delays=self.budget.delays + 1)
            self.channels[channel] = (1, self.channels[channel][1])

    def apart(self, component: tuple[int, ...]) -> None:
        """Machines that will never hear of these again are as good as gone."""
        for at, member in enumerate(self.members):
            if member and at not in component:
                self.members[at], self.facts[at] = DEAD, ()
        self.channels = {channel: held for channel, held in self.channels.items() if channel[1] in component}

    def double(self, source: int, target: int, key: Key) -> None:
        """A request arrives twice, the first time as if it came from somebody who then says nothing more."""
        self._use_fault()
        first = self._machines.items[self.channels[source, target, key][1][0]]
        self._arrive(source, target, (key[0], key[1] + GHOST), first)

    def cut(self, first: int, second: int) -> None:
        self._use_fault()
        self.cuts = tuple(sorted((*self.cuts, pair(first, second))))
        self.channels = {
            channel: held for channel, held in self.channels.items() if pair(*channel[:2]) not in self.cuts
        }
        self.overdue = 0

    def _use_fault(self) -> None:
        self.budget = self.budget._replace(faults=self.budget.faults - 1)

    # What a machine does.

    def _is_reachable(self, at: int, target: int) -> bool:
        member = self.members[target]
        return bool(member) and member[0] >= 0 and (not self.cuts or pair(at, target) not in self.cuts)

    def _arrive(self, source: int, target: int, key: Key, item: Any) -> None:
        if self._is_reachable(source, target):
            item = shift_item(item, -self.members[target][1])
            self._happen(target, ("arrive", self._names[source], key, item))

    def _happen(self, at: int, happening: Any) -> Result:
        local, offset, clock = self.members[at]
        result = self._machines.after(local, happening)
        after = self._machines.views[result.local]
        self.members[at] = (
            result.local,
            offset + result.moved if after.has_frames else 0,
            clock if result.local else 0,
        )
        if result.posted:
            self._post(at, result, offset)
        if result.error:
            self.wrongs.append(f"an exception escapes at {self._names[at]}:\n{result.error}")
        for words in broken_by(self._machines.views[local], after, result):
            self.wrongs.append(f"{self._names[at]}: {words}")
        for fact in result.facts if happening[0] != "leave" else ():
            self._note(at, self._machines.views[local], fact, offset)
        return result

    def _post(self, at: int, result: Result, offset: int) -> None:
        for address, key, item in result.posted:
            target = self._names.index(str(address))
            if self._is_reachable(at, target):
                held, items = self.channels.get((at, target, key), (0, ()))
                number = self._machines.item_number(shift_item(item, offset))
                self.channels[at, target, key] = (held, (*items, number))

    # Invariants about decisions.

    def _note(self, at: int, before: View, fact: Fact, offset: int) -> None:
        """Compare a decision with those of the machines that this one is connected to."""
        kind, *about = fact
        others = self._connected(at, before)
        if kind == "ended":
            if before.is_taken_in and self.budget.delays < 2 and any(self._counts(other, before) for other in others):
                self.wrongs.append(f"{self._names[at]} ends although it is connected to others: {about[0]}")
            return
        if kind == "dropped":
            self._check_dropped(at, about[0], about[1], before)
        elif kind == "joined":
            self.facts[at] = tuple(known for known in self.facts[at] if known[2] != about[1])
        *subject, frame = about
        frame += offset
        noted = (kind, *subject)
        for other in others:
            for known in self.facts[other]:
                if known[:-1] == noted and known[-1] != frame:
                    self.wrongs.append(
                        f"{self._names[at]} and {self._names[other]} decide differently: {noted}, "
                        f"frame {frame - ORIGIN} and {known[-1] - ORIGIN}"
                    )
        self.facts[at] = tuple(sorted({*self.facts[at], (*noted, frame)}))

    def _connected(self, at: int, view: View, also: int | None = None) -> list[int]:
        """The machines to which a chain of links leads over players, as one machine knows them, and ``also`` one more.

        Nothing is passed on by a newcomer that is not known to be a player.
        """
        views = [self._machines.views[member[0]] if member and member[0] > 0 else None for member in self.members]
        live = [
            other
            for other, its in enumerate(views)
            if its is not None and (other in (at, also) or (its.peer_id, its.seats) in view.players)
        ]
        return sorted(chained(at, live, self.cuts) - {at})

    def _check_dropped(self, at: int, occupant: int, player: int, before: View) -> None:
        own = self._machines.views[self.members[at][0]]
        for other, member in enumerate(self.members):
            if other == at or not member or member[0] <= 0 or self.budget.delays > 1:
                continue
            view = self._machines.views[member[0]]
            is_it = view.peer_id == occupant and player in view.seats and view.is_playing
            if is_it and self._counts(other, own) and other in self._connected(at, before, other):
                self.wrongs.append(
                    f"{self._names[at]} drops {self._names[other]}, which is there and connected by a chain"
                )

    def _counts(self, at: int, view: View) -> bool:
        """Whether a machine counts another one among the players."""
        return (view.peer_id, view.seats) in self._machines.views[self.members[at][0]].players

    # Back to a state.

    def _end_round(self) -> None:
        """When time has passed for all, delayed messages are on their way again."""
        clocks = {member[2] for member in self.members if member and member[0] > 0}
        if clocks == {1}:
            self.members = [(*member[:2], 0) if member else member for member in self.members]
            self.channels = {channel: (max(held - 1, 0), items) for channel, (held, items) in self.channels.items()}
            self.overdue += 1

    def _close_door(self) -> None:
        """When nobody can join any more, and nobody is about to, all forget what only newcomers ask for."""
        views = self._machines.views
        live = [(at, member) for at, member in enumerate(self.members) if member and member[0] > 0]
        if self.budget.joins or all(views[member[0]].is_full for _, member in live):
            return
        if any(views[member[0]].is_joining for _, member in live):
            return
        if any(self._machines.is_about_joining(item) for _, items in self.channels.values() for item in items):
            return
        for at, (local, offset, clock) in live:
            self.members[at] = (self._machines.after(local, ("full",)).local, offset, clock)

    def frozen(self) -> State:
        self._end_round()
        self._close_door()
        if self.cuts:
            self.cuts = tuple(sorted({cut if self._is_between_live(cut) else BROKEN for cut in self.cuts}))
        bases = self._bases()
        members = tuple(
            (member[0], member[1] - bases[at], member[2]) if member and self._has_frames(member) else member
            for at, member in enumerate(self.members)
        )
        channels: list[Channel] = []
        for (source, target, key), (held, items) in self.channels.items():
            if bases[target]:
                items = tuple(self._machines.moved_item(item, -bases[target]) for item in items)
            channels.append((source, target, key, held, items))
        channels.sort()
        oldest = ORIGIN - OLD
        facts = tuple(
            tuple((*fact[:-1], max(fact[-1] - bases[at], oldest)) for fact in each) if each else each
            for at, each in enumerate(self.facts)
        )
        return State(members, tuple(channels), self.budget, self.cuts, facts, self.overdue)

    def _is_between_live(self, cut: Pair) -> bool:
        return cut != BROKEN and DEAD not in (self.members[cut[0]], self.members[cut[1]])

    def _bases(self) -> list[int]:
        """For each machine, the frame of the one that is furthest back of those that it is connected to."""
        frames = {at: member[1] for at, member in enumerate(self.members) if member and self._has_frames(member)}
        if not self.cuts:
            return [min(frames.values(), default=0)] * len(self.members)
        live = [at for at, member in enumerate(self.members) if member and member[0] > 0]
        groups = [chained(at, live, self.cuts) for at in range(len(self.members))]
        return [min((frames[at] for at in group if at in frames), default=0) for group in groups]

    def _has_frames(self, member: Member) -> bool:
        return member[0] > 0 and self._machines.views[member[0]].has_frames

    def is_running(self, at: int) -> bool:
        return self._machines.views[self.members[at][0]].phase == Phase.RUNNING.value
