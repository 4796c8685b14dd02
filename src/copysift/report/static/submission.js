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

// How much of its code any of the others have, beside the middle of the class: idiom alone makes it high.
function coverOf(each) {
  if (each.covered === null) return null;
  const all = data.submissions.filter((other) => !other.earlier && other.covered !== null).map((other) => other.covered).sort((a, b) => a - b);
  return el("div", { class: "cover" }, meter(each.covered, "plain"), el("span", {}, ` of what it has, weighed by rarity, is in other ${UNITS} too`),
    all.length > 2 ? el("span", { class: "muted" }, `; the middle of the class is ${percent(all[Math.floor(all.length / 2)])}`) : null);
}

// The best of a submission below the threshold, from all pairs of the class.
function nearestOf(number) {
  return spread && spread.nearest[number].length ? spread.nearest[number][0] : null;
}

function noPair(number) {
  const near = nearestOf(number);
  return el("p", {}, `No pair with this ${UNIT} reaches the threshold.`, near ? [` The nearest is `, submissionLink(near[1]), `, ${percent(near[0])}.`] : null);
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
  return el("section", { class: "page" },
    el("h1", {}, nameOf(number), each.earlier ? el("span", { class: "tag" }, "earlier") : null, each.note ? el("span", { class: "tag" }, each.note) : null),
    facts(number),
    el("div", { class: "card" }, el("h2", {}, "Shared with others"), coverOf(each), spread ? [el("p", {}, `Similarity to every other ${UNIT}:`), strip(number, spread.nearest[number].map(([share]) => share))] : null,
      total ? el("p", {}, `${shared.toLocaleString("en")} of ${count(total, "line")} are in passages shared with the ${UNITS} below.`) : null),
    el("div", { class: "card" }, el("h2", {}, "Nearest"), pairsOf(number).length ? near.table : noPair(number)),
    el("h2", {}, "Source"), el("p", { class: "muted" }, "The stripe at the left shows lines that others share, darker for more of them."), files);
}

const SUBMISSION_COLUMNS = [
  { name: capital(UNIT), text: true, key: (each) => each.label, cell: (each) => submissionLink(each.number) },
  { name: "Highest", key: (each) => highest(each), cell: highestCell },
  SINGLE ? null : { name: "Shared", key: (each) => each.covered || 0, cell: (each) => (each.covered === null ? "" : percent(each.covered)) },
  { name: "Pairs", key: (each) => pairsOf(each.number).length, cell: (each) => pairsOf(each.number).length || "" },
  SINGLE
    ? { name: "Read as", text: true, key: (each) => readAs(each), cell: (each) => readAs(each), wide: true }
    : { name: "Files", key: (each) => each.files.length, cell: (each) => each.files.length, wide: true },
  { name: "Size", key: (each) => each.bytes, cell: (each) => size(each.bytes), wide: true },
].filter(Boolean);

function readAs(each) {
  return each.files.map((file) => data.files[file].readAs).join(", ");
}

function highestCell(each) {
  if (pairsOf(each.number).length) return meter(highest(each));
  return each.note || equalTag(each) || (highest(each) ? el("span", { class: "muted" }, percent(highest(each))) : "–");
}

function equalTag(each) {
  return each.files.some((file) => equalFiles().has(file)) ? el("a", { class: "tag", href: "#/equal" }, "equal") : null;
}

function highest(each) {
  return pairsOf(each.number).reduce((most, pair) => Math.max(most, pair.similarity), nearestOf(each.number)?.[0] ?? 0);
}

function submissionsPage() {
  let words = [];
  const { table, refresh, choose } = sortable(SUBMISSION_COLUMNS, () => data.submissions.filter((each) => matches(each, words)), capital(UNITS));
  choose(0); // by name: an archive has them in any order
  return el("section", { class: "page" }, el("h1", {}, capital(UNITS)),
    el("div", { class: "controls" }, searchBox("Search names", (typed) => { words = typed; refresh(); })), table);
}
