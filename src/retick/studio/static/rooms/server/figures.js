// The plots and tables beside the course.

import { Chart } from "../../parts/chart.js";
import { element, setText } from "../../parts/dom.js";

const SAMPLES = 300; // half a minute at ten a second
const kilobytes = (value) => `${(value / 1000).toFixed(1)} kB/s`;
const bytes = (value) => `${value.toFixed(0)} B`;
const metres = (value) => `${value.toFixed(2)} m`;

const PLOTS = [
  {
    title: "Pending inputs", least: 10,
    lines: [{ label: "not acknowledged yet", colour: "one" }],
    values: (figures) => [figures.pending],
  },
  {
    title: "Corrections", least: 0.5,
    lines: [{ label: "all", colour: "two", format: metres }, { label: "watched", colour: "bad", format: metres }],
    values: (figures) => [figures.worst, figures.correction],
  },
  {
    title: "Bytes a second, watched client", least: 4000,
    lines: [{ label: "down", colour: "one", format: kilobytes }, { label: "up", colour: "two", format: kilobytes }],
    values: (figures) => [figures.down, figures.up],
  },
  {
    title: "A snapshot of these moments", least: 1500,
    lines: [{ label: "delta, sent", colour: "good", format: bytes }, { label: "fixed, not sent", colour: "warn", format: bytes }],
    values: (figures) => [figures.delta, figures.fixed],
  },
];

const TALLY = [
  ["reconciles", "snapshots", (value) => String(value)],
  ["corrections", "corrected", (value) => String(value)],
  ["visible", "over 0.25 m", (value) => String(value)],
  ["largest", "largest", metres],
];

const ROWS = [
  ["tick", "Server tick", (figures, frame) => String(frame?.tick ?? "–")],
  ["mode", "Moves by", (figures, frame) => ["ground", "air", "wall run", "cling", "slide"][frame?.own?.[5]] ?? "–"],
  ["place", "Predicted at", (figures, frame) => (frame?.own ? frame.own.slice(1, 4).map((value) => value.toFixed(1)).join(", ") : "–")],
  ["rtt", "Round trip", (figures) => `${(figures.link.rtt * 1000).toFixed(0)} ms`],
  ["loss", "Lost down, up", (figures) => `${(figures.link.loss_in * 100).toFixed(1)}, ${(figures.link.loss_out * 100).toFixed(1)} %`],
  ["rate", "Corrections", (figures, frame, watch) => `${figures.runners.find(([number]) => number === watch)?.[2] ?? 0} a second`],
];

export class Figures {
  constructor() {
    this.plots = PLOTS.map(({ title, lines, least, values }) => {
      const canvas = element("canvas", { role: "img", "aria-label": title });
      const chart = new Chart(canvas, { lines, least, size: SAMPLES });
      return { chart, values, node: element("figure", {}, element("figcaption", {}, title), canvas) };
    });
    this.cells = new Map();
    const cell = (key, tag = "td") => {
      const made = element(tag, { class: "number", "data-figure": key }, "–");
      this.cells.set(key, made);
      return made;
    };
    this.tally = element("table", { class: "tally" },
      element("thead", {}, element("tr", {}, element("th", {}, "all clients"), element("th", { scope: "col" }, "restored"), element("th", { scope: "col" }, "reset"))),
      element("tbody", {}, ...TALLY.map(([key, label]) =>
        element("tr", {}, element("th", { scope: "row" }, label), cell(`restored-${key}`), cell(`reset-${key}`)))),
    );
    this.rows = element("table", { class: "facts" }, element("tbody", {}, ...ROWS.map(([key, label]) =>
      element("tr", {}, element("th", { scope: "row" }, label), cell(key)))));
  }

  /** Takes a message of the type figures. */
  take(figures, frame, watch) {
    for (const { chart, values } of this.plots) {
      chart.push(...values(figures));
      chart.draw();
    }
    for (const [key, , format] of TALLY) {
      for (const mode of ["restored", "reset"]) setText(this.cells.get(`${mode}-${key}`), format(figures.tally[mode][key]));
    }
    for (const [key, , text] of ROWS) setText(this.cells.get(key), text(figures, frame, watch));
  }

  draw() {
    for (const { chart } of this.plots) chart.draw();
  }
}
