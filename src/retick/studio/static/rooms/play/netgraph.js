// One column for each frame: how far it was predicted, what was rolled back, waits, checksums; and lines below them.

import { colour, sizeCanvas } from "../../parts/dom.js";

const SIZE = 600;
const WIDTH = 3; // pixels of a column
const DEEPEST = 12; // frames to which the bars are scaled at least
export const FRAME = 0;
const CONFIRMED = 1;
const DEPTH = 2;
const WAITED = 3;
const COMPARED = 4;
const RTT = 5;
const LOSS = 6;
const BYTES = 7;
const VALUES = 8;
const LINES = [
  { value: RTT, name: "one", label: "RTT", least: 50, show: (value) => `${value.toFixed(0)} ms` },
  { value: LOSS, name: "bad", label: "loss", least: 10, show: (value) => `${value.toFixed(1)} %` },
  { value: BYTES, name: "quiet", label: "bytes a frame", least: 200, show: (value) => value.toFixed(0) },
];

export class Netgraph {
  /** @param {HTMLCanvasElement} canvas @param {(text: string) => void} read gets what is known of the chosen column */
  constructor(canvas, read) {
    this.canvas = canvas;
    this.read = read;
    this.values = new Float64Array(SIZE * VALUES);
    this.clear();
    canvas.addEventListener("pointermove", (event) => this.choose(Math.floor((canvas.clientWidth - event.offsetX) / WIDTH)));
    canvas.addEventListener("pointerleave", () => this.choose(-1));
    canvas.addEventListener("blur", () => this.choose(-1));
    canvas.addEventListener("keydown", (event) => {
      if (event.code === "ArrowLeft") this.choose(Math.min(this.chosen + 1, this.shown() - 1));
      else if (event.code === "ArrowRight") this.choose(Math.max(this.chosen - 1, 0));
      else return;
      event.preventDefault();
    });
  }

  clear() {
    this.count = 0;
    this.confirmed = -1;
    this.chosen = -1; // columns from the right; the frame stays chosen while the match goes on
    this.chosenFrame = -1;
  }

  push(column) {
    const at = (this.count % SIZE) * VALUES;
    for (let value = 0; value < VALUES; value += 1) this.values[at + value] = column[value] ?? NaN;
    this.count += 1;
  }

  /** A value of the column `back` steps from the newest. */
  ago(back, value) {
    return this.values[((this.count - 1 - back) % SIZE) * VALUES + value];
  }

  shown() {
    return Math.min(this.count, SIZE, Math.floor(this.canvas.clientWidth / WIDTH));
  }

  choose(back) {
    this.chosen = back >= 0 && back < this.shown() ? back : -1;
    this.read(this.chosen < 0 ? "" : this.describe(this.chosen));
  }

  describe(back) {
    const value = (which) => this.ago(back, which);
    const ahead = value(FRAME) - value(CONFIRMED);
    const parts = [`frame ${value(FRAME)}`];
    parts.push(ahead > 0 ? `ran ${ahead} ahead of confirmed` : "ran on confirmed inputs");
    parts.push(value(FRAME) <= this.confirmed ? "confirmed now" : "still predicted");
    parts.push(value(DEPTH) ? `rolled back ${value(DEPTH)}` : "no rollback");
    if (value(WAITED)) parts.push(`waited ${value(WAITED).toFixed(0)} ms`);
    if (value(COMPARED)) parts.push("checksum compared");
    for (const { value: which, label, show } of LINES) if (!Number.isNaN(value(which))) parts.push(`${label} ${show(value(which))}`);
    return parts.join(" · ");
  }

  draw() {
    const { context, width, height } = sizeCanvas(this.canvas);
    context.clearRect(0, 0, width, height);
    const shown = this.shown();
    const lines = Math.max(46, height * 0.38);
    const bars = height - lines - 8;
    const base = Math.round(bars * 0.6);
    let most = DEEPEST;
    for (let back = 0; back < shown; back += 1) {
      most = Math.max(most, this.ago(back, FRAME) - this.ago(back, CONFIRMED), this.ago(back, DEPTH));
    }
    this.drawBars(context, width, shown, base, bars, most);
    this.drawLines(context, width, shown, height - lines, lines);
    if (this.chosen >= 0 && this.chosen < shown) {
      context.strokeStyle = colour("text");
      context.lineWidth = 1;
      context.strokeRect(width - (this.chosen + 1) * WIDTH - 0.5, 0.5, WIDTH, height - 1);
      this.read(this.describe(this.chosen));
    }
  }

  drawBars(context, width, shown, base, bars, most) {
    const up = (base - 2) / most;
    const down = (bars - base - 6) / most;
    const part = (name, alpha, add) => {
      context.fillStyle = colour(name);
      context.globalAlpha = alpha;
      context.beginPath();
      for (let back = 0; back < shown; back += 1) add(back, width - (back + 1) * WIDTH);
      context.fill();
    };
    part("bad", 0.3, (back, x) => this.ago(back, WAITED) > 0 && context.rect(x, 0, WIDTH, bars));
    const lead = (back) => Math.max(0.6, this.ago(back, FRAME) - this.ago(back, CONFIRMED)) * up;
    part("good", 0.65, (back, x) => {
      if (this.ago(back, FRAME) <= this.confirmed) context.rect(x, base - lead(back), WIDTH - 1, lead(back));
    });
    part("warn", 1, (back, x) => {
      if (this.ago(back, FRAME) > this.confirmed) context.rect(x, base - lead(back), WIDTH - 1, lead(back));
    });
    part("two", 0.9, (back, x) => this.ago(back, DEPTH) > 0 && context.rect(x, base + 1, WIDTH - 1, this.ago(back, DEPTH) * down));
    part("accent", 1, (back, x) => this.ago(back, COMPARED) > 0 && context.rect(x, bars - 4, WIDTH - 1, 4));
    context.globalAlpha = 1;
    context.fillStyle = colour("line");
    context.fillRect(0, base, width, 1);
  }

  drawLines(context, width, shown, top, high) {
    context.fillStyle = colour("line");
    context.fillRect(0, top - 3, width, 1);
    context.font = "12px system-ui, sans-serif";
    context.textBaseline = "top";
    let label = 4;
    for (const { value, name, label: text, least, show } of LINES) {
      let most = least;
      for (let back = 0; back < shown; back += 1) if (this.ago(back, value) > most) most = this.ago(back, value);
      context.strokeStyle = context.fillStyle = colour(name);
      context.lineWidth = 1.5;
      context.beginPath();
      let drawn = false;
      for (let back = 0; back < shown; back += 1) {
        const number = this.ago(back, value);
        if (Number.isNaN(number)) continue;
        const [x, y] = [width - back * WIDTH - WIDTH / 2, top + high - 2 - (number / most) * (high - 20)];
        if (drawn) context.lineTo(x, y);
        else context.moveTo(x, y);
        drawn = true;
      }
      context.stroke();
      const newest = shown ? this.ago(0, value) : NaN;
      const words = `${text} ${Number.isNaN(newest) ? "–" : show(newest)}`;
      context.fillText(words, label, top);
      label += context.measureText(words).width + 18;
    }
  }
}
