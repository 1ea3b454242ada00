"use strict";
// A click on a number opens its evidence. What comes out of logs is set as text and never read as markup.

(() => {
  const ROWS = 200;
  const PIECE = /^evidence\/[^?#\\]+\.js$/;
  const dialog = document.getElementById("evidence");
  const pieces = new Map();
  const waiting = new Map();
  // Scripts are the one kind of file that a page on file:// may load; only those of the evidence are.
  const policy = window.trustedTypes?.createPolicy("tachograph", {
    createScriptURL(address) {
      if (PIECE.test(address) && !address.includes("..")) return address;
      throw new TypeError(`${address} is no piece of evidence`);
    },
  });

  window.tachograph = { receive: (name, data) => waiting.get(name)?.(data) };

  function load(name) {
    if (!pieces.has(name)) pieces.set(name, new Promise((resolve, reject) => {
      const script = document.createElement("script");
      const address = `evidence/${name.split("/").map(encodeURIComponent).join("/")}.js`;
      waiting.set(name, resolve);
      script.onload = () => script.remove();
      script.onerror = () => { pieces.delete(name); script.remove(); reject(new Error(name)); };
      script.src = policy ? policy.createScriptURL(address) : address;
      document.head.append(script);
    }));
    return pieces.get(name);
  }

  function made(tag, text, className) {
    const element = document.createElement(tag);
    if (text !== undefined) element.textContent = text;
    if (className) element.className = className;
    return element;
  }

  function fill(root, data) {
    for (const slot of root.querySelectorAll("[data-slot]")) slot.textContent = data[slot.dataset.slot] ?? "-";
    for (const list of root.querySelectorAll("[data-list]")) {
      list.replaceChildren(...(data[list.dataset.list] ?? []).map((text) => made("li", text)));
    }
    for (const part of root.querySelectorAll("[data-part]")) part.hidden = !data[part.dataset.part]?.length;
    for (const link of root.querySelectorAll("[data-link]")) {
      const address = data[link.dataset.link];
      link.hidden = !address;
      if (address) link.href = address;
    }
  }

  // The lines used with those around them, as ranges that do not overlap.
  function windows({ used, around, total }) {
    const found = [];
    for (const [first, last] of used) {
      const from = Math.max(1, first - around);
      const to = Math.min(total, last + around);
      if (found.length && from <= found.at(-1)[1] + 1) found.at(-1)[1] = to;
      else found.push([from, to]);
    }
    return found;
  }

  function* numbers(file) {
    for (const [first, last] of windows(file)) {
      for (let line = first; line <= last; line += 1) yield line;
    }
  }

  function valuesByLine({ used, values }) {
    const lines = used.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, place) => first + place));
    return new Map(lines.map((line, place) => [line, values[place]]));
  }

  function row(line, text, value, isUsed, reason, hasValues) {
    const element = made("tr", undefined, isUsed ? "used" : reason ? "left" : "around");
    const head = made("th", String(line));
    head.scope = "row";
    element.append(head);
    if (hasValues) element.append(made("td", value ?? "", "figure"));
    const content = made("td");
    content.append(isUsed ? made("mark", text) : made("span", text));
    if (reason) content.title = reason;
    element.append(content);
    return element;
  }

  function reasonOf(line, groups) {
    return groups.find(({ lines }) => lines.some(([first, last]) => first <= line && line <= last))?.reason;
  }

  function showLines(root, file) {
    const body = root.querySelector("tbody");
    const more = root.querySelector("[data-more]");
    const status = root.querySelector("[data-status]");
    const rest = numbers(file);
    const values = valuesByLine(file);
    const hasValues = file.values.length > 0;
    if (!hasValues) root.querySelector("[data-value]").remove();
    let next = rest.next();
    let before = 0;
    let isLoading = false;

    async function batch() {
      // A button that is disabled meanwhile would lose the focus, and the keys would press it no more.
      if (isLoading) return;
      isLoading = true;
      const rows = [];
      try {
        while (!next.done && rows.length < ROWS) {
          const line = next.value;
          const place = Math.floor((line - 1) / file.length);
          const lines = await load(`${file.pieces}.${place}`);
          if (line > before + 1) rows.push(gap(hasValues));
          const text = lines[line - 1 - place * file.length] ?? "";
          rows.push(row(line, text, values.get(line), values.has(line), reasonOf(line, file.left), hasValues));
          before = line;
          next = rest.next();
        }
      } catch {
        status.textContent = status.dataset.failed;
      }
      body.append(...rows);
      isLoading = false;
      more.hidden = next.done;
    }

    more.addEventListener("click", batch);
    return batch();
  }

  function gap(hasValues) {
    const element = made("tr", undefined, "gap");
    const content = made("td", "⋮");
    content.colSpan = hasValues ? 3 : 2;
    element.append(content);
    return element;
  }

  function shownFile(file) {
    const root = document.getElementById("evidence-file").content.cloneNode(true).firstElementChild;
    fill(root, { ...file, left: file.left.map(({ said }) => said) });
    showLines(root, file);
    window.watchScroll(root);
    return root;
  }

  // One of the numbers that another is computed from: a click opens its evidence in place of that of the other.
  function part({ number, place, anchor }) {
    const link = made("a", number, "number");
    link.href = `#${anchor}`;
    const item = made("li");
    item.append(link, " ", made("span", place));
    return item;
  }

  async function open(anchor) {
    const data = await load(`${dialog.dataset.page}/${anchor}`);
    fill(dialog, data);
    dialog.querySelector("[data-parts]").replaceChildren(...data.parts.map(part));
    dialog.querySelector("[data-files]").replaceChildren(...data.files.map(shownFile));
    if (!dialog.open) dialog.showModal();
    dialog.querySelector(".panel").scrollTop = 0;
    dialog.querySelector("h2").focus();
    history.replaceState(null, "", `#${anchor}`);
  }

  document.addEventListener("click", (event) => {
    const link = event.target.closest("a.number");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    open(decodeURIComponent(link.getAttribute("href").slice(1)));
  });
  // The address of the page is that of the number, which the panel keeps in it.
  window.makeCopied(dialog.querySelector("[data-address]"), () => location.href);
  dialog.querySelector("[data-close]").addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });

  // Numbers were once called e1, e2 … and quoted figures q1, q2 …; these are the ids of their links.
  const asked = location.hash;
  const wanted = /^#[eq]\d+$/.test(asked) ? document.querySelector(`a${asked}`)?.hash ?? "" : asked;
  if (/^#[^#~/]+\/[^#~/]+\/[^#~/]+$/.test(wanted)) open(decodeURIComponent(wanted.slice(1)));
})();
