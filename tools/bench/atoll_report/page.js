// SPDX-License-Identifier: BSD-3-Clause
//
// What the report does when it is touched: shows and hides implementations, switches scales, tells the
// figures under the pointer, sorts tables, changes the theme, saves the recording. All of it is extra: every
// figure and every number is on the page without this. It draws nothing but the hover marks and loads nothing.
"use strict";

const all = (selector, under = document) => [...under.querySelectorAll(selector)];

// --- Implementations, scales, theme --------------------------------------------------------------

function startToggles() {
  for (const box of all("[data-toggle]")) {
    box.checked = true;  // browsers keep what was ticked before a page was loaded again
    box.addEventListener("change", () =>
      document.body.classList.toggle(`hide-${box.dataset.toggle}`, !box.checked));
  }
}

const isHidden = (name) => all("[data-toggle]").some((box) => box.value === name && !box.checked);

function startScales(figure) {
  const buttons = all("[data-to]", figure);
  for (const button of buttons) {
    button.addEventListener("click", () => {
      figure.dataset.scale = button.dataset.to;
      for (const each of buttons) each.setAttribute("aria-pressed", String(each === button));
    });
  }
}

function startTheme() {
  const themes = ["system", "light", "dark"];
  const button = document.querySelector("[data-theme-switch]");
  button.addEventListener("click", () => {
    const now = themes.indexOf(document.documentElement.dataset.theme ?? "system");
    const next = themes[(now + 1) % themes.length];
    if (next === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = next;
    button.querySelector("span").textContent = next;
  });
}

// --- The figures under the pointer ---------------------------------------------------------------

// A whole legend line is copied for each curve, so that the tip has the same colours and shapes.
function tipLine(figure, curve, point) {
  const line = document.createElement("span");
  const swatch = all(".legend li", figure).find((each) => each.dataset.by === curve.by);
  line.append(swatch.querySelector("svg").cloneNode(true), curve.title);
  const value = document.createElement("em");
  value.textContent = point.text;
  line.append(value);
  return line;
}

function svgElement(name, attributes) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

function showAt(figure, curves, x) {
  const shown = curves.filter((curve) => !isHidden(curve.by));
  const hits = shown.map((curve) => [curve, curve.points.find((point) => point.x === x)]).filter(([, p]) => p);
  if (hits.length === 0) return hide(figure);
  const catcher = figure.querySelector(".catch");
  const top = Number(catcher.getAttribute("y"));
  const marks = [svgElement("line", { x1: x, x2: x, y1: top, y2: top + Number(catcher.getAttribute("height")) })];
  for (const [curve, point] of hits)
    marks.push(svgElement("circle", { cx: x, cy: point.y[figure.dataset.scale], r: 7, class: `c${curve.colour}` }));
  figure.querySelector(".hover").replaceChildren(...marks);
  placeTip(figure, x, hits);
  figure.dataset.at = x;
}

function placeTip(figure, x, hits) {
  const tip = figure.querySelector(".tip");
  const title = document.createElement("b");
  title.textContent = hits[0][1].at;
  tip.replaceChildren(title, ...hits.map(([curve, point]) => tipLine(figure, curve, point)));
  tip.hidden = false;
  const stage = figure.querySelector(".stage");
  const at = (x / figure.querySelector(".stage > svg").viewBox.baseVal.width) * stage.clientWidth;
  const left = at > stage.clientWidth / 2 ? at - tip.offsetWidth - 14 : at + 14;
  tip.style.left = `${Math.max(0, Math.min(left, stage.clientWidth - tip.offsetWidth))}px`;
}

function hide(figure) {
  figure.querySelector(".tip").hidden = true;
  figure.querySelector(".hover").replaceChildren();
  delete figure.dataset.at;
}

function places(curves) {
  const xs = new Set(curves.filter((curve) => !isHidden(curve.by)).flatMap((c) => c.points.map((p) => p.x)));
  return [...xs].sort((a, b) => a - b);
}

function startTips(figure) {
  const curves = JSON.parse(figure.querySelector(".points").textContent);
  const picture = figure.querySelector(".stage > svg");
  const catcher = figure.querySelector(".catch");
  catcher.addEventListener("pointermove", (event) => {
    const frame = picture.getBoundingClientRect();
    const x = ((event.clientX - frame.left) / frame.width) * picture.viewBox.baseVal.width;
    const near = places(curves).sort((a, b) => Math.abs(a - x) - Math.abs(b - x))[0];
    if (near !== undefined) showAt(figure, curves, near);
  });
  catcher.addEventListener("pointerleave", () => hide(figure));
  figure.addEventListener("blur", () => hide(figure));
  figure.addEventListener("keydown", (event) => step(figure, curves, event));
}

// Arrows go from point to point, for those who have no pointer.
function step(figure, curves, event) {
  if (event.target !== figure) return;
  if (event.key === "Escape") hide(figure);
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (!by) return;
  event.preventDefault();
  const xs = places(curves);
  const now = xs.indexOf(Number(figure.dataset.at ?? NaN));
  const next = now < 0 ? (by > 0 ? 0 : xs.length - 1) : Math.max(0, Math.min(now + by, xs.length - 1));
  if (xs.length > 0) showAt(figure, curves, xs[next]);
}

// --- Tables --------------------------------------------------------------------------------------

// Numbers by size, words by alphabet, and what has no figure last, whichever way.
function compareCells(a, b, sign) {
  const [x, y] = [a.dataset.number ?? a.textContent.trim(), b.dataset.number ?? b.textContent.trim()];
  const [noX, noY] = [a.classList.contains("none"), b.classList.contains("none")];
  if (noX || noY) return noX - noY;
  const [p, q] = [Number(x), Number(y)];
  return sign * (Number.isNaN(p) || Number.isNaN(q) ? x.localeCompare(y) : p - q);
}

function sortBy(table, column) {
  const heads = all("thead th", table);
  const ascending = heads[column].getAttribute("aria-sort") !== "ascending";
  for (const head of heads) head.removeAttribute("aria-sort");
  heads[column].setAttribute("aria-sort", ascending ? "ascending" : "descending");
  const body = table.tBodies[0];
  const rows = [...body.rows];
  rows.sort((a, b) => compareCells(a.cells[column], b.cells[column], ascending ? 1 : -1));
  body.append(...rows);
}

function startSorting(table) {
  all("thead button", table).forEach((button, column) =>
    button.addEventListener("click", () => sortBy(table, column)));
}

// --- Paper and files -----------------------------------------------------------------------------

function startPaper() {
  const closed = () => all("details:not([open])");
  let opened = [];
  addEventListener("beforeprint", () => { opened = closed(); for (const each of opened) each.open = true; });
  addEventListener("afterprint", () => { for (const each of opened) each.open = false; });
}

function startSaving() {
  const button = document.querySelector("[data-save]");
  button.addEventListener("click", () => {
    const text = document.getElementById("recording").textContent;
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
    link.download = button.dataset.save;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  });
}

startToggles();
startTheme();
startPaper();
startSaving();
for (const table of all("table.sortable")) startSorting(table);
for (const figure of all("figure.chart")) {
  startScales(figure);
  startTips(figure);
}
document.documentElement.dataset.ready = "yes";
