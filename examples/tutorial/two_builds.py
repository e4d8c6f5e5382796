"""Two builds of the tank game play each other and diverge: prints the report, and writes the file that keeps it."""

import sys

from tanks import Tanks

from retick.audit.desync.bundle import bundle_of, save_bundle
from retick.rollback import DesyncReported, MatchStarted
from retick.testing.mesh import Mesh

RIGHT, FORWARD, FIRE = 2, 4, 8


class NewTanks(Tanks):
    """The next version: bullets start at the muzzle. Somebody forgot to raise game_version."""

    def fire(self, tank):
        super().fire(tank)
        bullet = self.bullets[-1]
        bullet.pos += bullet.speed / 30


def bot(player, state):
    return FORWARD | RIGHT | FIRE


def main(path="match.desync"):
    match = Mesh({"old": Tanks, "new": NewTanks}, press=bot)
    match.start()
    match.run(seconds=3)
    peer = match["old"]
    started, reported = peer.events_of(MatchStarted)[0], peer.events_of(DesyncReported)[0]
    print(reported.report)
    save_bundle(path, bundle_of(reported.investigation, Tanks(), seed=started.seed))
    print(f"saved as {path}")


if __name__ == "__main__":
    main(*sys.argv[1:2])
