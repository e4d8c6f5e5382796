// What one peer sees. The picture is that of every fighter; what belongs to a live match is added here: where a
// prediction was corrected, and health that drains.

import { FighterView, playerOf } from "../../parts/fighter.js";

const MOST_CORRECTIONS = 4;
const CORRECTION_PICTURES = 26;
const DRAIN = 0.8; // hit points with each picture

export class PeerView {
  /**
   * @param {HTMLCanvasElement} canvas
   * @param {Object<string, number>} rules
   * @param {import("./camera.js").SharedCamera} camera
   * @param {Object<string, number>} first the state that is shown before a match
   */
  constructor(canvas, rules, camera, first) {
    this.first = first;
    this.rules = rules;
    this.camera = camera;
    this.view = new FighterView(canvas, rules);
    this.reset();
  }

  reset() {
    this.state = this.first;
    this.corrections = [];
    this.drained = [this.rules.default_hp, this.rules.default_hp];
  }

  /** A new state; `depth` frames were resimulated for it, and `remote` is the player who is predicted here. */
  show(state, depth, remote) {
    if (depth > 0 && state.frame > this.state.frame) this.noteCorrection(state, remote);
    this.state = state;
  }

  noteCorrection(state, remote) {
    const before = this.state;
    const [old, now] = [playerOf(before, remote), playerOf(state, remote)];
    const reach = this.rules.move_speed * 1.5 * Math.max(1, state.frame - before.frame);
    if (Math.abs(now.x - old.x) <= reach && (now.state === old.state || now.y === old.y)) return;
    this.corrections.push({ seat: remote, frame: before.frame, old, now, age: 0 });
    if (this.corrections.length > MOST_CORRECTIONS) this.corrections.shift();
  }

  /** @param {{ boxes: boolean, ghost: Object<string, number>|null, names: string[] }} options */
  draw(options) {
    const lost = ["p1.hp", "p2.hp"].map((name, seat) => {
      this.drained[seat] = Math.max(this.state[name], this.drained[seat] - DRAIN);
      return this.drained[seat] - this.state[name];
    });
    const corrections = this.corrections.map((one) => ({ ...one, alpha: 0.85 * (1 - one.age / CORRECTION_PICTURES) }));
    this.view.draw(this.state, { ...options, framing: this.camera.framing, lost, corrections });
    for (const one of this.corrections) one.age += 1;
    this.corrections = this.corrections.filter(({ age }) => age < CORRECTION_PICTURES);
  }
}
