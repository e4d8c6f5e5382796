"""What the play page adds to the picture of the fighter: one camera for both views, and marks of corrections."""

from collections.abc import Callable
from itertools import product
from typing import Any

from retick.games.fighter import Fighter
from retick.studio.shown import RULES, fields_by_name

WIDTH, HEIGHT = 480, 380


def state(**changed: int) -> dict[str, Any]:
    game = Fighter()
    return fields_by_name(game, game.initial_state(1)) | {name.replace("_", ".", 1): v for name, v in changed.items()}


def test_the_camera_shows_everybody_of_both_views(open_page: Callable[..., Any]) -> None:
    page = open_page("#packets")
    width, highest = RULES["player_width"], RULES["max_x"] - RULES["player_width"]
    places = [(4000, 16000), (9000, 9500), (0, 600), (highest - 600, highest), (0, highest), (7000, 7000)]
    states = [state(p1_x=one, p2_x=other, p1_y=high) for one, other in places for high in (0, 4000)]
    framings = page.evaluate(
        """async ([states, rules, width, height]) => {
          const { SharedCamera } = await import("/static/rooms/play/camera.js");
          const camera = new SharedCamera(rules);
          const first = states[0];
          return states.map((state) => {
            camera.follow([first, state], width, height);
            return camera.framing;
          });
        }""",
        [states, RULES, WIDTH, HEIGHT],
    )
    for shown, framing in zip(states, framings, strict=True):
        for view, seat in product((states[0], shown), ("p1", "p2")):
            assert framing["left"] <= view[f"{seat}.x"], (view, framing)
            assert view[f"{seat}.x"] + width <= framing["left"] + framing["span"], (view, framing)
            top = view[f"{seat}.y"] + RULES["player_height"]
            assert top * WIDTH / framing["span"] <= HEIGHT * 0.87, (view, framing)


def test_corrections_are_marked_fade_and_are_bounded(open_page: Callable[..., Any]) -> None:
    page = open_page("#packets")
    there = [state(p2_x=place) | {"frame": frame} for frame, place in enumerate([9000, 12000] * 10, 1)]
    smooth = [state(p2_x=9000 + 300 * frame) | {"frame": frame} for frame in range(1, 20)]
    found = page.evaluate(
        """async ([there, smooth, rules]) => {
          const { PeerView } = await import("/static/rooms/play/peer_view.js");
          const { SharedCamera } = await import("/static/rooms/play/camera.js");
          const counts = [];
          for (const states of [there, smooth]) {
            const view = new PeerView(document.createElement("canvas"), rules, new SharedCamera(rules), states[0]);
            for (const one of states.slice(1)) view.show(one, 3, 1);
            counts.push(view.corrections.length);
            for (let picture = 0; picture < 60; picture += 1) view.draw({ boxes: true, ghost: states[0], names: [] });
            counts.push(view.corrections.length);
          }
          return counts;
        }""",
        [there, smooth, RULES],
    )
    assert found == [4, 0, 0, 0]
