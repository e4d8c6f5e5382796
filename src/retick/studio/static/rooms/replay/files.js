// The two files of the room: opened by a chooser or dropped on the page, named in a bar, closed again.

import { element, notice, setText } from "../../parts/dom.js";
import { LETTERS, verdictOf } from "./panels.js";

const LARGEST = 64 * 1024 * 1024;
const KINDS = ".rtk,.rplk,.desync";

export class FilesBar {
  /**
   * @param {HTMLElement} place
   * @param {{ open: (file: File, slot: number) => void, close: (slot: number) => void, example: (slot: number) => void,
   *           seek: (frame: number) => void, free: () => number }} hooks
   */
  constructor(place, hooks) {
    this.hooks = hooks;
    this.chips = LETTERS.map((letter, slot) => this.makeChip(letter, slot));
    this.bar = element("div", { class: "files" }, ...this.chips.map((chip) => chip.box));
    place.append(this.bar);
  }

  makeChip(letter, slot) {
    const input = element("input", { type: "file", accept: KINDS, class: "hidden-file", "data-slot": slot, tabindex: "-1", "aria-label": `File ${letter}` });
    input.addEventListener("change", () => {
      if (input.files.length) this.send(input.files[0], slot);
      input.value = "";
    });
    const chip = {
      name: element("strong"),
      about: element("span", { class: "quiet" }),
      verdict: element("button", { type: "button", class: "verdict", disabled: true }),
      open: element("button", { type: "button", onclick: () => input.click() }, slot ? "Compare with …" : "Open …"),
      example: element("button", { type: "button", onclick: () => this.hooks.example(slot) }, slot ? "Second take" : "Example"),
      close: element("button", { type: "button", "aria-label": `Close file ${letter}`, title: "Close", onclick: () => this.hooks.close(slot) }, "×"),
      frame: null,
    };
    chip.verdict.addEventListener("click", () => this.hooks.seek(chip.frame));
    chip.box = element("div", { class: "chip" }, element("span", { class: "letter" }, letter), chip.name, chip.about,
      chip.verdict, chip.open, chip.example, chip.close, input);
    return chip;
  }

  /** @param {(Object|null)[]} slots */
  update(slots) {
    this.bar.hidden = slots.every((opened) => opened === null);
    slots.forEach((opened, slot) => {
      const chip = this.chips[slot];
      chip.box.classList.toggle("empty", opened === null);
      const other = slots[1 - slot];
      chip.open.hidden = opened !== null;
      chip.example.hidden = opened !== null || !other?.name.startsWith("example-");
      chip.close.hidden = opened === null;
      setText(chip.name, opened?.name ?? "");
      const frames = opened?.timeline ? opened.timeline.last - opened.timeline.first : 0;
      setText(chip.about, opened ? `${opened.format.toUpperCase()} · ${frames.toLocaleString("en")} frames · ${(frames / 60).toFixed(1)} s` : "");
      this.updateVerdict(chip, opened);
    });
  }

  updateVerdict(chip, opened) {
    const { text, style, frame, title } = verdictOf(opened?.timeline);
    setText(chip.verdict, text);
    chip.verdict.hidden = text === "";
    chip.verdict.className = `verdict ${style}`;
    chip.verdict.disabled = frame === null;
    chip.verdict.title = title ?? "";
    chip.frame = frame;
  }

  send(file, slot) {
    if (file.size > LARGEST) notice(`${file.name} is larger than 64 MiB`);
    else this.hooks.open(file, slot);
  }

  /** Files that were dropped: two fill both places, one the free one. */
  dropped(files) {
    if (files.length >= 2) [...files].slice(0, 2).forEach((file, slot) => this.send(file, slot));
    else if (files.length === 1) this.send(files[0], this.hooks.free());
  }
}

/** What is shown while no file is open. */
export function welcome(bar) {
  return element(
    "section",
    { class: "welcome" },
    element("h2", {}, "Open a recorded match"),
    element("p", {}, "Drop a file here: a replay (", element("kbd", {}, ".rtk"), " or ", element("kbd", {}, ".rplk"),
      ") or a desync bundle (", element("kbd", {}, ".desync"), "). Drop two to compare them."),
    element("p", {},
      element("button", { type: "button", class: "primary", onclick: () => bar.chips[0].open.click() }, "Open a file …"), " ",
      element("button", { type: "button", onclick: () => bar.hooks.example(0) }, "Show an example match")),
    element("p", { class: "quiet" }, "The file stays on this machine. Record a match of your own with ",
      element("kbd", {}, "retick host --record match.rtk"), "."),
  );
}
