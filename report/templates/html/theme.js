"use strict";
// Controls that only a script can serve are there from the first painting, so that nothing moves afterwards.
document.documentElement.classList.add("scripted");
// The theme that the reader chose, before anything is drawn; without a choice the system's holds.
try {
  const chosen = localStorage.getItem("tachograph-theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
} catch {
  // No storage: the choice lasts as long as the page.
}
