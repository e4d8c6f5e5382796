"""Members of one room while relays die, routers forget and links fail: when it is calm again, all hear all."""

from random import Random

import pytest

from retick.relay import FrameReceived, LeftRoom, MemberState
from retick.transport import Conditions, Nat, NatKind
from tests.relay.meeting import FIRST, Meeting


@pytest.mark.parametrize("seed", range(25))
def test_after_any_trouble_all_members_hear_each_other(seed: int) -> None:
    draw = Random(seed)
    conditions = Conditions(latency=0.04, jitter=0.02, loss=draw.choice([0.0, 0.1, 0.2]), duplicate=0.05)
    meeting = Meeting(seed=seed, conditions=conditions)
    nat = Nat(
        kind=draw.choice(list(NatKind)), timeout=draw.choice([5.0, 60.0]), keeps_ports=False, lenient=seed % 2 == 0
    )
    members = [meeting.member(nat=nat)]
    members[0].open(4)
    meeting.flush(members[0])
    meeting.run(9.0)
    for _ in range(3):
        members.append(meeting.member(nat=nat))
        members[-1].join(members[0].code)
        meeting.flush(members[-1])
    meeting.run(6.0)
    assert [member.state for member in members] == [MemberState.INSIDE] * 4

    for _ in range(12):
        trouble = draw.randrange(4)
        if trouble == 0:
            meeting.stop_relay()
            meeting.run(draw.uniform(0.0, 20.0))
            meeting.start_relay()
        elif trouble == 1:
            draw.choice(list(meeting.network._routing.routers.values())).forget()
        elif trouble == 2:
            meeting.network.cut(meeting.addresses[draw.choice(members)], FIRST, draw.uniform(0.0, 40.0))
        else:
            meeting.network.pause(meeting.addresses[draw.choice(members)], draw.uniform(0.0, 40.0))
        for sender in members:
            for receiver in members:
                if sender is not receiver:
                    meeting.send(sender, receiver, b"play")
        meeting.run(draw.uniform(0.0, 5.0))

    meeting.network.conditions = Conditions(latency=0.04)
    for path in meeting.network._paths.values():
        path.conditions = Conditions(latency=0.04)
    meeting.run(45.0)
    assert [meeting.of(member, LeftRoom) for member in members] == [[]] * 4
    assert sorted(member.number for member in members) == [0, 1, 2, 3]
    for member in members:
        assert member.present == {0, 1, 2, 3}
        meeting.happened[member].clear()
    for sender in members:
        for receiver in members:
            if sender is not receiver:
                meeting.send(sender, receiver, bytes((sender.number,)))
    meeting.run(1.0)
    for member in members:
        heard = {(event.sender, event.payload) for event in meeting.of(member, FrameReceived)}
        assert heard == {(number, bytes((number,))) for number in range(4) if number != member.number}
    assert meeting.server.members == 4
    assert meeting.server.rooms == 1
