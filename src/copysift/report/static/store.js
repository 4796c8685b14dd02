// The data of the report: everything but the sources is at hand, a source is unpacked when it is shown.

function embedded(id) {
  return JSON.parse(document.getElementById(id).textContent);
}

const data = embedded("data-overview");
const packed = embedded("data-sources");
const sources = new Map();

data.pairs.forEach((pair, number) => { pair.number = number; });
// What is compared, in a word: submissions, or files.
const UNIT = data.unit || "submission"; // older jobs of a server do not say
const UNITS = `${UNIT}s`;
const SINGLE = UNIT !== "submission"; // each unit is one document

function capital(word) {
  return word[0].toUpperCase() + word.slice(1);
}

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

function inflated(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate")));
}

function source(file) {
  if (!(file in packed)) return Promise.resolve(null);
  if (!sources.has(file)) sources.set(file, inflated(packed[file]).json());
  return sources.get(file);
}

function pairsOf(submission) {
  return data.pairs.filter((pair) => pair.left === submission || pair.right === submission);
}

function otherOf(pair, submission) {
  return pair.left === submission ? pair.right : pair.left;
}

function largestFirst(clusters) {
  return clusters.sort((a, b) => b.members.length - a.members.length || b.strength - a.strength || a.members[0] - b.members[0]);
}

// The clusters of the comparison: those that every table and page counts. Older jobs of a server do not have them.
const clusters = data.clusters ? largestFirst(data.clusters) : clustersAt(data.measure === "shared" || data.measure === "longest" ? 0 : data.threshold);

// The clusters at another threshold, by average linkage: two clusters join while the mean similarity of their pairs
// reaches it, a pair that is not in this report counting as 0. One high pair does not chain two groups. Equal files are
// one node: pairs name the first of them.
function clustersAt(threshold) {
  const members = new Map();
  const sums = new Map(); // of the similarities between two clusters
  const inside = new Map(); // and within one
  const add = (nodes) => {
    members.set(nodes[0], nodes);
    sums.set(nodes[0], new Map());
    inside.set(nodes[0], (nodes.length * (nodes.length - 1)) / 2);
  };
  if (SINGLE) data.equal.forEach((each) => add([...each.members]));
  for (const pair of data.pairs) {
    for (const one of [pair.left, pair.right]) if (!members.has(one)) add([one]);
    const sum = pair.similarity * members.get(pair.left).length * members.get(pair.right).length;
    sums.get(pair.left).set(pair.right, sum);
    sums.get(pair.right).set(pair.left, sum);
  }
  for (;;) {
    let best = threshold, join = null;
    for (const [one, near] of sums) {
      for (const [other, sum] of near) {
        const mean = sum / (members.get(one).length * members.get(other).length);
        if (one < other && (mean > best || (join === null && mean >= best))) { best = mean; join = [one, other]; }
      }
    }
    if (!join) break;
    const [into, from] = join;
    inside.set(into, inside.get(into) + inside.get(from) + sums.get(into).get(from));
    members.get(into).push(...members.get(from));
    for (const [other, sum] of sums.get(from)) {
      sums.get(other).delete(from);
      if (other === into) continue;
      const both = (sums.get(into).get(other) || 0) + sum;
      sums.get(into).set(other, both);
      sums.get(other).set(into, both);
    }
    for (const gone of [members, sums, inside]) gone.delete(from);
  }
  return largestFirst([...members].filter(([, found]) => found.length > 1).map(([first, found]) => ({
    members: found.sort((a, b) => a - b), strength: inside.get(first) / ((found.length * (found.length - 1)) / 2),
  })));
}
