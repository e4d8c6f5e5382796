// The room of a server: the course in two views, what is set, and what is measured. Its messages: docs/guides/studio.md.

import { element, slider, toggle } from "../parts/dom.js";
import { Hands } from "./server/controls.js";
import { Figures } from "./server/figures.js";
import { Camera } from "./server/projection.js";
import { Scene } from "./server/scene.js";
import { drawView } from "./server/views.js";

const percent = (value) => `${value} %`;
const milliseconds = (value) => `${value} ms`;
const LINK = [
  { name: "latency", label: "Latency, each way", min: 0, max: 300, step: 5, value: 60, format: milliseconds },
  { name: "jitter", label: "Jitter", min: 0, max: 100, step: 5, value: 10, format: milliseconds },
  { name: "loss", label: "Loss", min: 0, max: 30, step: 0.5, value: 0.5, format: percent },
  { name: "bursts", label: "Bursts of loss", min: 0, max: 5, step: 0.1, value: 0, format: percent },
];
const LEGEND = [
  ["truth", "server now"],
  ["own", "client's prediction"],
  ["other", "others, interpolated"],
  ["arrow", "correction"],
];
const LOCOMOTION = {
  restored: "Mode, timers and wall come from the snapshot: what is resimulated equals what was predicted.",
  reset: "Mode, timers and wall are forgotten at each snapshot: who runs on a wall is corrected.",
};

export function mount(place, feed) {
  const scene = new Scene();
  const camera = new Camera();
  const figures = new Figures();
  let settings = null;

  const above = element("canvas", { class: "above", tabindex: 0, role: "img", "aria-label": "The course from above" });
  const side = element("canvas", { class: "side", role: "img", "aria-label": "The course from the side" });
  const hands = new Hands(above, {
    active: () => settings?.play === true,
    change: (held) => feed.send("input", held),
    toward: (x, y) => {
      const own = scene.frame?.own;
      if (!own) return [0, 0];
      const at = camera.above(above.clientWidth, above.clientHeight);
      const [dx, dz] = [x - at.x(own[1]), y - at.y(own[1], own[2], own[3])];
      const length = Math.hypot(dx, dz);
      return length < 4 ? [0, 0] : [dx / length, dz / length];
    },
  });

  // Every control sends; the answer "settings" sets them all, so the page always shows what is so.
  const link = LINK.map((one) => slider({
    ...one,
    change: () => feed.send("conditions", Object.fromEntries(LINK.map(({ name }, index) => [name, Number(link[index].input.value)]))),
  }));
  const bots = slider({ label: "Bots", min: 1, max: 15, value: 6, change: (number) => feed.send("bots", { number }) });
  const modes = Object.keys(LOCOMOTION).map((mode) => element("button", {
    type: "button", "data-mode": mode, "aria-pressed": "false", onclick: () => feed.send("locomotion", { mode }),
  }, mode === "reset" ? "Reset" : "Restored"));
  const modeText = element("p", { class: "quiet" });
  const join = element("button", {
    type: "button", class: "primary", "data-action": "play",
    onclick: () => {
      feed.send("play", { on: !settings?.play });
      above.focus();
    },
  }, "Run yourself");
  const watch = element("select", { id: "watch", onchange: () => feed.send("watch", { runner: Number(watch.value) }) });
  const whole = toggle({ label: "Whole course", value: false, change: (on) => { camera.whole = on; } });

  const legend = element("ul", { class: "legend" }, ...LEGEND.map(([kind, text]) =>
    element("li", {}, element("span", { class: `swatch ${kind}` }), text)));
  place.append(
    element("section", { class: "panel views", "aria-label": "The course" }, element("div", { class: "bar" }, legend, whole), above, side),
    element("section", { class: "panel plots", "aria-label": "Figures" }, ...figures.plots.map(({ node }) => node), figures.tally),
    element("section", { class: "panel settings", "aria-label": "Settings" },
      element("h2", {}, "Locomotion at each snapshot"),
      element("div", { class: "choice", role: "group", "aria-label": "Locomotion at each snapshot" }, ...modes), modeText,
      element("h2", {}, "Runners"),
      element("div", { class: "who" }, join, element("label", { for: "watch" }, "Watched"), watch),
      element("p", { class: "quiet keys" }, key("W"), key("A"), key("S"), key("D"), " or mouse, ", key("Space"), " jumps"),
      bots,
      element("h2", {}, "Network"), ...link,
      element("h2", {}, "Watched client"), figures.rows),
  );

  // Who clicks a button while running goes on running: the space key is not left to the button.
  place.addEventListener("click", backToCourse);
  function backToCourse(event) {
    if (settings?.play && event.detail > 0 && event.target.closest("button")) above.focus();
  }

  function show(now) {
    settings = now;
    LINK.forEach(({ name }, index) => document.activeElement === link[index].input || link[index].set(now[name]));
    if (document.activeElement !== bots.input) bots.set(now.bots);
    for (const button of modes) button.setAttribute("aria-pressed", String(button.dataset.mode === now.locomotion));
    modeText.textContent = LOCOMOTION[now.locomotion];
    join.textContent = now.play ? "Leave" : "Run yourself";
    join.classList.toggle("primary", !now.play);
    const numbers = [...(now.play ? [0] : []), ...Array.from({ length: now.bots }, (_, index) => index + 1)];
    watch.replaceChildren(...numbers.map((number) => element("option", { value: number }, number ? `Bot ${number}` : "You")));
    watch.value = String(now.watch);
    if (watch.dataset.shown !== watch.value) scene.clearTrails();
    watch.dataset.shown = watch.value;
  }

  feed.on("hello", (message) => {
    scene.boxes = message.boxes;
    scene.body = message.body;
    show(message.settings);
    hands.tell({ again: true }); // the room may be a new one, or may have missed a key
  });
  feed.on("settings", (message) => show(message.settings));
  feed.on("frame", (message) => scene.take(message, performance.now()));
  feed.on("figures", (message) => figures.take(message, scene.frame, settings?.watch));

  let request = requestAnimationFrame(function draw(now) {
    request = requestAnimationFrame(draw);
    const own = scene.frame?.own;
    if (own) camera.follow(own[1] + own[6], own[2] + own[7], own[3] + own[8]);
    drawView(above, scene, camera, now, true);
    drawView(side, scene, camera, now, false);
  });
  const redraw = () => figures.draw();
  document.addEventListener("themechange", redraw);

  return () => {
    cancelAnimationFrame(request);
    document.removeEventListener("themechange", redraw);
    place.removeEventListener("click", backToCourse);
    hands.remove();
  };
}

function key(text) {
  return element("kbd", {}, text);
}
