// From metres to pixels: the course from above (x right, z down) and from the side (x right, y up).

const WHOLE = { x0: -31.2, x1: 31.2, z0: -35.2, z1: 8.2 };
const ACROSS = 22; // metres that are seen beside each other when a runner is followed
const EASE = 0.12;

/** Where the two views look: at the whole course, or at one runner, with a little inertia. */
export class Camera {
  constructor() {
    this.whole = false;
    this.x = 0;
    this.y = 0;
    this.z = 0;
    this.placed = false;
  }

  follow(x, y, z) {
    const ease = this.placed && Math.hypot(x - this.x, z - this.z) < 12 ? EASE : 1;
    this.x += (x - this.x) * ease;
    this.y += (y - this.y) * ease * 0.6;
    this.z += (z - this.z) * ease;
    this.placed = true;
  }

  /** @returns {Projection} */
  above(width, height) {
    if (this.whole) {
      const scale = Math.min(width / (WHOLE.x1 - WHOLE.x0), height / (WHOLE.z1 - WHOLE.z0));
      return projection(width / 2, height / 2, scale, (WHOLE.x0 + WHOLE.x1) / 2, (WHOLE.z0 + WHOLE.z1) / 2, (x, y, z) => z);
    }
    return projection(width / 2, height / 2, width / ACROSS, this.x, this.z, (x, y, z) => z);
  }

  /** @returns {Projection} */
  side(width, height) {
    if (this.whole) {
      const scale = width / (WHOLE.x1 - WHOLE.x0);
      return projection(width / 2, height - 10, scale, (WHOLE.x0 + WHOLE.x1) / 2, 0, (x, y) => -y);
    }
    const scale = width / ACROSS;
    const lowest = Math.max(0, this.y + 2.2 - (height - 10) / scale); // goes up with a runner that would leave at the top
    return projection(width / 2, height - 10, scale, this.x, -lowest, (x, y) => -y);
  }
}

/** @typedef {{ scale: number, x: (x: number) => number, y: (x: number, y: number, z: number) => number }} Projection */

function projection(left, top, scale, x0, down0, down) {
  return { scale, x: (x) => left + (x - x0) * scale, y: (x, y, z) => top + (down(x, y, z) - down0) * scale };
}
