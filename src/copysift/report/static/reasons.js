// The numbers of a pair, and what they are made of: measures, what raised the score, types of work.

// The type of work that the numbers of a pair are of, where its submissions have several types: "spreadsheets".
function decidedBy(pair) {
  const types = pair.types || [];
  return types.length > 1 ? (types.find(([, share]) => share !== null && Math.abs(share - pair.similarity) < 1e-4) || [null])[0] : null;
}

function measures(pair) {
  const rows = [
    ["Similarity", percent(pair.similarity)], ["Resemblance", estimated(pair.resemblance, pair.intervals, 0)],
    ["Of left", estimated(pair.ofLeft, pair.intervals, 1)], ["Of right", estimated(pair.ofRight, pair.intervals, 2)],
    ["Shared fingerprints", pair.distinct.every((each) => each) ? `${pair.shared.toLocaleString("en")} of ${pair.distinct[0].toLocaleString("en")} on the left and ${pair.distinct[1].toLocaleString("en")} on the right` : pair.shared.toLocaleString("en")], ["Passages", pair.regions.length],
    ["Longest", pair.longest === null ? "" : count(pair.longest, pair.unit)], ["Lines", pair.lines ?? ""],
  ];
  return [
    el("dl", { class: "measures" }, rows.filter(([, value]) => value !== "").map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value)))),
    decidedBy(pair) ? el("p", {}, `These are the numbers of the ${decidedBy(pair)} alone: of all types of work, they are the most similar.`) : null,
    el("p", { class: "muted" }, "Similarity weighs what is shared by its rarity: a few rare passages can make it higher than the shares of left and right, "
      + `which count every fingerprint equally${data.base ? ", base code left out" : ""}.`),
    pair.intervals ? el("p", { class: "muted" }, "Fingerprints are a sample. In parentheses: where the share of all k-grams is, in 95 of 100 cases.") : null,
  ];
}

// What each number is made of, with the pair's own figures, so that it can be checked.
function explained(pair) {
  const [left, right] = pair.distinct.map((each) => (each ? each.toLocaleString("en") : null));
  const shared = pair.shared.toLocaleString("en");
  const other = (number) => nameOf(number === pair.left ? pair.right : pair.left);
  const part = (number, all) => `${shared} of the ${all} fingerprints of ${decidedBy(pair) ? `the ${decidedBy(pair)} of ` : ""}${nameOf(number)} are also in ${other(number)}.`;
  const rows = [
    ["Fingerprint", `the hash of ${pair.noise ?? "a few"} ${pair.unit}s in a row. ${pair.unit === "token" ? "Names count as one token, comments and layout not at all." : ""}`],
    left && right ? ["Of left", part(pair.left, left)] : null, left && right ? ["Of right", part(pair.right, right)] : null,
    left && right ? ["Resemblance", `${shared} of the ${(pair.distinct[0] + pair.distinct[1] - pair.shared).toLocaleString("en")} fingerprints that either has are in both.`] : null,
    ["Similarity", `the same for the smaller of the two, where a fingerprint counts the less the more ${UNITS} have it by themselves.`],
    ["Passages", `runs that both have, found exactly and marked below${data.submissions.length > 2 ? `; “only these two” and the like say how many ${UNITS} have one` : ""}.`],
    pair.longest === null ? null : ["Longest", `the longest passage, in ${pair.unit}s.`],
    pair.lines === null ? null : ["Lines", "lines that passages touch, on the side where they are more."],
  ];
  return el("details", { class: "unusual", open: true }, el("summary", {}, "What the numbers mean"),
    el("dl", { class: "facts" }, rows.filter(Boolean).map(([name, words]) => [el("dt", {}, name), el("dd", {}, words)])));
}

const CLUE_WORDS = { rare: ["rare passage", "rare passages"], string: ["string", "strings"], statement: ["statement word for word", "statements word for word"] };

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
    return el("label", { class: "check" }, box, el("span", { class: `clue clue-${name}` }, left === right ? `${left} ${CLUE_WORDS[name][left === 1 ? 0 : 1]}` : `${left} ${CLUE_WORDS[name][left === 1 ? 0 : 1]} on the left, ${right} on the right`));
  });
  const best = Math.max(...shares.map(([, share]) => share));
  return el("details", { class: "unusual reasons", open: true }, el("summary", {}, "What raised the score"),
    shares.length ? el("p", {}, "The similarity is the largest of: ", shares.map(([name, share], at) => [at ? ", " : "", el(share === best ? "b" : "span", {}, `${name} ${percent(share)}`)]),
      el("span", { class: "muted" }, "; each is what both have of the smaller one, weighed by rarity. Up to 2% of it is taken off for what is not the same word for word.")) : null,
    el("p", { class: "keys-of-clues" }, keys));
}

// Works of several types, each with a score of its own.
function byType(pair) {
  if (!(pair.types || []).some(([, share]) => share !== null) || pair.types.length < 2) return null;
  const rows = pair.types.map(([name, share, left, right]) => [capital(name), share === null ? `only ${nameOf(left ? pair.left : pair.right)}` : meter(share), count(left, "file"), count(right, "file")]);
  return el("div", { class: "card by-type" }, el("h2", {}, "By type of work"), listed(rows, ["Type", "Similarity", nameOf(pair.left), nameOf(pair.right)]));
}
