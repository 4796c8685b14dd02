// What was decided on pairs: kept in this browser, written to a file, and read into the next report.

const SERVED = Boolean(document.querySelector("script[src]")); // a server keeps marks of its own
const STATES = { reviewed: "reviewed", dismissed: "dismissed", case: "case" };
const kept = new Map();
let storable = true;

function pairKey(one, other) { return JSON.stringify([one, other].sort()); }

function keyOf(pair) { return pairKey(data.submissions[pair.left].name, data.submissions[pair.right].name); }

function decisionOf(pair) { return kept.get(keyOf(pair)) || { state: "", note: "" }; }

function storeName() { return `copysift decisions: ${data.title || ""}`; }

function takeIn(list) {
  let number = 0;
  for (const each of Array.isArray(list) ? list : []) {
    if (typeof each?.left !== "string" || typeof each?.right !== "string" || !(each.state in STATES || each.state === "")) continue;
    kept.set(pairKey(each.left, each.right), { state: each.state, note: String(each.note ?? ""), when: String(each.when ?? "") });
    number += 1;
  }
  return number;
}

function written() {
  const list = [...kept].filter(([, each]) => each.state || each.note).map(([key, each]) => {
    const [left, right] = JSON.parse(key);
    return { left, right, ...each };
  });
  return { copysift: "decisions", version: 1, decisions: list };
}

function keep() {
  try { localStorage.setItem(storeName(), JSON.stringify(written().decisions)); } catch { storable = false; }
}

function decide(pair, change) {
  kept.set(keyOf(pair), { ...decisionOf(pair), ...change, when: new Date().toISOString().slice(0, 10) });
  keep();
}

function decisionBar(pair) {
  if (SERVED) return null;
  const now = decisionOf(pair);
  const state = el("select", { id: "decision", "aria-label": "Decision", onchange: () => decide(pair, { state: state.value }) },
    [["", "not decided"], ...Object.entries(STATES)].map(([value, words]) => el("option", { value, selected: value === now.state }, words)));
  const note = el("input", { id: "decision-note", type: "text", maxlength: 5000, placeholder: "Note", "aria-label": "Note", oninput: () => decide(pair, { note: note.value }) });
  note.value = now.note;
  return el("div", { class: "actions decision" }, state, note, storable ? null : el("span", { class: "muted" }, "This browser does not keep decisions: export them."));
}

function decisionTag(pair) {
  const { state } = decisionOf(pair);
  return state ? el("span", { class: `tag state-${state}` }, STATES[state]) : null;
}

function exportDecisions() {
  const address = URL.createObjectURL(new Blob([`${JSON.stringify(written(), null, 1)}\n`], { type: "application/json" }));
  const link = el("a", { href: address, download: "decisions.json" });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

function importDecisions(file) {
  file.text().then((text) => {
    const found = JSON.parse(text);
    if (found.copysift !== "decisions") throw new Error("no decisions of copysift");
    const number = takeIn(found.decisions);
    keep();
    show().then(() => say(`${count(number, "decision")} read`));
  }).catch((error) => say(`${file.name}: ${error.message}`));
}

function decisionTools() {
  if (SERVED) return null;
  const input = el("input", { type: "file", accept: ".json,application/json", class: "sr", id: "decisions-file", "aria-label": "Import decisions", onchange: () => { if (input.files[0]) importDecisions(input.files[0]); } });
  return el("span", { class: "actions" }, el("button", { type: "button", id: "export", onclick: exportDecisions }, "Export decisions"),
    el("button", { type: "button", onclick: () => input.click() }, "Import"), input);
}

function cases() { return data.pairs.filter((pair) => decisionOf(pair).state === "case"); }

// One document for all cases: every sheet below the other, made to be printed.
async function dossierPage() {
  const found = cases();
  const sheets = [];
  for (const pair of found) sheets.push(await sheetPage(pair.number));
  return el("section", { class: "page dossier" },
    el("div", { class: "pair-head" }, el("h1", {}, `Cases: ${found.length}`), el("div", { class: "actions" }, decisionTools(), found.length ? el("button", { type: "button", onclick: () => print() }, "Print") : null)),
    found.length ? el("ol", {}, found.map((pair) => el("li", {}, pairLink(pair, `${nameOf(pair.left)} and ${nameOf(pair.right)}, ${percent(pair.similarity)}`), decisionOf(pair).note ? `: ${decisionOf(pair).note}` : null)))
      : el("p", {}, "No pair is marked as a case. Open a pair and choose “case”."),
    sheets);
}

takeIn(data.decisions);
try { takeIn(JSON.parse(localStorage.getItem(storeName()) || "[]")); } catch { storable = false; }
