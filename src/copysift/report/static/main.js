// From the address to a page, and keys.

const ROUTES = [
  [/^#\/pairs$/, pairsPage, "Pairs"],
  [/^#\/clusters$/, clustersPage, "Clusters"],
  [/^#\/map$/, () => (spread ? mapPage() : overviewPage()), "Heat map"],
  [/^#\/times$/, () => (timed().length > 1 ? timesPage() : overviewPage()), "Time line"],
  [/^#\/together\/(\d+(?:,\d+)*)$/, togetherPage, "Side by side"],
  [/^#\/submissions$/, submissionsPage, capital(UNITS)],
  [/^#\/equal$/, equalPage, `Equal ${UNITS}`],
  [/^#\/cases$/, dossierPage, "Cases"],
  [/^#\/pair\/(\d+)$/, (number) => (data.pairs[number] ? pairPage(number) : overviewPage()), "Pair"],
  [/^#\/sheet\/(\d+)$/, (number) => (data.pairs[number] ? sheetPage(number) : overviewPage()), "Evidence sheet"],
  [/^#\/submission\/(\d+)$/, (number) => (data.submissions[number] ? submissionPage(number) : overviewPage()), capital(UNIT)],
  [/^/, overviewPage, "Overview"],
];
let visit = 0;

async function show() {
  if (location.hash && !location.hash.startsWith("#/")) return;
  const mine = visit += 1;
  const main = document.getElementById("main");
  walked = null;
  for (const [pattern, page, title] of ROUTES) {
    const match = pattern.exec(location.hash);
    if (!match) continue;
    const made = await page(match[1] === undefined || match[1].includes(",") ? match[1] : Number(match[1]));
    if (mine !== visit) return;
    main.replaceChildren(made);
    document.title = `${title} – ${data.title || "copysift report"}`;
    break;
  }
  for (const link of document.querySelectorAll("#nav a")) {
    if ((location.hash || "#/") === link.getAttribute("href")) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  scrollTo(0, 0);
  document.body.dataset.page = location.hash || "#/";
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea")) return;
  if (event.key === "/") {
    const search = document.querySelector("input[type=search]");
    if (search) { event.preventDefault(); search.focus(); }
  } else walkKey(event);
});

document.getElementById("theme").addEventListener("click", () => {
  document.documentElement.dataset.theme = isDark() ? "light" : "dark";
  if (document.querySelector("canvas")) show(); // drawn in the colours of the theme
});

document.getElementById("names").addEventListener("click", (event) => {
  hidden = !hidden;
  event.currentTarget.setAttribute("aria-pressed", hidden);
  show();
});

document.querySelector('#nav a[href="#/map"]').hidden = !spread;
document.querySelector('#nav a[href="#/times"]').hidden = timed().length < 2;
addEventListener("hashchange", show);
show();
