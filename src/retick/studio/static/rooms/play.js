// The room where a match is played: both peers' views, the netgraph below them, the sliders at the side.

import { element, setText } from "../parts/dom.js";
import { FieldTable } from "../parts/field_table.js";
import { SharedCamera } from "./play/camera.js";
import { Controls } from "./play/controls.js";
import { Keys } from "./play/keys.js";
import { Netgraph } from "./play/netgraph.js";
import { OwnView } from "./play/own_view.js";
import { PeerView } from "./play/peer_view.js";
import { Sounds } from "./play/sounds.js";

const LEGEND = [
  ["warn", "predicted"], ["good", "confirmed since"], ["two", "rolled back"], ["bad", "waited"], ["accent", "checksums compared"],
];

class PlayPage {
  constructor(place, feed) {
    this.feed = feed;
    this.shows = { boxes: false, ghost: false, sound: true };
    this.phase = { phase: "ready", text: "", names: [], seat: 0, both: true };
    this.frame = null;
    this.isNew = false;
    this.sounds = new Sounds();
    this.keys = new Keys((pressed) => {
      this.sounds.allow();
      feed.send("keys", { pressed });
    });
    this.build(place);
    feed.on("hello", (message) => this.hello(message));
    feed.on("phase", (message) => this.setPhase(message));
    feed.on("frame", (message) => this.receive(message));
    feed.on("cue", (message) => {
      this.sounds.cue(message);
      this.controls.showCues(`Cues: ${this.sounds.text()}`);
    });
    feed.on("settings", (message) => this.controls.setValues(message.settings));
    feed.on("end", (message) => this.showEnd(message));
    feed.on("table", (message) => this.table?.update(message.fields, message.more));
    feed.onBinary = (data) => {
      const view = this.views[new Uint8Array(data, 0, 1)[0]];
      if (view instanceof OwnView) view.showJpeg(data.slice(1));
    };
    this.running = true;
    this.tick = () => {
      if (!this.running) return;
      this.draw();
      requestAnimationFrame(this.tick);
    };
    requestAnimationFrame(this.tick);
  }

  build(place) {
    const view = (title) => {
      const caption = element("figcaption", {}, element("strong", {}, title), element("span", { class: "quiet mono" }));
      const canvas = element("canvas", { role: "img", "aria-label": title });
      return { canvas, caption, figure: element("figure", { class: "view" }, caption, canvas) };
    };
    this.own = view("You see");
    this.theirs = view("The other peer sees");
    this.overlay = element("div", { class: "overlay", role: "status" });
    this.tablePlace = element("div", { class: "state-table", tabindex: 0, "aria-label": "Fields of the state", hidden: true });
    this.readout = element("p", { class: "readout mono", "aria-live": "off" });
    const graph = element("canvas", { tabindex: 0, role: "img", "aria-label": "Netgraph: one column for each frame; arrow keys choose one" });
    const legend = element("p", { class: "legend" }, ...LEGEND.map(([name, text]) =>
      element("span", {}, element("i", { style: { background: `var(--${name})` } }), text)));
    const side = element("aside", { class: "panel side", "aria-label": "Settings of the match" });
    place.append(
      element("div", { class: "views" }, this.own.figure, this.theirs.figure, this.tablePlace, this.overlay),
      element("section", { class: "panel graph", "aria-label": "Netgraph" }, element("div", { class: "row" }, legend, this.readout), graph),
      side,
    );
    this.graph = new Netgraph(graph, (text) => setText(this.readout, text || "point at a column to read its frame"));
    this.graph.choose(-1);
    this.controls = new Controls(side, { feed: this.feed, shows: this.shows, sound: (on) => (this.sounds.on = on) });
    this.views = [];
  }

  hello(message) {
    const { game } = message;
    if (!this.game) {
      this.game = game;
      this.controls.fill(message);
      this.keys.use(game.buttons);
      this.makeViews(game);
    }
    this.graph.clear();
    for (const column of message.columns) this.graph.push(column);
    this.graph.confirmed = message.columns.at(-1)?.[1] ?? -1;
    this.setPhase(message.phase);
    if (message.end) this.showEnd(message.end);
    this.keys.tell(true); // a key may have been pressed while nobody listened
  }

  makeViews(game) {
    const isOwn = game.kind !== "fighter";
    if (isOwn) {
      this.tablePlace.hidden = false;
      this.table = new FieldTable(this.tablePlace);
      const hasPicture = game.pictures !== "none";
      this.own.figure.hidden = !hasPicture;
      this.tablePlace.parentElement.classList.add(hasPicture ? "with-table" : "table-only");
      this.views = hasPicture ? [this.own, this.theirs].map(({ canvas }) => new OwnView(canvas, game.size)) : [];
      return;
    }
    this.camera = new SharedCamera(game.rules);
    this.views = [this.own, this.theirs].map(({ canvas }) => new PeerView(canvas, game.rules, this.camera, this.read(game.first)));
  }

  setPhase(phase) {
    const begins = phase.phase === "connecting" || phase.phase === "waiting";
    this.phase = phase;
    document.getElementById("room").dataset.phase = phase.phase;
    if (begins) {
      this.graph.clear();
      this.sounds.reset();
      this.controls.showCues("");
      this.frame = null;
      this.camera?.reset();
      for (const view of this.views) view.reset();
    }
    this.theirs.figure.hidden = !phase.both && phase.phase === "running" && this.game?.kind !== "fighter";
    if (phase.phase === "running") this.showOverlay(...(phase.text ? [element("p", { class: "small" }, phase.text)] : []));
    else if (begins) this.showOverlay(element("p", {}, phase.text), this.button("Leave", () => this.feed.send("leave")));
    else if (phase.phase === "ready") this.showOverlay(...this.welcome());
  }

  welcome() {
    const start = this.button("Play a bot", () => this.controls.startBot());
    start.classList.add("primary");
    return [
      element("h2", {}, this.game?.kind === "own" ? this.game.title : "A match between two peers"),
      element("p", { class: "quiet" }, "Both run here, over a network that the sliders make bad. Each sees its own prediction."),
      start,
    ];
  }

  button(label, onclick) {
    return element("button", { type: "button", onclick }, label);
  }

  showEnd({ text, frame, yours, theirs, equal }) {
    const again = this.button("Again", () => this.controls.again());
    again.classList.add("primary");
    again.id = "again";
    const sums = yours === null ? null : element("dl", { class: "sums", "data-equal": String(equal) },
      element("dt", {}, "Your final checksum"), element("dd", { class: "mono", id: "sum-yours" }, yours),
      element("dt", {}, "The other peer's"), element("dd", { class: "mono", id: "sum-theirs" }, theirs ?? "not received"),
      element("dt", {}, `Frame ${frame}`), element("dd", { class: equal ? "good" : "bad" }, equal ? "equal" : "not equal"));
    this.showOverlay(element("h2", {}, text), sums, again);
  }

  showOverlay(...children) {
    this.overlay.replaceChildren(...children.filter((child) => child !== null));
    this.overlay.hidden = children.length === 0;
    this.overlay.classList.toggle("note", this.phase.phase === "running");
  }

  receive(message) {
    this.frame = message;
    for (const column of message.columns) this.graph.push(column);
    this.graph.confirmed = message.confirmed;
    const depth = Math.max(0, ...message.columns.map((column) => column[2]));
    const seat = this.phase.seat;
    if (this.game.kind === "fighter") {
      const [you, other, ghost] = [message.you, message.other, message.ghost].map((values) => this.read(values));
      this.ghost = ghost;
      this.views[0].show(you, depth, 1 - seat);
      // Over UDP there is only our own side: what is final stands in for the other peer's view.
      if (other) this.views[1].show(other, message.other_depth, seat);
      else this.views[1].show(ghost, 0, seat);
    } else if (message.you) {
      this.views[0].showShapes(message.you);
      if (message.other) this.views[1].showShapes(message.other);
    }
    const title = this.theirs.caption.firstChild;
    setText(title, message.other_frame === null ? "Final state (the other peer's view is on its own screen)" : "The other peer sees");
    const ahead = message.frame - 1 - message.confirmed;
    setText(this.own.caption.lastChild, `frame ${message.frame} · ${ahead > 0 ? `${ahead} predicted` : "all confirmed"}`);
    setText(this.theirs.caption.lastChild, `frame ${message.other_frame ?? message.ghost_frame}`);
  }

  /** Fields by name. */
  read(values) {
    return values && Object.fromEntries(this.game.fields.map((name, position) => [name, values[position]]));
  }

  draw() {
    this.keys.poll();
    if (!this.game) return;
    const { canvas } = this.own;
    this.camera?.follow(this.views.map(({ state }) => state), canvas.clientWidth, canvas.clientHeight);
    const options = { boxes: this.shows.boxes, ghost: this.shows.ghost && this.frame ? this.ghost : null, names: this.phase.names };
    for (const view of this.views) view.draw(options);
    this.graph.draw();
  }

  close() {
    this.running = false;
    this.keys.close();
    this.sounds.close();
    delete document.getElementById("room").dataset.phase;
  }
}

export function mount(place, feed) {
  const page = new PlayPage(place, feed);
  return () => page.close();
}
