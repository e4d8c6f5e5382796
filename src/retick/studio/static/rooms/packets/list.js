// The datagrams of what is open. Only rows in view exist; the others are asked for in pages when they come into view,
// and few pages are kept.

import { element } from "../../parts/dom.js";

const ROW = 22;
const PAGE = 100;
const MOST_PAGES = 30;

/** What is inside, without the words that the kind has said. */
function shortened({ kind, summary }) {
  const [, ...inner] = summary.split(": ");
  const text = inner.length ? inner.join(": ") : "";
  const word = kind.split(" ").at(-1);
  return text.startsWith(`${word} `) ? text.slice(word.length + 1) : text;
}

export class DatagramList {
  /** @param {{ ask: (start: number, count: number) => void, choose: (index: number) => void }} hooks */
  constructor({ ask, choose }) {
    this.ask = ask;
    this.choose = choose;
    this.count = 0;
    this.chosen = -1;
    this.pages = new Map();
    this.body = element("div", { class: "rows" });
    this.node = element("div", { class: "list mono", tabindex: "0", role: "listbox", "aria-label": "Datagrams" }, this.body);
    this.node.addEventListener("scroll", () => this.draw());
    this.node.addEventListener("keydown", (event) => this.key(event));
    this.node.addEventListener("click", (event) => {
      const row = event.target.closest("[data-index]");
      if (row) this.select(Number(row.dataset.index));
    });
    new ResizeObserver(() => this.draw()).observe(this.node);
  }

  open(count, withTimes) {
    this.count = count;
    this.withTimes = withTimes;
    this.chosen = -1;
    this.pages.clear();
    this.body.style.height = `${count * ROW}px`;
    this.node.scrollTop = 0;
    this.draw();
  }

  fill(start, rows) {
    this.pages.set(start / PAGE, rows);
    while (this.pages.size > MOST_PAGES) this.pages.delete(this.pages.keys().next().value);
    this.draw();
  }

  select(index) {
    this.chosen = Math.max(0, Math.min(this.count - 1, index));
    const top = this.chosen * ROW;
    const { scrollTop, clientHeight } = this.node;
    if (top < scrollTop) this.node.scrollTop = top;
    else if (top + ROW > scrollTop + clientHeight) this.node.scrollTop = top + ROW - clientHeight;
    this.choose(this.chosen);
    this.draw();
  }

  key(event) {
    const page = Math.max(1, Math.floor(this.node.clientHeight / ROW) - 1);
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -this.count, End: this.count };
    if (!(event.key in steps) || this.count === 0) return;
    event.preventDefault();
    this.select(this.chosen + steps[event.key]);
  }

  draw() {
    const first = Math.max(0, Math.floor(this.node.scrollTop / ROW) - 2);
    const last = Math.min(this.count, Math.ceil((this.node.scrollTop + this.node.clientHeight) / ROW) + 2);
    const rows = [];
    for (let index = first; index < last; index += 1) rows.push(this.row(index));
    this.body.replaceChildren(...rows);
    const chosen = this.body.querySelector('[aria-selected="true"]');
    if (chosen) this.node.setAttribute("aria-activedescendant", chosen.id);
    else this.node.removeAttribute("aria-activedescendant");
  }

  row(index) {
    const number = Math.floor(index / PAGE);
    const page = this.pages.get(number);
    if (page === undefined) {
      this.pages.set(number, null); // asked for
      this.ask(number * PAGE, PAGE);
    }
    const found = page?.[index - number * PAGE];
    const made = element("div", {
      class: "row", role: "option", id: `datagram-${index}`, "data-index": index,
      "aria-selected": String(index === this.chosen), style: { top: `${index * ROW}px` }, title: found?.summary,
    });
    if (!found) {
      made.append(element("span", { class: "quiet" }, `${index}`));
      return made;
    }
    const way = found.sent ? "→" : "←";
    made.append(
      element("span", { class: "when quiet" }, this.withTimes ? `${found.time.toFixed(3)}` : `${index + 1}`),
      this.withTimes
        ? element("span", { class: found.sent ? "way out" : "way in", title: `${found.sent ? "to" : "from"} ${found.address}` }, way)
        : element("span", { class: "way" }, ""),
      element("span", { class: "what" }, element("span", { class: found.bad ? "bad" : null }, found.kind), " ",
        element("span", { class: "quiet" }, shortened(found))),
      element("span", { class: "size" }, `${found.size}`),
    );
    return made;
  }
}
