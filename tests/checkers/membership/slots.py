"""Every state that honest peers can reach with liars among them, breadth first.

A state is what each honest peer is in, what is under way between them, and which of them may still have news. A step
is one of: a liar sends one thing to one peer, the first message of one honest peer to another arrives, somebody has
news, notices that a crashed peer is gone, or states; and a unit of time, in which everybody looks at its clock, once no
message has been under way for as long as any may be.
"""

import time
from array import array
from collections import deque
from collections.abc import Iterator
from typing import Any, NamedTuple

from retick.rollback.session.messages.agreement import decode_item
from retick.rollback.session.messages.kinds import MessageKind
from tests.checkers.membership.honest import Happening, Peers, Rules, scaled
from tests.checkers.membership.liar import Alphabet, letters

Queue = tuple[int, ...]
"""What is under way from one honest peer to another: the numbers of the messages."""


class State(NamedTuple):
    peers: tuple[int, ...]
    queues: tuple[Queue, ...]
    """From the first honest peer to each other one, then from the second ..."""
    news: tuple[int, ...]
    """How often each honest peer may still have news without having heard any."""


Step = tuple[Any, ...]


class SlotSearch(NamedTuple):
    """What is searched."""

    name: str
    rules: Rules
    alphabet: Alphabet = Alphabet()
    news: int = 1
    """How often each honest peer has news of its own."""
    is_symmetric: bool = False
    """Whether honest peers can be exchanged, so that the first one may be the first to hear of anything."""


class SlotsFound(NamedTuple):
    """What a search has found."""

    states: int
    transitions: int
    runs: int
    """How often the real code was run."""
    seconds: float
    is_complete: bool
    wrongs: tuple[str, ...]
    way: tuple[str, ...]
    """The steps to the state in which something is wrong, in words."""


class World:
    def __init__(self, setup: SlotSearch) -> None:
        self.setup = setup
        self.rules = setup.rules
        self.peers = Peers(setup.rules)
        self._letters: dict[tuple[int, tuple[int, ...]], list[tuple[int, int]]] = {}
        self._at = {
            pair: at
            for at, pair in enumerate(
                (source, target)
                for source in range(self.rules.honest)
                for target in range(self.rules.honest)
                if source != target
            )
        }

        self._sources = [source for source, _ in self._at]

    def start(self) -> State:
        return State(self.peers.begin(), ((),) * len(self._at), (self.setup.news,) * self.rules.honest)

    def steps(self, state: State) -> Iterator[Step]:
        views = [self.peers.views[peer] for peer in state.peers]
        is_begun = any(view.slot or view.is_open for view in views) or any(state.queues)
        movers = range(self.rules.honest) if is_begun or not self.setup.is_symmetric else range(1)
        for own in movers:
            view = views[own]
            if view.slot < self.rules.slots:
                if state.news[own] and view.may_open:
                    yield ("news", own)
                if view.may_state:
                    yield ("state", own)
                for peer_id in self.rules.gone:
                    if peer_id in view.members and peer_id not in view.unheard:
                        yield ("lose", own, peer_id)
            for sender, message in self._letters_to(own, state):
                yield ("lie", own, sender, message)
        for (source, target), at in self._at.items():
            if state.queues[at]:
                yield ("arrive", target, source)
        yield ("time",)

    def _letters_to(self, own: int, state: State) -> list[tuple[int, int]]:
        name = (own, state.peers)
        found = self._letters.get(name)
        if found is None:
            views = tuple(self.peers.views[peer] for peer in state.peers)
            found = [
                (sender, self.peers.number(data))
                for sender, data in letters(own, views, self.rules, self.setup.alphabet)
            ]
            # Most change nothing.
            found = [
                (sender, message)
                for sender, message in found
                if self.peers.after(state.peers[own], ("receive", sender, message)) != (state.peers[own], (), ())
            ]
            self._letters[name] = found
        return found

    def apply(self, state: State, step: Step) -> tuple[State, tuple[str, ...]]:
        kind, *details = step
        if kind == "time":
            return self._time(state)
        own = details[0]
        queues, news = list(state.queues), state.news
        happening: Happening = (kind, *details[1:])
        if kind == "arrive":
            at = self._at[details[1], own]
            message, *rest = queues[at]
            queues[at] = tuple(rest)
            happening = ("receive", details[1], message)
        elif kind == "lie":
            happening = ("receive", *details[1:])
        elif kind == "news":
            news = (*news[:own], news[own] - 1, *news[own + 1 :])
        result = self.peers.after(state.peers[own], happening)
        peers = (*state.peers[:own], result.state, *state.peers[own + 1 :])
        self._post(queues, own, result.sent)
        return self._checked(State(peers, tuple(queues), news), result.wrongs)

    def _post(self, queues: list[Queue], own: int, sent: tuple[tuple[int, int], ...]) -> None:
        for target, message in sent:
            at = self._at[own, target]
            queues[at] = (*queues[at], message)

    def _time(self, state: State) -> tuple[State, tuple[str, ...]]:
        """A unit passes: everybody looks at its clock, and what was under way arrives, before anything else does."""
        peers, wrongs = list(state.peers), list[str]()
        queues: list[Queue] = [()] * len(state.queues)
        for own in range(len(peers)):
            self._happen(peers, queues, wrongs, own, ("poll",))
        for (source, target), at in self._at.items():
            for message in state.queues[at]:
                self._happen(peers, queues, wrongs, target, ("receive", source, message))
        return self._checked(State(tuple(peers), tuple(queues), state.news), tuple(wrongs))

    def _happen(self, peers: list[int], queues: list[Queue], wrongs: list[str], own: int, happening: Happening) -> None:
        result = self.peers.after(peers[own], happening)
        peers[own] = result.state
        wrongs += result.wrongs
        self._post(queues, own, result.sent)

    def _checked(self, state: State, wrongs: tuple[str, ...]) -> tuple[State, tuple[str, ...]]:
        queues = list(state.queues)
        for (_, target), at in self._at.items():
            # What changes nothing now changes nothing later.
            queues[at] = tuple(each for each in queues[at] if self._is_news(state.peers[target], at, each))
        state = state._replace(queues=tuple(queues))
        return state, (*wrongs, *differences(tuple(self.peers.views[peer].decisions for peer in state.peers)))

    def _is_news(self, peer: int, at: int, message: int) -> bool:
        return self.peers.after(peer, ("receive", self._sources[at], message)) != (peer, (), ())

    def describe(self, step: Step) -> str:
        kind, *details = step
        if kind == "lie":
            own, sender, message = details
            return f"{sender} lies to {own}: {words_for(self.peers.messages[message])}"
        return " ".join(map(str, step))


def differences(decisions: tuple[tuple[bytes, ...], ...]) -> Iterator[str]:
    """What is different in the decisions of peers."""
    for slot in range(max(map(len, decisions))):
        if len({each[slot] for each in decisions if len(each) > slot}) > 1:
            yield f"slot {slot} is decided differently"
            return


def words_for(data: bytes) -> str:
    """A message in words."""
    kind = MessageKind(data[0])
    if kind in (MessageKind.STATEMENT, MessageKind.CONSENT):
        item = decode_item(data)
        signers = ", ".join(str(each.peer_id) for each in item.signatures)
        return f"{kind.name} {item.body[:4].hex()} {item.body[-20:].hex()} signed by {signers}"
    return f"{kind.name} {data[1:].hex()[:80]}"


def search_slots(setup: SlotSearch, *, most_states: int | None = None, most_seconds: float | None = None) -> SlotsFound:
    """Visit every state, until something is wrong."""
    with scaled():
        return _search(World(setup), most_states, most_seconds)


def _search(world: World, most_states: int | None, most_seconds: float | None) -> SlotsFound:
    began = time.process_time()
    start = world.start()
    known = {start}
    parents, edges = array("q", [-1]), deque([(0, start)])
    steps: list[Step | None] = [None]
    transitions = 0
    wrongs: tuple[str, ...] = ()
    way: list[str] = []
    while edges and not wrongs:
        index, state = edges.popleft()
        for step in world.steps(state):
            transitions += 1
            after, wrongs = world.apply(state, step)
            if wrongs:
                done: list[Step] = [step]
                while index > 0:
                    done.append(steps[index] or ())
                    index = parents[index]
                way = [world.describe(each) for each in reversed(done)]
                break
            if after not in known:
                known.add(after)
                parents.append(index)
                steps.append(step)
                edges.append((len(parents) - 1, after))
        if most_states is not None and len(known) >= most_states:
            break
        if most_seconds is not None and time.process_time() - began > most_seconds:
            break
    return SlotsFound(
        len(known),
        transitions,
        world.peers.runs,
        time.process_time() - began,
        not edges and not wrongs,
        tuple(wrongs),
        tuple(way),
    )
