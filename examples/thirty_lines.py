"""A whole game for two, played by two peers over a bad network, in about thirty lines."""

from retick.sim import I32, U32, Record
from retick.testing.mesh import Mesh
from retick.transport.conditions import Conditions


class Rope(Record):  # declared once; value, checksum, bytes and names come from it
    frame: U32
    knot: I32


class TugOfWar:
    num_players = 2

    def initial_state(self, seed):
        return Rope(frame=0, knot=0)

    def step(self, state, inputs):  # pure: same state and inputs, same result, on every peer
        pull = (inputs[1] & 1) - (inputs[0] & 1)
        return state.replace(frame=state.frame + 1, knot=state.knot + pull)

    def checksum(self, state):
        return state.checksum()

    def fields(self, state):
        return state.fields()


def press(player, state):
    return state.frame // (7 + player) % 2  # each player pulls in another rhythm


bad_link = Conditions(latency=0.04, jitter=0.01, loss=0.05)
match = Mesh(TugOfWar, conditions=bad_link, press=press)
match.start()
match.play(600)
print("rollbacks:", match["peer0"].session.stats(now=match.network.now).rollbacks)
print(f"both peers, and a run without any network, end on 0x{match.verify(600):08X}")
