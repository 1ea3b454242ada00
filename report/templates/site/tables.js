"use strict";
// Two columns of a table are compared where their numbers may be, and a table is copied as Markdown.

(() => {
  const isGroup = (row) => row.querySelector(":scope > th > strong:only-child") !== null;
  const tableOf = (tools) => tools.nextElementSibling.querySelector("table");

  // Why one number is not divided by another; nothing where it may be.
  function withheld([, batch, precision, isOfItsSize], other, words) {
    if (!isOfItsSize || !other[3]) return words.size;
    if (batch !== other[1] && batch !== null && other[1] !== null) return words.batch;
    if (precision !== other[2] && precision !== null && other[2] !== null) return words.precision;
    return "";
  }

  function ratio(of, against, words) {
    if (!of || !against) return "–";
    // As pages print it: 15 digits of the quotient, then two decimals with halves rounded up.
    const quotient = Number((of[0] / against[0]).toPrecision(15));
    return withheld(of, against, words) || (Math.round(Number(`${quotient}e2`)) / 100).toFixed(2);
  }

  function cell(tag, text) {
    const element = document.createElement(tag);
    element.className = "figure compared";
    element.textContent = text;
    return element;
  }

  function makeComparable(form) {
    const { titles, rows } = JSON.parse(form.querySelector("script").textContent);
    const table = tableOf(form.parentElement);
    const shown = [...table.tBodies[0].rows].filter((row) => !isGroup(row));
    form.addEventListener("change", () => {
      table.querySelectorAll(".compared").forEach((element) => element.remove());
      const [of, against] = [form.elements.of.value, form.elements.against.value];
      if (!of || !against || of === against) return;
      const head = cell("th", `${titles[of]} ÷ ${titles[against]}`);
      head.scope = "col";
      table.tHead.rows[0].append(head);
      for (const row of table.tBodies[0].rows) {
        const place = shown.indexOf(row);
        row.append(cell("td", place < 0 ? "" : ratio(rows[place][of], rows[place][against], form.dataset)));
      }
    });
  }

  function textOf(element) {
    return element.innerText.trim().replace(/\s+/g, " ").replaceAll("\\", "\\\\").replaceAll("|", "\\|");
  }

  function markdown(table) {
    const [head, ...body] = [...table.rows].map((row) => [...row.cells].map(textOf));
    const sides = head.map((_, place) => (place ? "--:" : ":--"));
    return [head, sides, ...body].map((row) => `| ${row.join(" | ")} |`).join("\n");
  }

  function makeCopied(button) {
    const label = button.textContent;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(`${markdown(tableOf(button.closest(".tools")))}\n`);
      button.textContent = button.dataset.done;
      setTimeout(() => { button.textContent = label; }, 2000);
    });
  }

  document.querySelectorAll("form.compare").forEach(makeComparable);
  // Where a page is not served safely, a browser lets no script write what is copied.
  document.querySelectorAll("[data-copy]").forEach((button) => {
    if (navigator.clipboard) makeCopied(button);
    else button.remove();
  });
})();
