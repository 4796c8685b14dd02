// One submission: its nearest, how much of it the others cover together, and where.

// Give, for each line of a file, the submissions that share it in the pairs of this report.
function sharers(number, file) {
  const found = new Map();
  for (const pair of pairsOf(number)) {
    const side = pair.left === number ? "left" : "right";
    for (const region of pair.regions) {
      const place = sideOf(region, side);
      if (place.file !== file) continue;
      for (let line = place.first; line <= place.last; line += 1) {
        if (!found.has(line)) found.set(line, new Set());
        found.get(line).add(otherOf(pair, number));
      }
    }
  }
  return found;
}

async function coveredSource(number, file) {
  const content = await source(file);
  if (!content) return { block: noSource(file), lines: 0, shared: 0 };
  const lines = linesOf(content, []);
  const found = sharers(number, file);
  for (const line of lines) {
    const who = found.get(Number(line.dataset.line));
    if (!who) continue;
    line.classList.add("covered", `by${Math.min(3, who.size)}`);
    line.title = `Also in ${[...who].map((other) => nameOf(other)).join(", ")}`;
  }
  return { block: [codeBlock(lines), content.cut ? cutNote() : null], lines: lines.length, shared: found.size };
}

async function submissionPage(number) {
  const each = data.submissions[number];
  const near = pairsTable(() => pairsOf(number), `Nearest to ${nameOf(number)}`);
  near.refresh();
  let [total, shared] = [0, 0];
  const files = [];
  for (const file of each.files) {
    const made = await coveredSource(number, file);
    total += made.lines;
    shared += made.shared;
    files.push(el("section", { class: "file" }, el("h3", {}, data.files[file].short, el("span", { class: "muted" }, ` ${data.files[file].readAs || data.files[file].kind}, ${size(data.files[file].bytes)}`)), made.block));
  }
  const covered = each.covered === null ? null : el("div", { class: "cover" }, meter(each.covered), el("span", {}, ` of what it has, weighed by rarity, is in other ${UNITS} too: idiom counts little, rare code much`));
  return el("section", { class: "page" },
    el("h1", {}, nameOf(number), each.earlier ? el("span", { class: "tag" }, "earlier") : null, each.note ? el("span", { class: "tag" }, each.note) : null),
    facts(number),
    el("div", { class: "card" }, el("h2", {}, "Shared with others"), covered, spread ? [el("p", {}, `Similarity to every other ${UNIT}:`), strip(number, spread.nearest[number].map(([share]) => share))] : null,
      total ? el("p", {}, `${shared.toLocaleString("en")} of ${count(total, "line")} are in passages shared with the ${UNITS} below.`) : null),
    el("div", { class: "card" }, el("h2", {}, "Nearest"), pairsOf(number).length ? near.table : el("p", {}, `No pair with this ${UNIT} reaches the threshold.`)),
    el("h2", {}, "Source"), el("p", { class: "muted" }, "The stripe at the left shows lines that others share, darker for more of them."), files);
}

const SUBMISSION_COLUMNS = [
  { name: capital(UNIT), text: true, key: (each) => each.label, cell: (each) => submissionLink(each.number) },
  { name: "Highest", key: (each) => highest(each), cell: (each) => (highest(each) ? meter(highest(each)) : each.note || equalTag(each) || "–") },
  UNIT === "file" ? null : { name: "Shared", key: (each) => each.covered || 0, cell: (each) => (each.covered === null ? "" : percent(each.covered)) },
  { name: "Pairs", key: (each) => pairsOf(each.number).length, cell: (each) => pairsOf(each.number).length || "" },
  UNIT === "file"
    ? { name: "Read as", text: true, key: (each) => readAs(each), cell: (each) => readAs(each), wide: true }
    : { name: "Files", key: (each) => each.files.length, cell: (each) => each.files.length, wide: true },
  { name: "Size", key: (each) => each.bytes, cell: (each) => size(each.bytes), wide: true },
].filter(Boolean);

function readAs(each) {
  return each.files.map((file) => data.files[file].readAs).join(", ");
}

function equalTag(each) {
  return each.files.some((file) => equalFiles().has(file)) ? el("a", { class: "tag", href: "#/equal" }, "equal") : null;
}

function highest(each) {
  return pairsOf(each.number).reduce((most, pair) => Math.max(most, pair.similarity), 0);
}

function submissionsPage() {
  let words = [];
  const { table, refresh } = sortable(SUBMISSION_COLUMNS, () => data.submissions.filter((each) => matches(each, words)), capital(UNITS));
  refresh();
  return el("section", { class: "page" }, el("h1", {}, capital(UNITS)),
    el("div", { class: "controls" }, searchBox("Search names", (typed) => { words = typed; refresh(); })), table);
}
