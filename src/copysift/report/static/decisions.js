// What was decided on pairs: kept in this browser, written to a file, and read into the next report.

const SERVED = Boolean(document.querySelector("script[src]")); // a server keeps marks of its own
const STATES = { reviewed: "reviewed", dismissed: "dismissed", case: "case" };
const kept = new Map();
let absent = []; // decisions of a file that name no submission of this report: exported again as they are
let elsewhere = []; // decisions of this browser on other classes: kept, and never exported from here
let storable = true;
let imported = ""; // what came of an import, until it is shown

function pairKey(one, other) { return JSON.stringify([one, other].sort()); }

function keyOf(pair) { return pairKey(data.submissions[pair.left].name, data.submissions[pair.right].name); }

function decisionOf(pair) { return kept.get(keyOf(pair)) || { state: "", note: "" }; }

function storeName() { return `copysift decisions: ${data.title || ""}`; }

const NAMED = new Map(data.submissions.map((each) => [each.name, each]));

function isDecision(each) {
  return typeof each?.left === "string" && typeof each?.right === "string" && (each.state in STATES || each.state === "");
}

// Take decisions of a file in; the later one of two on a pair counts unless `always`. Give how many there are.
function takeIn(list, always = false) {
  const rows = (Array.isArray(list) ? list : []).filter(isDecision);
  for (const each of rows) {
    if (!NAMED.has(each.left) || !NAMED.has(each.right)) { absent.push(each); continue; }
    const key = pairKey(each.left, each.right);
    const when = String(each.when ?? "");
    if (always || !kept.has(key) || kept.get(key).when <= when) kept.set(key, { state: each.state, note: String(each.note ?? ""), when });
  }
  return rows.length;
}

// This browser keeps the decisions on all classes. Those on another one, where the same names have other files, are not of this report.
function isHere(each) {
  const both = [each.left, each.right].map((name) => NAMED.get(name));
  return both.every(Boolean) && (!each.bytes || both.some((found, at) => found.bytes === each.bytes[at]));
}

function takeStored() {
  const rows = JSON.parse(localStorage.getItem(storeName()) || "[]").filter(isDecision);
  elsewhere = rows.filter((each) => !isHere(each));
  takeIn(rows.filter(isHere));
}

function rowsOfDecisions() {
  return [...kept].filter(([, each]) => each.state || each.note).map(([key, each]) => {
    const [left, right] = JSON.parse(key).map((name) => NAMED.get(name));
    return { left: left.name, right: right.name, left_author: left.author, right_author: right.author, ...each, bytes: [left.bytes, right.bytes] };
  });
}

function written() {
  return { copysift: "decisions", version: 1, decisions: [...rowsOfDecisions(), ...absent].map(({ bytes, ...each }) => each) };
}

function keep() {
  try { localStorage.setItem(storeName(), JSON.stringify([...rowsOfDecisions(), ...elsewhere])); } catch { storable = false; }
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
    absent = [];
    const number = takeIn(found.decisions, true);
    keep();
    return [`${count(number, "decision")} read`, absentWords()].filter(Boolean).join("; ");
  }).catch((error) => `${file.name}: ${error.message}`).then((words) => {
    imported = words;
    return show();
  }).then(() => {
    say(imported);
    imported = "";
  });
}

function decisionTools() {
  if (SERVED) return null;
  const input = el("input", { type: "file", accept: ".json,application/json", class: "sr", id: "decisions-file", "aria-label": "Import decisions", onchange: () => { if (input.files[0]) importDecisions(input.files[0]); } });
  return el("span", { class: "actions" }, el("button", { type: "button", id: "export", onclick: exportDecisions }, "Export decisions"),
    el("button", { type: "button", onclick: () => input.click() }, "Import"), input,
    imported ? el("span", { class: "muted", id: "imported" }, imported) : null);
}

function absentWords() {
  return absent.length ? `${count(absent.length, "decision")} of the file ${absent.length === 1 ? "names" : "name"} a ${UNIT} that is not in this report` : "";
}

takeIn(data.decisions);
try { takeStored(); } catch { storable = false; }
