// The frame around the rooms: which one is shown, its connection's state, light or dark.

import { Feed } from "./parts/feed.js";
import { element, notice } from "./parts/dom.js";

const ROOMS = [
  { name: "play", title: "Play", load: () => import("./rooms/play.js") },
  { name: "replay", title: "Replay", load: () => import("./rooms/replay.js") },
  { name: "server", title: "Server", load: () => import("./rooms/server.js") },
  { name: "packets", title: "Packets", load: () => import("./rooms/packets.js") },
];

const STATES = {
  connecting: "connecting …",
  open: "connected",
  lost: "connection lost, trying again …",
  taken: "this match is open in another page",
};

let shown = null; // { name, feed, unmount }
let wanted = 0; // counts rooms that were asked for

function showStatus(state) {
  const status = document.getElementById("status");
  status.textContent = STATES[state];
  status.dataset.state = state === "open" || state === "connecting" ? state : "lost";
  if (state === "taken") {
    status.append(" ", element("button", { type: "button", onclick: () => show(shown.name) }, "Start a new one here"));
  }
}

async function show(name) {
  const mine = (wanted += 1);
  const room = ROOMS.find((one) => one.name === name) ?? ROOMS[0];
  const place = document.getElementById("room");
  shown?.unmount?.();
  shown?.feed.close();
  shown = null;
  place.replaceChildren();
  place.className = `room-${room.name}`;
  for (const link of document.querySelectorAll("nav a")) {
    if (link.dataset.room === room.name) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.title = `${room.title} · Retick Studio`;
  const module = await room.load(); // before the feed: its first message must find its handlers
  if (wanted !== mine) return; // another room was chosen meanwhile
  const feed = new Feed(room.name, { status: showStatus });
  feed.on("error", (message) => notice(message.text));
  shown = { name: room.name, feed, unmount: module.mount(place, feed) };
}

function fromAddress() {
  return location.hash.slice(1).split("/")[0] || ROOMS[0].name;
}

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  const button = document.getElementById("theme");
  const other = theme === "dark" ? "light" : "dark";
  button.textContent = other === "dark" ? "Dark" : "Light";
  button.setAttribute("aria-label", `Use ${other} colours`);
  button.onclick = () => {
    localStorage.setItem("theme", other);
    setTheme(other);
  };
  document.dispatchEvent(new CustomEvent("themechange"));
}

document.getElementById("rooms").append(
  ...ROOMS.map((room) => element("a", { href: `#${room.name}`, "data-room": room.name }, room.title)),
);
const dark = matchMedia("(prefers-color-scheme: dark)");
setTheme(localStorage.getItem("theme") ?? (dark.matches ? "dark" : "light"));
dark.addEventListener("change", () => {
  if (!localStorage.getItem("theme")) setTheme(dark.matches ? "dark" : "light");
});
window.addEventListener("hashchange", () => show(fromAddress()));
window.addEventListener("pageshow", (event) => {
  if (event.persisted) show(fromAddress()); // the way back to a page that said goodbye when it was left
});
show(fromAddress());
