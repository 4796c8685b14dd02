// Tables of pairs and of submissions, sorted by a click on a column.

function submissionLink(number) {
  const each = data.submissions[number];
  return el("a", { href: `#/submission/${number}`, title: hidden ? "" : each.name },
    nameOf(number), each.earlier ? el("span", { class: "tag" }, "earlier") : null);
}

function pairLink(pair, ...content) {
  return el("a", { href: `#/pair/${pair.number}` }, content);
}

const PAIR_COLUMNS = [
  { name: "Similarity", key: (pair) => pair.similarity, cell: (pair) => [pairLink(pair, meter(pair.similarity)), pair.equal ? el("span", { class: "tag" }, "identical") : null, pair.small ? el("span", { class: "tag" }, "too small to judge") : null, decisionTag(pair)] },
  { name: "Left", text: true, key: (pair) => data.submissions[pair.left].label, cell: (pair) => submissionLink(pair.left) },
  { name: "Right", text: true, key: (pair) => data.submissions[pair.right].label, cell: (pair) => submissionLink(pair.right) },
  { name: "Of left", key: (pair) => pair.ofLeft, cell: (pair) => percent(pair.ofLeft), wide: true },
  { name: "Of right", key: (pair) => pair.ofRight, cell: (pair) => percent(pair.ofRight), wide: true },
  { name: "Longest", key: (pair) => pair.longest || 0, cell: (pair) => (pair.longest === null ? "" : count(pair.longest, pair.unit)), wide: true },
  { name: "Lines", key: (pair) => pair.lines || 0, cell: (pair) => pair.lines ?? "", wide: true },
];
// A class without a model has no such column; the card of all pairs says why.
if (spread && spread.suggested !== null) PAIR_COLUMNS.push({ name: "By chance", key: (pair) => -(pair.chance ?? 1), cell: (pair) => (pair.chance === null ? "" : oneIn(pair.chance, "under 1 in ", "1 in ")), wide: true });

// A score for each type of work, where a class has several.
const TYPES = [...new Set(data.pairs.flatMap((pair) => (pair.types || []).filter(([, share]) => share !== null).map(([name]) => name)))];
if (TYPES.length > 1) PAIR_COLUMNS.splice(5, 2); // else the table is too wide: passages are of one type, and on the page of the pair
for (const name of TYPES.length > 1 ? TYPES : []) {
  const share = (pair) => (pair.types || []).find(([each]) => each === name)?.[1] ?? null;
  PAIR_COLUMNS.push({ name: capital(name), key: (pair) => share(pair) ?? -1, cell: (pair) => (share(pair) === null ? "" : percent(share(pair))), wide: true });
}

function compareBy(key, descending) {
  const sign = descending ? -1 : 1;
  return (a, b) => {
    const [x, y] = [key(a), key(b)];
    return sign * (typeof x === "string" ? x.localeCompare(y) : x - y);
  };
}

// A table that sorts itself; `rows` gives what is to be shown now, `refresh` shows it.
function sortable(columns, rows, caption, rowOf) {
  let sorted = null;
  let descending = true;
  const body = el("tbody");
  const heads = columns.map((column, number) => el("th", { scope: "col", class: headClass(column) },
    el("button", { type: "button", onclick: () => choose(number) }, column.name)));
  function choose(number) {
    descending = sorted === number ? !descending : !columns[number].text;
    sorted = number;
    heads.forEach((head, at) => {
      if (at === number) head.setAttribute("aria-sort", descending ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
    refresh();
  }
  function refresh() {
    const shown = [...rows()];
    if (sorted !== null) shown.sort(compareBy(columns[sorted].key, descending));
    body.replaceChildren(...shown.map((row) => el("tr", rowOf ? rowOf(row) : {},
      columns.map((column) => el("td", { class: headClass(column) }, column.cell(row))))));
    return shown.length;
  }
  const table = el("table", {}, el("caption", { class: "sr" }, caption), el("thead", {}, el("tr", {}, heads)), body);
  return { table: el("div", { class: "scroller" }, table), refresh, choose };
}

function headClass(column) {
  return `${column.text ? "text" : "number"}${column.wide ? " wide" : ""}`;
}

function openPair(pair) {
  return {
    class: "clickable", "data-pair": pair.number,
    onclick: (event) => { if (!event.target.closest("a")) location.hash = `#/pair/${pair.number}`; },
  };
}

function pairsTable(rows, caption) {
  return sortable(PAIR_COLUMNS, rows, caption, openPair);
}

function matches(submission, words) {
  const text = hidden ? plain(nameOf(submission.number)) : plain(`${submission.label} ${submission.name} ${submission.author} ${submission.team}`);
  return words.every((word) => text.includes(word));
}

// Letters that Unicode does not take apart into a letter and its accent.
const WITHOUT_ACCENT = { "ø": "o", "ł": "l", "đ": "d", "ð": "d", "ħ": "h", "ı": "i", "þ": "th", "ß": "ss", "æ": "ae", "œ": "oe" };

// Lower case, without accents: "garcia" finds García, "ostergard" Østergård.
function plain(text) {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replace(/[øłđðħıþßæœ]/g, (letter) => WITHOUT_ACCENT[letter]);
}

// ">60", "<=20": a bound of the similarity in percent; null for any other word.
function bound(word) {
  const found = /^(>=?|<=?)(\d+(?:\.\d+)?)%?$/.exec(word);
  if (!found) return null;
  const limit = Number(found[2]) / 100;
  return { ">": (share) => share > limit, ">=": (share) => share >= limit, "<": (share) => share < limit, "<=": (share) => share <= limit }[found[1]];
}

function found(pair, words) {
  const bounds = words.map(bound).filter(Boolean);
  const states = words.filter((word) => word in STATES);
  const names = words.filter((word) => !bound(word) && !(word in STATES));
  return bounds.every((within) => within(pair.similarity)) && states.every((state) => decisionOf(pair).state === state)
    && names.every((word) => matches(data.submissions[pair.left], [word]) || matches(data.submissions[pair.right], [word]));
}

function searchBox(label, onchange) {
  const input = el("input", { type: "search", placeholder: label, "aria-label": label, oninput: () => onchange(words()) });
  function words() { return plain(input.value).split(/\s+/).filter(Boolean); }
  return input;
}

const pairFilter = { words: [], least: 0, earlier: true };

function pairsPage() {
  const lowest = Math.min(1, Math.max(0, data.pairs.reduce((least, pair) => Math.min(least, pair.similarity), 1)));
  const total = el("p", { class: "muted", id: "pair-count" });
  const rows = () => data.pairs.filter((pair) => pair.similarity >= pairFilter.least - 1e-9
    && (pairFilter.earlier || !(data.submissions[pair.left].earlier || data.submissions[pair.right].earlier))
    && (pairFilter.words.length === 0 || found(pair, pairFilter.words)));
  const { table, refresh } = pairsTable(rows, "Pairs, most similar first");
  const update = () => {
    const shown = refresh();
    const equal = data.pairs.filter((pair) => pair.equal).length;
    total.textContent = `${shown.toLocaleString("en")} of ${count(data.pairs.length, "pair")} shown${equal ? `, ${equal.toLocaleString("en")} of them of identical ${UNITS}` : ""}`
      + (data.allPairs > data.pairs.length ? `; ${(data.allPairs - data.pairs.length).toLocaleString("en")} more were found (--limit)` : "");
    say(total.textContent);
  };
  const search = searchBox("Search: garcia >60 case", (words) => { pairFilter.words = words; update(); });
  search.value = pairFilter.words.join(" ");
  const controls = [search, slider("At least", lowest, 1, Math.max(lowest, pairFilter.least), (least) => { pairFilter.least = least; update(); })];
  if (data.submissions.some((each) => each.earlier)) {
    const box = el("input", { type: "checkbox", checked: pairFilter.earlier, onchange: () => { pairFilter.earlier = box.checked; update(); } });
    controls.push(el("label", { class: "check" }, box, "with earlier years"));
  }
  const tools = decisionTools();
  if (tools) controls.push(tools);
  update();
  return el("section", { class: "page" }, el("h1", {}, "Pairs"), el("div", { class: "controls" }, controls), total,
    spread && noModel() ? el("p", { class: "muted" }, noModel()) : null,
    data.pairs.length ? table : el("p", {}, "No pair reaches the threshold."));
}
