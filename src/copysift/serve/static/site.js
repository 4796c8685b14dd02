// What every page has: light and dark, and a question before something is lost.
"use strict";
document.body.classList.add("scripted");

const theme = { get: () => { try { return localStorage.getItem("theme"); } catch { return null; } },
  set: (value) => { try { localStorage.setItem("theme", value); } catch { /* private windows keep nothing */ } } };
if (theme.get()) document.documentElement.dataset.theme = theme.get();

document.getElementById("theme").addEventListener("click", () => {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  theme.set(root.dataset.theme);
});

for (const form of document.querySelectorAll("form[data-ask]")) {
  form.addEventListener("submit", (event) => { if (!confirm(form.dataset.ask)) event.preventDefault(); });
}
