"use strict";
// Shows the results that have the words and were measured on what is chosen, which the address keeps, and finds any number
// of the pages by words, in the data that the page holds.

(() => {
  const ROWS = 100;
  const { columns, texts, rows } = JSON.parse(document.getElementById("numbers-data").textContent);
  const form = document.getElementById("finder");
  const found = document.getElementById("found");
  const body = found.querySelector("tbody");
  const more = found.querySelector("[data-more]");
  const status = found.querySelector("[data-status]");
  const place = Object.fromEntries(columns.map((name, index) => [name, index]));
  const searched = ["page", "table", "row", "column", "model", "framework", "device", "precision", "number", "unit", "quantity"];
  const numbers = rows.map((row) => row.map((text) => texts[text]));
  const positions = new Map(numbers.map((row, index) => [row, index]));
  // A precision stands as its pages write it.
  const written = new Map([...form.elements.precision.options].map(({ value, text }) => [value, value && text]));
  const haystacks = numbers.map((row) =>
    [...searched.map((name) => row[place[name]]), textOf(row, "precision")].join(" ").toLocaleLowerCase());
  const shownColumns = ["page", "framework", "number", "unit", "device", "precision", "nodes", "cards", "batch_size", "table"];
  const figures = new Set(["nodes", "cards", "batch_size", "number"]);
  const groups = [...document.querySelectorAll(".group")];
  const nothing = document.getElementById("nothing");
  let matching = [];
  let shown = 0;

  function textOf(row, name) {
    if (name === "precision") return written.get(row[place.precision]) ?? "";
    return name === "table" ? [row[place.table], row[place.row], row[place.column]].join(" · ") : row[place[name]];
  }

  function cell(row, name) {
    const element = document.createElement(name === "page" ? "th" : "td");
    const text = textOf(row, name);
    if (name === "page") element.scope = "row";
    if (figures.has(name)) element.className = "figure";
    if (name === "number") {
      const link = document.createElement("a");
      link.href = row[place.evidence];
      link.textContent = text;
      element.append(link);
    } else {
      element.textContent = text;
    }
    return element;
  }

  function show(count) {
    for (const row of matching.slice(shown, count)) {
      const element = document.createElement("tr");
      element.append(...shownColumns.map((name) => cell(row, name)));
      body.append(element);
    }
    shown = Math.min(count, matching.length);
    more.hidden = shown === matching.length;
    status.textContent = status.dataset.words.replace("{shown}", shown).replace("{count}", matching.length);
  }

  function find() {
    const chosen = new FormData(form);
    const words = chosen.get("words").toLocaleLowerCase().split(/\s+/).filter(Boolean);
    const filters = [...chosen].filter(([name, value]) => name !== "words" && value);
    matching = numbers.filter((row, index) =>
      filters.every(([name, value]) => row[place[name]] === value) && words.every((word) => haystacks[index].includes(word)));
    found.hidden = !words.length;
    showResults(words, Object.fromEntries(filters));
    keep(chosen);
    found.querySelectorAll("[aria-sort]").forEach((head) => head.setAttribute("aria-sort", "none"));
    showFirst();
  }

  // Lines of the results, of which a framework chooses the columns.
  function showResults(words, { model, framework, device, precision }) {
    for (const group of groups) {
      const isOf = (!model || group.dataset.model === model) && (!device || group.dataset.device === device);
      const heads = [...group.querySelectorAll("thead th")].map((head) => head.dataset.framework);
      const column = framework ? heads.indexOf(framework) : -1;
      for (const row of group.querySelectorAll("tbody tr")) {
        const hasIt = !framework || (column >= 0 && row.cells[column].querySelector("a"));
        const isAsked = words.every((word) => row.dataset.words.includes(word));
        row.hidden = !(isOf && hasIt && isAsked && (!precision || row.dataset.precision.split(" ").includes(precision)));
      }
      group.hidden = !group.querySelector("tbody tr:not([hidden])");
    }
    nothing.hidden = groups.some((group) => !group.hidden) || matching.length > 0;
  }

  // The address holds what is chosen, so that it can be sent to others and the other language shows the same.
  function keep(chosen) {
    const asked = new URLSearchParams([...chosen].filter(([, value]) => value));
    history.replaceState(null, "", `${location.pathname}${asked.size ? `?${asked}` : ""}${location.hash}`);
  }

  function choose() {
    for (const [name, value] of new URLSearchParams(location.search)) {
      const element = form.elements.namedItem(name);
      if (element && "value" in element) element.value = value;
    }
  }

  function showFirst() {
    body.replaceChildren();
    shown = 0;
    show(ROWS);
  }

  // All that was found is put in order, and only the first rows of it are drawn.
  function reorder(name, order) {
    matching.sort((one, other) => positions.get(one) - positions.get(other));
    if (order !== "none") {
      const values = new Map(matching.map((row) => [row, valueOf(textOf(row, name))]));
      const sign = order === "ascending" ? 1 : -1;
      matching.sort((one, other) => compare(values.get(one), values.get(other), sign));
    }
    showFirst();
  }

  form.addEventListener("input", find);
  form.addEventListener("submit", (event) => event.preventDefault());
  // The fields are empty only after the event.
  form.addEventListener("reset", () => setTimeout(find));
  more.addEventListener("click", () => show(shown + ROWS));
  found.querySelector("table").addEventListener("reorder", (event) => {
    event.preventDefault();
    reorder(shownColumns[event.detail.column], event.detail.order);
  });
  choose();
  find();
})();
