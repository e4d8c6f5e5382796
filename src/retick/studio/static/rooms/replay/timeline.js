// The canvas of all strips, with the line of the shown frame and marks for what was found. A press or a drag seeks.

import { colour, sizeCanvas } from "../../parts/dom.js";
import { drawStrip, heightOf } from "./strip.js";

const BETWEEN = 6;

export class TimelineView {
  /**
   * @param {HTMLCanvasElement} canvas
   * @param {(frame: number) => void} seek
   */
  constructor(canvas, seek) {
    this.canvas = canvas;
    this.timelines = [];
    this.marks = []; // { frame, colour }
    this.range = { first: 0, last: 0 };
    this.frame = 0;
    this.picture = document.createElement("canvas"); // the strips without the line
    this.stale = true;
    const at = (event) => {
      const box = canvas.getBoundingClientRect();
      const share = Math.max(0, Math.min(1, (event.clientX - box.left) / Math.max(1, box.width)));
      seek(this.range.first + share * (this.range.last - this.range.first));
    };
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      at(event);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (event.buttons & 1) at(event);
    });
    this.refresh = () => {
      this.stale = true;
      this.draw(this.frame);
    };
    document.addEventListener("themechange", this.refresh);
    this.observer = new ResizeObserver(this.refresh);
    this.observer.observe(canvas);
  }

  close() {
    document.removeEventListener("themechange", this.refresh);
    this.observer.disconnect();
  }

  /** @param {Object[]} timelines of the open files @param {{ frame: number, colour: string }[]} marks */
  set(timelines, range, marks) {
    this.timelines = timelines;
    this.range = range;
    this.marks = marks;
    const height = timelines.reduce((sum, timeline) => sum + heightOf(timeline) + BETWEEN, 0);
    this.canvas.style.height = `${Math.max(16, height)}px`;
    this.refresh();
  }

  draw(frame) {
    this.frame = frame;
    const { context, width, height } = sizeCanvas(this.canvas);
    if (width === 0) return;
    if (this.stale) this.paint(width, height);
    context.clearRect(0, 0, width, height);
    context.drawImage(this.picture, 0, 0, width, height);
    const { first, last } = this.range;
    const x = ((frame - first) / Math.max(1, last - first)) * width;
    context.fillStyle = colour("text");
    context.fillRect(Math.max(0, Math.min(width - 2, x - 1)), 0, 2, height);
  }

  paint(width, height) {
    this.stale = false;
    this.picture.width = this.canvas.width;
    this.picture.height = this.canvas.height;
    const context = this.picture.getContext("2d");
    const scale = this.canvas.width / width;
    context.setTransform(scale, 0, 0, scale, 0, 0);
    let y = 0;
    for (const timeline of this.timelines) {
      drawStrip(context, timeline, this.range, y, width);
      y += heightOf(timeline) + BETWEEN;
    }
    for (const mark of this.marks) {
      const x = ((mark.frame - this.range.first) / Math.max(1, this.range.last - this.range.first)) * width;
      context.fillStyle = colour(mark.colour);
      context.fillRect(Math.max(0, Math.min(width - 2, x - 1)), 0, 2, height);
      context.beginPath();
      context.moveTo(x - 5, 0);
      context.lineTo(x + 5, 0);
      context.lineTo(x, 7);
      context.fill();
    }
  }
}
