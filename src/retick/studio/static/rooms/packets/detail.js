// One datagram: its bytes coloured by field, its fields in words, and what each costs. A field that is pointed at or
// has the focus is marked in the bytes, and the other way round.

import { element } from "../../parts/dom.js";

const MOST_BYTES = 2048;
const TINTS = 7;

export class Detail {
  constructor() {
    this.head = element("h2", {}, "No datagram is chosen");
    this.fault = element("p", { class: "fault bad", role: "alert", hidden: true });
    this.grid = element("div", { class: "hex mono", "aria-label": "Bytes" });
    this.costs = element("div", { class: "costs" });
    this.body = element("tbody");
    const table = element(
      "table",
      { class: "fields" },
      element("thead", {}, element("tr", {}, ...["at", "field", "value", "meaning", "bits"].map((name) => element("th", {}, name)))),
      this.body,
    );
    this.node = element(
      "div",
      { class: "detail" },
      element("div", { class: "head" }, this.head, this.fault),
      element("div", { class: "bytes" }, this.grid, this.costs),
      element("div", { class: "words" }, table),
    );
    this.rows = [];
    this.cells = [];
    this.marked = -1;
    this.node.addEventListener("pointerover", (event) => this.point(event.target));
    this.node.addEventListener("focusin", (event) => this.point(event.target));
    this.node.addEventListener("pointerleave", () => this.mark(-1));
    this.body.addEventListener("keydown", (event) => this.key(event));
  }

  clear(text) {
    this.head.textContent = text;
    this.fault.hidden = true;
    this.grid.replaceChildren();
    this.costs.replaceChildren();
    this.body.replaceChildren();
    this.rows = [];
    this.cells = [];
  }

  show(datagram) {
    this.clear(datagram.summary);
    if (datagram.fault) {
      this.fault.hidden = false;
      this.fault.textContent = datagram.fault;
    }
    // A field is [first bit, bits, ...]; values of a snapshot do not begin at bytes.
    this.fields = [
      ...datagram.fields.map(([offset, size, name, value, meaning]) => ({
        bit: 8 * offset, bits: 8 * size, at: `${offset}`, name, value, meaning, inner: false,
      })),
      ...datagram.parts.map(([bit, bits, entity, name, value]) => ({
        bit, bits, at: `${Math.floor(bit / 8)}.${bit % 8}`, name, value, meaning: `entity ${entity}`, inner: true,
      })),
    ];
    this.drawBytes(datagram.hex);
    this.rows = this.fields.map((field, index) => this.row(field, index));
    this.body.replaceChildren(...this.rows);
    this.drawCosts(datagram.costs, 8 * datagram.size);
  }

  row(field, index) {
    return element(
      "tr",
      { tabindex: index === 0 ? "0" : "-1", "data-field": index, class: field.inner ? "inner" : `tint-${index % TINTS}` },
      element("td", { class: "number" }, field.at),
      element("td", { class: "name" }, field.name),
      element("td", { class: field.value.length <= 18 ? "mono value short" : "mono value" }, field.value),
      element("td", { class: "quiet" }, field.meaning),
      element("td", { class: "number" }, `${field.bits}`),
    );
  }

  drawBytes(hex) {
    const size = hex.length / 2;
    const owners = new Int32Array(size).fill(-1);
    this.fields.forEach((field, index) => {
      const end = Math.min(size, Math.ceil((field.bit + field.bits) / 8));
      for (let at = Math.floor(field.bit / 8); at < end; at += 1) if (!field.inner || owners[at] < 0) owners[at] = index;
    });
    const shown = Math.min(size, MOST_BYTES);
    const parts = [];
    for (let at = 0; at < shown; at += 1) {
      if (at % 16 === 0) parts.push(element("span", { class: "offset quiet" }, at.toString(16).padStart(4, "0")));
      const owner = owners[at];
      const cell = element(
        "span",
        { class: owner < 0 ? "byte" : `byte tint-${owner % TINTS}`, "data-field": owner, "data-at": at },
        hex.slice(2 * at, 2 * at + 2),
      );
      this.cells.push(cell);
      parts.push(cell);
    }
    if (shown < size) parts.push(element("span", { class: "more quiet" }, `and ${size - shown} more bytes`));
    this.grid.replaceChildren(...parts);
  }

  drawCosts(costs, total) {
    const lines = costs.slice(0, 40).map(([component, name, bits]) => {
      const share = total ? bits / total : 0;
      const bar = element("span", { class: "bar", style: { width: `${Math.max(1, 100 * share)}%` } });
      return element(
        "li",
        { title: `${component}: ${name}` },
        element("span", { class: "name" }, name),
        element("span", { class: "track" }, bar),
        element("span", { class: "mono bits" }, `${bits}`),
        element("span", { class: "mono share quiet" }, `${(100 * share).toFixed(1)} %`),
      );
    });
    this.costs.replaceChildren(element("h3", {}, `What each field costs, of ${total} bits`), element("ul", {}, ...lines));
  }

  point(target) {
    const holder = target.closest("[data-field]");
    if (!holder) return;
    const index = Number(holder.dataset.field);
    this.mark(index, holder.tagName !== "TR");
  }

  mark(index, scroll = false) {
    if (this.marked === index) return;
    this.marked = index;
    const field = this.fields?.[index];
    const first = field ? Math.floor(field.bit / 8) : 0;
    const end = field ? Math.ceil((field.bit + field.bits) / 8) : 0;
    this.cells.forEach((cell, at) => cell.classList.toggle("marked", at >= first && at < end));
    this.rows.forEach((row, number) => row.classList.toggle("marked", number === index));
    if (scroll && field) this.rows[index].scrollIntoView({ block: "nearest" });
  }

  key(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const at = this.rows.indexOf(document.activeElement);
    if (step === undefined || at < 0) return;
    event.preventDefault();
    const next = this.rows[Math.max(0, Math.min(this.rows.length - 1, at + step))];
    for (const row of this.rows) row.tabIndex = row === next ? 0 : -1;
    next.focus();
  }
}
