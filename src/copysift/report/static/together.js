// Three or more submissions side by side: passages that several of them have share a colour.

const TOGETHER = 6; // panes at once

// Spans of all pairs among some submissions, joined to passages: the sides of a region belong together, and so do
// spans of one file that overlap by half of the shorter.
function passagesAmong(members) {
  const inside = new Set(members);
  const spans = [];
  const parent = [];
  const root = (at) => { while (parent[at] !== at) { parent[at] = parent[parent[at]]; at = parent[at]; } return at; };
  const join = (a, b) => { parent[root(a)] = root(b); };
  for (const pair of data.pairs) {
    if (!inside.has(pair.left) || !inside.has(pair.right)) continue;
    for (const region of pair.regions) {
      for (const side of ["left", "right"]) {
        parent.push(spans.length);
        spans.push({ ...sideOf(region, side), who: pair[side], holders: region[REGION.holders] });
      }
      join(spans.length - 2, spans.length - 1);
    }
  }
  const byFile = new Map();
  spans.forEach((span, at) => { if (!byFile.has(span.file)) byFile.set(span.file, []); byFile.get(span.file).push(at); });
  for (const list of byFile.values()) {
    list.sort((a, b) => spans[a].start - spans[b].start);
    list.forEach((one, place) => {
      for (let next = place + 1; next < list.length && spans[list[next]].start < spans[one].end; next += 1) {
        const other = spans[list[next]];
        const both = Math.min(other.end, spans[one].end) - other.start;
        if (2 * both >= Math.min(other.end - other.start, spans[one].end - spans[one].start)) join(one, list[next]);
      }
    });
  }
  const found = new Map();
  spans.forEach((span, at) => {
    const key = root(at);
    if (!found.has(key)) found.set(key, { spans: [], who: new Set(), holders: 0 });
    const passage = found.get(key);
    passage.spans.push(span);
    passage.who.add(span.who);
    passage.holders = Math.max(passage.holders, span.holders);
  });
  const lines = (passage) => Math.max(...passage.spans.map((span) => span.last - span.first + 1));
  return [...found.values()].map((passage) => ({ ...passage, lines: lines(passage) }))
    .sort((a, b) => b.who.size - a.who.size || b.lines - a.lines);
}

// The marks of one file: where spans overlap, the passage that comes first has the place.
function marksAmong(passages, file) {
  const taken = [];
  passages.forEach((passage, number) => {
    for (const span of passage.spans.filter((each) => each.file === file && each.end > each.start)) {
      let free = [[span.start, span.end]];
      for (const other of taken) {
        free = free.flatMap(([start, end]) => (other.end <= start || other.start >= end ? [[start, end]]
          : [[start, Math.min(end, other.start)], [Math.max(start, other.end), end]].filter(([a, b]) => a < b)));
      }
      taken.push(...free.map(([start, end]) => ({ start, end, number, label: `Passage ${number + 1}, show it in the others` })));
    }
  });
  return taken.sort((a, b) => a.start - b.start);
}

async function togetherPane(number, passages) {
  const body = el("div", { class: "pane-body", tabindex: 0, role: "region", "aria-label": `Source of ${nameOf(number)}` });
  for (const file of data.submissions[number].files) {
    const content = await source(file);
    body.append(el("section", { class: "file", "data-file": file }, el("h3", {}, data.files[file].short),
      content ? codeBlock(linesOf(content, marksAmong(passages, file))) : noSource(file), content && content.cut ? cutNote() : null));
  }
  return { body, root: el("div", { class: "pane" }, el("div", { class: "pane-head" }, el("h2", {}, submissionLink(number))), el("div", { class: "pane-main" }, body)) };
}

async function togetherPage(list) {
  const members = [...new Set(String(list).split(",").map(Number))].filter((number) => data.submissions[number]).slice(0, TOGETHER);
  const passages = passagesAmong(members);
  const panes = [];
  for (const number of members) panes.push(await togetherPane(number, passages));
  const chips = passages.map((passage, number) => el("li", {}, el("button", { type: "button", class: `chip c${number % COLOURS}`, "data-go": number, onclick: () => go(number) },
    `${number + 1}`, el("small", {}, `${count(passage.lines, "line")}, in ${passage.who.size} of these ${members.length}`))));
  const root = el("section", { class: "page pair" });
  const go = walk(root, panes, passages.length, (at) => `Passage ${at + 1} of ${passages.length}`);
  const near = clusters.find((cluster) => members.some((number) => cluster.members.includes(number)));
  const choice = [...new Set([...members, ...(near ? near.members : [])])].map((number) => {
    const box = el("input", { type: "checkbox", checked: members.includes(number), onchange: () => {
      const chosen = box.checked ? [...members, number] : members.filter((each) => each !== number);
      if (chosen.length > 1 && chosen.length <= TOGETHER) location.hash = `#/together/${chosen.join(",")}`;
      else box.checked = !box.checked;
    } });
    return el("label", { class: "check" }, box, nameOf(number));
  });
  return put(root, el("div", { class: "pair-head" }, el("h1", {}, `${count(members.length, UNIT)} side by side`)),
    el("div", { class: "controls" }, choice), el("p", { class: "muted" }, `At most ${TOGETHER} at once. A colour is a passage that several of them have.`),
    el("ol", { class: "passages", "aria-label": "Shared passages, those that most of them have first" }, chips),
    el("div", { class: "panes many" }, panes.map((each) => each.root)));
}
