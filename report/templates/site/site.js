"use strict";
// What all pages have: the switch of the theme, and languages that change in place.

function switchTheme() {
  const root = document.documentElement;
  const button = document.getElementById("theme");
  const isDark = () => (root.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const label = () => { button.textContent = isDark() ? button.dataset.light : button.dataset.dark; };
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    label();
    try { localStorage.setItem("tachograph-theme", root.dataset.theme); } catch { /* lasts as long as the page */ }
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", label);
  label();
}

// A place is an anchor, how many blocks after it, and how far that block is from the top. Blocks are the same in every
// language, heights are not.
const BLOCKS = "main :is(h1, h2, h3, h4, p, li, pre, tr, figure, summary)";
const PLACE = /^#([^#~]*)~(\d+),(-?\d+)$/;

function topOf(element) {
  return Math.round(element.getBoundingClientRect().top);
}

// What an encoded name in an address stands for; nothing for one that is broken, such as `%`.
function named(encoded) {
  try {
    return document.getElementById(decodeURIComponent(encoded));
  } catch {
    return null;
  }
}

// The number or the heading that the address names, while it is in sight.
function asked() {
  const found = named(location.hash.slice(1));
  return found && topOf(found) >= 0 && topOf(found) < innerHeight ? found : null;
}

// An open panel opens again in the other language; where none is open, what was read stays in sight.
function place() {
  if (document.querySelector("dialog[open]")) return location.hash;
  const named = asked();
  if (named) return `#${named.id}~0,${topOf(named)}`;
  if (scrollY === 0) return "";
  const blocks = [...document.querySelectorAll(BLOCKS)];
  const first = blocks.findIndex((block) => block.getBoundingClientRect().bottom > 0);
  if (first < 0) return "";
  let anchor = first;
  while (anchor > 0 && !blocks[anchor].id) anchor -= 1;
  return `#${blocks[anchor].id}~${first - anchor},${topOf(blocks[first])}`;
}

function goTo(hash) {
  const [, name, after, top] = PLACE.exec(hash);
  const anchor = name ? named(name) : null;
  const blocks = [...document.querySelectorAll(BLOCKS)];
  const block = anchor && after === "0" ? anchor : blocks[Math.max(blocks.indexOf(anchor), 0) + Number(after)];
  if (block) scrollBy({ top: topOf(block) - Number(top), behavior: "instant" });
}

function arrive() {
  const hash = location.hash;
  const found = PLACE.exec(hash);
  if (!found) return;
  goTo(hash);
  // Until all is loaded the browser may go to an anchor by itself; the place is none.
  addEventListener("load", () => {
    goTo(hash);
    history.replaceState(null, "", found[1] ? `#${found[1]}` : location.pathname + location.search);
  });
}

function switchLanguage() {
  for (const link of document.querySelectorAll(".languages a")) {
    const address = link.getAttribute("href");
    link.addEventListener("click", () => { link.href = address + location.search + place(); });
  }
}

// What is wider than its place scrolls by the keys, too; what is not is no stop of theirs.
function scrollByKeys() {
  const update = (box) => {
    if (box.scrollWidth > box.clientWidth + 1) {
      const name = box.querySelector("caption, title")?.textContent || document.title;
      for (const [key, value] of Object.entries({ tabindex: 0, role: "group", "aria-label": name })) box.setAttribute(key, value);
    } else {
      for (const key of ["tabindex", "role", "aria-label"]) box.removeAttribute(key);
    }
  };
  const observer = new ResizeObserver((entries) => entries.forEach(({ target }) => update(target)));
  window.watchScroll = (root) => root.querySelectorAll(".scroll, pre").forEach((box) => observer.observe(box));
  window.watchScroll(document);
}

// Where a page is not served safely, a browser lets no script write what is copied.
window.makeCopied = (button, text) => {
  const label = button.textContent;
  if (!navigator.clipboard) button.remove();
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(text());
    button.textContent = button.dataset.done;
    setTimeout(() => { button.textContent = label; }, 2000);
  });
};

switchTheme();
switchLanguage();
scrollByKeys();
arrive();
