"""What every program that plays a match needs: a match for any window, its menu, keys, files, and one peer's driver.

Knows sessions by their calls and events; knows no screen and no packet.
"""

from typing import TYPE_CHECKING

from retick._lazy import lazy

if TYPE_CHECKING:
    from retick.playing.keys import Buttons, Keyboard, Keys
    from retick.playing.match import Match, MatchPage
    from retick.playing.menu import Menu
    from retick.playing.play_settings import PlaySettings
else:
    __getattr__, __dir__ = lazy(
        __name__,
        {
            "retick.playing.keys": "Buttons Keyboard Keys",
            "retick.playing.match": "Match MatchPage",
            "retick.playing.play_settings": "PlaySettings",
            "retick.playing.menu": "Menu",
        },
    )

__all__ = ["Buttons", "Keyboard", "Keys", "Match", "MatchPage", "Menu", "PlaySettings"]
