// The report on a server: mark pairs, and turn a passage into base code. Runs in the report's own scope.

const place = location.pathname.replace(/\/report$/, "");
const VERDICTS = ["", "cleared", "suspicious", "confirmed"];
const marks = new Map();
let editing = null;

function markKey(pair) { return JSON.stringify([data.submissions[pair.left].name, data.submissions[pair.right].name]); }

function markOf(pair) { return marks.get(markKey(pair)) || { verdict: "", note: "" }; }

async function send(path, content) {
  const answer = await fetch(place + path, { method: "POST", body: JSON.stringify(content),
    headers: { "Content-Type": "application/json", Accept: "application/json", "X-Form-Token": editing } });
  const found = await answer.json();
  if (!answer.ok) throw new Error(found.error.message);
  return found;
}

function markBar(pair) {
  const mark = markOf(pair);
  const said = el("span", { class: "muted", role: "status" });
  const verdict = el("select", { id: "verdict", "aria-label": "What you think of this pair" },
    VERDICTS.map((each) => el("option", { value: each, selected: each === mark.verdict }, each || "not marked")));
  const note = el("input", { id: "note", type: "search", maxlength: 5000, placeholder: "Note", "aria-label": "Note", value: mark.note });
  const save = async () => {
    const [left, right] = JSON.parse(markKey(pair));
    try {
      await send("/marks", { left, right, verdict: verdict.value, note: note.value });
      marks.set(markKey(pair), { verdict: verdict.value, note: note.value });
      said.textContent = "saved";
    } catch (error) { said.textContent = error.message; }
  };
  verdict.addEventListener("change", save);
  note.addEventListener("change", save);
  return el("div", { class: "actions", id: "mark-bar" }, verdict, note,
    el("button", { type: "button", id: "as-base", onclick: () => asBase(pair, said) }, "This passage is base code: run again"), said);
}

async function asBase(pair, said) {
  const on = document.querySelector(".mark.on, .chip.on");
  const number = on ? Number(on.dataset.mark ?? on.dataset.go) : pair.regions.length === 1 ? 0 : -1;
  const region = pair.regions[number];
  if (!region) { said.textContent = "Choose a passage first."; return; }
  const side = sideOf(region, "left");
  const content = await source(side.file);
  const text = content ? content.text.slice(side.start, side.end) : "";
  const suffix = /\.[A-Za-z0-9+_#-]{1,12}$/.exec(data.files[side.file].name);
  try {
    const { location: next } = await send("/base", { name: `passage${suffix ? suffix[0] : ""}`, text });
    location.href = next;
  } catch (error) { said.textContent = error.message; }
}

function decorate() {
  const main = document.getElementById("main");
  const shown = /^#\/pair\/(\d+)$/.exec(location.hash);
  if (editing && shown && data.pairs[shown[1]] && !document.getElementById("mark-bar")) {
    const head = main.querySelector(".pair-head");
    if (head) head.after(markBar(data.pairs[shown[1]]));
  }
  for (const row of main.querySelectorAll("tr[data-pair]:not([data-marked])")) {
    row.dataset.marked = "yes";
    const { verdict, note } = markOf(data.pairs[row.dataset.pair]);
    if (verdict || note) row.cells[0].append(" ", el("span", { class: "tag", title: note }, verdict || "note"));
  }
}

new MutationObserver(decorate).observe(document.getElementById("main"), { childList: true, subtree: true });
fetch(`${place}/marks`, { headers: { Accept: "application/json" } }).then((answer) => answer.json()).then((found) => {
  if (found.editable) {
    editing = found.form_token;
    document.querySelector("a.brand").before(el("a", { class: "button", href: place }, "‹ Check"));
  }
  for (const { left, right, verdict, note } of found.marks) marks.set(JSON.stringify([left, right]), { verdict, note });
  document.querySelectorAll("tr[data-marked]").forEach((row) => row.removeAttribute("data-marked"));
  decorate();
}).catch(() => {});
