// The time line: when the submissions of each cluster were handed in, and which are similar.

function timeOf(number) {
  return Date.parse(data.submissions[number].when.replace(" ", "T"));
}

function timed() {
  return data.submissions.map((each) => each.number).filter((number) => data.submissions[number].when && !Number.isNaN(timeOf(number)));
}

// Arcs over the axis, from the earlier to the later of every pair, thicker for a higher similarity.
function drawArcs(canvas, pairs, place) {
  const wide = canvas.clientWidth || 600, high = canvas.clientHeight || 80;
  canvas.width = wide;
  canvas.height = high;
  const context = canvas.getContext("2d");
  context.strokeStyle = getComputedStyle(document.documentElement).getPropertyValue("--accent");
  for (const pair of pairs) {
    const [from, to] = [pair.left, pair.right].map((number) => place(number) * wide).sort((a, b) => a - b);
    context.globalAlpha = 0.25 + 0.6 * pair.similarity;
    context.lineWidth = 0.5 + 3 * pair.similarity ** 2;
    context.beginPath();
    context.ellipse((from + to) / 2, high, Math.max(1, (to - from) / 2), Math.min(high - 4, 12 + (to - from) / 4), 0, Math.PI, 2 * Math.PI);
    context.stroke();
  }
}

function timeCard(title, members, range) {
  const [first, last] = range;
  const place = (number) => 0.02 + (0.96 * (timeOf(number) - first)) / Math.max(1, last - first);
  const inside = new Set(members);
  const pairs = data.pairs.filter((pair) => inside.has(pair.left) && inside.has(pair.right));
  const canvas = el("canvas", { class: "arcs", "aria-hidden": "true" });
  requestAnimationFrame(() => drawArcs(canvas, pairs, place));
  const rows = [...members].sort((a, b) => timeOf(a) - timeOf(b)).map((number) => {
    const before = pairs.filter((pair) => (pair.left === number || pair.right === number) && timeOf(otherOf(pair, number)) < timeOf(number));
    return el("li", {}, el("time", {}, moment(data.submissions[number].when)), " ", submissionLink(number),
      before.length ? el("span", { class: "muted" }, ", after ", before.slice(0, 5).map((pair, at) => [at ? ", " : "", pairLink(pair, `${nameOf(otherOf(pair, number))} (${percent(pair.similarity)}, ${howLong(timeOf(number) - timeOf(otherOf(pair, number)))} earlier)`)]), before.length > 5 ? ", …" : "") : null);
  });
  return el("div", { class: "card" }, el("h2", {}, title),
    el("div", { class: "axis" }, canvas, members.map((number) => el("a", { class: "dot", href: `#/submission/${number}`, style: { left: `${100 * place(number)}%` }, title: `${nameOf(number)}, ${moment(data.submissions[number].when)}`, "aria-label": `${nameOf(number)}, ${moment(data.submissions[number].when)}` }))),
    el("p", { class: "axis-ends muted" }, el("span", {}, new Date(first).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" })), el("span", {}, new Date(last).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" }))),
    el("ol", { class: "times" }, rows));
}

function timesPage() {
  const known = timed();
  const has = new Set(known);
  const moments = known.map(timeOf);
  const range = [Math.min(...moments), Math.max(...moments)];
  const together = clusters.map((cluster, number) => [number + 1, cluster.members.filter((each) => has.has(each))]).filter(([, members]) => members.length > 1);
  const missing = data.submissions.length - known.length;
  return el("section", { class: "page" }, el("h1", {}, "Time line"),
    el("p", { class: "muted" }, `A dot is a ${UNIT} at the time it was handed in; an arc is a pair of this report. Who is first is not always who wrote it.${missing ? ` ${count(missing, UNIT)} without a time ${missing === 1 ? "is" : "are"} not here.` : ""}`),
    together.length ? together.map(([number, members]) => timeCard(`Cluster ${number}`, members, range)) : el("p", {}, "No cluster has two times."),
    timeCard(`All ${UNITS}`, known, range));
}
