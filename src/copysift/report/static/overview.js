// The first page: counts, similarity, warnings, and what was skipped and why.

const charts = embedded("data-charts");
const drawn = new Map();

// Draw a chart once and keep its element; `done` gets its document the first time.
function chart(name, label, done) {
  if (!charts[name]) return el("p", { class: "muted" }, "Nothing to draw: no pair reaches the threshold.");
  if (!drawn.has(name)) {
    const holder = el("div", { class: "chart", id: charts[name].target_id, role: "img", "aria-label": label });
    drawn.set(name, holder);
    requestAnimationFrame(() => {
      Bokeh.embed.embed_item(charts[name], holder.id).then(() => {
        holder.dataset.ready = "yes";
        if (done) done(Bokeh.documents[Bokeh.documents.length - 1]);
      });
    });
  }
  return drawn.get(name);
}

function tile(number, words, href) {
  const inside = [el("b", {}, typeof number === "number" ? number.toLocaleString("en") : number), el("span", {}, words)];
  return href ? el("a", { class: "tile", href }, inside) : el("div", { class: "tile" }, inside);
}

function warnings() {
  const found = [];
  const equal = data.pairs.filter((pair) => pair.equal).length;
  const small = data.pairs.filter((pair) => pair.small).length;
  if (small) found.push(`${count(small, "pair")} with a ${UNIT} that is too small to judge, below the others.`);
  if (equal) found.push(`${count(equal, "pair")} of identical ${UNITS}.`);
  const noted = data.submissions.filter((each) => each.note);
  for (const note of new Set(noted.map((each) => each.note))) {
    const names = noted.filter((each) => each.note === note).map((each) => (hidden ? nameOf(each.number) : each.label));
    found.push(`${count(names.length, UNIT)} ${note}: ${names.slice(0, 12).join(", ")}${names.length > 12 ? ", …" : ""}.`);
  }
  if (data.ignoredCount) found.push(`${count(data.ignoredCount, "fingerprint")} ignored, because too many ${UNITS} share them (below).`);
  found.push(...data.notes.map((note) => `${note}.`));
  if (absent.length) found.push(`${absentWords()}.`);
  if (data.skipped.length) found.push(`${count(data.skipped.length, "input")} skipped (below).`);
  if (data.allPairs > data.pairs.length) found.push(`Only the ${data.pairs.length.toLocaleString("en")} most similar of ${count(data.allPairs, "pair")} are in this report (--limit); pairs that are too small to judge come after all others.`);
  return found;
}

function details(title, content, open) {
  return el("details", { open }, el("summary", {}, title), content);
}

function listed(rows, heads) {
  return el("div", { class: "scroller" }, el("table", {}, el("thead", {}, el("tr", {}, heads.map((head) => el("th", { scope: "col" }, head)))),
    el("tbody", {}, rows.map((row) => el("tr", {}, row.map((cell) => el("td", {}, cell)))))));
}

function settingsTable() {
  return listed(data.settings.filter(([, value]) => value !== ""), ["Setting", "Value"]);
}

function overviewPage() {
  const now = data.submissions.filter((each) => !each.earlier).length;
  const earlier = data.submissions.length - now;
  const similar = data.similar ?? data.allPairs; // older jobs of a server do not say
  const here = data.pairs.filter((pair) => !pair.equal).length;
  const top = pairsTable(() => data.pairs.slice(0, 10), "The ten most similar pairs");
  top.refresh();
  const notes = warnings();
  const ignored = data.ignored.map(([groups, text]) => [groups, el("code", { class: "snippet" }, text)]);
  return el("section", { class: "page" },
    el("h1", {}, data.title || "Overview"), data.date ? el("p", { class: "muted" }, `Compared on ${data.date}`) : null,
    el("div", { class: "tiles" },
      tile(now, now === 1 ? UNIT : UNITS, "#/submissions"),
      equalTiles(),
      earlier ? tile(earlier, "of earlier years", "#/submissions") : null,
      !SINGLE && data.equalSets ? tile(data.equalSets, `${data.equalSets === 1 ? "set" : "sets"} of identical ${UNITS}`, "#/pairs") : null,
      tile(similar, `${similar === 1 ? "similar pair" : "similar pairs"}${similar > here ? `, the best ${here.toLocaleString("en")} in this report` : ""}`, "#/pairs"),
      tile(clusters.length, clusters.length === 1 ? "cluster" : "clusters", "#/clusters"),
      tile(data.pairs.length ? percent(data.pairs.reduce((most, pair) => Math.max(most, pair.similarity), 0)) : "–", "highest similarity")),
    notes.length ? el("div", { class: "notice", role: "note" }, el("ul", {}, notes.map((note) => el("li", {}, note)))) : null,
    classCard(),
    el("div", { class: "card" }, el("h2", {}, spread ? "Pairs in this report" : "Pairs by similarity"), chart("histogram", "Histogram: number of pairs by similarity")),
    el("div", { class: "card" }, el("h2", {}, "Most similar"), data.pairs.length ? [top.table, el("p", {}, el("a", { href: "#/pairs" }, "All pairs"))]
      : el("p", {}, "No pair reaches the threshold.")),
    data.skipped.length && !hidden ? details(`Skipped: ${data.skipped.length}`, listed(data.skipped, ["Name", "Why"]), true) : null,
    data.ignoredCount ? details(`Ignored as common: ${data.ignoredCount.toLocaleString("en")}`, [
      el("p", { class: "muted" }, `Text that many ${UNITS} share. It does not count. Most common:`),
      listed(ignored, [capital(UNITS), "Text"])]) : null,
    details("Settings", settingsTable()));
}
