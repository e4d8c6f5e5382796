// A match of the fighter as a picture. It is made from the fields of a state, the game's constants and the options of
// the room, and from nothing else: frame 500 looks the same whether it is played, scrubbed or resimulated.

import { colour, sizeCanvas } from "./dom.js";
import { Camera, framingOf } from "./fighter_camera.js";
import { drawFigure, LYING, poseOf } from "./fighter_figure.js";

const SEATS = ["p1", "p2"];
const COLOURS = ["one", "two"];
const SPARK_FRAMES = 9;
const FONT = "system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif";

/** The fields of one player: { x, y, ... } from { "p1.x": ..., ... }. */
export function playerOf(state, seat) {
  const prefix = `${SEATS[seat]}.`;
  const player = {};
  for (const name in state) if (name.startsWith(prefix)) player[name.slice(prefix.length)] = Number(state[name]);
  return player;
}

/**
 * Boxes of a state in units of the world: { seat, kind, x, y, width, height }, x and y the lower left corner. The kind is
 * "hurt", "hit" while an attack can land, or "spent" while its window is open but it has landed.
 */
export function boxesOf(state, rules) {
  const found = [];
  for (const seat of [0, 1]) {
    const { x, y, facing, attack_active_frames: active, attack_has_hit: done } = playerOf(state, seat);
    found.push({ seat, kind: "hurt", x, y, width: rules.player_width, height: rules.player_height });
    if (active > 0) {
      const left = facing > 0 ? x + rules.player_width : x - rules.hitbox_width;
      const kind = done ? "spent" : "hit";
      found.push({ seat, kind, x: left, y, width: rules.hitbox_width, height: rules.hitbox_height });
    }
  }
  return found;
}

/** A colour between two of the style sheet's. */
function mix(one, other, share) {
  return `color-mix(in srgb, ${one} ${Math.round(share * 100)}%, ${other})`;
}

export class FighterView {
  /**
   * @param {HTMLCanvasElement} canvas
   * @param {Object<string, number>|null} rules constants of the game, as `hello` has them
   */
  constructor(canvas, rules = null) {
    this.canvas = canvas;
    this.rules = rules;
    this.palette = null;
    this.theme = "";
  }

  /**
   * @param {Object<string, number>|null} state fields by name: { frame, "p1.x", ... }
   * @param {{ boxes?: boolean, ghost?: Object<string, number>|null, names?: string[],
   *           framing?: import("./fighter_camera.js").Framing|null, lost?: number[]|null,
   *           corrections?: { seat: number, frame: number, old: Object, now: Object, alpha: number }[] }} [options]
   *   ghost: a second state, drawn pale; framing: the part of the world to show, else that of the state; lost: hit
   *   points that each bar still shows as lost; corrections: players that were shown at a wrong place
   */
  draw(state, { boxes = false, ghost = null, names = ["Player 1", "Player 2"], framing = null, lost = null,
                corrections = [] } = {}) {
    const { context, width, height } = sizeCanvas(this.canvas);
    context.clearRect(0, 0, width, height);
    if (!state || !this.rules || width === 0 || height === 0) return;
    const { theme } = document.documentElement.dataset;
    if (this.theme !== theme) this.palette = this.readPalette();
    this.theme = theme;
    const camera = new Camera(this.rules, framing ?? framingOf(state, this.rules, width, height), width, height);
    const players = [playerOf(state, 0), playerOf(state, 1)];
    this.drawStage(context, camera);
    for (const player of players) this.drawShadow(context, camera, player);
    if (ghost) this.drawGhost(context, camera, ghost);
    for (const one of corrections) this.drawCorrection(context, camera, one);
    // The fighter that was hit stands behind, the one that hits is seen whole.
    const order = players[0].hitstun_frames > players[1].hitstun_frames ? [0, 1] : [1, 0];
    for (const seat of order) this.drawFighter(context, camera, players[seat], seat, Number(state.frame));
    for (const seat of [0, 1]) this.drawSpark(context, camera, players[seat], players[1 - seat]);
    if (boxes) this.drawBoxes(context, camera, boxesOf(state, this.rules));
    this.drawBars(context, width, players, names, lost);
    if (players.some((player) => player.hp <= 0)) this.drawEnd(context, width, height, players);
  }

  readPalette() {
    const [page, panel, line, text] = ["page", "panel", "line", "text"].map(colour);
    return {
      sky: mix(colour("accent"), panel, 0.1), low: panel, far: mix(line, panel, 0.45), near: mix(line, panel, 0.75),
      ground: mix(line, page, 0.75), edge: mix(text, line, 0.35), text, quiet: colour("quiet"), panel, line,
      shadow: "rgb(0 0 0 / 0.25)",
      seats: COLOURS.map((name) => ({
        body: colour(name), far: mix(colour(name), line, 0.55), trim: mix(panel, text, 0.88),
        edge: mix(colour(name), panel, 0.55),
      })),
    };
  }

  drawStage(context, camera) {
    const { palette, rules } = this;
    const { width, height, ground } = camera;
    const sky = context.createLinearGradient(0, 0, 0, ground);
    sky.addColorStop(0, palette.sky);
    sky.addColorStop(1, palette.low);
    context.fillStyle = sky;
    context.fillRect(0, 0, width, ground);
    // Two rows of pillars; those further away move less.
    for (const [depth, tall, wide, every, fill] of [[0.45, 2600, 420, 2000, palette.far], [0.75, 1500, 240, 1500, palette.near]]) {
      const centre = camera.left + width / camera.scale / 2;
      context.fillStyle = fill;
      context.globalAlpha = 0.55;
      for (let at = rules.min_x - 12000; at <= rules.max_x + 12000; at += every) {
        const x = (at - centre) * depth * camera.scale + width / 2;
        const w = wide * camera.scale;
        if (x + w < 0 || x > width) continue;
        const h = tall * (0.75 + 0.25 * Math.sin(at * 0.37)) * camera.scale;
        context.beginPath();
        context.roundRect(x, ground - h, w, h, [w * 0.25, w * 0.25, 0, 0]);
        context.fill();
      }
      context.globalAlpha = 1;
    }
    context.fillStyle = palette.ground;
    context.fillRect(0, ground, width, height - ground);
    context.fillStyle = palette.edge;
    context.fillRect(0, ground, width, 1.5);
    this.drawScale(context, camera);
  }

  /** Marks on the ground every 1,000 units, and the walls. */
  drawScale(context, camera) {
    const { palette, rules } = this;
    const { ground, height } = camera;
    context.strokeStyle = palette.edge;
    context.lineWidth = 1;
    context.globalAlpha = 0.5;
    context.beginPath();
    for (let at = rules.min_x; at <= rules.max_x; at += 1000) {
      const x = Math.round(camera.x(at)) + 0.5;
      context.moveTo(x, ground + 2);
      context.lineTo(x, ground + (at % 5000 === 0 ? 9 : 5));
    }
    context.stroke();
    context.fillStyle = palette.edge;
    for (const [from, to] of [[-1e6, rules.min_x], [rules.max_x, 1e6]]) {
      const left = Math.max(0, camera.x(from));
      const right = Math.min(camera.width, camera.x(to));
      if (right > left) context.fillRect(left, 0, right - left, height);
    }
    context.globalAlpha = 1;
  }

  drawShadow(context, camera, player) {
    const { rules } = this;
    const high = Math.max(0, player.y - rules.ground_y);
    const size = (rules.player_width * camera.scale * 0.62) / (1 + high / 3000);
    context.fillStyle = this.palette.shadow;
    context.beginPath();
    context.ellipse(camera.x(player.x + rules.player_width / 2), camera.ground + 3, size, Math.max(2, size * 0.16), 0, 0, 2 * Math.PI);
    context.fill();
  }

  drawFighter(context, camera, player, seat, frame) {
    const { rules } = this;
    const fallen = this.isFallen(player);
    const colours = this.palette.seats[seat];
    const fresh = player.state === 4 && player.hitstun_frames > rules.hitstun_frames - 3;
    const shake = fresh ? ((player.hitstun_frames % 2) * 2 - 1) * 0.04 * rules.player_width * camera.scale : 0;
    const x = camera.x(player.x + rules.player_width / 2) + shake;
    if (player.attack_active_frames > 0) this.drawSwing(context, camera, player, colours);
    drawFigure(context, {
      x, y: camera.y(player.y), height: rules.player_height * camera.scale, facing: player.facing,
      pose: fallen ? LYING : poseOf(player, rules, frame, seat), fallen,
      colours: fresh ? { body: colour("text"), far: colour("quiet"), trim: colours.body, edge: colours.body } : colours,
    });
    const size = Math.max(10, Math.min(15, 150 * camera.scale));
    context.fillStyle = colours.body;
    context.font = `700 ${size}px ${FONT}`;
    context.textAlign = "center";
    context.textBaseline = "bottom";
    context.fillText(String(seat + 1), x, camera.y(player.y + rules.player_height * (fallen ? 0.35 : 1.08)));
  }

  /** The rules let a fighter without hit points go on: it lies only while it does nothing. */
  isFallen(player) {
    const still = (player.state === 0 || player.state === 4) && player.attack_active_frames <= 0;
    return player.hp <= 0 && player.y <= this.rules.ground_y && still;
  }

  /** The arc of an open attack: it reaches as far as the hit box. */
  drawSwing(context, camera, player, colours) {
    const { rules } = this;
    const open = Math.min(1, player.attack_active_frames / rules.attack_active_frames);
    const from = camera.x(player.x + rules.player_width / 2);
    const reach = (rules.player_width / 2 + rules.hitbox_width) * camera.scale;
    const middle = camera.y(player.y + rules.hitbox_height * 0.72);
    context.save();
    context.translate(from, middle);
    context.scale(player.facing < 0 ? -1 : 1, 1);
    const glow = context.createLinearGradient(reach * 0.25, 0, reach, 0);
    glow.addColorStop(0, mix(colours.body, "transparent", 0));
    glow.addColorStop(1, mix(colours.body, "transparent", 0.25 + 0.5 * open));
    context.fillStyle = glow;
    context.beginPath();
    context.ellipse(0, 0, reach, reach * 0.34, 0, -Math.PI / 2.4, Math.PI / 2.6);
    context.ellipse(reach * 0.08, 0, reach * 0.68, reach * 0.2, 0, Math.PI / 2.6, -Math.PI / 2.4, true);
    context.closePath();
    context.fill();
    context.restore();
  }

  drawSpark(context, camera, struck, other) {
    const { rules } = this;
    const age = rules.hitstun_frames - struck.hitstun_frames;
    if (struck.hitstun_frames <= 0 || age >= SPARK_FRAMES) return;
    const toOther = other.x >= struck.x ? 1 : -1;
    const x = camera.x(struck.x + rules.player_width * (0.5 + 0.35 * toOther));
    const y = camera.y(struck.y + rules.player_height * 0.6);
    const size = rules.player_height * camera.scale * (0.22 + 0.05 * age);
    context.save();
    context.globalAlpha = 1 - age / SPARK_FRAMES;
    context.translate(x, y);
    context.rotate(0.4);
    context.fillStyle = colour("warn");
    context.beginPath();
    for (let point = 0; point < 16; point += 1) {
      const far = point % 2 === 0 ? size * (point % 4 === 0 ? 1 : 0.72) : size * 0.26;
      context.lineTo(Math.cos((point * Math.PI) / 8) * far, Math.sin((point * Math.PI) / 8) * far);
    }
    context.closePath();
    context.fill();
    context.fillStyle = colour("panel");
    context.beginPath();
    context.arc(0, 0, size * 0.2, 0, 2 * Math.PI);
    context.fill();
    context.restore();
  }

  /** The other state: pale figures where its fighters stand, so that a difference is seen and equality is not. */
  drawGhost(context, camera, ghost) {
    const pale = mix(colour("text"), "transparent", 0.3);
    for (const seat of [0, 1]) this.drawPale(context, camera, playerOf(ghost, seat), seat, Number(ghost.frame), pale);
  }

  drawPale(context, camera, player, seat, frame, body) {
    const { rules } = this;
    const fallen = this.isFallen(player);
    drawFigure(context, {
      x: camera.x(player.x + rules.player_width / 2), y: camera.y(player.y), fallen,
      height: rules.player_height * camera.scale, facing: player.facing,
      pose: fallen ? LYING : poseOf(player, rules, frame, seat),
      colours: { body, far: body, trim: body, edge: "transparent" },
    });
  }

  /** Where a fighter was shown before it turned out to be elsewhere, and the way to there. */
  drawCorrection(context, camera, { seat, frame, old, now, alpha }) {
    const { rules } = this;
    const middle = (player) => [camera.x(player.x + rules.player_width / 2), camera.y(player.y + rules.player_height / 2)];
    this.drawPale(context, camera, old, seat, frame, mix(colour("bad"), "transparent", alpha * 0.75));
    context.strokeStyle = mix(colour("bad"), "transparent", alpha);
    context.lineWidth = 2;
    context.beginPath();
    context.moveTo(...middle(old));
    context.lineTo(...middle(now));
    context.stroke();
  }

  drawBoxes(context, camera, boxes) {
    context.save();
    context.lineWidth = 1.5;
    for (const { seat, kind, x, y, width, height } of boxes) {
      const name = kind === "hurt" ? COLOURS[seat] : "bad";
      context.setLineDash(kind === "hit" ? [] : [4, 3]);
      context.strokeStyle = colour(name);
      context.fillStyle = mix(colour(name), "transparent", kind === "hit" ? 0.28 : 0.08);
      const place = [camera.x(x), camera.y(y + height), width * camera.scale, height * camera.scale];
      context.fillRect(...place);
      context.strokeRect(...place);
    }
    context.restore();
  }

  drawBars(context, width, players, names, losses) {
    const { palette, rules } = this;
    const size = Math.max(11, Math.min(15, width / 46));
    const long = Math.min(width * 0.42, 460);
    const tall = Math.max(8, size * 0.75);
    const top = size * 1.75;
    context.font = `600 ${size}px ${FONT}`;
    context.textBaseline = "bottom";
    players.forEach((player, seat) => {
      const share = Math.max(0, Math.min(1, player.hp / rules.default_hp));
      const struck = player.hitstun_frames > 0 ? rules.attack_damage : 0;
      const lost = Math.min((losses?.[seat] ?? struck) / rules.default_hp, 1 - share);
      const outer = seat === 0 ? width * 0.02 : width * 0.98 - long;
      context.fillStyle = mix(palette.text, palette.panel, 0.16);
      context.beginPath();
      context.roundRect(outer, top, long, tall, tall / 2);
      context.fill();
      context.save();
      context.clip();
      // A bar empties towards the outer edge of the picture.
      const from = (part) => (seat === 0 ? outer + long * (1 - part) : outer);
      if (lost > 0) {
        context.fillStyle = colour("bad");
        context.fillRect(from(share + lost), top, long * (share + lost), tall);
      }
      context.fillStyle = colour(COLOURS[seat]);
      context.fillRect(from(share), top, long * share, tall);
      context.restore();
      context.fillStyle = palette.text;
      context.textAlign = seat === 0 ? "left" : "right";
      context.fillText(names[seat] ?? "", seat === 0 ? outer + 2 : outer + long - 2, top - 2);
      context.textAlign = seat === 0 ? "right" : "left";
      context.fillText(String(player.hp), seat === 0 ? outer + long - 2 : outer + 2, top - 2);
    });
  }

  drawEnd(context, width, height, players) {
    const size = Math.max(20, Math.min(54, width / 14));
    context.font = `800 ${size}px ${FONT}`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.lineWidth = size / 7;
    context.lineJoin = "round";
    context.strokeStyle = this.palette.panel;
    context.fillStyle = colour("bad");
    const word = players.every((player) => player.hp <= 0) ? "DOUBLE K.O." : "K.O.";
    context.strokeText(word, width / 2, height * 0.36);
    context.fillText(word, width / 2, height * 0.36);
  }
}
