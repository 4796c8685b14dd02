// The data of the report: everything but the sources is at hand, a source is unpacked when it is shown.

function embedded(id) {
  return JSON.parse(document.getElementById(id).textContent);
}

const data = embedded("data-overview");
const packed = embedded("data-sources");
const sources = new Map();

data.pairs.forEach((pair, number) => { pair.number = number; });
data.submissions.forEach((submission, number) => { submission.number = number; });

const REGION = { length: 0, left: 1, right: 6, holders: 11 };
let hidden = false; // names

function nameOf(number) {
  return hidden ? `Submission ${number + 1}` : data.submissions[number].label;
}

// "only these two", "in 38 of 59 submissions"
function heldBy(region) {
  const holders = region[REGION.holders];
  if (!holders) return "";
  return holders === 2 ? "only these two" : `in ${holders} of ${data.submissions.length}`;
}

function isIdiom(region) {
  return region[REGION.holders] > Math.max(4, data.submissions.length / 10);
}

// One side of a region: file, start and end in the text shown (half-open), first and last line.
function sideOf(region, side) {
  const at = REGION[side];
  return { file: region[at], start: region[at + 1], end: region[at + 2], first: region[at + 3], last: region[at + 4] };
}

async function unpack(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).json();
}

function source(file) {
  if (!(file in packed)) return Promise.resolve(null);
  if (!sources.has(file)) sources.set(file, unpack(packed[file]));
  return sources.get(file);
}

function pairsOf(submission) {
  return data.pairs.filter((pair) => pair.left === submission || pair.right === submission);
}

function otherOf(pair, submission) {
  return pair.left === submission ? pair.right : pair.left;
}

// The clusters at a threshold, the largest first: groups joined by pairs that reach it.
function clustersAt(threshold) {
  const parent = data.submissions.map((_, number) => number);
  const root = (number) => {
    while (parent[number] !== number) number = parent[number] = parent[parent[number]];
    return number;
  };
  const strongest = new Map();
  for (const pair of data.pairs) {
    if (pair.similarity < threshold) continue;
    const [a, b] = [root(pair.left), root(pair.right)];
    parent[Math.max(a, b)] = Math.min(a, b);
  }
  const members = new Map();
  for (const pair of data.pairs) {
    if (pair.similarity < threshold) continue;
    const first = root(pair.left);
    if (!members.has(first)) members.set(first, new Set());
    members.get(first).add(pair.left).add(pair.right);
    strongest.set(first, Math.max(strongest.get(first) || 0, pair.similarity));
  }
  return [...members].map(([first, found]) => ({
    members: [...found].sort((a, b) => a - b), strongest: strongest.get(first),
  })).sort((a, b) => b.members.length - a.members.length || b.strongest - a.strongest || a.members[0] - b.members[0]);
}
