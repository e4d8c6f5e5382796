// The strip above the scrubber: inputs of each player as rows of marks, hit points and hits of the fighter, and how
// far checksums agree. It is drawn once to a canvas of its own; then only the line of the shown frame moves.

import { colour } from "../../parts/dom.js";

const LANE = 4;
const GAP = 4;
const HEALTH = 22;
const CHECKS = 4;
const SEATS = ["one", "two", "good", "warn"];
const MOST_ROWS = 40; // of lanes, all players together

/** The bits that some player ever pressed, lowest first. */
function lanesOf(timeline) {
  let used = 0;
  for (const player of timeline.inputs) for (const bits of player) used |= bits;
  const lanes = [];
  for (let bit = 0; bit < 16; bit += 1) if (used & (1 << bit)) lanes.push(bit);
  return lanes.slice(0, Math.max(1, Math.floor(MOST_ROWS / timeline.inputs.length)));
}

export function heightOf(timeline) {
  const rows = timeline.inputs.length * (Math.max(1, lanesOf(timeline).length) * LANE + GAP);
  return (timeline.health ? HEALTH + GAP : 0) + rows + CHECKS;
}

/**
 * Draws one recording's strip at y.
 * @param {CanvasRenderingContext2D} context
 * @param {{ first: number, last: number }} range frames from the left to the right edge
 */
export function drawStrip(context, timeline, range, y, width) {
  const place = (frame) => ((frame - range.first) / Math.max(1, range.last - range.first)) * width;
  let top = y;
  if (timeline.health) {
    drawHealth(context, timeline, place, top);
    top += HEALTH + GAP;
  }
  const lanes = lanesOf(timeline);
  const wide = Math.max(1, place(range.first + timeline.per));
  timeline.inputs.forEach((columns, player) => {
    const tall = Math.max(1, lanes.length) * LANE;
    context.fillStyle = colour("panel-2");
    context.fillRect(place(timeline.first), top, place(timeline.last) - place(timeline.first), tall);
    context.fillStyle = colour(SEATS[player % SEATS.length]);
    columns.forEach((bits, column) => {
      if (!bits) return;
      const x = place(timeline.first + column * timeline.per);
      lanes.forEach((bit, row) => {
        if (bits & (1 << bit)) context.fillRect(x, top + row * LANE, wide, LANE - 1);
      });
    });
    top += tall + GAP;
  });
  drawChecks(context, timeline, place, top - GAP / 2);
}

function drawHealth(context, timeline, place, top) {
  timeline.health.forEach((columns, player) => {
    context.strokeStyle = colour(SEATS[player]);
    context.fillStyle = colour(SEATS[player]);
    context.lineWidth = 1.5;
    context.beginPath();
    let before = 100;
    const hits = [];
    context.moveTo(place(timeline.first), top + 2);
    columns.forEach((health, column) => {
      const x = place(timeline.first + (column + 1) * timeline.per);
      const level = (value) => top + 2 + (1 - Math.max(0, Math.min(100, value)) / 100) * (HEALTH - 4);
      if (health !== before) {
        context.lineTo(x, level(before));
        if (health < before) hits.push([x, level(health)]);
      }
      context.lineTo(x, level(health));
      before = health;
    });
    context.stroke();
    for (const [x, y] of hits) {
      context.beginPath();
      context.arc(x, y, 2.5, 0, 2 * Math.PI);
      context.fill();
    }
  });
}

/** Green as far as recorded checksums agree, red from the first that does not. */
function drawChecks(context, timeline, place, top) {
  const left = place(timeline.first);
  const bar = (from, to, name) => {
    context.fillStyle = colour(name);
    context.fillRect(from, top, Math.max(2, to - from), CHECKS - 1);
  };
  const { verdict } = timeline;
  bar(left, place(timeline.last), "line");
  if (!verdict) {
    if (timeline.done > timeline.first) bar(left, place(timeline.done), "quiet");
    return;
  }
  if (verdict.last_good !== null) bar(left, place(verdict.last_good), "good");
  if (verdict.first_bad !== null) bar(place(verdict.first_bad), place(timeline.last), "bad");
}
