// Which part of the fighter's world a picture shows.

/** A part of the world: its left edge, and how much of it the picture is wide. @typedef {{ left: number, span: number }} Framing */

/** How wide the part must at least be, so that nobody's head is above the picture. */
export function leastSpan(state, rules, width, height) {
  const highest = Math.max(Number(state["p1.y"]), Number(state["p2.y"])) + rules.player_height * 1.25;
  return (highest * width) / roomAbove(height);
}

/** Pixels above the ground, below the bars. */
function roomAbove(height) {
  return height * 0.7;
}

/** Both fighters with room around them: a function of the state alone. @returns {Framing} */
export function framingOf(state, rules, width, height) {
  const half = rules.player_width / 2;
  const [one, other] = ["p1", "p2"].map((seat) => Number(state[`${seat}.x`]) + half);
  const reach = rules.player_height + (rules.jump_velocity * rules.jump_velocity) / (-2 * rules.gravity);
  const jump = (reach * 0.6 * width) / roomAbove(height);
  const least = Math.max(rules.player_width * 7, jump, leastSpan(state, rules, width, height));
  const most = rules.max_x - rules.min_x + 2 * rules.player_width;
  const span = Math.min(Math.max(Math.abs(one - other) + rules.player_width * 6, least), Math.max(most, least));
  return within(rules, { left: (one + other - span) / 2, span });
}

/** Moved so that little is shown beyond the walls. @returns {Framing} */
export function within(rules, { left, span }) {
  const margin = rules.player_width;
  const [first, last] = [rules.min_x - margin, rules.max_x + margin - span];
  return { left: last <= first ? (first + last) / 2 : Math.max(first, Math.min(left, last)), span };
}

/** From units of the world to pixels. */
export class Camera {
  /** @param {Object<string, number>} rules @param {Framing} framing */
  constructor(rules, { left, span }, width, height) {
    this.rules = rules;
    this.left = left;
    this.scale = width / span;
    this.ground = height * 0.87;
    this.width = width;
    this.height = height;
  }

  x(x) {
    return (x - this.left) * this.scale;
  }

  y(y) {
    return this.ground - (y - this.rules.ground_y) * this.scale;
  }
}
