// One document for all cases: every sheet below the other, made to be printed.

function cases() { return data.pairs.filter((pair) => decisionOf(pair).state === "case"); }

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
