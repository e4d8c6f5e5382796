// The room of packets: paste hex or open a capture, choose a datagram, see each field in its bytes. docs/guides/studio.md has
// the messages.

import { element, setText } from "../parts/dom.js";
import { DatagramList } from "./packets/list.js";
import { Detail } from "./packets/detail.js";
import { TimelineView } from "./packets/timeline.js";

const EXAMPLE = "52424e31 01 01 78000000 03 75000000 77000000 efbeadde 0100 0100 0900";

function filePicker(label, accept, opened) {
  const input = element("input", { type: "file", accept, "aria-label": label, class: "hidden-file", tabindex: "-1" });
  input.addEventListener("change", () => {
    if (input.files.length) opened(input.files[0]);
    input.value = "";
  });
  const button = element("button", { type: "button", onclick: () => input.click() }, label);
  return { button, input };
}

function factsOf(source) {
  const many = source.count === 1 ? "1 datagram" : `${source.count.toLocaleString("en")} datagrams`;
  const time = source.capture ? `, ${source.seconds.toFixed(1)} s` : "";
  return `${source.name}: ${many}, ${source.bytes.toLocaleString("en")} bytes${time}`;
}

export function mount(place, feed) {
  const text = element("textarea", {
    rows: "3", spellcheck: "false", class: "mono", "aria-label": "Hex digits, one datagram a line",
    placeholder: "Hex digits, one datagram a line",
  });
  const explain = element("button", { type: "button", class: "primary" }, "Explain");
  const example = element("button", { type: "button" }, "Example");
  const capture = filePicker("Open file", ".rtkc,.bin,.txt,.hex", (file) => feed.sendFile(file, 0));
  const schema = filePicker("Schema", ".json", (file) => feed.sendFile(file, 1));
  const schemaName = element("button", { type: "button", class: "chip", hidden: true, title: "Forget this schema" });
  const keys = filePicker("Key log", ".txt,.log,.keys", (file) => feed.sendFile(file, 2));
  const keysName = element("button", { type: "button", class: "chip", hidden: true, title: "Forget these keys" });
  const facts = element("p", { class: "facts quiet", role: "status" }, "Nothing is open. A file can be dropped here, too.");
  const fault = element("p", { class: "facts bad", hidden: true });
  const progress = element("progress", { hidden: true, "aria-label": "Measured", max: "1", value: "0" });

  const detail = new Detail();
  const list = new DatagramList({
    ask: (start, count) => feed.send("list", { start, count }),
    choose: (index) => feed.send("datagram", { index }),
  });
  const timeline = new TimelineView();

  const sendText = () => feed.send("hex", { text: text.value.slice(0, 60000) });
  explain.addEventListener("click", sendText);
  text.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) sendText();
  });
  example.addEventListener("click", () => {
    text.value = EXAMPLE;
    sendText();
  });
  schemaName.addEventListener("click", () => feed.send("forget"));
  keysName.addEventListener("click", () => feed.send("forget_keys"));

  place.append(
    element(
      "div",
      { class: "packets" },
      element(
        "section",
        { class: "panel source", "aria-label": "Source" },
        text,
        element("div", { class: "buttons" }, explain, example, capture.button, capture.input, schema.button, schema.input,
          schemaName, keys.button, keys.input, keysName),
        facts, fault, progress,
      ),
      element("section", { class: "panel datagrams", "aria-label": "Datagrams" }, list.node),
      element("section", { class: "panel over-time", "aria-label": "Over time" }, timeline.node),
      element("section", { class: "panel one", "aria-label": "Datagram" }, detail.node),
    ),
  );
  const whole = place.firstElementChild;

  function showSource(source) {
    whole.classList.toggle("is-capture", Boolean(source?.capture));
    fault.hidden = !source?.fault;
    progress.hidden = true;
    timeline.clear();
    if (source === null) return;
    setText(facts, factsOf(source));
    setText(fault, source.fault ?? "");
    list.open(source.count, source.capture);
    if (source.count > 0) list.select(0);
    else detail.clear("No datagram passed in this capture.");
  }

  function showName(chip, name) {
    chip.hidden = name === null;
    setText(chip, name === null ? "" : `${name} ×`);
  }

  function showTimeline(found) {
    progress.hidden = true;
    timeline.show(found);
  }

  feed.on("hello", (message) => {
    showSource(message.source);
    showName(schemaName, message.schema);
    showName(keysName, message.keylog);
    if (message.timeline !== null) showTimeline(message.timeline);
  });
  feed.on("source", (message) => showSource(message.source));
  feed.on("schema", (message) => showName(schemaName, message.name));
  feed.on("keylog", (message) => showName(keysName, message.name));
  feed.on("rows", (message) => list.fill(message.start, message.rows));
  feed.on("datagram", (message) => detail.show(message));
  feed.on("timeline", (message) => showTimeline(message.timeline));
  feed.on("progress", (message) => {
    if (timeline.found) return; // a moment may come after the result that was posted later
    progress.hidden = false;
    progress.value = message.done / message.total;
  });

  const over = (event) => {
    event.preventDefault();
    whole.classList.toggle("dropping", event.type === "dragover");
  };
  const drop = (event) => {
    over(event);
    const file = event.dataTransfer.files[0];
    if (file) feed.sendFile(file, file.name.endsWith(".json") ? 1 : 0);
  };
  place.addEventListener("dragover", over);
  place.addEventListener("dragleave", over);
  place.addEventListener("drop", drop);
  const redraw = () => timeline.draw();
  document.addEventListener("themechange", redraw);
  window.addEventListener("resize", redraw);

  return () => {
    place.removeEventListener("dragover", over);
    place.removeEventListener("dragleave", over);
    place.removeEventListener("drop", drop);
    document.removeEventListener("themechange", redraw);
    window.removeEventListener("resize", redraw);
  };
}
