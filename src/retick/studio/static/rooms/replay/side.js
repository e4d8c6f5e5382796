// The panel at the right: tabs for the state, the inputs, the files, and a desync bundle.

import { element } from "../../parts/dom.js";
import { StateTable } from "./state_table.js";
import { bundleFields, bundleHeadings, factsPanel, inputsPanel, LETTERS } from "./panels.js";

const TABS = [["state", "State"], ["desync", "Desync"], ["inputs", "Inputs"], ["files", "File"]];

export class Side {
  constructor() {
    this.slots = [null, null];
    this.frame = 0;
    this.views = [null, null];
    this.differs = new Set();
    this.bodies = Object.fromEntries(TABS.map(([name]) => [name, element("div", { class: "tab-body", role: "tabpanel", id: `tab-${name}`, tabindex: "0" })]));
    this.table = new StateTable(this.bodies.state);
    this.desync = new StateTable(this.bodies.desync);
    this.tabs = TABS.map(([name, label]) => {
      const tab = element("button", { type: "button", role: "tab", "aria-controls": `tab-${name}`, onclick: () => this.choose(name) }, label);
      tab.dataset.tab = name;
      return tab;
    });
    const list = element("div", { role: "tablist", "aria-label": "Details", class: "tabs", onkeydown: (event) => this.press(event) }, ...this.tabs);
    this.box = element("aside", { class: "panel side" }, list, ...Object.values(this.bodies));
    this.choose("state");
  }

  choose(name) {
    this.tab = name;
    for (const tab of this.tabs) {
      tab.setAttribute("aria-selected", String(tab.dataset.tab === name));
      tab.tabIndex = tab.dataset.tab === name ? 0 : -1;
    }
    for (const [other, body] of Object.entries(this.bodies)) body.hidden = other !== name;
    this.fill();
  }

  press(event) {
    const far = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!far) return;
    const shown = this.tabs.filter((tab) => !tab.hidden);
    const at = shown.findIndex((tab) => tab.dataset.tab === this.tab);
    const next = shown[(at + far + shown.length) % shown.length];
    this.choose(next.dataset.tab);
    next.focus();
  }

  /** Files were opened or closed. */
  setSlots(slots) {
    const had = this.bundle;
    this.slots = slots;
    this.bundle = slots.find((opened) => opened?.bundle)?.bundle ?? null;
    this.tabs.find((tab) => tab.dataset.tab === "desync").hidden = !this.bundle;
    this.bodies.files.replaceChildren(...slots.filter(Boolean).map(factsPanel));
    if (this.bundle) {
      const note = this.bundle.complete ? "* wrote this bundle" : "* wrote this bundle. Only fields that differ are known here.";
      this.desync.update(bundleHeadings(this.bundle), bundleFields(this.bundle), 0, note);
    }
    if (this.bundle && !had) this.choose("desync");
    else if (!this.bundle && this.tab === "desync") this.choose("state");
    else if (this.tab === "state" && slots.some(Boolean) && slots.every((opened) => !opened?.known)) this.choose("inputs");
  }

  /** A frame came. */
  show({ frame, views, differs }) {
    this.frame = frame;
    this.views = views;
    this.differs = new Set(differs);
    this.fill();
  }

  /** Only the tab that is seen is filled. */
  fill() {
    if (this.tab === "state") this.fillState();
    else if (this.tab === "inputs") this.bodies.inputs.replaceChildren(...inputsPanel(this.views, this.frame));
  }

  fillState() {
    const shown = this.slots.map((opened, slot) => ({ slot, view: this.views[slot] })).filter(({ slot }) => this.slots[slot]?.known);
    const rows = new Map();
    const checksums = shown.map(({ view }) => view?.checksum ?? "–");
    const recorded = shown.map(({ view }) => view?.recorded ?? "–");
    rows.set("checksum", { name: "checksum", values: checksums, differs: new Set(checksums).size > 1 });
    const wrong = recorded.some((text, column) => text !== "–" && text !== checksums[column]);
    rows.set("recorded", { name: "checksum recorded", values: recorded, differs: wrong });
    shown.forEach(({ view }, column) => {
      const changed = new Set(view?.changed ?? []);
      (view?.fields ?? []).forEach(([name, value], index) => {
        const row = rows.get(`.${name}`) ?? { name, values: [], changed: [], differs: this.differs.has(name) };
        row.values[column] = value;
        row.changed[column] = changed.has(index);
        rows.set(`.${name}`, row);
      });
    });
    if (shown.length === 0) rows.clear();
    const leftOut = Math.max(0, ...shown.map(({ view }) => view?.left_out ?? 0));
    this.table.update(shown.map(({ slot }) => (shown.length > 1 ? LETTERS[slot] : "Value")), [...rows.values()], leftOut);
  }
}
