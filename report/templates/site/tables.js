"use strict";
// Two columns or runs of a table are compared where their numbers may be, and a table is copied as Markdown.

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

  function cell(tag, text, className = "figure compared") {
    const element = document.createElement(tag);
    element.className = className;
    element.append(text);
    return element;
  }

  const filled = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);

  const named = ([title, number, count], words) => (count > 1 ? [title, filled(words.run, { number, count })] : [title]);

  // Runs are offered by the rows of the table that they are of.
  function offerRuns(select, { runs, titles, row_titles }, words) {
    let group;
    runs.forEach(([row, column, number, count, digits], place) => {
      if (group?.label !== row_titles[row]) {
        group = document.createElement("optgroup");
        group.label = row_titles[row];
        select.append(group);
      }
      group.append(new Option(named([titles[column], number, count], words).concat(digits).join(" · "), `run ${place}`));
    });
  }

  const isRun = (value) => value.startsWith("run ");

  function showRuns(picked, chosen, { titles, row_titles, columns }, linkAt, words) {
    const [of, against] = chosen.map((run) => run.slice(5));
    const said = ratio(of, against, words);
    const percent = ((of[0] / against[0] - 1) * 100).toFixed(1).replace(/^-(?=0\.0$)/, "");
    picked.querySelector("[role=status]").textContent = withheld(of, against, words)
      || filled(words.ratio, { ratio: said, percent: percent > 0 ? `+${percent}` : percent });
    picked.querySelector("tbody").replaceChildren(...chosen.map((run) => {
      const [row, column, number, count, digits, , batch, precision, , date, version] = run;
      const link = linkAt(row, columns[column]).cloneNode(false);
      link.removeAttribute("id");
      link.textContent = [row_titles[row], ...named([titles[column], number, count], words)].join(" · ");
      const line = document.createElement("tr");
      const head = cell("th", link, "");
      head.scope = "row";
      const texts = [batch ?? "–", String(precision ?? "–").toUpperCase(), date || "–", version || "–"];
      line.append(head, cell("td", digits, "figure"), ...texts.map((text, at) => cell("td", String(text), at ? "" : "figure")));
      return line;
    }));
  }

  function showColumns(table, [of, against], { titles, rows }, shown, words) {
    const head = cell("th", `${titles[of]} ÷ ${titles[against]}`);
    head.scope = "col";
    table.tHead.rows[0].append(head);
    for (const row of table.tBodies[0].rows) {
      const place = shown.indexOf(row);
      row.append(cell("td", place < 0 ? "" : ratio(rows[place][of], rows[place][against], words)));
    }
  }

  function makeComparable(form) {
    const data = JSON.parse(form.querySelector("script").textContent);
    const table = tableOf(form.parentElement);
    const picked = form.parentElement.querySelector(".picked");
    const shown = [...table.tBodies[0].rows].filter((row) => !isGroup(row));
    const selects = [form.elements.of, form.elements.against];
    if (data.runs.length > 1) selects.forEach((select) => offerRuns(select, data, form.dataset));
    form.addEventListener("change", ({ target }) => {
      // A column is compared with a column, and a run with a run.
      const other = selects.find((select) => select !== target);
      if (target.value && isRun(target.value) !== isRun(other.value)) other.value = "";
      table.querySelectorAll(".compared").forEach((element) => element.remove());
      const [of, against] = selects.map(({ value }) => value);
      picked.hidden = true;
      if (!of || !against || of === against) return;
      if (!isRun(of)) {
        showColumns(table, [of, against], data, shown, form.dataset);
        return;
      }
      const chosen = [of, against].map((value) => data.runs[Number(value.slice(4))]);
      const linkAt = (row, column) => shown[row].cells[column + 1].querySelector("a.number");
      picked.hidden = false;
      showRuns(picked, chosen, data, linkAt, form.dataset);
    });
  }

  function textOf(element) {
    return element.innerText.trim().replace(/\s+/g, " ").replaceAll("\\", "\\\\").replaceAll("|", "\\|");
  }

  function markdown(table) {
    const [head, ...body] = [...table.rows].map((row) => [...row.cells].map(textOf));
    const sides = [...table.tHead.rows[0].cells].map((cell) => (cell.classList.contains("figure") ? "--:" : ":--"));
    return [head, sides, ...body].map((row) => `| ${row.join(" | ")} |`).join("\n");
  }

  document.querySelectorAll("form.compare").forEach(makeComparable);
  document.querySelectorAll("[data-copy]").forEach((button) => {
    window.makeCopied(button, () => `${markdown(tableOf(button.closest(".tools")))}\n`);
  });
})();
