"use strict";
// what the pages of two and of several classes have in common
const at = (id) => document.getElementById(id);
const show = (...ids) => ids.forEach((id) => { at(id).hidden = false; });
const clamp = (value, low, high) => Math.min(high, Math.max(low, value));

// theme: that of the system, until the button is pressed
const dark = matchMedia("(prefers-color-scheme: dark)");
const isDark = () => (document.documentElement.dataset.theme || (dark.matches ? "dark" : "light")) === "dark";
const markTheme = () => at("theme").setAttribute("aria-pressed", String(isDark()));
at("theme").addEventListener("click", () => {
  document.documentElement.dataset.theme = isDark() ? "light" : "dark";
  markTheme();
});
dark.addEventListener("change", markTheme);
markTheme();

// reliability: one kind of labels at a time
const views = [...document.querySelectorAll("[data-view]")];
const choose = (key) => views.forEach((view) => { view.hidden = view.dataset.view !== key; });
at("label-switch").addEventListener("change", (event) => choose(event.target.value));
choose(document.querySelector("input[name=view]:checked").value);
at("evidence").classList.add("switched");

// a print opens what is folded, and folds it again
const folds = [...document.querySelectorAll(".fold")];
let folded = [];
addEventListener("beforeprint", () => {
  folded = folds.filter((fold) => !fold.open);
  folded.forEach((fold) => { fold.open = true; });
});
addEventListener("afterprint", () => folded.forEach((fold) => { fold.open = false; }));

// tooltips
const tip = at("tip");
const hideTip = () => { tip.hidden = true; };
const showTip = (text, event) => {
  tip.textContent = text;
  tip.hidden = false;
  const { width, height } = tip.getBoundingClientRect();
  tip.style.left = `${clamp(event.clientX - width / 2, 4, innerWidth - width - 4)}px`;
  tip.style.top = `${event.clientY - height - 14 < 4 ? event.clientY + 18 : event.clientY - height - 14}px`;
};
document.addEventListener("pointermove", (event) => {
  const marked = event.target.closest("[data-tip]");
  if (marked) showTip(marked.dataset.tip, event);
  else if (!event.target.closest("[data-own-tip]")) hideTip();
});
document.addEventListener("keydown", (event) => { if (event.key === "Escape") hideTip(); });

if (document.querySelectorAll("input[name=view]").length > 1) show("label-switch");
show("theme");
