// One peer's view of the fighter: field, fighters, health, boxes, the ghost of the final state, and corrections.

import { colour, sizeCanvas } from "../../parts/dom.js";
import { drawFigure } from "./figure.js";

const NAMES = ["one", "two"];
const LONGEST_CORRECTIONS = 8;
const CORRECTION_PICTURES = 26;
const BEYOND = 900; // of the field's units that are shown behind a wall
const GROUND = 34; // pixels below the feet

/** The part of the field that is shown; both views use the same one, so that they can be compared. */
export class Camera {
  constructor(numbers) {
    this.most = numbers.max_x - numbers.min_x;
    this.middle = this.most / 2;
    this.span = this.most;
  }

  follow([first, second]) {
    const span = Math.min(this.most, Math.max(6800, Math.abs(first.x - second.x) + 3600));
    const half = span / 2 - BEYOND;
    const middle = Math.min(this.most - half, Math.max(half, (first.x + second.x) / 2 + 300));
    this.span += (span - this.span) * 0.08;
    this.middle += (middle - this.middle) * 0.12;
    // However slowly it follows, nobody is cut off.
    const left = Math.min(this.middle - this.span / 2, Math.min(first.x, second.x) - 500);
    const right = Math.max(this.middle + this.span / 2, Math.max(first.x, second.x) + 1100);
    this.span = right - left;
    this.middle = (left + right) / 2;
  }
}

/** Reads both fighters from the values of a state. */
export function reader(fields) {
  const index = new Map(fields.map((name, position) => [name, position]));
  const names = { x: "x", y: "y", vy: "vy", facing: "facing", action: "state", hitstun: "hitstun_frames", hp: "hp",
    cooldown: "attack_cooldown_frames", active: "attack_active_frames" };
  const places = ["p1", "p2"].map((player) =>
    Object.entries(names).map(([own, field]) => [own, index.get(`${player}.${field}`)]),
  );
  return (values) => places.map((place) => Object.fromEntries(place.map(([own, position]) => [own, values[position]])));
}

export class Arena {
  /** @param {HTMLCanvasElement} canvas @param {Object} numbers rules of the game @param {Camera} camera */
  constructor(canvas, numbers, camera) {
    this.canvas = canvas;
    this.numbers = numbers;
    this.camera = camera;
    this.reset();
  }

  reset() {
    this.fighters = null;
    this.frame = 0;
    this.corrections = [];
    this.sparks = [];
    this.lost = [100, 100]; // health that drains slowly behind the bar
  }

  /** A new state; `depth` frames were resimulated for it, and `remote` is the player who is predicted here. */
  show(fighters, frame, depth, remote) {
    const before = this.fighters;
    if (before && depth > 0 && frame > this.frame) {
      const [old, now] = [before[remote], fighters[remote]];
      const reach = this.numbers.move_speed * 1.5 * Math.max(1, frame - this.frame);
      if (Math.abs(now.x - old.x) > reach || (now.action !== old.action && now.y !== old.y)) {
        this.corrections.push({ old, now, age: 0, frame: this.frame });
        if (this.corrections.length > LONGEST_CORRECTIONS) this.corrections.shift();
      }
    }
    if (before) {
      fighters.forEach((one, player) => {
        if (one.hp < before[player].hp) this.sparks.push({ x: one.x, y: one.y, age: 0 });
        if (one.hp > before[player].hp) this.lost[player] = one.hp;
      });
      if (this.sparks.length > 6) this.sparks.shift();
    }
    this.fighters = fighters;
    this.frame = frame;
  }

  /** @param {{ boxes: boolean, ghost: Object[]|null, names: string[] }} options */
  draw({ boxes, ghost, names }) {
    const { context, width, height } = sizeCanvas(this.canvas);
    const ground = height - GROUND;
    const scale = width / this.camera.span;
    const left = this.camera.middle - this.camera.span / 2;
    this.place = (fighter) => ({
      x: (fighter.x + this.numbers.player_width / 2 - left) * scale,
      y: ground - fighter.y * scale,
      height: this.numbers.player_height * scale * 1.12,
    });
    this.drawField(context, width, height, ground, left, scale);
    if (!this.fighters) return;
    for (const fighter of this.fighters) this.drawShadow(context, this.place(fighter), ground);
    if (ghost) {
      ghost.forEach((fighter, player) =>
        drawFigure(context, this.place(fighter), fighter, { frame: this.frame, name: NAMES[player], alpha: 0.55, outline: true }),
      );
    }
    this.drawCorrections(context);
    this.fighters.forEach((fighter, player) =>
      drawFigure(context, this.place(fighter), fighter, { frame: this.frame, name: NAMES[player] }),
    );
    this.drawSparks(context, scale, left, ground);
    if (boxes) this.drawBoxes(context, scale, left, ground);
    this.drawHealth(context, width, names);
  }

  drawField(context, width, height, ground, left, scale) {
    const sky = context.createLinearGradient(0, 0, 0, ground);
    sky.addColorStop(0, colour("panel-2"));
    sky.addColorStop(1, colour("panel"));
    context.fillStyle = sky;
    context.fillRect(0, 0, width, ground);
    context.fillStyle = colour("panel-2");
    context.fillRect(0, ground, width, height - ground);
    this.drawBackdrop(context, width, ground, left, scale);
    for (const wall of [this.numbers.min_x, this.numbers.max_x]) {
      const x = (wall - left) * scale;
      context.fillStyle = colour("line");
      if (x > 0 && x < width) context.fillRect(wall ? x : 0, 0, wall ? width - x : x, ground);
    }
    context.strokeStyle = colour("line");
    context.lineWidth = 2;
    context.beginPath();
    context.moveTo(0, ground + 1);
    context.lineTo(width, ground + 1);
    context.stroke();
    context.lineWidth = 1;
    context.beginPath();
    for (let unit = Math.ceil(left / 1000) * 1000; unit < left + width / scale; unit += 1000) {
      const x = (unit - left) * scale;
      context.moveTo(x, ground + 4);
      context.lineTo(x, ground + (unit % 5000 ? 9 : 15));
    }
    context.stroke();
  }

  /** A sun and two rows of hills; the further, the slower they move. */
  drawBackdrop(context, width, ground, left, scale) {
    context.fillStyle = colour("mark");
    context.globalAlpha = 0.5;
    context.beginPath();
    context.arc(width * 0.72 - left * scale * 0.06, ground * 0.5, ground * 0.15, 0, 2 * Math.PI);
    context.fill();
    context.fillStyle = colour("line");
    for (const [speed, high, alpha] of [[0.25, 0.34, 0.28], [0.5, 0.17, 0.45]]) {
      context.globalAlpha = alpha;
      context.beginPath();
      context.moveTo(0, ground);
      for (let x = 0; x <= width + 24; x += 24) {
        const far = (x / scale) * 0.6 + left * speed;
        const wave = 0.62 + 0.25 * Math.sin(far / 900 + speed * 9) + 0.13 * Math.sin(far / 370 + 2);
        context.lineTo(x, ground - ground * high * wave);
      }
      context.lineTo(width, ground);
      context.fill();
    }
    context.globalAlpha = 1;
  }

  drawShadow(context, { x, height }, ground) {
    context.fillStyle = colour("text");
    context.globalAlpha = 0.14;
    context.beginPath();
    context.ellipse(x, ground + 4, height * 0.3, 4, 0, 0, 2 * Math.PI);
    context.fill();
    context.globalAlpha = 1;
  }

  /** Where a fighter was shown before it turned out to be elsewhere. */
  drawCorrections(context) {
    for (const one of this.corrections) {
      const alpha = 0.75 * (1 - one.age / CORRECTION_PICTURES);
      const from = this.place(one.old);
      const to = this.place(one.now);
      drawFigure(context, from, one.old, { frame: one.frame, name: "bad", alpha, outline: true });
      context.globalAlpha = alpha;
      context.strokeStyle = colour("bad");
      context.lineWidth = 2;
      context.beginPath();
      context.moveTo(from.x, from.y - from.height / 2);
      context.lineTo(to.x, to.y - to.height / 2);
      context.stroke();
      context.globalAlpha = 1;
      one.age += 1;
    }
    this.corrections = this.corrections.filter(({ age }) => age < CORRECTION_PICTURES);
  }

  drawSparks(context, scale, left, ground) {
    context.strokeStyle = colour("warn");
    context.lineWidth = 2.5;
    for (const spark of this.sparks) {
      const x = (spark.x + this.numbers.player_width / 2 - left) * scale;
      const y = ground - (spark.y + 600) * scale;
      context.globalAlpha = 1 - spark.age / 16;
      context.beginPath();
      for (let ray = 0; ray < 8; ray += 1) {
        const angle = (ray / 8) * 2 * Math.PI + 0.2;
        const near = 5 + spark.age * 1.2;
        const far = near + 9 - spark.age * 0.4;
        context.moveTo(x + Math.cos(angle) * near, y + Math.sin(angle) * near);
        context.lineTo(x + Math.cos(angle) * far, y + Math.sin(angle) * far);
      }
      context.stroke();
      spark.age += 1;
    }
    context.globalAlpha = 1;
    this.sparks = this.sparks.filter(({ age }) => age < 16);
  }

  drawBoxes(context, scale, left, ground) {
    const { player_width, player_height, hitbox_width, hitbox_height } = this.numbers;
    const box = (x, y, wide, high, name) => {
      const place = [(x - left) * scale, ground - (y + high) * scale, wide * scale, high * scale];
      context.fillStyle = context.strokeStyle = colour(name);
      context.globalAlpha = 0.18;
      context.fillRect(...place);
      context.globalAlpha = 1;
      context.lineWidth = 1.5;
      context.strokeRect(...place);
    };
    for (const { x, y, facing, active } of this.fighters) {
      box(x, y, player_width, player_height, "good");
      if (active > 0) box(facing > 0 ? x + player_width : x - hitbox_width, y, hitbox_width, hitbox_height, "bad");
    }
  }

  drawHealth(context, width, names) {
    const bar = Math.min(300, width / 2 - 24);
    context.font = "600 12px system-ui, sans-serif";
    context.textBaseline = "top";
    this.fighters.forEach(({ hp }, player) => {
      const most = this.numbers.default_hp;
      this.lost[player] = Math.max(hp, this.lost[player] - 0.8);
      const x = player ? width - 12 - bar : 12;
      const part = (share) => (player ? [x + bar * (1 - share), 12, bar * share, 10] : [x, 12, bar * share, 10]);
      context.fillStyle = colour("line");
      context.fillRect(x, 12, bar, 10);
      context.fillStyle = colour("warn");
      context.fillRect(...part(this.lost[player] / most));
      context.fillStyle = hp > 25 ? colour(NAMES[player]) : colour("bad");
      context.fillRect(...part(hp / most));
      context.fillStyle = colour("text");
      context.textAlign = player ? "right" : "left";
      context.fillText(names[player] ?? "", player ? width - 12 : 12, 27);
    });
    context.textAlign = "left";
  }
}
