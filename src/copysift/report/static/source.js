// A source as lines of elements: token colours, shared passages, base code. Text nodes only.

const COLOURS = 8;

// A line ends with \n, \r\n or a lone \r.
const LINE_END = /\r\n|\n|\r/g;

function lineEndAfter(text, at) {
  LINE_END.lastIndex = at;
  return LINE_END.test(text) ? LINE_END.lastIndex : Infinity;
}

// A reader of spans: gives the span at a place, or null, and where that changes; places only grow.
function reader(spans) {
  let number = 0;
  return (at) => {
    while (number < spans.length && spans[number].end <= at) number += 1;
    const next = spans[number];
    if (!next) return [null, Infinity];
    return next.start <= at ? [next, next.end] : [null, next.start];
  };
}

// Cut the text wherever its look changes; spans of one layer are half-open, ascending and do not overlap.
function* pieces(content, marks, clues) {
  const { text, runs } = content;
  const grey = [];
  for (let at = 0; at < content.base.length; at += 2) grey.push({ start: content.base[at], end: content.base[at + 1] });
  const layers = [marks, grey, ...clues].map(reader);
  let run = 0, runEnd = runs.length ? runs[1] : text.length;
  let at = 0;
  while (at < text.length) {
    while (runEnd <= at && run + 2 < runs.length) { run += 2; runEnd += runs[run + 1]; }
    const [[mark, markEnd], [base, baseEnd], ...others] = layers.map((layer) => layer(at));
    const lineEnd = lineEndAfter(text, at);
    const stop = Math.min(lineEnd, runEnd > at ? runEnd : text.length, text.length, markEnd, baseEnd, ...others.map(([, end]) => end));
    yield { breaks: stop === lineEnd, text: text.slice(at, stop), token: runs.length ? runs[run] : 0, mark, base: Boolean(base), clues: others.flatMap(([span], number) => (span ? [number] : [])) };
    at = stop;
  }
}

function lineElement(number) {
  const line = el("div", { class: "line" }, el("span", { class: "no", "data-no": number }), el("span", { class: "tx" }));
  line.dataset.line = number;
  return line;
}

// Give the lines of a source; a mark has start, end, number and label, and every piece of it its number.
function linesOf(content, marks, clues = []) {
  const lines = [lineElement(1)];
  const begun = new Set();
  let holder = null, held = null;
  for (const piece of pieces(content, marks, clues)) {
    const place = lines[lines.length - 1].lastChild;
    const shown = piece.text.replace(/(\r\n|\n|\r)$/, "");
    if (shown) {
      if (piece.mark && (held !== piece.mark || holder.parentNode !== place)) {
        holder = markElement(piece.mark, begun);
        place.append(holder);
      }
      held = piece.mark;
      const name = [data.classes[piece.token], piece.base ? "base" : "", ...piece.clues.map((number) => `clue clue-${data.clues[number]}`)].filter(Boolean).join(" ");
      (piece.mark ? holder : place).append(name ? el("span", { class: name }, shown) : shown);
    }
    if (piece.breaks) lines.push(lineElement(lines.length + 1));
  }
  if (lines.length > 1 && !lines[lines.length - 1].lastChild.hasChildNodes()) lines.pop();
  return lines;
}

function markElement(mark, begun) {
  const made = el("span", { class: `mark c${mark.number % COLOURS}${mark.idiom ? " idiom" : ""}`, "data-mark": mark.number });
  if (!begun.has(mark.number) && mark.label) {
    begun.add(mark.number);
    made.tabIndex = 0;
    made.setAttribute("role", "button");
    made.setAttribute("aria-label", mark.label);
  }
  return made;
}

// The marks of one file on one side of a pair, in order; the number is that of the region.
function marksOf(pair, side, file, labelled) {
  const found = [];
  pair.regions.forEach((region, number) => {
    const place = sideOf(region, side);
    if (place.file === file && place.end > place.start) {
      found.push({ start: place.start, end: place.end, number, idiom: isIdiom(region), label: labelled ? `Passage ${number + 1}, show it on the other side` : "" });
    }
  });
  for (const [number, at, start, end] of againOf(pair, side)) {
    if (at === file && end > start) found.push({ start, end, number, idiom: isIdiom(pair.regions[number]), label: "" });
  }
  return found.sort((a, b) => a.start - b.start);
}

// Other places of passages on one side: number of the region, file, start, end, first and last line.
function againOf(pair, side) {
  return pair.again ? pair.again[side === "left" ? 0 : 1] : []; // older jobs of a server have none
}

// What raised the score in one file on one side of a pair: the spans of each kind of clue.
function cluesOf(pair, side, file) {
  const layers = (data.clues || []).map(() => []);
  const flat = pair.clues ? pair.clues[side === "left" ? 0 : 1] : [];
  for (let at = 0; at < flat.length; at += 4) {
    if (flat[at + 1] === file && flat[at + 3] > flat[at + 2]) layers[flat[at]].push({ start: flat[at + 2], end: flat[at + 3] });
  }
  return layers;
}

function codeBlock(lines) {
  const digits = String(lines.length ? lines[lines.length - 1].dataset.line : 1).length;
  return el("div", { class: "code", style: { "--digits": digits } }, lines);
}

function noSource(file) {
  const { kind } = data.files[file];
  return el("p", { class: "muted pad" }, kind === "bytes" ? "Not shown: this file is not text." : "Its source is not part of this report.");
}

function cutNote() {
  return el("p", { class: "muted pad" }, "The file is longer; only its start is in this report.");
}
