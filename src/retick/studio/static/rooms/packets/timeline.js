// A capture over time: bandwidth as stacked areas, and below on the same axis the round trip and the loss.

import { colour, element, setText, sizeCanvas } from "../../parts/dom.js";

const COLOURS = ["one", "two", "good", "warn", "accent", "bad", "quiet"];
const VIEWS = [["kind", "Kind"], ["component", "Component"], ["field", "Field"]];
const LEFT = 52;

/** Colours repeat after seven, paler. */
function paint(index) {
  return { name: COLOURS[index % COLOURS.length], alpha: index < COLOURS.length ? 0.85 : 0.45 };
}

function rate(bits, seconds) {
  const perSecond = bits / seconds / 1000;
  return perSecond >= 100 ? `${perSecond.toFixed(0)} kbit/s` : `${perSecond.toFixed(1)} kbit/s`;
}

/** A time in the unit that its scale needs. */
function duration(seconds, scale) {
  if (scale >= 1) return `${seconds.toFixed(1)} s`;
  const milliseconds = 1000 * seconds;
  return `${milliseconds.toFixed(scale >= 0.02 ? 0 : 2)} ms`;
}

export class TimelineView {
  constructor() {
    this.view = "kind";
    this.found = null;
    this.at = -1;
    this.areas = element("canvas", { class: "areas", role: "img", "aria-label": "Bandwidth over time" });
    this.lines = element("canvas", { class: "lines", role: "img", "aria-label": "Round trip and loss over time" });
    this.legend = element("ul", { class: "legend" });
    this.readout = element("p", { class: "readout quiet mono" });
    this.buttons = VIEWS.map(([name, label]) =>
      element("button", { type: "button", "aria-pressed": String(name === this.view), "data-view": name, onclick: () => this.choose(name) }, label));
    this.node = element(
      "div",
      { class: "timeline" },
      element("div", { class: "head" }, element("h2", {}, "Bandwidth by"), ...this.buttons, this.readout),
      element("div", { class: "plots" }, this.areas, this.lines),
      this.legend,
    );
    for (const canvas of [this.areas, this.lines]) {
      canvas.addEventListener("pointermove", (event) => this.hover(event));
      canvas.addEventListener("pointerleave", () => this.hover(null));
    }
    new ResizeObserver(() => this.draw()).observe(this.areas);
  }

  clear() {
    this.found = null;
    this.legend.replaceChildren();
    setText(this.readout, "");
    this.draw();
  }

  show(found) {
    this.found = found;
    this.choose(this.view);
  }

  choose(view) {
    this.view = view;
    for (const button of this.buttons) button.setAttribute("aria-pressed", String(button.dataset.view === view));
    if (!this.found) return;
    const series = this.found.views[view];
    const total = series.reduce((sum, one) => sum + one.total, 0);
    this.legend.replaceChildren(...series.map((one, index) => {
      const { name, alpha } = paint(index);
      const share = total ? (100 * one.total) / total : 0;
      return element("li", { title: one.name },
        element("span", { class: "swatch", style: { background: `var(--${name})`, opacity: alpha } }),
        element("span", { class: "name" }, one.name), element("span", { class: "mono quiet" }, `${share.toFixed(1)} %`));
    }));
    this.draw();
  }

  hover(event) {
    if (!this.found) return;
    const size = this.found.roundTrip.length;
    const width = this.areas.clientWidth - LEFT;
    this.at = event ? Math.max(0, Math.min(size - 1, Math.floor(((event.offsetX - LEFT) / width) * size))) : -1;
    this.draw();
  }

  draw() {
    const { context, width, height } = sizeCanvas(this.areas);
    context.clearRect(0, 0, width, height);
    if (!this.found) {
      const { context: below, width: wide, height: high } = sizeCanvas(this.lines);
      below.clearRect(0, 0, wide, high);
      return;
    }
    this.drawAreas(context, width, height);
    this.drawLines();
    this.tell();
  }

  drawAreas(context, width, height) {
    const series = this.found.views[this.view];
    const size = this.found.roundTrip.length;
    const sums = new Float64Array(size);
    for (const one of series) one.bits.forEach((bits, at) => { sums[at] += bits; });
    const top = Math.max(1, ...sums);
    const step = (width - LEFT) / size;
    const y = (bits) => height - 2 - (bits / top) * (height - 16);
    const under = new Float64Array(size);
    series.forEach((one, index) => {
      const { name, alpha } = paint(index);
      context.fillStyle = colour(name);
      context.globalAlpha = alpha;
      context.beginPath();
      for (let at = 0; at < size; at += 1) {
        context.lineTo(LEFT + at * step, y(under[at] + one.bits[at]));
        context.lineTo(LEFT + (at + 1) * step, y(under[at] + one.bits[at]));
      }
      for (let at = size - 1; at >= 0; at -= 1) {
        context.lineTo(LEFT + (at + 1) * step, y(under[at]));
        context.lineTo(LEFT + at * step, y(under[at]));
      }
      context.fill();
      one.bits.forEach((bits, at) => { under[at] += bits; });
    });
    context.globalAlpha = 1;
    this.axis(context, height, rate(top, this.found.slice), "0");
    this.cross(context, step, height);
  }

  drawLines() {
    const { context, width, height } = sizeCanvas(this.lines);
    context.clearRect(0, 0, width, height);
    const { roundTrip, lossIn, lossOut } = this.found;
    const step = (width - LEFT) / roundTrip.length;
    const slowest = Math.max(1, ...roundTrip.map((value) => value ?? 0));
    const worst = Math.max(0.05, ...lossIn.map((value) => value ?? 0), ...lossOut.map((value) => value ?? 0));
    const y = (value, top) => height - 18 - (value / top) * (height - 32);
    for (const [values, name, top] of [[lossIn, "warn", worst], [lossOut, "bad", worst]]) {
      context.fillStyle = colour(name);
      values.forEach((value, at) => {
        if (value) context.fillRect(LEFT + at * step, y(value, top), Math.max(1.5, step - 0.5), height - 18 - y(value, top));
      });
    }
    context.strokeStyle = colour("accent");
    context.lineWidth = 1.5;
    context.beginPath();
    roundTrip.forEach((value, at) => {
      if (value !== null) context.lineTo(LEFT + (at + 0.5) * step, y(value, slowest));
    });
    context.stroke();
    this.axis(context, height - 16, `${slowest.toFixed(0)} ms`, `${(100 * worst).toFixed(0)} %`);
    context.fillStyle = colour("quiet");
    context.textBaseline = "bottom";
    const seconds = this.found.slice * roundTrip.length;
    for (let mark = 0; mark <= 4; mark += 1) {
      context.textAlign = mark === 0 ? "left" : mark === 4 ? "right" : "center";
      context.fillText(duration((seconds * mark) / 4, seconds), LEFT + ((width - LEFT) * mark) / 4, height);
    }
    context.textAlign = "left";
    context.textBaseline = "top";
    let x = LEFT + 4;
    for (const [text, name] of [["round trip", "accent"], ["loss in", "warn"], ["loss out", "bad"]]) {
      context.fillStyle = colour(name);
      context.fillText(text, x, 0);
      x += context.measureText(text).width + 14;
    }
    this.cross(context, step, height - 16);
  }

  axis(context, height, top, bottom) {
    context.font = "11px system-ui, sans-serif";
    context.fillStyle = colour("quiet");
    context.textAlign = "right";
    context.textBaseline = "top";
    const words = top.split(" ");
    context.fillText(words[0], LEFT - 6, 0);
    context.fillText(words[1] ?? "", LEFT - 6, 12);
    context.textBaseline = "bottom";
    context.fillText(bottom, LEFT - 6, height);
    context.textAlign = "left";
    context.strokeStyle = colour("line");
    context.lineWidth = 1;
    context.strokeRect(LEFT - 0.5, 0.5, context.canvas.clientWidth - LEFT, height - 1);
  }

  cross(context, step, height) {
    if (this.at < 0) return;
    context.fillStyle = colour("text");
    context.globalAlpha = 0.5;
    context.fillRect(LEFT + (this.at + 0.5) * step, 0, 1, height);
    context.globalAlpha = 1;
  }

  tell() {
    const { slice, roundTrip, lossIn, lossOut, views } = this.found;
    if (this.at < 0) {
      setText(this.readout, `${roundTrip.length} slices of ${duration(slice, slice)}`);
      return;
    }
    const bits = views[this.view].reduce((sum, one) => sum + one.bits[this.at], 0);
    const percent = (value) => (value === null ? "–" : `${(100 * value).toFixed(1)} %`);
    const trip = roundTrip[this.at] === null ? "–" : `${roundTrip[this.at].toFixed(1)} ms`;
    setText(this.readout, `${(this.at * slice).toFixed(2)} s  ${rate(bits, slice)}  round trip ${trip}  loss in ${percent(lossIn[this.at])} out ${percent(lossOut[this.at])}`);
  }
}
