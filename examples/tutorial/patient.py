"""The tank game for players who come and go: nobody's match ends because somebody else is gone."""

from tanks import Tanks

from retick.integrations.pygame import play
from retick.rollback import MatchConfig

PATIENT = MatchConfig(disconnect_after=3.0, end_when_alone=False)

if __name__ == "__main__":
    play(Tanks, config=PATIENT)
