// One fighter as a figure of limbs. A pose is a set of angles made from the player's fields; nothing is remembered
// between pictures, so that any frame can be drawn at any time.
//
// Lengths are shares of the height of the fighter's box. Angles are in radians from straight down; positive is
// forward, where the fighter looks.

const HEAD = 0.105;
const TORSO = 0.29;
const THIGH = 0.225;
const SHIN = 0.225;
const UPPER_ARM = 0.15;
const FOREARM = 0.17;
const HIP = 0.445;

/** Names of the action states; see docs/reference/fighter.md. */
export const ACTIONS = ["idle", "run", "jump", "attack", "hitstun"];
const [IDLE, RUN, JUMP, ATTACK, STUNNED] = [0, 1, 2, 3, 4];

/**
 * @typedef {{ lean: number, drop: number, head: number, legs: number[][], arms: number[][] }} Pose
 * lean: of the torso; drop: how far the hip is below its place; legs: thigh and knee, back leg first; arms: shoulder
 * and elbow, back arm first.
 */

function idle(frame, seat) {
  const breath = Math.sin(frame / 9 + seat * 2);
  return {
    lean: 0.13, drop: 0.035 + 0.008 * breath, head: 0,
    legs: [[-0.42, 0.35], [0.42, 0.55]],
    arms: [[0.35 + 0.05 * breath, 1.75], [0.75 - 0.05 * breath, 1.5]],
  };
}

function run(x, facing) {
  const stride = (x * facing) / 420;
  const swing = Math.sin(stride);
  return {
    lean: 0.34, drop: 0.03 + 0.02 * Math.abs(Math.cos(stride)), head: -0.1,
    legs: [[-0.95 * swing, 0.5 + 0.7 * Math.max(0, Math.cos(stride))], [0.95 * swing, 0.5 + 0.7 * Math.max(0, -Math.cos(stride))]],
    arms: [[1.0 * swing, 1.35], [-1.0 * swing, 1.35]],
  };
}

function jump(vy, fastest) {
  const rise = Math.max(-1, Math.min(1, vy / fastest));
  const tuck = 1 - Math.abs(rise);
  return {
    lean: 0.1 + 0.1 * rise, drop: 0, head: 0.1 * rise,
    legs: [[-0.45 + 0.5 * tuck, 0.5 + 1.1 * tuck], [0.45 + 0.7 * tuck, 0.6 + 1.1 * tuck]],
    arms: [[-0.9 - 0.5 * rise, 0.5], [1.5 + 0.8 * rise, 0.5]],
  };
}

/** `open` goes from 1, when the attack begins, to 0, when its window closes. */
function attack(open) {
  const reach = Math.sin(Math.min(1, 0.35 + (1 - open) * 1.3) * Math.PI * 0.62);
  return {
    lean: 0.2 + 0.32 * reach, drop: 0.07, head: -0.15,
    legs: [[-0.75, 0.2], [0.8, 0.75]],
    arms: [[-0.6, 1.7], [1.05 + 0.42 * reach, 0.9 - 0.85 * reach]],
  };
}

/** `fresh` goes from 1, when the blow lands, to 0, when the fighter recovers. */
function stunned(fresh) {
  return {
    lean: -0.12 - 0.5 * fresh, drop: 0.03 + 0.05 * fresh, head: -0.5 * fresh,
    legs: [[-0.55, 0.6 + 0.3 * fresh], [0.35 + 0.45 * fresh, 0.5]],
    arms: [[0.9 * fresh + 0.2, 0.6], [1.3 * fresh + 0.4, 0.5 + 0.4 * (1 - fresh)]],
  };
}

/**
 * @param {Object<string, number>} player fields of one player
 * @param {Object<string, number>} rules
 * @returns {Pose}
 */
export function poseOf(player, rules, frame, seat) {
  if (player.state === STUNNED) return stunned(Math.min(1, Math.max(0, player.hitstun_frames / rules.hitstun_frames)));
  if (player.attack_active_frames > 0 || player.state === ATTACK) {
    return attack(Math.max(0, player.attack_active_frames) / rules.attack_active_frames);
  }
  if (player.state === JUMP || player.y > rules.ground_y) return jump(player.vy, rules.jump_velocity);
  if (player.state === RUN) return run(player.x, player.facing);
  return idle(frame, seat);
}

function along(from, angle, length) {
  return [from[0] + Math.sin(angle) * length, from[1] + Math.cos(angle) * length];
}

/** Where all joints are, with the feet at [0, 0] and y downwards, in shares of the height. */
function jointsOf(pose) {
  const hip = [-0.02, -HIP + pose.drop];
  const neck = along(hip, Math.PI - pose.lean, TORSO);
  const shoulder = along(hip, Math.PI - pose.lean, TORSO * 0.9);
  const head = along(neck, Math.PI - pose.lean - pose.head, HEAD * 1.12);
  const legs = pose.legs.map(([thigh, knee]) => {
    const middle = along(hip, thigh, THIGH);
    return [hip, middle, along(middle, thigh - knee, SHIN)];
  });
  const arms = pose.arms.map(([upper, elbow]) => {
    const middle = along(shoulder, upper, UPPER_ARM);
    return [shoulder, middle, along(middle, upper + elbow, FOREARM)];
  });
  return { hip, neck, head, legs, arms };
}

function stroke(context, points, width) {
  context.lineWidth = width;
  context.beginPath();
  context.moveTo(...points[0]);
  for (const point of points.slice(1)) context.lineTo(...point);
  context.stroke();
}

function drawBack(context, joints, colours) {
  context.strokeStyle = colours.far;
  context.fillStyle = colours.far;
  stroke(context, joints.legs[0], 0.085);
  stroke(context, joints.arms[0], 0.068);
  disc(context, joints.arms[0][2], 0.05);
}

function drawFront(context, joints, colours) {
  context.strokeStyle = colours.body;
  context.fillStyle = colours.body;
  stroke(context, joints.legs[1], 0.092);
  stroke(context, [joints.hip, joints.neck], 0.165);
  context.strokeStyle = colours.trim;
  stroke(context, [[joints.hip[0] - 0.075, joints.hip[1]], [joints.hip[0] + 0.075, joints.hip[1]]], 0.035);
  context.fillStyle = colours.body;
  disc(context, joints.head, HEAD);
  band(context, joints, colours.trim);
  context.strokeStyle = colours.edge;
  stroke(context, joints.arms[1], 0.094);
  context.strokeStyle = colours.body;
  stroke(context, joints.arms[1], 0.07);
  context.fillStyle = colours.trim;
  disc(context, joints.arms[1][2], 0.055);
}

function disc(context, at, radius) {
  context.beginPath();
  context.arc(at[0], at[1], radius, 0, 2 * Math.PI);
  context.fill();
}

/** A head band whose ends fly behind: it shows at once where the fighter looks. */
function band(context, joints, trim) {
  const [x, y] = joints.head;
  context.strokeStyle = trim;
  stroke(context, [[x - HEAD * 0.95, y - HEAD * 0.15], [x + HEAD * 0.97, y - HEAD * 0.25]], 0.038);
  stroke(context, [[x - HEAD * 0.95, y - HEAD * 0.15], [x - HEAD * 1.7, y + HEAD * 0.15], [x - HEAD * 2.2, y - HEAD * 0.1]], 0.026);
}

/**
 * Draws a fighter with its feet at x, y.
 * @param {CanvasRenderingContext2D} context
 * @param {{ x: number, y: number, height: number, facing: number, pose: Pose, fallen?: boolean,
 *           colours: { body: string, far: string, trim: string, edge: string } }} figure
 */
export function drawFigure(context, { x, y, height, facing, pose, fallen = false, colours }) {
  const joints = jointsOf(pose);
  const lowest = Math.max(joints.legs[0][2][1], joints.legs[1][2][1]);
  context.save();
  context.translate(x, y);
  context.scale(facing < 0 ? -height : height, height);
  if (fallen) {
    // On its back, head away from where it looked.
    context.translate(-0.1, -0.07);
    context.rotate(-Math.PI / 2 + 0.06);
    context.translate(0, 0.42);
  } else {
    context.translate(0, -lowest - 0.042);
  }
  context.lineCap = "round";
  context.lineJoin = "round";
  drawBack(context, joints, colours);
  drawFront(context, joints, colours);
  context.restore();
}

/** Lying flat, for a fighter without hit points on the ground. */
export const LYING = {
  lean: 0.03, drop: 0, head: 0.15,
  legs: [[-0.12, 0.1], [0.2, 0.5]],
  arms: [[-0.5, 0.3], [0.7, 0.5]],
};
