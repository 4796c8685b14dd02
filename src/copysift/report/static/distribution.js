// All pairs of the class: how similar they are, where a pair is among them, and how unusual that is.

const spread = data.distribution;

function marker(share, name, label) {
  return el("span", { class: `marker ${name}`, style: { left: `${100 * share}%` }, title: label });
}

// Bars of counts, the height by the logarithm: a class has thousands of low pairs and a few high ones.
function classChart(markers, label) {
  const most = Math.log1p(Math.max(...spread.histogram));
  const bars = spread.histogram.map((number, at) => el("i", { style: { height: `${(100 * Math.log1p(number)) / most}%` }, title: `${at}–${at + 1}%: ${count(number, "pair")}` }));
  return el("figure", { class: "class-chart", role: "img", "aria-label": label }, el("div", { class: "bars" }, bars, markers),
    el("figcaption", {}, [0, 25, 50, 75, 100].map((share) => el("span", {}, `${share}%`))));
}

function strip(number, shares) {
  const cells = spread.strips[number];
  const most = Math.log1p(Math.max(1, ...cells));
  return el("span", { class: "likeness", role: "img", "aria-label": `Similarities of ${nameOf(number)} to all others` },
    cells.map((found) => el("i", { style: { opacity: found ? 0.15 + (0.85 * Math.log1p(found)) / most : 0.04 } })),
    shares.map((share) => marker(share, "here", percent(share))));
}

// How rare the model of chance can say: classes without copies were too few to test what is rarer.
const RAREST = 10000;

// In words, or short for a table.
function oneIn(chance, rarer = "less than one in ", about = "one in ") {
  const number = 1 / chance;
  const digits = 10 ** Math.max(0, Math.floor(Math.log10(number)) - 1);
  return number > RAREST ? `${rarer}${RAREST.toLocaleString("en")}` : `${about}${(Math.round(number / digits) * digits).toLocaleString("en")}`;
}

// The best similarity of a submission to another one than `other`.
function nextBest(number, other) {
  const found = spread.nearest[number].find(([, one]) => one !== other);
  return found ? found[0] : 0;
}

// Why no pair of this class has a chance; null if they have one.
function noModel() {
  if (spread.suggested !== null) return null;
  const held = data.submissions.length;
  return held < spread.fewest
    ? `This class is too small for a model of chance: ${count(held, UNIT)}, at least ${spread.fewest} are needed.`
    : "There is no model of chance for this class: its pairs are equally similar, or have nothing in common.";
}

function unusual(pair, open) {
  if (!spread) return null;
  const next = Math.max(nextBest(pair.left, pair.right), nextBest(pair.right, pair.left));
  const words = [];
  if (pair.chance === null) words.push(noModel() ?? "");
  else {
    const expected = pair.chance * spread.pairs;
    words.push(`Two independent submissions of this class are this similar with a chance of ${oneIn(pair.chance)}; of its ${count(spread.pairs, "pair")}, ${expected < 0.1 ? "none" : expected < 1.5 ? "about one" : `about ${Math.round(expected).toLocaleString("en")}`} would be by chance.`);
  }
  words.push(`The next best match of either is ${percent(next)}.`);
  return el("details", { class: "unusual", open }, el("summary", {}, pair.chance === null ? "How unusual is this?" : `How unusual is this? ${oneIn(pair.chance)[0].toUpperCase()}${oneIn(pair.chance).slice(1)}`, el("span", { class: "muted" }, `; the next best match of either is ${percent(next)}`)),
    el("p", {}, words.join(" ")),
    classChart([marker(pair.similarity, "here", "this pair"), marker(data.threshold, "cut", "threshold")], "Histogram of all pairs of the class, with this pair"),
    el("dl", { class: "strips" }, [pair.left, pair.right].map((number) => [el("dt", {}, nameOf(number)), el("dd", {}, strip(number, [pair.similarity]))])),
    pair.chance === null ? null : el("p", { class: "muted" }, "The model: without copies, the logit of the similarity of two submissions is normal; the median and the 90th percentile of the class fix it. Heights and shades are logarithmic."));
}

function classCard() {
  if (!spread) return null;
  const marks = [marker(data.threshold, "cut", `threshold ${percent(data.threshold)}`)];
  if (spread.suggested !== null) marks.push(marker(spread.suggested, "suggested", `suggested ${percent(spread.suggested)}`));
  return el("div", { class: "card" }, el("h2", {}, "All pairs of the class"), classChart(marks, "Histogram of the similarities of all pairs"),
    el("p", { class: "muted" }, spread.suggested === null
      ? `${count(spread.pairs, "pair")}, also below the threshold (dashed). ${noModel()} So no pair says how likely it is by chance, and no threshold is suggested.`
      : `${count(spread.pairs, "pair")}, also below the threshold of ${percent(data.threshold)} (dashed). Without copies, about one pair would be above ${percent(spread.suggested)} (dotted): a threshold from this class itself. Heights are logarithmic.`));
}
