"""The whole model: some machines, what travels between them, and every step that may happen next.

A state is a tuple of plain values, so that it can be hashed and compared. A step is a tuple too: a word for its kind
and its details. Which steps there are, and what each of them stands for, is in docs/internals/membership-search.md.
"""

from collections.abc import Callable, Iterator
from typing import Any

from retick.errors import RetickError
from retick.rollback.session.messages.kinds import MessageKind
from retick.rollback.session.session import Phase
from tests.checkers.membership.draft import Draft
from tests.checkers.membership.frames import ORIGIN, shift_message
from tests.checkers.membership.link import Item, Key, Status
from tests.checkers.membership.machine import Machines
from tests.checkers.membership.state import Budget, Member, State, Step, chained, pair

__all__ = ["EXITS", "FAULTS", "World"]

FAULTS = ("lose", "lose inputs", "delay", "double", "cut")
"""The kinds of faults."""
EXITS = ("crash", "half", "leave")
"""The ways in which a machine goes. "half": it crashes while it sends its inputs, and only one other receives them.
"fault": the same, and each packet that is lost counts as a fault."""

MOST_ROUNDS = 80
"""Rounds of frames after which a match must have settled into a state that repeats."""
FURTHEST_APART = 8
"""Frames by which others run away from a newcomer that waits for something; a newcomer may be level three behind."""
LATEST = 4
"""Frames by which others run away from a message that is delayed."""
MOST_OVERDUE = 2
"""Rounds of time that may pass before a side must find a dead link silent: fewer than 8 seconds."""


class World:
    """The steps of the model, for machines with these names."""

    def __init__(
        self,
        machines: Machines,
        names: tuple[str, ...],
        *,
        may_exit: tuple[str, ...] | None = None,
        exit_kinds: tuple[str, ...] = EXITS,
        fault_kinds: tuple[str, ...] = FAULTS,
    ) -> None:
        """``may_exit`` says who may crash or leave; everyone by default."""
        self.machines = machines
        self.names = names
        self.may_exit = names if may_exit is None else may_exit
        self.exit_kinds = exit_kinds
        self.fault_kinds = fault_kinds
        self._settled: dict[State, tuple[State, list[str]]] = {}

    def empty(self) -> State:
        """A state without any machine."""
        return State(((),) * len(self.names), (), Budget(), (), ((),) * len(self.names), 0)

    # What may happen.

    def steps(self, state: State) -> Iterator[Step]:
        """Every step that may happen in a state."""
        yield from self.ordinary_steps(state)
        if self._components(state):
            return
        yield from self._exits(state)
        yield from self._joins(state)
        if state.budget.faults:
            yield from self._faults(state)

    def ordinary_steps(self, state: State) -> Iterator[Step]:
        """The steps that happen without anyone's doing, those that a fair network takes first at the beginning."""
        components = self._components(state)
        if components:
            yield from (("apart", component) for component in components)
            return
        yield from self._deliveries(state)
        silences = list(self.silences(state))
        yield from silences
        is_quiet = not any(True for _ in self._deliveries(state))
        is_steady = False
        if is_quiet:
            is_steady = self.settle(state)[0] == state
            if not is_steady:
                yield ("play",)
        yield from self._waits(state, is_quiet and is_steady, bool(silences))
        if state.budget.frames:
            yield ("frames",)
            for at, _ in self.running(state):
                yield ("frame", at)

    def _components(self, state: State) -> list[tuple[int, ...]]:
        """The groups of machines that will never hear of each other again, if there are several.

        What happens in one of them has no effect on the others: each is looked at alone.
        """
        if not state.cuts or state.budget.joins:
            return []
        left = {at for at, _ in self.live(state)}
        components = []
        while left:
            component = chained(min(left), left, state.cuts)
            components.append(tuple(sorted(component)))
            left -= component
        return components if len(components) > 1 else []

    def _deliveries(self, state: State) -> Iterator[Step]:
        for source, target, key, is_held, items in state.channels:
            if not is_held:
                yield ("deliver", source, target, key)
                last = self.machines.items[items[-1]]
                if len(items) > 1 and last[0] == "bye" and not last[3]:
                    yield ("overtake", source, target, key)

    def silences(self, state: State) -> Iterator[Step]:
        """Ends of connections whose other end is no more: sooner or later they are found silent."""
        for at, member in self.live(state):
            for key, address, status in self.machines.views[member[0]].links:
                other = self.names.index(address)
                if self._is_dead(state, at, other, key, status):
                    yield ("silence", at, key)

    def _silent(self, state: State) -> dict[int, tuple[Key, ...]]:
        """For each machine, the connections over which nothing comes any more."""
        silent: dict[int, tuple[Key, ...]] = dict.fromkeys(range(len(state.members)), ())
        for _, at, key in self.silences(state):
            silent[at] = (*silent[at], key)
        return silent

    def _is_dead(self, state: State, at: int, other: int, key: Any, status: str) -> bool:
        if pair(at, other) in state.cuts:
            return True
        for source, target, channel_key, _, items in state.channels:
            if channel_key != key or (source, target) not in ((at, other), (other, at)):
                continue
            kinds = {self.machines.items[item][0] for item in items}
            if source == at and status == Status.REQUESTING and "request" in kinds:
                return False
            if source == other and kinds & {"bye", "accept", "refuse"}:
                return False
        member = state.members[other]
        if not member or member[0] < 0 or status == Status.REQUESTING:
            return True
        return all(own != key for own, _, _ in self.machines.views[member[0]].links)

    def _waits(self, state: State, is_quiet: bool, has_silences: bool) -> Iterator[Step]:
        """Time passes when nothing is under way; once it has for one machine, it may for the others as well."""
        clocks = {member[2] for _, member in self.live(state) if member[0] > 0}
        has_begun = len(clocks) > 1
        if not (is_quiet or has_begun) or (has_silences and state.overdue >= MOST_OVERDUE and not has_begun):
            return
        if not has_begun and self._is_uneventful(state):
            yield ("round",)
            return
        for at, member in self.live(state):
            if member[2] == min(clocks) and member[0] > 0:
                yield ("wait", at)

    def _is_uneventful(self, state: State) -> bool:
        """Whether a round of time passes without anybody having something to say: then its order does not matter."""
        draft = self.draft(state)
        draft.round(self._silent(state))
        after = draft.frozen()
        if after.channels or draft.wrongs:
            return bool(state.channels == after.channels)
        settled, wrongs = self.settle(after)
        return not (settled.channels or wrongs)

    def _exits(self, state: State) -> Iterator[Step]:
        if not state.budget.exits:
            return
        for at, member in self.live(state):
            if member[0] > 0 and self.names[at] in self.may_exit:
                if "leave" in self.exit_kinds:
                    yield ("leave", at)
                if "crash" in self.exit_kinds:
                    yield ("crash", at, None)
                yield from self._half_crashes(state, at)

    def _half_crashes(self, state: State, at: int) -> Iterator[Step]:
        receivers = self._receivers(state, at)
        lost = len(receivers) - 1
        if lost > 0 and "half" in self.exit_kinds:
            yield from (("crash", at, reached) for reached in receivers)
        elif 0 < lost <= state.budget.faults and "fault" in self.exit_kinds:
            yield from (("crash", at, reached, lost) for reached in receivers)

    def _receivers(self, state: State, at: int) -> list[int]:
        """The machines to which one sends its inputs."""
        return [
            self.names.index(address)
            for _, address, status in self.machines.views[state.members[at][0]].links
            if status == Status.CONNECTED
        ]

    def _joins(self, state: State) -> Iterator[Step]:
        if not state.budget.joins:
            return
        for at, member in enumerate(state.members):
            if not member or member[0] == 0:
                for target, _ in self.running(state):
                    yield ("dial", at, target)
                return

    def _faults(self, state: State) -> Iterator[Step]:
        kinds = self.fault_kinds
        if "delay" in kinds:
            yield from self._delays(state)
        for source, target, key, is_held, items in state.channels:
            first = self.machines.items[items[0]][0]
            if is_held:
                continue
            if "lose" in kinds and first in ("request", "accept"):
                yield ("lose", source, target, key)
            if "double" in kinds and first == "request":
                yield ("double", source, target, key)
        for at in self._last_words(state) if "lose inputs" in kinds else ():
            for target in self._receivers(state, at):
                yield ("lose inputs", at, target)
        if "cut" in kinds:
            alive = [at for at, _ in self.live(state)]
            for first_at in alive:
                for second_at in alive:
                    if first_at < second_at and (first_at, second_at) not in state.cuts:
                        yield ("cut", first_at, second_at)

    def _last_words(self, state: State) -> Iterator[int]:
        """The machines whose inputs may be lost for good: one that stays sends them again with its next frame."""
        for at, _ in self.running(state):
            if state.budget.exits and self.names[at] in self.may_exit:
                yield at

    def _delays(self, state: State) -> Iterator[Step]:
        """Time is about to pass, and some messages have not arrived: before, they were only not the next to arrive."""
        late = tuple(channel[:3] for channel in state.channels if not channel[3])
        if 0 < len(late) <= state.budget.faults and self.is_between_rounds(state):
            yield ("delay", late)

    # Doing it.

    def draft(self, state: State) -> Draft:
        return Draft(self.machines, self.names, state)

    def apply(self, state: State, step: Step) -> tuple[State, list[str]]:
        """The state after a step, and what went wrong in it."""
        if step[0] == "play":
            return self.settle(state)
        if step[0] == "frames":
            budget = state.budget._replace(frames=state.budget.frames - 1)
            after, _, wrongs = self.round_of_frames(state._replace(budget=budget))
            return after, wrongs
        draft = self.draft(state)
        doing: Callable[..., object] = getattr(draft, step[0].replace(" ", "_"))
        if step[0] == "wait":
            draft.wait(step[1], self._silent(state)[step[1]])
        elif step[0] == "round":
            draft.round(self._silent(state))
        else:
            doing(*step[1:])
        after = draft.frozen()
        if after.overdue and not any(True for _ in self.silences(after)):
            after = after._replace(overdue=0)
        return after, draft.wrongs

    def settle(self, state: State) -> tuple[State, list[str]]:
        """Let frames run until the state repeats, or somebody has something to say."""
        known = self._settled.get(state)
        if known is not None:
            return known
        now, wrongs = state, list[str]()
        passed = {state: 0}
        for _ in range(MOST_ROUNDS):
            following, _, found = self.round_of_frames(now)
            wrongs += found
            if following in passed:
                # Of states that follow each other in a circle, always the same one.
                following = min(list(passed)[passed[following] :])
                break
            if self._has_news(now, following) or wrongs:
                break
            passed[following] = len(passed)
            now = following
        else:
            raise RetickError(f"frames run on and on without coming to rest: {now}")
        self._settled[state] = following, wrongs
        return following, wrongs

    def _has_news(self, before: State, after: State) -> bool:
        """Whether somebody has sent a message."""
        return [(*channel[:3], len(channel[4])) for channel in before.channels] != [
            (*channel[:3], len(channel[4])) for channel in after.channels
        ]

    def _is_far_apart(self, state: State) -> bool:
        """Whether frames have run away from a newcomer, or from a message that is delayed."""
        return any(member[1] >= FURTHEST_APART for _, member in self.running(state)) or any(
            self.machines.oldest_frame(item) <= ORIGIN - LATEST for channel in state.channels for item in channel[4]
        )

    def round_of_frames(self, state: State) -> tuple[State, dict[int, int], list[str]]:
        """Those behind come up with the rest, and then everyone runs a frame, if it may; also by how many each went on.

        Where frames have run away from somebody or something, only those behind run, and the others send again.
        """
        draft = self.draft(state)
        order = [at for at, _ in self.running(state)]
        moved = dict.fromkeys(order, 0)
        newest = max((draft.members[at][1] for at in order), default=0)
        behind = [at for at in order if draft.members[at][1] < newest]
        is_far_apart = self._is_far_apart(state)
        for at in [*(at for at in order if at not in behind), *behind] if is_far_apart else behind + order:
            if not draft.is_running(at) or len(draft.channels) > len(state.channels):
                continue
            if is_far_apart and at not in behind:
                draft.resend(at)
            else:
                moved[at] += draft.tick(at)
        return draft.frozen(), moved, draft.wrongs

    # Looking at a state.

    def live(self, state: State) -> Iterator[tuple[int, Member]]:
        for at, member in enumerate(state.members):
            if member and member[0] >= 0:
                yield at, member

    def is_between_rounds(self, state: State) -> bool:
        """Whether time has passed for all or for none."""
        return not any(member[2] for _, member in self.live(state))

    def running(self, state: State) -> Iterator[tuple[int, Member]]:
        for at, member in self.live(state):
            if self.machines.views[member[0]].phase == Phase.RUNNING.value:
                yield at, member

    def describe(self, state: State, step: Step) -> str:
        """A step from a state in words."""
        parts = [str(step[0])]
        parts += [self.names[part] for part in step[1:] if isinstance(part, int)]
        for *channel, _, items in state.channels:
            if channel == list(step[1:]):
                parts.append(_words_for(self.machines.items[items[0]]))
        return " ".join(parts)


def _words_for(item: Item) -> str:
    kind, *contents = item
    if kind == "message":
        data = shift_message(contents[0], -ORIGIN)
        return f"{MessageKind(data[0]).name} {data[1:].hex(' ')}"
    return f"{kind} {' '.join(str(part) for part in contents)}"
