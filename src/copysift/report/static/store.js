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

// The clusters at a threshold, the largest first, by average linkage: two clusters join while the mean similarity of
// their pairs reaches it, a pair that is not in this report counting as 0. One high pair does not chain two groups.
function clustersAt(threshold) {
  const members = new Map();
  const sums = new Map(); // of the similarities between two clusters
  for (const pair of data.pairs) {
    for (const [one, other] of [[pair.left, pair.right], [pair.right, pair.left]]) {
      if (!members.has(one)) { members.set(one, [one]); sums.set(one, new Map()); }
      sums.get(one).set(other, pair.similarity);
    }
  }
  const inside = new Map();
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
    inside.set(into, (inside.get(into) || 0) + (inside.get(from) || 0) + sums.get(into).get(from));
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
  return [...members].filter(([, found]) => found.length > 1).map(([first, found]) => ({
    members: found.sort((a, b) => a - b), strength: inside.get(first) / ((found.length * (found.length - 1)) / 2),
  })).sort((a, b) => b.members.length - a.members.length || b.strength - a.strength || a.members[0] - b.members[0]);
}
