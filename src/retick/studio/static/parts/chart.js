// Lines over time on a canvas. Memory is a ring of fixed size for each line.

import { colour, sizeCanvas } from "./dom.js";

/** Numbers of which only the newest `size` are kept. */
export class Ring {
  constructor(size) {
    this.values = new Float64Array(size).fill(NaN);
    this.count = 0;
  }

  push(value) {
    this.values[this.count % this.values.length] = value ?? NaN;
    this.count += 1;
  }

  /** The value `back` steps ago; NaN if there is none. */
  ago(back) {
    if (back >= this.count || back >= this.values.length) return NaN;
    return this.values[(this.count - 1 - back) % this.values.length];
  }
}

export class Chart {
  /**
   * @param {HTMLCanvasElement} canvas
   * @param {{ lines: { label: string, colour: string, format?: (value: number) => string }[], size?: number,
   *           least?: number }} settings colour is a name of the style sheet; least is the smallest top of the scale
   */
  constructor(canvas, { lines, size = 600, least = 1 }) {
    this.canvas = canvas;
    this.least = least;
    this.lines = lines.map((line) => ({ format: (value) => value.toFixed(0), ...line, ring: new Ring(size) }));
  }

  push(...values) {
    this.lines.forEach((line, index) => line.ring.push(values[index]));
  }

  draw() {
    const { context, width, height } = sizeCanvas(this.canvas);
    context.clearRect(0, 0, width, height);
    const size = this.lines[0].ring.values.length;
    let top = this.least;
    for (const { ring } of this.lines) for (const value of ring.values) if (value > top) top = value;
    const step = width / (size - 1);
    const label = 16;
    for (const { ring, colour: name } of this.lines) {
      context.strokeStyle = colour(name);
      context.lineWidth = 1.5;
      context.beginPath();
      let down = false;
      for (let back = Math.min(ring.count, size) - 1; back >= 0; back -= 1) {
        const value = ring.ago(back);
        if (Number.isNaN(value)) {
          down = false;
          continue;
        }
        const x = width - back * step;
        const y = height - 1 - (value / top) * (height - label - 3);
        if (down) context.lineTo(x, y);
        else context.moveTo(x, y);
        down = true;
      }
      context.stroke();
    }
    context.font = "12px system-ui, sans-serif";
    context.textBaseline = "top";
    let x = 4;
    for (const { ring, colour: name, label: text, format } of this.lines) {
      const value = ring.ago(0);
      const shown = `${text} ${Number.isNaN(value) ? "–" : format(value)}`;
      context.fillStyle = colour(name);
      context.fillText(shown, x, 1);
      x += context.measureText(shown).width + 14;
    }
  }
}
