// Two submissions side by side: a click on a passage brings its other side into view.

let compared = null;

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
    common.length ? el("details", { class: "idiom-list" }, el("summary", {}, `${count(common.length, "passage")} that many submissions have`), el("ol", { class: "passages" }, common)) : null];
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
    el("span", { class: "muted" }, `${percent(side === "left" ? pair.ofLeft : pair.ofRight)} found in the other`));
  if (files.length > 1) {
    const choice = el("select", { "aria-label": "File", onchange: () => {
      body.querySelector(`[data-file="${choice.value}"]`).scrollIntoView({ block: "start" });
    } }, files.map((file) => el("option", { value: file }, data.files[file].short)));
    head.append(choice);
  }
  return head;
}

function centre(body, target) {
  const [outer, inner] = [body.getBoundingClientRect(), target.getBoundingClientRect()];
  const over = Math.min(inner.height, outer.height * 0.6);
  body.scrollTop += inner.top - outer.top - (outer.height - over) / 3;
}

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

function neighbours(pair) {
  const link = (number, words, mark) => (number >= 0 && number < data.pairs.length
    ? el("a", { class: "button", href: `#/pair/${number}`, "aria-label": words }, mark) : null);
  return [link(pair.number - 1, "Previous pair", "‹"), link(pair.number + 1, "Next pair", "›")];
}

async function pairPage(number) {
  const pair = data.pairs[number];
  const [left, right] = [await pane(pair, "left"), await pane(pair, "right")];
  let current = -1;
  const position = el("span", { class: "muted", id: "position" }, `${count(pair.regions.length, "passage")}`);
  const root = el("section", { class: "page pair" });
  function go(to, focus) {
    if (!pair.regions.length) return;
    current = (to + pair.regions.length) % pair.regions.length;
    for (const side of [left, right]) {
      side.body.querySelectorAll(".mark.on").forEach((each) => each.classList.remove("on"));
      const parts = side.body.querySelectorAll(`.mark[data-mark="${current}"]`);
      parts.forEach((each) => each.classList.add("on"));
      if (parts.length) centre(side.body, parts[0]);
    }
    root.querySelectorAll("[data-go]").forEach((each) => each.classList.toggle("on", Number(each.dataset.go) === current));
    const region = pair.regions[current];
    position.textContent = `Passage ${current + 1} of ${pair.regions.length}: ${where(sideOf(region, "left"))} and ${where(sideOf(region, "right"))}${heldBy(region) ? `, ${heldBy(region)}` : ""}`;
    say(position.textContent);
    if (focus) (focus === "left" ? left : right).body.querySelector(`.mark[data-mark="${current}"][tabindex]`)?.focus({ preventScroll: true });
  }
  for (const [side, name] of [[left, "left"], [right, "right"]]) {
    side.body.addEventListener("click", (event) => {
      const mark = event.target.closest(".mark");
      if (mark && !String(getSelection())) go(Number(mark.dataset.mark));
    });
    side.body.addEventListener("keydown", (event) => {
      const mark = event.target.closest(".mark");
      if (mark && (event.key === "Enter" || event.key === " ")) { event.preventDefault(); go(Number(mark.dataset.mark), name === "left" ? "right" : "left"); }
    });
    side.strip.addEventListener("click", (event) => { if (event.target.dataset.go) go(Number(event.target.dataset.go)); });
  }
  root.append(
    el("div", { class: "pair-head" },
      el("h1", {}, meter(pair.similarity), el("span", {}, nameOf(pair.left), " and ", nameOf(pair.right)),
        pair.equal ? el("span", { class: "tag" }, "identical") : null,
        pair.sameContent ? el("span", { class: "tag" }, "same content, wrapper differs") : null),
      el("div", { class: "actions" }, neighbours(pair), el("a", { class: "button", href: `#/sheet/${number}` }, "Evidence sheet"))),
    decisionBar(pair) || "", pair.small ? el("p", { class: "notice" }, "Too small to judge: one of the two is so short that independent work looks the same.") : "",
    ...measures(pair).filter(Boolean), byType(pair) || "", reasons(pair, root) || "", unusual(pair, false) || "", (await hints(pair)) || "", ...passageList(pair, go).filter(Boolean),
    el("p", { class: "hint" }, position, el("span", { class: "keys" }, el("kbd", {}, "j"), el("kbd", {}, "k"), " next and previous passage")),
    el("div", { class: "panes" }, left.root, right.root));
  compared = { step: (by) => go(current < 0 && by < 0 ? -1 : current + by) };
  return root;
}

function compareKey(event) {
  if (!compared) return;
  const by = { j: 1, n: 1, ArrowRight: 1, k: -1, p: -1, ArrowLeft: -1 }[event.key];
  if (by) { event.preventDefault(); compared.step(by); }
  else if (event.key === "Escape") location.hash = "#/pairs";
}
