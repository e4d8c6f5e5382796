"""A whole online game in a window of arcade: menu, waiting room, match, spectator, replay, netgraph.

A game only calls ``play(game, draw, press)``. A program with a window of its own shows a match in it by a MatchView.
"""

import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from retick.errors import MissingExtra, RetickError
from retick.integrations.window_game import WindowGame, closed_by_signals
from retick.playing.keys import Buttons, Keyboard, Keys
from retick.playing.play_settings import Press
from retick.playing.printing import tell

try:
    import arcade
except ModuleNotFoundError:
    raise MissingExtra("a window of arcade needs arcade: pip install arcade") from None

from retick.integrations.pyglet import MatchScreen, play_music, pyglet_game_of

__all__ = ["Buttons", "Keyboard", "Keys", "MatchView", "WindowGame", "play"]


class MatchView(arcade.View):
    """Shows a match, or the menu, in an open window of arcade: ``window.show_view(MatchView(Tanks, line, ...))``."""

    def __init__(
        self,
        game: Callable[[], Any] | WindowGame,
        line: str | Sequence[str] | None = "",
        *,
        back: Callable[[], object] = lambda: None,
        **given: Any,
    ) -> None:
        """The arguments are those of ``MatchScreen``, of which the view is made."""
        super().__init__()
        self.screen = MatchScreen(self.window, game, line, back=back, **given)
        width, height = self.screen.game.size
        self._camera = arcade.Camera2D(
            position=(0, 0), projection=arcade.LRBT(0, width, 0, height), viewport=arcade.LBWH(*self.screen.place())
        )

    def on_update(self, delta_time: float) -> None:
        """Run the frames that are due."""
        self.screen.update(delta_time)

    def on_draw(self) -> None:
        """Draw the match, as large as the window allows."""
        self.clear()
        self._camera.viewport = arcade.LBWH(*self.screen.place())
        with self._camera.activate():
            self.screen.draw()

    def on_key_press(self, symbol: int, modifiers: int) -> None:
        """Hand a key on."""
        self.screen.on_key_press(symbol, modifiers)

    def on_key_release(self, symbol: int, modifiers: int) -> None:
        """Hand on that a key was released."""
        self.screen.on_key_release(symbol, modifiers)

    def on_mouse_motion(self, x: float, y: float, dx: float, dy: float) -> None:
        """Hand the mouse on."""
        self.screen.on_mouse_motion(x, y, dx, dy)

    def on_mouse_press(self, x: float, y: float, button: int, modifiers: int) -> None:
        """Hand a click on."""
        self.screen.on_mouse_press(x, y, button, modifiers)

    def on_show_view(self) -> None:
        """Also receive what arcade hands to no view: typed text, and the loss of the keyboard."""
        self.window.push_handlers(on_text=self.screen.on_text, on_deactivate=self.screen.on_deactivate)

    def on_hide_view(self) -> None:
        """Say goodbye, since another view is shown."""
        self.window.pop_handlers()
        self.screen.leave()


def play(
    game: Callable[[], Any],
    draw: Callable[..., object] | None = None,
    press: Press | Sequence[Press] | None = None,
    *,
    host: bool = False,
    join: str = "",
    watch: str = "",
    online: bool = False,
    link: str = "",
    argv: Sequence[str] | None = None,
    **given: Any,
) -> None:
    """Play ``game`` in a window of arcade until it is closed; the arguments are those of pygame's ``play``.

    ``draw(world, me)`` draws into the window, which was cleared. ``given`` are fields of :class:`WindowGame`, and
    ``sounds``.
    """
    if argv is None:
        argv = sys.argv[1:] if sys._getframe(1).f_globals.get("__name__") == "__main__" else ()
    made = pyglet_game_of(game, draw=draw, press=press, bad_link=link or None, **{"say": tell, **given})
    try:
        window = arcade.Window(*made.size, made.title, resizable=not made.fullscreen, fullscreen=made.fullscreen)
    except Exception as error:  # each system has errors of its own
        raise RetickError(f"the window cannot be opened: {error}") from None
    view = MatchView(made, None, back=window.close)
    music = play_music(made.music)
    try:
        with suppress(KeyboardInterrupt), closed_by_signals(arcade.exit):
            view.screen.menu.begin(argv, host=host, join=join, watch=watch, online=online)
            arcade.run(view)
    finally:
        view.screen.leave()
        window.close()
        if music is not None:
            music.delete()
