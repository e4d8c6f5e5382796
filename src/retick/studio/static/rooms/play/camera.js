// The part of the world that both views show, so that they can be compared. It follows the fighters smoothly.

import { framingOf, leastSpan, within } from "../../parts/fighter_camera.js";

const SLOWLY = 0.1; // share of the way that is gone with each picture
const BESIDE = 0.8; // room beside a fighter, in widths of its body

export class SharedCamera {
  /** @param {Object<string, number>} rules */
  constructor(rules) {
    this.rules = rules;
    this.framing = null;
  }

  reset() {
    this.framing = null;
  }

  /** Once for each picture: the states of all views, one's own first; `width` and `height` are those of a view. */
  follow(states, width, height) {
    if (width === 0 || height === 0) return;
    const { rules } = this;
    const wanted = framingOf(states[0], rules, width, height);
    const now = this.framing ?? wanted;
    const left = now.left + (wanted.left - now.left) * SLOWLY;
    const right = now.left + now.span + (wanted.left + wanted.span - now.left - now.span) * SLOWLY;
    // However slowly it follows, nobody is cut off.
    const places = states.flatMap((state) => [state["p1.x"], state["p2.x"]]);
    const first = Math.min(left, Math.min(...places) - BESIDE * rules.player_width);
    const last = Math.max(right, Math.max(...places) + (1 + BESIDE) * rules.player_width);
    const span = Math.max(last - first, ...states.map((state) => leastSpan(state, rules, width, height)));
    this.framing = within(rules, { left: (first + last - span) / 2, span });
  }
}
