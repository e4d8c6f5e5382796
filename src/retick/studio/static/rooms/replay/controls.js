// The scrubber, its buttons and keys.

import { element, setText, slider, toggle } from "../../parts/dom.js";

const SLOWEST = Math.log2(0.1);
const FASTEST = 3;

/** The speed at a place of its slider, which is logarithmic; near its middle it is exactly 1. */
function speedAt(place) {
  return Math.abs(place) < 0.12 ? 1 : 2 ** place;
}

export class Controls {
  /**
   * @param {import("./transport.js").Transport} transport
   * @param {(on: boolean) => void} setBoxes
   */
  constructor(transport, setBoxes) {
    this.transport = transport;
    const button = (label, name, act) => element("button", { type: "button", "aria-label": name, title: name, onclick: act }, label);
    this.play = button("▶", "Play (space)", () => transport.toggle());
    this.scrubber = element("input", { type: "range", class: "scrubber", min: 0, max: 0, step: 1, value: 0, "aria-label": "Frame" });
    this.scrubber.addEventListener("input", () => {
      transport.playing = false;
      transport.seek(Number(this.scrubber.value));
    });
    this.number = element("input", { type: "number", class: "mono", min: 0, step: 1, value: 0, "aria-label": "Go to frame" });
    this.number.addEventListener("change", () => transport.step(Number(this.number.value) - transport.frame));
    this.total = element("span", { class: "quiet mono" });
    this.boxes = toggle({ label: "Boxes", value: false, change: setBoxes, title: "Hit and hurt boxes (b)" });
    this.speed = slider({
      label: "Speed", min: SLOWEST, max: FASTEST, step: 0.01, value: 0,
      format: (place) => `${speedAt(place).toFixed(speedAt(place) < 1 ? 2 : 1)}×`,
      change: (place) => { transport.speed = speedAt(place); },
    });
    this.row = element(
      "div",
      { class: "controls" },
      button("|◂", "First frame (Home)", () => transport.step(transport.first - transport.frame)),
      button("−10", "Ten frames back (Shift ←)", () => transport.step(-10)),
      button("◂", "One frame back (←)", () => transport.step(-1)),
      this.play,
      button("▸", "One frame on (→)", () => transport.step(1)),
      button("+10", "Ten frames on (Shift →)", () => transport.step(10)),
      button("▸|", "Last frame (End)", () => transport.step(transport.last - transport.frame)),
      this.number, this.total, this.speed, this.boxes,
    );
    this.keys = (event) => this.press(event);
    window.addEventListener("keydown", this.keys);
  }

  close() {
    window.removeEventListener("keydown", this.keys);
  }

  press(event) {
    const { transport } = this;
    const at = event.target;
    if (event.ctrlKey || event.altKey || event.metaKey || transport.last <= transport.first) return;
    if (at.matches?.("input:not([type=range]), select, textarea, [role=tab]") || at === this.speed.input) return;
    const far = event.shiftKey ? 10 : 1;
    const acts = {
      ArrowLeft: () => transport.step(-far),
      ArrowRight: () => transport.step(far),
      Home: () => transport.step(transport.first - transport.frame),
      End: () => transport.step(transport.last - transport.frame),
      b: () => this.boxes.click(),
      " ": at.matches?.("button") ? undefined : () => transport.toggle(),
    };
    const act = acts[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  /** Shows where the transport is. */
  update() {
    const { transport } = this;
    this.scrubber.min = String(transport.first);
    this.scrubber.max = String(transport.last);
    this.scrubber.value = String(transport.frame);
    if (document.activeElement !== this.number) this.number.value = String(transport.frame);
    this.number.min = String(transport.first);
    this.number.max = String(transport.last);
    setText(this.total, `/ ${transport.last} · ${(transport.frame / 60).toFixed(2)} s`);
    setText(this.play, transport.playing ? "⏸" : "▶");
    const name = transport.playing ? "Pause (space)" : "Play (space)";
    if (this.play.title !== name) {
      this.play.title = name;
      this.play.setAttribute("aria-label", name);
    }
  }
}
