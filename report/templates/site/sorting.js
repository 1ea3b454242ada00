"use strict";
// Tables sort by a click on a head: first up, then down, then as they were. Numbers sort as numbers, and what is missing
// stays last.

const collator = new Intl.Collator(document.documentElement.lang, { numeric: true });
// Where each row stood at first.
const places = new WeakMap();
const NEXT = { none: "ascending", ascending: "descending", descending: "none" };

function valueOf(text) {
  const number = Number.parseFloat(text.replaceAll(",", ""));
  return { text, number, missing: text === "" || text === "-" };
}

function compare(one, other, sign) {
  if (one.missing || other.missing) return Number(one.missing) - Number(other.missing);
  if (!Number.isNaN(one.number) && !Number.isNaN(other.number)) return sign * (one.number - other.number);
  return sign * collator.compare(one.text, other.text);
}

function sort(table, column, order) {
  const body = table.tBodies[0];
  const rows = [...body.rows];
  rows.forEach((row, place) => { if (!places.has(row)) places.set(row, place); });
  const original = rows.sort((one, other) => places.get(one) - places.get(other));
  if (order !== "none") {
    const values = new Map(original.map((row) => [row, valueOf(row.cells[column]?.textContent.trim() ?? "")]));
    original.sort((one, other) => compare(values.get(one), values.get(other), order === "ascending" ? 1 : -1));
  }
  body.append(...original);
}

function makeSortable(table) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    if (!button.textContent.trim()) return;
    head.append(button);
    head.setAttribute("aria-sort", "none");
    button.addEventListener("click", () => {
      const order = NEXT[head.getAttribute("aria-sort")];
      heads.forEach((other) => other.hasAttribute("aria-sort") && other.setAttribute("aria-sort", "none"));
      head.setAttribute("aria-sort", order);
      // A table that shows only some of its rows puts them in order itself.
      const request = new CustomEvent("reorder", { cancelable: true, detail: { column, order } });
      if (table.dispatchEvent(request)) sort(table, column, order);
    });
  });
}

// Groups of rows keep their order.
document.querySelectorAll("table.results:not(.grouped), table.list").forEach(makeSortable);
