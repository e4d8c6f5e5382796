// Draws the course, the runners as each side has them, trails and corrections: from above, from the side, and as a map.

import { colour, sizeCanvas } from "../../parts/dom.js";
import { FADE } from "./scene.js";

const FENCE = 30; // metres: a higher box is the fence, which the side view leaves out
const NEAR = 2.5; // metres in depth: what is nearer to the watched runner is drawn clearly in the side view

/** One picture of a scene. `above` is false for the side view. */
class Picture {
  constructor(canvas, scene, place, above) {
    const { context, width, height } = sizeCanvas(canvas);
    Object.assign(this, { context, width, height, scene, above });
    this.at = place(width, height);
    context.clearRect(0, 0, width, height);
    context.lineJoin = "round";
  }

  point([x, y, z]) {
    return [this.at.x(x), this.at.y(x, y, z)];
  }

  ground() {
    const { context, width, height, at } = this;
    if (this.above) {
      // Every five metres a line, so that speed is seen.
      context.strokeStyle = colour("line");
      context.globalAlpha = 0.35;
      context.lineWidth = 1;
      context.beginPath();
      for (let metre = -30; metre <= 30; metre += 5) {
        context.moveTo(at.x(metre), at.y(0, 0, -34));
        context.lineTo(at.x(metre), at.y(0, 0, 7));
      }
      for (let metre = -30; metre <= 5; metre += 5) {
        context.moveTo(at.x(-30), at.y(0, 0, metre));
        context.lineTo(at.x(30), at.y(0, 0, metre));
      }
      context.stroke();
      context.globalAlpha = 1;
    } else {
      context.fillStyle = colour("line");
      context.fillRect(0, at.y(0, 0, 0), width, height);
    }
  }

  boxes(depth) {
    const { context, at, above } = this;
    const boxes = above ? this.scene.boxes : this.scene.boxes.filter((box) => box[4] < FENCE);
    boxes.sort((one, other) => (above ? one[4] - other[4] : one[5] - other[5]));
    context.lineWidth = 1;
    for (const [x0, y0, z0, x1, y1, z1] of boxes) {
      const clear = above || depth === null || (depth > z0 - NEAR && depth < z1 + NEAR);
      const left = at.x(x0);
      const top = at.y(x0, y1, z0);
      const wide = at.x(x1) - left;
      const high = at.y(x0, y0, z1) - top;
      context.fillStyle = colour("line");
      context.globalAlpha = clear ? 0.4 + 0.4 * Math.min(1, y1 / 12) : 0.25; // the higher, the darker
      context.fillRect(left, top, wide, high);
      context.strokeStyle = colour("quiet");
      context.globalAlpha = clear ? 1 : 0.3;
      context.strokeRect(left + 0.5, top + 0.5, wide, high);
      const [first, last] = [Math.max(left, 0), Math.min(left + wide, this.width)]; // what is seen of it
      const [high0, high1] = [Math.max(top, 0), Math.min(top + high, this.height)];
      if (above && last - first > 44 && high1 - high0 > 20 && y1 < FENCE) {
        context.fillStyle = colour("quiet");
        context.font = "12px system-ui, sans-serif";
        context.textBaseline = "middle";
        context.textAlign = "center";
        context.fillText(`${y1} m`, (first + last) / 2, (high0 + high1) / 2);
        context.textAlign = "start";
      }
    }
    context.globalAlpha = 1;
  }

  trail(key, name, alpha) {
    const found = this.scene.trails.get(key);
    if (!found) return;
    const { context, at } = this;
    context.strokeStyle = colour(name);
    context.globalAlpha = alpha;
    context.lineWidth = 1.5;
    context.beginPath();
    const lift = this.above ? 0 : this.scene.body[2] + this.scene.body[1] / 2;
    let last = null;
    found.each((x, y, z) => {
      const jumped = last === null || Math.hypot(x - last[0], z - last[1]) > 3;
      context[jumped ? "moveTo" : "lineTo"](at.x(x), at.y(x, y + lift, z));
      last = [x, z];
    });
    context.stroke();
    context.globalAlpha = 1;
  }

  /** A runner: a disc with its heading from above, a box from the side. */
  runner([x, y, z], yaw, name, filled, alpha = 1) {
    const { context, at } = this;
    const [width, height, lowest] = this.scene.body;
    const size = Math.max(width * at.scale, 7);
    context.globalAlpha = alpha;
    context.lineWidth = 2;
    context.fillStyle = context.strokeStyle = colour(name);
    context.beginPath();
    if (this.above) {
      const [left, top] = this.point([x, y, z]);
      context.arc(left, top, size / 2, 0, 2 * Math.PI);
      if (filled) context.fill();
      else context.stroke();
      context.beginPath();
      context.moveTo(left - Math.sin(yaw) * size * 0.5, top - Math.cos(yaw) * size * 0.5);
      context.lineTo(left - Math.sin(yaw) * size * 0.95, top - Math.cos(yaw) * size * 0.95);
      context.stroke();
    } else {
      const high = Math.max(height * at.scale, 10);
      const bottom = at.y(x, y + lowest, z);
      context.roundRect(at.x(x) - size / 2, bottom - high, size, high, Math.min(4, size / 3));
      if (filled) context.fill();
      else context.stroke();
    }
    context.globalAlpha = 1;
  }

  arrow({ from, to, metres, labelled, born }, now) {
    const { context } = this;
    const lift = this.above ? 0 : this.scene.body[2] + this.scene.body[1] / 2;
    const [x0, y0] = this.point([from[0], from[1] + lift, from[2]]);
    const [x1, y1] = this.point([to[0], to[1] + lift, to[2]]);
    const length = Math.hypot(x1 - x0, y1 - y0);
    context.globalAlpha = Math.max(0, 1 - (now - born) / FADE);
    context.strokeStyle = context.fillStyle = colour("bad");
    context.lineWidth = 2.5;
    context.beginPath();
    if (length < 4) {
      context.arc(x1, y1, Math.min(3, this.at.scale / 7), 0, 2 * Math.PI); // too short for an arrow
      context.stroke();
    } else {
      const [ux, uy] = [(x1 - x0) / length, (y1 - y0) / length];
      const head = Math.min(9, length * 0.6);
      context.moveTo(x0, y0);
      context.lineTo(x1 - ux * head * 0.8, y1 - uy * head * 0.8);
      context.stroke();
      context.beginPath();
      context.moveTo(x1, y1);
      context.lineTo(x1 - ux * head - uy * head * 0.5, y1 - uy * head + ux * head * 0.5);
      context.lineTo(x1 - ux * head + uy * head * 0.5, y1 - uy * head - ux * head * 0.5);
      context.fill();
    }
    if (labelled && this.at.scale > 15) {
      context.font = "600 12px system-ui, sans-serif";
      context.textBaseline = "middle";
      const label = [`${metres.toFixed(2)} m`, Math.max(x0, x1) + 8, y1 - 16];
      context.strokeStyle = colour("page"); // a rim, so that it can be read on anything
      context.lineWidth = 4;
      context.strokeText(...label);
      context.fillText(...label);
    }
    context.globalAlpha = 1;
  }

  title(text) {
    const { context } = this;
    context.font = "600 12px system-ui, sans-serif";
    context.textBaseline = "top";
    const wide = context.measureText(text).width;
    context.globalAlpha = 0.85;
    context.fillStyle = colour("panel");
    context.fillRect(6, 6, wide + 12, 20);
    context.globalAlpha = 1;
    context.fillStyle = colour("text");
    context.fillText(text, 12, 10);
  }
}

/** Draws one of the two views. */
export function drawView(canvas, scene, camera, now, above) {
  const picture = new Picture(canvas, scene, (width, height) => camera[above ? "above" : "side"](width, height), above);
  const { frame } = scene;
  const own = frame?.own;
  picture.ground();
  picture.boxes(own && !camera.whole ? own[3] : null);
  if (frame) {
    for (const [peer] of frame.others) picture.trail(`o${peer}`, "two", 0.3);
    if (own) picture.trail(`t${own[0]}`, "good", 0.7);
    if (own) picture.trail(`o${own[0]}`, "one", 0.8);
    for (const [, x, y, z, yaw, late] of frame.others) picture.runner([x, y, z], yaw, "two", true, late ? 0.45 : 0.9);
    if (own) picture.runner([own[1] + own[6], own[2] + own[7], own[3] + own[8]], own[4], "one", true);
    for (const [, x, y, z, yaw] of frame.truth) picture.runner([x, y, z], yaw, "good", false);
    for (const arrow of scene.arrows) if (now - arrow.born < FADE) picture.arrow(arrow, now);
  }
  picture.title(above ? "From above" : "From the side");
  if (above && !camera.whole && frame) drawMap(picture);
}

/** The whole course in a corner, with a dot for each runner. */
function drawMap(picture) {
  const { context, width, scene } = picture;
  const wide = Math.min(170, width * 0.26);
  const scale = wide / 62;
  const high = 43 * scale;
  const [left, top] = [width - wide - 8, 8];
  const spot = (x, z) => [left + (x + 31) * scale, top + (z + 35) * scale];
  context.fillStyle = colour("panel");
  context.fillRect(left, top, wide, high);
  context.fillStyle = colour("line");
  for (const [x0, , z0, x1, , z1] of scene.boxes) context.fillRect(...spot(x0, z0), (x1 - x0) * scale, (z1 - z0) * scale);
  context.strokeStyle = colour("quiet");
  context.lineWidth = 1;
  context.strokeRect(left + 0.5, top + 0.5, wide, high);
  const own = scene.frame.own?.[0];
  for (const [peer, x, , z] of scene.frame.truth) {
    context.fillStyle = colour(peer === own ? "one" : "two");
    context.beginPath();
    context.arc(...spot(x, z), peer === own ? 3.5 : 2.2, 0, 2 * Math.PI);
    context.fill();
  }
}
