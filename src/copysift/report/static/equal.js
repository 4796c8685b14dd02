// Files and folders that are equal byte for byte, and what they waste.

function whole(bytes) {
  return size(bytes).replace(" ", "\u00a0");
}

function wasted(sets) {
  return sets.reduce((sum, each) => sum + each.bytes * (each.members.length - 1), 0);
}

function equalTiles() {
  if (!SINGLE) return null;
  const total = data.files.reduce((sum, each) => sum + each.bytes, 0);
  return [
    tile(whole(total), "in all"),
    data.equal.length ? tile(data.equal.length, data.equal.length === 1 ? `set of equal ${UNITS}` : `sets of equal ${UNITS}`, "#/equal") : null,
    data.equal.length ? tile(whole(wasted(data.equal)), "wasted", "#/equal") : null,
  ];
}

let knownEqual = null;

function equalFiles() {
  knownEqual = knownEqual || new Set(data.equal.flatMap((each) => each.members));
  return knownEqual;
}

function amount(bytes) {
  return el("span", { class: "amount" }, whole(bytes));
}

function setsTable(sets, heads, name) {
  const rows = sets.map((each) => [
    amount(each.bytes * (each.members.length - 1)), each.members.length, amount(each.bytes),
    el("ul", { class: "names" }, each.members.map((member) => el("li", {}, name(member)))),
  ]);
  return listed(rows, heads);
}

function equalPage() {
  return el("section", { class: "page" }, el("h1", {}, `Equal ${UNITS}`),
    data.equal.length ? null : el("p", {}, "No two files are equal."),
    data.folders.length ? el("div", { class: "card" }, el("h2", {}, "Equal folders"),
      setsTable(data.folders, ["Wasted", "Copies", "Size", "Folders"], (name) => name)) : null,
    data.equal.length ? el("div", { class: "card" }, el("h2", {}, `Equal ${UNITS}`),
      el("p", { class: "muted" }, `${count(data.equal.length, "set")}, ${size(wasted(data.equal))} wasted. Equal ${UNITS} are the same byte for byte.`),
      setsTable(data.equal, ["Wasted", "Copies", "Size", capital(UNITS)], (number) => data.files[number].name)) : null);
}
