// The fields of a state as a table; rows whose value changed are marked. Rows are made once and then reused.

import { element } from "./dom.js";

/** Rows shown; what is beyond is counted in a last line. */
export const MOST_ROWS = 500;

export class FieldTable {
  /** @param {HTMLElement} place gets the table; it scrolls if the place is smaller */
  constructor(place) {
    this.rows = []; // { row, name, value, shownName, shownValue }
    this.shown = 0; // rows that are in the table now
    this.names = ""; // all names in one text: other names are another shape, in which nothing counts as changed
    this.body = element("tbody");
    this.more = element("caption", { class: "quiet", style: { captionSide: "bottom", textAlign: "left" } });
    this.table = element(
      "table",
      { class: "field-table" },
      this.more,
      element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "Field"), element("th", { scope: "col" }, "Value"))),
      this.body,
    );
    place.append(this.table);
  }

  /**
   * Shows these fields; rows with another value than in the call before are marked.
   * @param {[string, string][]} fields name and value, both as text
   * @param {number} [left] fields that there are besides
   */
  update(fields, left = 0) {
    const count = Math.min(fields.length, MOST_ROWS);
    const names = fields.map(([name]) => name).join("\n");
    const same = names === this.names;
    this.names = names;
    for (let index = 0; index < count; index += 1) {
      const [name, value] = fields[index];
      this.setRow(this.rows[index] ?? this.addRow(), name, value, same);
    }
    for (; this.shown < count; this.shown += 1) this.body.append(this.rows[this.shown].row);
    for (; this.shown > count; this.shown -= 1) this.rows[this.shown - 1].row.remove();
    const beyond = fields.length - count + left;
    const more = beyond > 0 ? `and ${beyond} more` : "";
    if (this.more.textContent !== more) this.more.textContent = more;
  }

  /** Takes all marks away, for example after a jump to another place of a replay. */
  unmark() {
    for (const one of this.rows) this.mark(one, false);
  }

  addRow() {
    const name = element("td", { class: "mono" });
    const value = element("td", { class: "number" });
    const made = { row: element("tr", {}, name, value), name, value, shownName: "", shownValue: "", marked: false };
    this.rows.push(made);
    return made;
  }

  setRow(one, name, value, same) {
    if (one.shownName !== name) {
      one.name.textContent = name;
      one.shownName = name;
    }
    const changed = one.shownValue !== value;
    if (changed) {
      one.value.textContent = value;
      one.shownValue = value;
    }
    this.mark(one, same && changed);
  }

  mark(one, marked) {
    if (one.marked === marked) return;
    one.row.classList.toggle("changed", marked);
    one.marked = marked;
  }
}
