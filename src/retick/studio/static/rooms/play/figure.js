// One fighter, drawn from the fields of its state. Everything is a share of its height, so it fits every size.

import { colour } from "../../parts/dom.js";

const IDLE = 0;
const RUN = 1;
const JUMP = 2;
const HITSTUN = 4;

/** Joints of a pose: shares of the height, x to the front, y up. */
function pose(fighter, frame) {
  const { action, active, hitstun, vy } = fighter;
  const stride = Math.sin(frame * 0.55);
  const breath = Math.sin(frame * 0.09) * 0.012;
  const joints = {
    lean: 0, hip: [0, 0.46], chest: [0.02, 0.74 + breath], head: [0.05, 0.9 + breath],
    knees: [[0.1, 0.25], [-0.07, 0.25]], feet: [[0.12, 0], [-0.14, 0]],
    elbows: [[0.17, 0.6], [-0.02, 0.58]], hands: [[0.25, 0.72], [0.14, 0.66]],
  };
  if (action === RUN) {
    joints.lean = 0.07;
    joints.knees = [[0.14 * stride + 0.06, 0.27], [-0.14 * stride + 0.06, 0.27]];
    joints.feet = [[0.26 * stride, Math.max(0, -stride) * 0.14], [-0.26 * stride, Math.max(0, stride) * 0.14]];
    joints.elbows = [[-0.12 * stride + 0.08, 0.58], [0.12 * stride, 0.58]];
    joints.hands = [[-0.2 * stride + 0.16, 0.64], [0.2 * stride + 0.1, 0.6]];
  } else if (action === JUMP) {
    const rise = vy > 0;
    joints.knees = [[0.17, rise ? 0.36 : 0.3], [-0.02, 0.3]];
    joints.feet = [[0.1, rise ? 0.16 : 0.06], [-0.14, rise ? 0.1 : 0.04]];
    joints.elbows = [[0.18, 0.72], [-0.14, 0.68]];
    joints.hands = [[0.26, 0.84], [-0.2, 0.82]];
  } else if (action === HITSTUN) {
    const back = Math.min(hitstun, 12) / 12;
    joints.lean = -0.16 * back;
    joints.head = [-0.06 * back, 0.88];
    joints.hands = [[0.16, 0.86], [-0.2, 0.8]];
    joints.elbows = [[0.1, 0.68], [-0.14, 0.64]];
  }
  if (active > 0) {
    joints.lean = 0.1;
    joints.feet = [[0.24, 0], [-0.22, 0]];
    joints.knees = [[0.2, 0.24], [-0.1, 0.22]];
    joints.elbows = [[0.3, 0.66], [-0.08, 0.56]];
    joints.hands = [[0.62, 0.66], [-0.02, 0.6]];
  }
  return joints;
}

function limb(context, points) {
  context.beginPath();
  context.moveTo(points[0][0], points[0][1]);
  for (const [x, y] of points.slice(1)) context.lineTo(x, y);
  context.stroke();
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {{ x: number, y: number, height: number }} place middle of the feet, in pixels
 * @param {Object} fighter fields of its state
 * @param {{ frame: number, name: string, alpha?: number, outline?: boolean }} look name is a colour of the style sheet
 */
export function drawFigure(context, { x, y, height }, fighter, { frame, name, alpha = 1, outline = false }) {
  const { lean, hip, chest, head, knees, feet, elbows, hands } = pose(fighter, frame);
  const front = fighter.facing >= 0 ? 1 : -1;
  const at = ([px, py]) => [x + front * (px + lean * py) * height, y - py * height];
  const flash = fighter.hitstun > 14 && frame % 4 < 2;
  const body = flash ? colour("text") : colour(name);
  context.save();
  context.lineCap = context.lineJoin = "round";
  context.strokeStyle = context.fillStyle = body;
  const thick = (share) => {
    context.lineWidth = Math.max(outline ? 1.5 : 2, height * (outline ? 0.045 : share));
  };
  context.globalAlpha = alpha * 0.62; // the far arm and leg
  thick(0.115);
  limb(context, [hip, knees[1], feet[1]].map(at));
  limb(context, [chest, elbows[1], hands[1]].map(at));
  context.globalAlpha = alpha;
  thick(0.13);
  limb(context, [hip, knees[0], feet[0]].map(at));
  thick(0.21);
  limb(context, [hip, chest].map(at));
  thick(0.11);
  limb(context, [chest, elbows[0], hands[0]].map(at));
  context.beginPath();
  context.arc(...at(head), height * 0.115, 0, 2 * Math.PI);
  if (outline) context.stroke();
  else context.fill();
  if (!outline) drawBand(context, at, head, height, frame, fighter.action !== IDLE);
  context.restore();
}

/** A headband whose ends fly behind. */
function drawBand(context, at, [hx, hy], height, frame, moves) {
  const wave = Math.sin(frame * 0.3) * (moves ? 0.05 : 0.02);
  context.strokeStyle = colour("panel");
  context.lineWidth = Math.max(1.5, height * 0.045);
  limb(context, [[hx + 0.1, hy + 0.035], [hx - 0.1, hy + 0.035]].map(at));
  limb(context, [[hx - 0.1, hy + 0.035], [hx - 0.19, hy + 0.03 + wave], [hx - 0.27, hy - wave]].map(at));
}
