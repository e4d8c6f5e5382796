"""What a server does beside the rules: bots in seats that nobody has, and the end of a match.

``retick serve game.py:Arena`` finds ``hooks`` here; ``serve.py`` uses the same in a program of its own.
"""

from bots import bot

from retick.authority import RoomHooks

FILLED = 6
"""Seats that are filled with bots; the others are always free for people."""


class Referee(RoomHooks):
    def ticked(self, room):
        team = room.world.winner()
        if team is not None:
            room.end(f"team {team + 1} has won")


class Hosts(Referee):
    """With bots, and with chat: what one says, all read."""

    def ticked(self, room):
        super().ticked(room)
        if room.tick % 15 == 0:
            seat_bots(room)

    def received(self, room, player, data):
        room.send(f"{player.name}: ".encode() + data[:200])


def seat_bots(room):
    """One comes or goes at a time."""
    bots = [seat for seat, player in room.players.items() if player.bot is not None]
    playing = [player for player in room.players.values() if player.seat is not None]
    if len(playing) < FILLED:
        room.add_bot(bot, "bot")
    elif bots and len(playing) > FILLED:
        room.remove_bot(bots[0])


hooks = Hosts
