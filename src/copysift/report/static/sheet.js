// The evidence sheet of one pair: measures, settings, every passage, both sources; made to be printed.

async function excerpt(pair, region, number, side) {
  const place = sideOf(region, side);
  const content = await source(place.file);
  if (!content) return el("div", {}, noSource(place.file));
  const lines = linesOf(content, [{ start: place.start, end: place.end, number, label: "" }], cluesOf(pair, side, place.file));
  return el("div", {}, el("h4", {}, where(place)), codeBlock(lines.slice(place.first - 1, place.last)));
}

async function wholeSource(pair, side) {
  const submission = data.submissions[pair[side]];
  const parts = [];
  for (const file of submission.files) {
    const content = await source(file);
    parts.push(el("h4", {}, hidden ? data.files[file].short : data.files[file].name), content ? codeBlock(linesOf(content, marksOf(pair, side, file, false), cluesOf(pair, side, file))) : noSource(file),
      content && content.cut ? cutNote() : null);
  }
  return el("section", { class: "whole" }, el("h2", {}, `Source of ${nameOf(pair[side])}`), parts);
}

function facts(number, titled) {
  const each = data.submissions[number];
  const rows = [["Name", hidden ? "" : each.name], ["Author", hidden ? "" : each.author], ["Team", hidden ? "" : each.team], ["Time", moment(each.when)], ["Attempt", each.attempt],
    ["Files", `${each.files.length}, ${size(each.bytes)}`]];
  return el("div", { class: "card" }, titled ? el("h2", {}, nameOf(number)) : null, el("dl", { class: "facts" },
    rows.filter(([, value]) => value).map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)])));
}

async function sheetPage(number) {
  const pair = data.pairs[number];
  const passages = [];
  for (const [at, region] of pair.regions.entries()) {
    passages.push(el("section", { class: "passage" }, el("h3", {}, [`Passage ${at + 1}: ${count(region[REGION.length], pair.unit)}`, heldBy(region)].filter(Boolean).join(", ")),
      el("div", { class: "two" }, await excerpt(pair, region, at, "left"), await excerpt(pair, region, at, "right"))));
  }
  const root = el("section", { class: "page sheet" });
  return put(root,
    el("div", { class: "pair-head" }, el("h1", {}, "Evidence sheet"),
      el("div", { class: "actions" }, el("a", { class: "button", href: `#/pair/${number}` }, "Side by side"),
        el("button", { type: "button", onclick: () => print() }, "Print"))),
    el("div", { class: "two" }, facts(pair.left, true), facts(pair.right, true)), decisionOf(pair).state || decisionOf(pair).note ? el("p", { class: "notice" }, [decisionOf(pair).state, decisionOf(pair).note].filter(Boolean).join(": ")) : null,
    measures(pair), explained(pair), byType(pair), reasons(pair, root), unusual(pair, true), await hints(pair),
    el("h2", {}, "Shared passages"), passages.length ? passages : el("p", {}, "No passage of the noise threshold's length."),
    await wholeSource(pair, "left"), await wholeSource(pair, "right"),
    el("h2", {}, ["Settings", `copysift ${data.version}`, data.date].filter(Boolean).join(", ")), settingsTable(),
    el("p", { class: "muted" }, "Shared text does not show who wrote it first, or why."));
}
