// What stands beside the picture: facts of a file, inputs around the frame, a desync's sides, a comparison in words.

import { element } from "../../parts/dom.js";

export const LETTERS = ["A", "B"];

/** Facts of a file as a list of two columns. */
export function factsPanel(opened) {
  const rows = [["file", opened.name], ["format", opened.format], ["bytes", opened.size.toLocaleString("en")], ...opened.facts];
  return element(
    "table",
    { class: "facts" },
    element("tbody", {}, ...rows.map(([name, value]) =>
      element("tr", {}, element("th", { scope: "row" }, name), element("td", { class: "mono" }, String(value))))),
  );
}

/** Inputs of the frames around the shown one. The input of a frame leads to the next one. */
export function inputsPanel(views, frame) {
  return views.map((view, slot) => {
    if (!view?.inputs?.length) return null;
    const players = view.inputs[0][1].length;
    const heading = ["Frame", ...Array.from({ length: players }, (_, player) => `Player ${player + 1}`)];
    return element(
      "table",
      { class: "inputs" },
      element("caption", {}, views.filter(Boolean).length > 1 ? `Recording ${LETTERS[slot]}` : "Inputs, as hexadecimal"),
      element("thead", {}, element("tr", {}, ...heading.map((text) => element("th", { scope: "col" }, text)))),
      element("tbody", {}, ...view.inputs.map(([at, values]) =>
        element("tr", { class: at === frame ? "here" : null },
          element("th", { scope: "row", class: "number" }, String(at)),
          ...values.map((value) => element("td", { class: /[^0]/.test(value) ? "number" : "number quiet" }, value))))),
    );
  }).filter(Boolean);
}

/** How far the checksums of a file agree: text, style and the frame that it names. */
export function verdictOf(timeline) {
  if (!timeline) return { text: "", style: "quiet", frame: null };
  const { verdict } = timeline;
  if (!verdict) {
    const share = (timeline.done - timeline.first) / Math.max(1, timeline.last - timeline.first);
    return { text: timeline.done > timeline.first ? `checking ${Math.round(share * 100)} %` : "", style: "quiet", frame: null };
  }
  if (verdict.word === "verified") return { text: "verified", style: "good", frame: null, title: verdict.text };
  if (verdict.word === "unknown") return { text: "no checksums to compare", style: "quiet", frame: null, title: verdict.text };
  return { text: `differs at frame ${verdict.first_bad}`, style: "bad", frame: verdict.first_bad, title: verdict.text };
}

function listed(fields) {
  const shown = fields.slice(0, 4).map(([name, here, there]) => `${name} ${here} | ${there}`);
  return shown.join(", ") + (fields.length > 4 ? ` and ${fields.length - 4} more` : "");
}

/** A comparison as sentences; the first is the most important one. */
export function comparisonLines(compared) {
  if (compared.same) {
    const [ours, theirs] = compared.lasts;
    const both = Math.min(ours, theirs);
    const longer = ours === theirs ? "" : `; ${LETTERS[ours > theirs ? 0 : 1]} is ${Math.abs(ours - theirs)} frames longer`;
    return [`The same match up to frame ${both}${longer}.`];
  }
  const lines = [];
  if (compared.state_frame !== null) lines.push(`States first differ at frame ${compared.state_frame}: ${listed(compared.fields)}.`);
  if (compared.input_frame !== null) {
    const [ours, theirs] = compared.inputs;
    const players = ours.map((value, player) => (value === theirs[player] ? null : `player ${player + 1} ${value} | ${theirs[player]}`));
    lines.push(`Inputs first differ at frame ${compared.input_frame}: ${players.filter(Boolean).join(", ")}.`);
  }
  if (compared.checksum_frame !== null) lines.push(`Recorded checksums first differ at frame ${compared.checksum_frame}.`);
  if (compared.setup.length) lines.push(`They start from different matches: ${listed(compared.setup)}.`);
  if (!lines.length) lines.push("They have no frame in common.");
  return lines;
}

/** Rows of a desync for the table of states. */
export function bundleFields(bundle) {
  const checksums = { name: "checksum", values: bundle.sides.map((side) => side.checksum) };
  return [checksums, ...bundle.fields.map(([name, values, differs]) => ({ name, values, differs }))];
}

/** The state of a side of the desync that is not the shown one; null if no whole state is known. */
export function otherSide(bundle, state) {
  if (!bundle.complete) return null;
  const states = bundle.sides.map((_, side) => Object.fromEntries(bundle.fields.map(([name, values]) => [name, Number(values[side])])));
  return states.find((other) => bundle.fields.some(([name]) => other[name] !== state[name])) ?? null;
}

export function bundleHeadings(bundle) {
  return bundle.sides.map((side) => (side.own ? `${side.label} *` : side.label));
}
