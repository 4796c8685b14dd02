// Two submissions side by side: a click on a passage brings its other side into view.

function where(side) {
  const lines = side.first === side.last ? `${side.first}` : `${side.first}–${side.last}`;
  return `${data.files[side.file].short}:${lines}`;
}

function passageList(pair, go) {
  const chip = (region, number) => {
    const [left, right] = [sideOf(region, "left"), sideOf(region, "right")];
    return el("li", {}, el("button", { type: "button", class: `chip c${number % COLOURS}`, "data-go": number, title: `${where(left)} and ${where(right)}`, onclick: () => go(number) },
      `${number + 1}`, el("small", {}, [count(left.last - left.first + 1, "line"), heldBy(region)].filter(Boolean).join(", "))));
  };
  const made = pair.regions.map((region, number) => [region, chip(region, number)]);
  const [own, common] = [false, true].map((idiom) => made.filter(([region]) => isIdiom(region) === idiom).map(([, item]) => item));
  return [el("ol", { class: "passages", "aria-label": "Shared passages, the rarest first" }, own),
    common.length ? el("details", { class: "idiom-list" }, el("summary", {}, `${count(common.length, "passage")} that many ${UNITS} have`), el("ol", { class: "passages" }, common)) : null];
}

// One side: its files below each other, a choice of files, and a strip that shows where passages are.
async function pane(pair, side) {
  const number = pair[side];
  const submission = data.submissions[number];
  const body = el("div", { class: "pane-body", tabindex: 0, role: "region", "aria-label": `Source of ${nameOf(number)}` });
  const strip = el("div", { class: "strip", "aria-hidden": "true" });
  const touched = new Set(pair.regions.map((region) => sideOf(region, side).file));
  const files = [...submission.files].sort((a, b) => touched.has(b) - touched.has(a));
  let total = 0;
  const bars = [];
  for (const file of files) {
    const content = await source(file);
    const lines = content ? linesOf(content, marksOf(pair, side, file, true), cluesOf(pair, side, file)) : [];
    body.append(el("section", { class: "file", "data-file": file },
      el("h3", {}, data.files[file].short, data.files[file].readAs ? el("span", { class: "muted" }, ` ${data.files[file].readAs}`) : null, touched.has(file) ? null : el("span", { class: "tag" }, "nothing shared")),
      content ? codeBlock(lines) : noSource(file), content && content.cut ? cutNote() : null));
    pair.regions.forEach((region, at) => {
      const place = sideOf(region, side);
      if (place.file === file) bars.push([total + place.first - 1, total + place.last, at]);
    });
    for (const [at, place, , , first, last] of againOf(pair, side)) if (place === file) bars.push([total + first - 1, total + last, at]);
    total += Math.max(1, lines.length) + 2;
  }
  strip.append(...bars.map(([first, last, at]) => el("i", {
    class: `c${at % COLOURS}`, "data-go": at,
    style: { top: `${(100 * first) / total}%`, height: `${Math.max(0.4, (100 * (last - first)) / total)}%` },
  })));
  return { root: el("div", { class: `pane ${side}` }, paneHead(pair, side, files, body), el("div", { class: "pane-main" }, body, strip)), body, strip };
}

function paneHead(pair, side, files, body) {
  const head = el("div", { class: "pane-head" }, el("h2", {}, submissionLink(pair[side])),
    el("span", { class: "muted" }, `${percent(side === "left" ? pair.ofLeft : pair.ofRight)} ${decidedBy(pair) ? `of its ${decidedBy(pair)} ` : ""}found in the other`));
  if (files.length > 1) {
    const choice = el("select", { "aria-label": "File", onchange: () => {
      body.querySelector(`[data-file="${choice.value}"]`).scrollIntoView({ block: "start" });
    } }, files.map((file) => el("option", { value: file }, data.files[file].short)));
    head.append(choice);
  }
  return head;
}

function neighbours(pair) {
  const link = (number, words, mark) => (number >= 0 && number < data.pairs.length
    ? el("a", { class: "button", href: `#/pair/${number}`, "aria-label": words }, mark) : null);
  return [link(pair.number - 1, "Previous pair", "‹"), link(pair.number + 1, "Next pair", "›")];
}

async function pairPage(number) {
  const pair = data.pairs[number];
  const [left, right] = [await pane(pair, "left"), await pane(pair, "right")];
  const position = el("span", { class: "muted", id: "position" }, count(pair.regions.length, "passage"));
  const root = el("section", { class: "page pair" });
  const go = walk(root, [left, right], pair.regions.length, (at) => {
    const region = pair.regions[at];
    position.textContent = [`Passage ${at + 1} of ${pair.regions.length}: ${where(sideOf(region, "left"))} and ${where(sideOf(region, "right"))}`, heldBy(region)].filter(Boolean).join(", ");
    return position.textContent;
  });
  return put(root,
    el("div", { class: "pair-head" },
      el("h1", {}, meter(pair.similarity), el("span", {}, nameOf(pair.left), " and ", nameOf(pair.right)),
        pair.equal ? el("span", { class: "tag" }, "identical") : null,
        pair.sameContent ? el("span", { class: "tag" }, "same content, wrapper differs") : null),
      el("div", { class: "actions" }, neighbours(pair), el("a", { class: "button", href: `#/sheet/${number}` }, "Evidence sheet"))),
    decisionBar(pair), pair.small ? el("p", { class: "notice" }, "Too small to judge: one of the two is so short that independent work looks the same.") : null,
    measures(pair), byType(pair), reasons(pair, root), unusual(pair, false), await hints(pair), passageList(pair, go),
    el("p", { class: "hint" }, position, el("span", { class: "keys" }, el("kbd", {}, "j"), el("kbd", {}, "k"), " next and previous passage")),
    el("div", { class: "panes" }, left.root, right.root));
}
