"""A server of pearls that goes on after a crash: ``python server.py [PORT]``."""

import asyncio
import os
import sys
import time
from pathlib import Path

from hooks import Hosts, bot
from pearls import Pearls

from retick.authority import RoomClosed, RoomFailed, WorldServer, WorldServerConfig
from retick.errors import DecodeError
from retick.replay import Recorder, RecordingFile
from retick.transport import Pump, open_udp

PORT = 7779


class Keeper:
    """The files of a server: a recording for each room, and the room itself as it was a second ago."""

    def __init__(self, folder):
        self.saved = Path(folder) / "room.bin"  # it has the tokens of the players: keep it secret
        self.folder = Path(folder)
        self.files = {}

    def record(self, room):
        recorder = Recorder.for_game(
            room.world, seed=room.seed, start_frame=room.tick, start_state=room.start_state, hosted=True
        )
        self.files[room.name] = RecordingFile(self.folder / f"pearls-{time.time_ns()}.rtk", recorder)
        return recorder

    def keep(self, server):
        """Once a second: what is written now is not lost with the process."""
        for file in self.files.values():
            file.write()
        part = self.saved.with_suffix(".part")
        part.write_bytes(server.save_room())
        part.replace(self.saved)

    def restore(self, server):
        """Go on with the room that was saved; False if there is none that can be read."""
        if not self.saved.exists():
            return False
        try:
            server.restore_room(self.saved.read_bytes(), bots=bot)
        except DecodeError as error:  # damaged, or of another version of the game
            bad = self.saved.replace(self.saved.with_suffix(".bad"))
            print(f"{bad} is no room of this game, so a new one begins: {error}", flush=True)
            return False
        return True

    def finish(self, name):
        """The room is over, and its recording is complete."""
        self.files.pop(name).finish()
        self.saved.unlink(missing_ok=True)


def make_server(keeper):
    config = WorldServerConfig(rooms=())  # the room is opened below: a saved one, or a new one
    server = WorldServer(Pearls, entropy=os.urandom, config=config, hooks=Hosts(), record=keeper.record)
    if not keeper.restore(server):
        server.open_room("")
    return server


async def serve(server, socket, keeper):
    def on_events(events):
        for event in events:
            print(event.report() if isinstance(event, RoomFailed) else event, flush=True)
            if isinstance(event, RoomClosed | RoomFailed):
                keeper.finish(event.room)
                server.open_room(event.room)

    async with Pump(server, socket, on_events=on_events):
        while True:
            await asyncio.sleep(1)
            keeper.keep(server)


async def main(port=PORT):
    keeper = Keeper(".")
    server, socket = make_server(keeper), open_udp("0.0.0.0", int(port))
    print(f"port {socket.address[1]}", flush=True)
    await serve(server, socket, keeper)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:2]))
