// The picture of a game that the page does not know: a list of shapes, or a JPEG; see docs/guides/studio.md.

import { colour, sizeCanvas } from "../../parts/dom.js";

const DRAW = {
  rect: (context, [x, y, width, height, fill]) => {
    context.fillStyle = fill;
    context.fillRect(x, y, width, height);
  },
  circle: (context, [x, y, radius, fill]) => {
    context.fillStyle = fill;
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.fill();
  },
  line: (context, [x1, y1, x2, y2, width, stroke]) => {
    context.strokeStyle = stroke;
    context.lineWidth = width;
    context.beginPath();
    context.moveTo(x1, y1);
    context.lineTo(x2, y2);
    context.stroke();
  },
  text: (context, [x, y, text, size, fill]) => {
    context.fillStyle = fill;
    context.font = `${size}px system-ui, sans-serif`;
    context.textBaseline = "top";
    context.fillText(text, x, y);
  },
};

export class OwnView {
  /** @param {HTMLCanvasElement} canvas @param {[number, number]} size pixels of the game's picture */
  constructor(canvas, size) {
    this.canvas = canvas;
    this.size = size;
    this.shapes = null;
    this.image = null;
    this.decoding = false;
  }

  reset() {
    this.shapes = null;
  }

  showShapes(shapes) {
    this.shapes = shapes;
  }

  /** @param {ArrayBuffer} data a JPEG; while one is decoded, others are passed over */
  async showJpeg(data) {
    if (this.decoding) return;
    this.decoding = true;
    try {
      const image = await createImageBitmap(new Blob([data], { type: "image/jpeg" }));
      this.image?.close();
      this.image = image;
    } finally {
      this.decoding = false;
    }
  }

  draw() {
    const { context, width, height } = sizeCanvas(this.canvas);
    context.fillStyle = colour("panel-2");
    context.fillRect(0, 0, width, height);
    const scale = Math.min(width / this.size[0], height / this.size[1]);
    context.save();
    context.translate((width - this.size[0] * scale) / 2, (height - this.size[1] * scale) / 2);
    context.scale(scale, scale);
    context.beginPath();
    context.rect(0, 0, ...this.size);
    context.clip();
    if (this.image) context.drawImage(this.image, 0, 0, ...this.size);
    for (const [kind, ...rest] of this.shapes ?? []) DRAW[kind]?.(context, rest);
    context.restore();
  }
}
