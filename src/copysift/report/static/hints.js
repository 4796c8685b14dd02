// Who had it first: times, years, attempts, names and comments left in the source, each with its evidence and without a verdict.

// Words of a submission's names that are long enough to mean something in a source.
function nameWords(number) {
  return wordsOf(data.submissions[number]).filter((word) => !commonWords().has(word));
}

function wordsOf(each) {
  return [...new Set(plain(`${each.label} ${each.author}`).split(/[^\p{L}\p{N}]+/u).filter((word) => word.length >= 4 && !/^\d+$/.test(word)))];
}

// Words in the names of three submissions or more, and of a tenth of all: the archive's or the folder's, nobody's own.
let namedOften = null;
function commonWords() {
  if (namedOften) return namedOften;
  const counts = new Map();
  for (const each of data.submissions) for (const word of wordsOf(each)) counts.set(word, (counts.get(word) || 0) + 1);
  namedOften = new Set([...counts].filter(([, count]) => count >= Math.max(3, data.submissions.length / 10)).map(([word]) => word));
  return namedOften;
}

// Where the source of one submission has a name of the other one. Files are named after what they are about.
async function namesLeft(number, other) {
  if (UNIT !== "submission") return "";
  const own = new Set(nameWords(number));
  const words = nameWords(other).filter((word) => !own.has(word));
  const found = [];
  for (const file of words.length ? data.submissions[number].files : []) {
    const content = await source(file);
    if (!content) continue;
    content.text.split("\n").forEach((line, at) => {
      const here = plain(line).split(/[^\p{L}\p{N}]+/u);
      if (words.some((word) => here.includes(word))) found.push(`${data.files[file].short}:${at + 1}`);
    });
  }
  return found.length ? `The source of ${nameOf(number)} has a name of ${nameOf(other)} (${found.slice(0, 5).join(", ")}${found.length > 5 ? ", …" : ""}).` : "";
}

// The comments of a submission, as words, with their places.
async function commentsOf(number) {
  const found = new Map();
  const comment = data.classes.indexOf("tc");
  for (const file of data.submissions[number].files) {
    const content = await source(file);
    if (!content) continue;
    for (let run = 0, at = 0; run < content.runs.length; at += content.runs[run + 1], run += 2) {
      if (content.runs[run] !== comment) continue;
      const text = content.text.slice(at, at + content.runs[run + 1]);
      const words = text.toLowerCase().match(/\p{L}+/gu) || [];
      if (words.length && !found.has(words.join(" "))) found.set(words.join(" "), { text: text.trim().slice(0, 80), place: `${data.files[file].short}:${content.text.slice(0, at).split("\n").length}` });
    }
  }
  return found;
}

const COMPARED_COMMENTS = 150; // other submissions whose comments are looked at
const commentCache = new Map();

function keptComments(number) {
  if (!commentCache.has(number)) commentCache.set(number, commentsOf(number));
  return commentCache.get(number);
}

// Comments and odd words in comments, typos among them, that these two have and no other submission has.
async function commentsLeft(pair) {
  const [left, right] = [await keptComments(pair.left), await keptComments(pair.right)];
  const words = (comments) => new Set([...comments.keys()].flatMap((each) => each.split(" ")).filter((word) => word.length >= 5));
  const own = [...words(left)].filter((word) => words(right).has(word));
  const both = [...left.keys()].filter((each) => right.has(each) && each.split(" ").length >= 3);
  if (!own.length && !both.length) return [];
  const others = data.submissions.filter((each) => each.number !== pair.left && each.number !== pair.right && each.files.some((file) => file in packed)).slice(0, COMPARED_COMMENTS);
  const [known, sentences] = [new Set(), new Set()];
  for (const each of others) {
    const comments = await keptComments(each.number);
    words(comments).forEach((word) => known.add(word));
    for (const sentence of comments.keys()) sentences.add(sentence);
  }
  const shared = both.filter((each) => !sentences.has(each));
  const said = new Set(shared.flatMap((each) => each.split(" ")));
  const odd = others.length >= 5 ? own.filter((word) => !known.has(word) && !said.has(word)) : [];
  return [
    ...shared.slice(0, 5).map((each) => `Both have the comment “${left.get(each).text}” (${left.get(each).place} and ${right.get(each).place}), and no other submission of this report.`),
    odd.length ? `Words in comments that only these two use, maybe typos: ${odd.slice(0, 8).join(", ")}.` : "",
  ];
}

function howLong(milliseconds) {
  const hours = Math.round(milliseconds / 36e5);
  return hours < 1 ? "less than an hour" : hours < 48 ? count(hours, "hour") : count(Math.round(hours / 24), "day");
}

async function hints(pair) {
  const [left, right] = [data.submissions[pair.left], data.submissions[pair.right]];
  const found = [];
  if (left.earlier !== right.earlier) found.push(`${nameOf(left.earlier ? pair.left : pair.right)} is of an earlier year.`);
  const [one, other] = [Date.parse(left.when.replace(" ", "T")), Date.parse(right.when.replace(" ", "T"))];
  if (one && other && one !== other) {
    const [first, last] = one < other ? [pair.left, pair.right] : [pair.right, pair.left];
    found.push(`The work of ${nameOf(first)} was handed in ${howLong(Math.abs(other - one))} before the work of ${nameOf(last)}.`);
  }
  if (left.attempt && right.attempt && left.attempt !== right.attempt) found.push(`This is attempt ${left.attempt} of ${nameOf(pair.left)}, and attempt ${right.attempt} of ${nameOf(pair.right)}.`);
  found.push(...await commentsLeft(pair));
  found.push(await namesLeft(pair.left, pair.right), await namesLeft(pair.right, pair.left));
  const words = found.filter(Boolean);
  return words.length ? el("details", { class: "unusual hints", open: true }, el("summary", {}, "Who had it first? Hints, not a verdict"), el("ul", {}, words.map((each) => el("li", {}, each)))) : null;
}
