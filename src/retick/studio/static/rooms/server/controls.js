// The user's hands: keys or the mouse give a direction on the course, and the jump key.

const DIRECTIONS = {
  KeyW: [0, -1], ArrowUp: [0, -1],
  KeyS: [0, 1], ArrowDown: [0, 1],
  KeyA: [-1, 0], ArrowLeft: [-1, 0],
  KeyD: [1, 0], ArrowRight: [1, 0],
};
const FIELDS = ["INPUT", "SELECT", "TEXTAREA"];

export class Hands {
  /**
   * @param {HTMLCanvasElement} canvas the view from above, for the mouse
   * @param {{ active: () => boolean, toward: (x: number, y: number) => [number, number],
   *           change: (held: { x: number, z: number, jump: boolean }) => void }} settings
   *   toward: the direction from the runner to a point of the canvas
   */
  constructor(canvas, { active, toward, change }) {
    this.down = new Set();
    this.mouse = null;
    this.sent = "";
    this.active = active;
    this.change = change;
    const point = (event) => {
      const area = canvas.getBoundingClientRect();
      this.mouse = toward(event.clientX - area.left, event.clientY - area.top);
      this.tell();
    };
    canvas.addEventListener("pointerdown", (event) => {
      if (!active() || event.button !== 0) return;
      canvas.setPointerCapture(event.pointerId);
      point(event);
    });
    canvas.addEventListener("pointermove", (event) => this.mouse && point(event));
    for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, () => this.release({ mouseOnly: true }));
    this.listeners = [
      ["keydown", (event) => this.key(event, true)],
      ["keyup", (event) => this.key(event, false)],
      ["blur", () => this.release()],
    ];
    for (const [name, listener] of this.listeners) window.addEventListener(name, listener);
  }

  remove() {
    for (const [name, listener] of this.listeners) window.removeEventListener(name, listener);
  }

  key(event, down) {
    const code = event.code;
    if (!(code in DIRECTIONS) && code !== "Space") return;
    if (!down) {
      if (this.down.delete(code)) this.tell();
      return;
    }
    const target = event.target.tagName;
    if (!this.active() || event.ctrlKey || event.altKey || event.metaKey) return;
    if (FIELDS.includes(target) || (target === "BUTTON" && code === "Space")) return; // they need these keys themselves
    event.preventDefault();
    this.down.add(code);
    this.tell();
  }

  release({ mouseOnly = false } = {}) {
    this.mouse = null;
    if (!mouseOnly) this.down.clear();
    this.tell();
  }

  /** What is held now. */
  held() {
    let [x, z] = this.mouse ?? [0, 0];
    for (const code of this.down) {
      x += DIRECTIONS[code]?.[0] ?? 0;
      z += DIRECTIONS[code]?.[1] ?? 0;
    }
    const length = Math.hypot(x, z);
    if (length > 1) [x, z] = [x / length, z / length];
    return { x: bounded(x), z: bounded(z), jump: this.down.has("Space") };
  }

  tell({ again = false } = {}) {
    const held = this.held();
    const text = JSON.stringify(held);
    if (text === this.sent && !again) return;
    this.sent = text;
    this.change(held);
  }
}

function bounded(value) {
  return Math.max(-1, Math.min(1, Math.round(value * 1000) / 1000));
}
