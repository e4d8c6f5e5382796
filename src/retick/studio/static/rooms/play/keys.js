// Keyboard and gamepads as the bits of an input. The room is told whenever they change.

const DIRECTIONS = { left: [0, -1], right: [0, 1], up: [1, -1], down: [1, 1] };
const PAD = { left: 14, right: 15, up: 12, down: 13 }; // of the standard mapping
const PAD_OTHERS = [0, 2, 1, 3, 5, 4];
const OWN_KEYS = new Set(["Space", "Enter", "ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"]);
const DEAD = 0.4;

export class Keys {
  /** @param {(pressed: number) => void} change gets all buttons that are held */
  constructor(change) {
    this.change = change;
    this.bits = new Map(); // code of a key -> bits
    this.pads = []; // { bit, button, axis }
    this.held = new Set();
    this.pressed = 0;
    this.onDown = (event) => this.key(event, true);
    this.onUp = (event) => this.key(event, false);
    this.onBlur = () => {
      this.held.clear();
      this.tell();
    };
    window.addEventListener("keydown", this.onDown);
    window.addEventListener("keyup", this.onUp);
    window.addEventListener("blur", this.onBlur);
  }

  /** @param {{ bit: number, label: string, keys: string[] }[]} buttons */
  use(buttons) {
    this.bits.clear();
    for (const { bit, keys } of buttons) for (const code of keys) this.bits.set(code, (this.bits.get(code) ?? 0) | bit);
    const others = buttons.filter(({ label }) => !(label in DIRECTIONS));
    this.pads = buttons.map(({ bit, label }) =>
      label in DIRECTIONS
        ? { bit, button: PAD[label], axis: DIRECTIONS[label] }
        : { bit, button: PAD_OTHERS[others.findIndex((one) => one.bit === bit)] ?? -1, axis: null },
    );
  }

  key(event, down) {
    if (event.ctrlKey || event.altKey || event.metaKey || !this.bits.has(event.code)) return;
    if (down && this.belongsTo(event.target, event.code)) return;
    if (down) event.preventDefault(); // the page must not scroll
    if (event.repeat) return;
    if (down) this.held.add(event.code);
    else this.held.delete(event.code);
    this.tell();
  }

  /** Whether a control of the page uses this key itself. */
  belongsTo(target, code) {
    if (!(target instanceof Element)) return false;
    if (target.matches("input[type=text], input[type=number], textarea")) return true;
    return target.matches("input, select, button, a, summary, canvas[tabindex]") && OWN_KEYS.has(code);
  }

  /** Gamepads have no events for their buttons: called once for each picture. */
  poll() {
    let bits = 0;
    for (const pad of navigator.getGamepads?.() ?? []) {
      if (!pad) continue;
      for (const { bit, button, axis } of this.pads) {
        if (pad.buttons[button]?.pressed) bits |= bit;
        if (axis && (pad.axes[axis[0]] ?? 0) * axis[1] > DEAD) bits |= bit;
      }
    }
    if (bits !== this.padBits) {
      this.padBits = bits;
      this.tell();
    }
  }

  tell(always = false) {
    let pressed = this.padBits ?? 0;
    for (const code of this.held) pressed |= this.bits.get(code) ?? 0;
    if (pressed === this.pressed && !always) return;
    this.pressed = pressed;
    this.change(pressed);
  }

  close() {
    window.removeEventListener("keydown", this.onDown);
    window.removeEventListener("keyup", this.onUp);
    window.removeEventListener("blur", this.onBlur);
  }
}
