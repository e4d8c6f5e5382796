// Fields of one or several states beside each other. Rows are made once and then reused.

import { element, setText } from "../../parts/dom.js";

/** Rows shown; what is beyond is counted in a last line. */
const MOST_ROWS = 500;

export class StateTable {
  /** @param {HTMLElement} place gets the table */
  constructor(place) {
    this.head = element("tr");
    this.body = element("tbody");
    this.more = element("p", { class: "quiet" });
    this.rows = [];
    this.columns = -1;
    place.append(element("table", { class: "state-table" }, element("thead", {}, this.head), this.body), this.more);
  }

  /**
   * @param {string[]} headings one for each state
   * @param {{ name: string, values: string[], changed?: boolean[], differs?: boolean }[]} fields
   * @param {number} leftOut fields that the studio did not send
   * @param {string} note a line below the table
   */
  update(headings, fields, leftOut = 0, note = "") {
    if (headings.length !== this.columns) this.reshape(headings.length);
    headings.forEach((text, index) => setText(this.head.children[index + 1], text));
    const count = Math.min(fields.length, MOST_ROWS);
    while (this.rows.length < count) this.rows.push(this.makeRow());
    while (this.body.childElementCount > count) this.body.lastElementChild.remove();
    for (let index = 0; index < count; index += 1) {
      this.setRow(this.rows[index], fields[index]);
      if (index >= this.body.childElementCount) this.body.append(this.rows[index].row);
    }
    const more = fields.length - count + leftOut;
    setText(this.more, more > 0 ? `and ${more} more fields` : note);
  }

  reshape(columns) {
    this.columns = columns;
    this.rows = [];
    this.body.replaceChildren();
    const headings = Array.from({ length: columns }, () => element("th", { scope: "col", class: "number" }));
    this.head.replaceChildren(element("th", { scope: "col" }, "Field"), ...headings);
  }

  makeRow() {
    const name = element("th", { scope: "row", class: "mono" });
    const cells = Array.from({ length: this.columns }, () => element("td", { class: "number" }));
    return { row: element("tr", {}, name, ...cells), name, cells };
  }

  setRow({ row, name, cells }, field) {
    setText(name, field.name);
    if (row.dataset.field !== field.name) row.dataset.field = field.name;
    row.classList.toggle("differs", field.differs ?? false);
    cells.forEach((cell, index) => {
      setText(cell, field.values[index] ?? "–");
      cell.classList.toggle("changed", field.changed?.[index] ?? false);
    });
  }
}
