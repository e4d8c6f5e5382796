// The room of recorded matches: two files at most, one frame of them, and what was found in them.

import { element } from "../parts/dom.js";
import { Controls } from "./replay/controls.js";
import { FilesBar, welcome } from "./replay/files.js";
import { comparisonLines } from "./replay/panels.js";
import { Picture } from "./replay/picture.js";
import { Side } from "./replay/side.js";
import { TimelineView } from "./replay/timeline.js";
import { Transport } from "./replay/transport.js";

class ReplayPage {
  constructor(place, feed) {
    this.place = place;
    this.feed = feed;
    this.slots = [null, null];
    this.compared = null;
    this.rules = null;
    this.boxes = false;
    this.last = null; // the newest message frame
    this.transport = new Transport(feed, () => this.moved());
    this.bar = new FilesBar(place, {
      open: (file, slot) => feed.sendFile(file, slot),
      close: (slot) => feed.send("close", { slot }),
      example: (slot) => feed.send("example", { slot }),
      seek: (frame) => this.jump(frame),
      free: () => (this.slots[0] && !this.slots[1] ? 1 : 0),
    });
    this.build();
    this.listen();
    this.arrange();
  }

  build() {
    this.pictures = [0, 1].map((slot) => new Picture(slot));
    this.found = element("div", { class: "found", role: "status" });
    this.canvas = element("canvas", { class: "strips", "aria-hidden": "true" });
    this.timeline = new TimelineView(this.canvas, (frame) => this.jump(frame));
    this.controls = new Controls(this.transport, (on) => {
      this.boxes = on;
      this.redraw();
    });
    this.side = new Side();
    this.welcome = welcome(this.bar);
    this.stage = element("div", { class: "pictures" }, ...this.pictures.map((picture) => picture.box));
    const left = element("div", { class: "left" }, this.stage, this.found,
      element("div", { class: "panel time" }, this.canvas, this.controls.scrubber, this.controls.row));
    this.body = element("div", { class: "body" }, left, this.side.box);
    this.place.append(this.welcome, this.body);
    this.observer = new ResizeObserver(() => this.redraw());
    this.observer.observe(this.stage);
    this.repaint = () => this.redraw();
    document.addEventListener("themechange", this.repaint);
  }

  listen() {
    this.feed
      .on("hello", (message) => {
        this.rules = message.rules;
        this.slots = message.slots;
        this.compared = message.compared;
        this.transport.frame = message.frame;
        this.arrange();
      })
      .on("opened", (message) => {
        const first = this.slots.every((opened) => opened === null);
        this.slots[message.slot] = message.opened;
        this.compared = null;
        if (first) this.transport.frame = 0;
        this.arrange();
        const bad = message.opened?.bundle?.frame;
        if (bad !== null && bad !== undefined) this.jump(bad);
      })
      .on("timeline", ({ slot, timeline }) => this.setTimeline(slot, timeline))
      .on("progress", ({ slot, done }) => {
        if (this.slots[slot]?.timeline) this.setTimeline(slot, { ...this.slots[slot].timeline, done });
      })
      .on("compared", ({ compared }) => {
        this.compared = compared;
        this.arrange();
      })
      .on("frame", (message) => this.show(message));
    this.drag = (event) => {
      event.preventDefault();
      this.place.classList.toggle("dragging", event.type === "dragover");
      if (event.type === "drop") this.bar.dropped(event.dataTransfer.files);
    };
    for (const type of ["dragover", "dragleave", "drop"]) this.place.addEventListener(type, this.drag);
  }

  setTimeline(slot, timeline) {
    if (!this.slots[slot]) return;
    this.slots[slot] = { ...this.slots[slot], timeline };
    this.bar.update(this.slots);
    this.setStrips();
  }

  /** Files or what was found in them changed. */
  arrange() {
    const open = this.slots.filter(Boolean);
    this.welcome.hidden = open.length > 0;
    this.body.hidden = open.length === 0;
    this.bar.update(this.slots);
    this.pictures.forEach((picture, slot) => picture.set(this.slots[slot], this.rules, open.length < 2));
    this.side.setSlots(this.slots);
    this.showFound();
    const timelines = open.map((opened) => opened.timeline).filter(Boolean);
    const first = Math.min(...timelines.map((timeline) => timeline.first));
    const last = Math.max(...timelines.map((timeline) => timeline.last));
    this.transport.playing = false;
    this.transport.asked = null;
    if (timelines.length) this.transport.setRange(first, last);
    this.setStrips();
  }

  setStrips() {
    const timelines = this.slots.map((opened) => opened?.timeline).filter(Boolean);
    const marks = this.slots.map((opened) => opened?.bundle?.frame).concat(this.compared?.frame)
      .filter((frame) => frame !== null && frame !== undefined)
      .map((frame) => ({ frame, colour: "bad" }));
    this.timeline.set(timelines, { first: this.transport.first, last: this.transport.last }, marks);
    this.timeline.draw(this.transport.frame);
  }

  /** What was found: the difference of two files, the summary of a bundle, or why there is no state. */
  showFound() {
    const parts = [];
    if (this.compared) parts.push(this.finding(comparisonLines(this.compared), this.compared.frame, "Jump to the difference"));
    for (const opened of this.slots) {
      if (opened?.bundle) parts.push(this.finding(opened.bundle.lines, opened.bundle.frame, "Jump to the first bad frame"));
      if (opened?.note && (opened.known || opened.bundle)) parts.push(element("p", { class: "warn" }, opened.note));
    }
    this.found.replaceChildren(...parts);
    this.found.hidden = parts.length === 0;
  }

  finding(lines, frame, label) {
    const jump = frame === null ? null : element("button", { type: "button", class: "jump", onclick: () => this.jump(frame) }, label);
    return element("div", { class: "panel finding" }, element("div", { class: "lines" },
      ...lines.map((line, index) => element("p", { class: index === 0 ? "first" : "mono" }, line))), jump);
  }

  jump(frame) {
    this.transport.playing = false;
    this.transport.seek(frame);
  }

  moved() {
    if (!this.controls) return;
    this.controls.update();
    this.timeline.draw(this.transport.frame);
  }

  show(message) {
    this.transport.answered();
    this.last = message;
    this.place.dataset.frame = String(message.frame);
    this.pictures.forEach((picture, slot) => picture.show(message.views[slot], { boxes: this.boxes }));
    this.side.show(message);
  }

  redraw() {
    for (const picture of this.pictures) picture.draw({ boxes: this.boxes });
  }

  close() {
    this.transport.stop();
    this.controls.close();
    this.timeline.close();
    this.observer.disconnect();
    document.removeEventListener("themechange", this.repaint);
    for (const type of ["dragover", "dragleave", "drop"]) this.place.removeEventListener(type, this.drag);
    this.place.classList.remove("dragging");
    delete this.place.dataset.frame;
  }
}

export function mount(place, feed) {
  const page = new ReplayPage(place, feed);
  return () => page.close();
}
