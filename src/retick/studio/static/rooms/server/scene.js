// What is drawn: the newest moment, trails behind the runners, and corrections that fade. All of it is bounded.

const TRAIL = 100; // points of each trail
const MOST_TRAILS = 64;
const MOST_ARROWS = 200;
const LEAST = 0.02; // metres: what is shorter is in the plot only
const LABELLED = 0.1;
const LABEL_REST = 500; // milliseconds between two labels at one runner, so that they can be read
export const FADE = 1600; // milliseconds

/** The last places of one runner, oldest first. */
export class Trail {
  constructor() {
    this.places = new Float32Array(TRAIL * 3);
    this.count = 0;
  }

  push(x, y, z) {
    const at = (this.count % TRAIL) * 3;
    this.places[at] = x;
    this.places[at + 1] = y;
    this.places[at + 2] = z;
    this.count += 1;
  }

  /** Calls `visit(x, y, z)` for each place. */
  each(visit) {
    for (let number = Math.max(0, this.count - TRAIL); number < this.count; number += 1) {
      const at = (number % TRAIL) * 3;
      visit(this.places[at], this.places[at + 1], this.places[at + 2]);
    }
  }
}

export class Scene {
  constructor() {
    this.boxes = [];
    this.body = [0.7, 1.1, 0.35];
    this.clear();
  }

  /** Forgets everything that moves: another room, or another runner is watched. */
  clear() {
    this.frame = null;
    this.trails = new Map(); // "t2", "o2": of the server and of the watched client, by peer id
    this.arrows = [];
    this.newest = 0; // id of the newest correction
  }

  /** Forgets trails: they belong to the runner that was watched before. */
  clearTrails() {
    this.trails.clear();
  }

  /** Takes a message of the type frame; `now` in milliseconds. */
  take(frame, now) {
    if (this.frame && frame.tick < this.frame.tick) this.clear(); // the room was made anew
    this.frame = frame;
    const seen = new Set();
    const mark = (key, x, y, z) => {
      seen.add(key);
      if (!this.trails.has(key)) this.trails.set(key, new Trail());
      this.trails.get(key).push(x, y, z);
    };
    for (const [peer, x, y, z] of frame.truth) mark(`t${peer}`, x, y, z);
    for (const [peer, x, y, z] of frame.others) mark(`o${peer}`, x, y, z);
    if (frame.own) {
      const [peer, x, y, z, , , dx, dy, dz] = frame.own;
      mark(`o${peer}`, x + dx, y + dy, z + dz);
    }
    for (const key of this.trails.keys()) if (!seen.has(key) || this.trails.size > MOST_TRAILS) this.trails.delete(key);
    for (const [id, peer, metres, ...ends] of frame.corrections) {
      if (id <= this.newest) continue;
      this.newest = id;
      if (metres < LEAST) continue;
      const labelled = metres >= LABELLED && !this.arrows.some((one) => one.peer === peer && one.labelled && now - one.born < LABEL_REST);
      this.arrows.push({ peer, metres, labelled, from: ends.slice(0, 3), to: ends.slice(3), born: now });
    }
    while (this.arrows.length && (now - this.arrows[0].born > FADE || this.arrows.length > MOST_ARROWS)) this.arrows.shift();
  }
}
