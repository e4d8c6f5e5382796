// The panel at the side: who to play against, the sliders, what to show, and the keys.

import { element, setText, slider, toggle } from "../../parts/dom.js";

const NETWORK = [
  { name: "latency", label: "Latency, one way", format: (value) => `${value} ms` },
  { name: "jitter", label: "Jitter", format: (value) => `± ${value} ms` },
  { name: "loss", label: "Loss", format: (value) => `${value} %` },
  { name: "bursts", label: "Bursts of loss", format: (value) => `${value} %` },
];
const SESSION = [
  { name: "input_delay", label: "Input delay", format: (value) => `${value} frames` },
  { name: "prediction_window", label: "Prediction window", format: (value) => `${value} frames` },
];
const SHORT = { ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", Space: "Space" };
/** What the pictures show. */
const HELP = [
  ["red", "A prediction was wrong: it was shown there."],
  ["ghost", "The newest state that nothing changes any more."],
];

/** A key as people call it. */
export function keyName(code) {
  return SHORT[code] ?? code.replace(/^(Key|Digit)/, "");
}

/** After a click the keys belong to the game again; who uses Tab keeps the focus. */
function givesFocusBack(node) {
  node.addEventListener("pointerup", () => setTimeout(() => document.activeElement?.blur(), 0));
  return node;
}

export class Controls {
  /**
   * @param {HTMLElement} place
   * @param {{ feed: import("../../parts/feed.js").Feed, shows: Object<string, boolean>, sound: (on: boolean) => void }} given
   */
  constructor(place, { feed, shows, sound }) {
    this.feed = feed;
    this.shows = shows;
    this.sound = sound;
    this.values = {};
    this.sliders = new Map();
    this.opponent = element("div", { class: "opponent" });
    this.network = element("div");
    this.session = element("div");
    this.cues = element("p", { class: "quiet cues" });
    this.keys = element("p", { class: "keys" });
    this.toggles = element("div", { class: "toggles" });
    this.help = element("dl", { class: "help" });
    place.append(
      this.opponent,
      element("h2", {}, "Network"), this.network,
      element("h2", {}, "Sessions"), this.session,
      this.toggles, this.cues, this.keys, this.help,
    );
  }

  /** Fills the panel from a hello message. */
  fill({ settings, bounds, styles, game }) {
    this.values = { ...settings };
    this.fillSliders(this.network, NETWORK, "network", bounds);
    this.fillSliders(this.session, SESSION, "session", bounds);
    this.fillOpponent(styles);
    const isFighter = game.kind === "fighter";
    const one = (name, label, title) =>
      givesFocusBack(toggle({ label, title, value: this.shows[name], change: (on) => (this.shows[name] = on) }));
    this.toggles.replaceChildren(
      ...(isFighter ? [one("boxes", "Boxes", "Hit and hurt boxes"), one("ghost", "Ghost", "The newest state that is final")] : []),
      givesFocusBack(toggle({ label: "Sound", title: "Each cue sounds once", value: this.shows.sound, change: (on) => {
        this.shows.sound = on;
        this.sound(on);
      } })),
    );
    this.keys.replaceChildren(
      ...game.buttons.flatMap(({ label, keys }) => [
        element("span", {}, ...keys.slice(0, 3).flatMap((code) => [element("kbd", {}, keyName(code)), " "]), label),
      ]),
      element("span", { class: "quiet" }, "or a gamepad"),
    );
    if (isFighter) {
      this.help.replaceChildren(...HELP.flatMap(([word, text]) => [element("dt", { class: word }, word), element("dd", {}, text)]));
    }
  }

  fillSliders(place, rows, type, bounds) {
    place.replaceChildren(
      ...rows.map(({ name, label, format }) => {
        const [min, max] = bounds[name];
        const made = slider({ label, min, max, value: this.values[name], format, change: (value) => {
          this.values[name] = value;
          this.feed.send(type, Object.fromEntries(rows.map((row) => [row.name, this.values[row.name]])));
        } });
        made.input.dataset.setting = name;
        this.sliders.set(name, made);
        return givesFocusBack(made);
      }),
    );
  }

  /** The room has set them itself. */
  setValues(settings) {
    this.values = { ...settings };
    for (const [name, made] of this.sliders) made.set(settings[name]);
  }

  fillOpponent(styles) {
    this.style = styles.length
      ? element("select", { "aria-label": "Style of the bot" }, ...styles.map((style) => element("option", { value: style }, style)))
      : null;
    this.style?.addEventListener("change", () => this.style.blur());
    const port = element("input", { type: "number", min: 0, max: 65535, value: 7777, "aria-label": "UDP port to host on", id: "host-port" });
    const address = element("input", { type: "text", placeholder: "retick:...", "aria-label": "Invite of the host, or its address", id: "join-address", maxlength: 300, autocomplete: "off", spellcheck: "false" });
    const join = () => this.start({ against: "join", address: address.value });
    address.addEventListener("keydown", (event) => event.key === "Enter" && join());
    this.opponent.replaceChildren(
      element("h2", {}, "Play"),
      element("div", { class: "row" }, this.style ?? element("span", {}, "Against a bot"),
        givesFocusBack(element("button", { type: "button", class: "primary", id: "play-bot", onclick: () => this.startBot() }, "Play a bot"))),
      element("details", { open: window.innerHeight > 900 },
        element("summary", {}, "Another person"),
        element("div", { class: "row" }, port, element("button", { type: "button", id: "host", onclick: () =>
          this.start({ against: "host", port: Number(port.value) }) }, "Host")),
        element("div", { class: "row" }, address, element("button", { type: "button", id: "join", onclick: join }, "Join"))),
    );
  }

  startBot() {
    this.start({ against: "bot", style: this.style?.value ?? "" });
  }

  start(message) {
    this.last = message;
    document.activeElement?.blur();
    this.feed.send("start", message);
  }

  again() {
    if (this.last) this.start(this.last);
    else this.startBot();
  }

  showCues(text) {
    setText(this.cues, text);
  }
}
