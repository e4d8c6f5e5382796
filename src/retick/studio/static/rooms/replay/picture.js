// The picture of one recording, or words where there is none.

import { element, setText } from "../../parts/dom.js";
import { FighterView } from "../../parts/fighter.js";
import { LETTERS, otherSide } from "./panels.js";

export class Picture {
  /** @param {number} slot */
  constructor(slot) {
    this.canvas = element("canvas", { "aria-label": `Picture of recording ${LETTERS[slot]}`, role: "img" });
    this.words = element("div", { class: "words" });
    this.letter = element("span", { class: "letter" }, LETTERS[slot]);
    this.box = element("div", { class: "picture" }, this.canvas, this.words, this.letter);
    this.view = new FighterView(this.canvas);
    this.opened = null;
    this.state = null;
    this.ghost = null; // at the first bad frame of a bundle: how another side has it
  }

  set(opened, rules, alone) {
    this.opened = opened;
    this.state = null;
    this.view.rules = rules;
    this.box.hidden = opened === null;
    this.letter.hidden = alone;
    this.show(null, {});
  }

  /** @param {Object|null} shown a view of the message frame; null where the recording does not have the frame */
  show(shown, options) {
    if (this.opened === null) return;
    this.canvas.hidden = !this.opened.fighter || !shown || shown.problem !== undefined;
    this.words.hidden = !this.canvas.hidden;
    if (this.canvas.hidden) {
      if (shown?.problem) this.say(shown.problem);
      else if (!this.opened.known) this.say(this.opened.note);
      else if (!shown) this.say("This recording does not have this frame.");
      else this.say("This game has no picture here. Its state is in the table.");
      return;
    }
    this.state = Object.fromEntries(shown.fields.map(([name, value]) => [name, Number(value)]));
    const { bundle } = this.opened;
    this.ghost = bundle && bundle.frame === shown.frame ? otherSide(bundle, this.state) : null;
    this.draw(options);
  }

  draw(options) {
    if (this.state && !this.canvas.hidden) this.view.draw(this.state, { ...options, ghost: this.ghost });
  }

  say(text) {
    setText(this.words, text);
  }
}
