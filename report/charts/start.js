// Makes every figure of a page that carries a chart interactive. Until then, and where it fails, its SVG stands there.
// No default styles, no actions and no eval, so that a page may forbid inline styles and eval.
for (const figure of document.querySelectorAll("figure.chart")) {
  const place = figure.querySelector(".chart-drawn");
  const picture = place.querySelector("svg");
  const spec = JSON.parse(figure.querySelector(".chart-spec").textContent);
  const live = document.createElement("div");
  vegaEmbed(live, spec, {
    actions: false,
    ast: true,
    defaultStyle: false,
    renderer: "svg",
    tooltip: { disableDefaultStyle: true },
    loader: { load: () => Promise.reject(new Error("a chart loads nothing")) },
  }).then(({ view }) => {
    const drawn = live.querySelector("svg");
    for (const name of ["role", "aria-labelledby", "font-family", "width", "height", "viewBox"]) {
      drawn.setAttribute(name, picture.getAttribute(name));
    }
    drawn.prepend(...picture.querySelectorAll("title, desc"));
    place.replaceChildren(live);
    figure.classList.add("chart-live");
  });
}
