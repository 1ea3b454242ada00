"use strict";
// The evidence of numbers, and the search of the index. Everything is in the page: nothing is loaded.

// A number is a link to the dialog of its address: opening, closing and the arrow keys move the address alone.
const dialogs = [...document.querySelectorAll("dialog")];
const numbers = new Map();
for (const link of document.querySelectorAll("table.r a.n, a.n")) {
  if (!numbers.has(link.hash)) numbers.set(link.hash, link);
}
let opener = null;

function asked() {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return "";
  }
}

function show() {
  const wanted = dialogs.find((one) => one.id === asked());
  for (const link of document.querySelectorAll("a.n.open")) link.classList.remove("open");
  for (const one of dialogs) if (one.open && one !== wanted) one.close("moved");
  if (!wanted) return;
  opener = numbers.get(`#${wanted.id}`) ?? null;
  opener?.classList.add("open");
  opener?.scrollIntoView({ block: "nearest" });
  if (!wanted.open) wanted.showModal();
  wanted.scrollTop = 0;
}

function leave() {
  history.replaceState(null, "", location.pathname + location.search);
  show();
  for (const link of document.querySelectorAll("a.n.open")) link.classList.remove("open");
  opener?.focus({ preventScroll: true });
}

dialogs.forEach((one, at) => {
  one.addEventListener("close", () => {
    if (one.returnValue !== "moved") leave();
    one.returnValue = "";
  });
  one.addEventListener("click", (event) => { if (event.target === one) one.close(); });
  one.addEventListener("keydown", (event) => {
    const to = dialogs[at + ({ ArrowRight: 1, ArrowLeft: -1 }[event.key] ?? NaN)];
    if (to) {
      event.preventDefault();
      location.replace(`#${to.id}`);
    }
  });
});

// The same number stays open in the other language.
for (const link of document.querySelectorAll("a[data-language]")) {
  const page = link.getAttribute("href").split("#")[0];
  link.addEventListener("click", () => { link.href = page + location.hash; });
}

function search() {
  const field = document.getElementById("finder");
  const said = document.getElementById("found");
  const find = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    // The value of an axis is a whole one: gpu=1 is not gpu=16.
    const has = (text, word) => `${text} `.includes(/=./.test(word) ? `${word} ` : word);
    let any = false;
    for (const section of document.querySelectorAll("section.page")) {
      for (const body of section.querySelectorAll("tbody")) {
        let shown = false;
        for (const row of body.querySelectorAll("tr[data-words]")) {
          row.hidden = !words.every((word) => has(row.dataset.words, word));
          shown ||= !row.hidden;
        }
        body.hidden = !shown;
      }
      for (const table of section.querySelectorAll(".found")) {
        table.hidden = !table.querySelector("tbody:not([hidden])");
      }
      section.hidden = words.length > 0 && !section.querySelector(".found:not([hidden])");
      any ||= !section.hidden;
    }
    said.textContent = any ? "" : said.dataset.none;
  };
  field.addEventListener("input", find);
  find();
}

if (document.getElementById("finder")) search();
addEventListener("hashchange", show);
show();
