// The numbers of a pair, and what they are made of: measures, what raised the score, types of work.

function measures(pair) {
  const rows = [
    ["Similarity", percent(pair.similarity)], ["Resemblance", estimated(pair.resemblance, pair.intervals, 0)],
    ["Of left", estimated(pair.ofLeft, pair.intervals, 1)], ["Of right", estimated(pair.ofRight, pair.intervals, 2)],
    ["Shared fingerprints", pair.distinct.every((each) => each) ? `${pair.shared.toLocaleString("en")} of ${pair.distinct[0].toLocaleString("en")} and ${pair.distinct[1].toLocaleString("en")} distinct` : pair.shared.toLocaleString("en")], ["Passages", pair.regions.length],
    ["Longest", pair.longest === null ? "" : count(pair.longest, pair.unit)], ["Lines", pair.lines ?? ""],
  ];
  return [
    el("dl", { class: "measures" }, rows.filter(([, value]) => value !== "").map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value)))),
    el("p", { class: "muted" }, "Similarity weighs what is shared by its rarity: a few rare passages can make it higher than the shares of left and right, "
      + `which count every fingerprint equally${data.base ? ", base code left out" : ""}.`),
    pair.intervals ? el("p", { class: "muted" }, "Fingerprints are a sample. In parentheses: where the share of all k-grams is, in 95 of 100 cases.") : null,
  ];
}

const CLUE_WORDS = { rare: ["place with rare code", "places with rare code"], string: ["string", "strings"], statement: ["statement word for word", "statements word for word"] };

// What raised the score: the parts of which it is the largest, and a key to the marks in the sources.
function reasons(pair, root) {
  const flat = pair.clues ? pair.clues.flat() : [];
  const shares = (pair.shares || []).filter(([name]) => name);
  if (!flat.length && !shares.length) return null;
  const counts = data.clues.map((_, what) => pair.clues.map((side) => side.filter((number, at) => at % 4 === 0 && number === what).length));
  const keys = data.clues.map((name, what) => {
    const [left, right] = counts[what];
    if (!left && !right) return null;
    const box = el("input", { type: "checkbox", checked: true, onchange: () => root.classList.toggle(`no-${name}`, !box.checked) });
    return el("label", { class: "check" }, box, el("span", { class: `clue clue-${name}` }, left === right ? `${left} ${CLUE_WORDS[name][left === 1 ? 0 : 1]}` : `${left} and ${right} ${CLUE_WORDS[name][1]}`));
  });
  const best = Math.max(...shares.map(([, share]) => share));
  return el("details", { class: "unusual reasons", open: true }, el("summary", {}, "What raised the score"),
    shares.length ? el("p", {}, "The similarity is the largest of: ", shares.map(([name, share], at) => [at ? ", " : "", el(share === best ? "b" : "span", {}, `${name} ${percent(share)}`)]),
      el("span", { class: "muted" }, "; each is what both have of the smaller one, weighed by rarity. Up to 2 % of it is taken off for what is not the same word for word.")) : null,
    el("p", { class: "keys-of-clues" }, keys));
}

// Works of several types, each with a score of its own.
function byType(pair) {
  if (!(pair.types || []).some(([, share]) => share !== null) || pair.types.length < 2) return null;
  const rows = pair.types.map(([name, share, left, right]) => [capital(name), share === null ? `only ${nameOf(left ? pair.left : pair.right)}` : meter(share), count(left, "file"), count(right, "file")]);
  return el("div", { class: "card by-type" }, el("h2", {}, "By type of work"), listed(rows, ["Type", "Similarity", nameOf(pair.left), nameOf(pair.right)]));
}
