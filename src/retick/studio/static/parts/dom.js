// Elements from code: element("p", { class: "quiet" }, "text"). Text is always text, never markup.

/**
 * @param {string} tag
 * @param {Object<string, any>} [settings] attributes; "on..." are listeners; "style" is an object
 * @param {...(Node|string|null)} children
 */
export function element(tag, settings = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(settings)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name === "style") Object.assign(made.style, value);
    else made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

/** A labelled slider. `change` gets the number; `format` shows it. */
export function slider({ label, min, max, step = 1, value, format = String, change }) {
  const shown = element("output", {}, format(value));
  const input = element("input", { type: "range", min, max, step, value, "aria-label": label });
  input.addEventListener("input", () => {
    shown.textContent = format(Number(input.value));
    change(Number(input.value));
  });
  const whole = element("label", { class: "slider" }, label, shown, input);
  whole.input = input;
  whole.set = (number) => {
    input.value = String(number);
    shown.textContent = format(Number(input.value));
  };
  return whole;
}

/** A button that is on or off. */
export function toggle({ label, value, change, title = null }) {
  const button = element("button", { type: "button", "aria-pressed": String(value), title }, label);
  button.addEventListener("click", () => {
    const on = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(on));
    change(on);
  });
  return button;
}

/** Sets a text only if it changed: the browser lays out again for every set. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** A notice at the corner that goes by itself. */
export function notice(text) {
  const box = document.getElementById("notices");
  const shown = element("p", {}, text);
  box.append(shown);
  while (box.childElementCount > 3) box.firstElementChild.remove();
  setTimeout(() => shown.remove(), 8000);
}

const colours = new Map();
document.addEventListener("themechange", () => colours.clear());

/** The value of a colour name of the style sheet, for canvases. */
export function colour(name) {
  let value = colours.get(name);
  if (value === undefined) {
    value = getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
    colours.set(name, value);
  }
  return value;
}

/** A canvas that has as many pixels as the screen shows; `draw(context, width, height)` in CSS pixels. */
export function sizeCanvas(canvas) {
  const scale = window.devicePixelRatio || 1;
  const width = canvas.clientWidth;
  const height = canvas.clientHeight;
  if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
  }
  const context = canvas.getContext("2d");
  context.setTransform(scale, 0, 0, scale, 0, 0);
  return { context, width, height };
}
