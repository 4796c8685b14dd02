// A source as lines of elements: token colours, shared passages, base code. Text nodes only.

const COLOURS = 8;

// A line ends with \n, \r\n or a lone \r.
const LINE_END = /\r\n|\n|\r/g;

function lineEndAfter(text, at) {
  LINE_END.lastIndex = at;
  return LINE_END.test(text) ? LINE_END.lastIndex : Infinity;
}

// Cut the text wherever its look changes; spans are half-open, ascending and do not overlap.
function* pieces(content, marks) {
  const { text, runs, base } = content;
  let run = 0, runEnd = runs.length ? runs[1] : text.length;
  let mark = 0, grey = 0, at = 0;
  while (at < text.length) {
    while (runEnd <= at && run + 2 < runs.length) { run += 2; runEnd += runs[run + 1]; }
    while (mark < marks.length && marks[mark].end <= at) mark += 1;
    while (grey < base.length && base[grey + 1] <= at) grey += 2;
    let end = runEnd > at ? Math.min(text.length, runEnd) : text.length;
    const marked = mark < marks.length && marks[mark].start <= at;
    if (mark < marks.length) end = Math.min(end, marked ? marks[mark].end : marks[mark].start);
    const greyed = grey < base.length && base[grey] <= at;
    if (grey < base.length) end = Math.min(end, greyed ? base[grey + 1] : base[grey]);
    const lineEnd = lineEndAfter(text, at);
    const stop = Math.min(lineEnd, end);
    yield { breaks: stop === lineEnd, text: text.slice(at, stop), token: runs.length ? runs[run] : 0, mark: marked ? marks[mark] : null, base: greyed };
    at = stop;
  }
}

function lineElement(number) {
  const line = el("div", { class: "line" }, el("span", { class: "no", "data-no": number }), el("span", { class: "tx" }));
  line.dataset.line = number;
  return line;
}

// Give the lines of a source; a mark has start, end, number and label, and every piece of it its number.
function linesOf(content, marks) {
  const lines = [lineElement(1)];
  const begun = new Set();
  let holder = null, held = null;
  for (const piece of pieces(content, marks)) {
    const place = lines[lines.length - 1].lastChild;
    const shown = piece.text.replace(/(\r\n|\n|\r)$/, "");
    if (shown) {
      if (piece.mark && (held !== piece.mark || holder.parentNode !== place)) {
        holder = markElement(piece.mark, begun);
        place.append(holder);
      }
      held = piece.mark;
      const name = [data.classes[piece.token], piece.base ? "base" : ""].filter(Boolean).join(" ");
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
  return found.sort((a, b) => a.start - b.start);
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
