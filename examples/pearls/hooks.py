"""What the server of pearls does beside the rules: bots and chat. ``retick serve pearls.py:Pearls`` finds it here."""

from pearls import DOWN, FULL, LEFT, RIGHT, UP, WIDTH

from retick.authority import RoomHooks


def bot(player, world):
    """Swims to a pearl that it sees, and up when it is full. It only reads the world."""
    me = next(diver for diver in world.divers if diver.player == player)
    seen = [pearl for pearl in world.pearls if world.visible(player, pearl)]
    if me.cargo == FULL:
        return UP
    if not seen:
        # Nothing here: deeper, and from one side to the other.
        return DOWN if me.y < 240 else RIGHT if me.y % 10 < 5 and me.x < WIDTH - 20 else LEFT | UP
    goal = min(seen, key=lambda pearl: abs(pearl.x - me.x) + abs(pearl.y - me.y))
    across = RIGHT if goal.x > me.x + 3 else LEFT if goal.x < me.x - 3 else 0
    return across | (DOWN if goal.y > me.y + 3 else UP if goal.y < me.y - 3 else 0)


class Hosts(RoomHooks):
    def opened(self, room):
        room.add_bot(bot, "robot")

    def received(self, room, player, data):
        # Any bytes may come: what cannot be read is shown as question marks, and is short.
        text = data[:200].decode(errors="replace")
        room.send(f"{player.name}: {text}".encode())


hooks = Hosts
