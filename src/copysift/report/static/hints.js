// Who had it first: times, years and names left in the source, each with its evidence and without a verdict.

// Words of a submission's names that are long enough to mean something in a source.
function nameWords(number) {
  const each = data.submissions[number];
  return [...new Set(plain(`${each.label} ${each.author}`).split(/[^\p{L}\p{N}]+/u).filter((word) => word.length >= 4 && !/^\d+$/.test(word)))];
}

// Where the source of one submission has a name of the other one.
async function namesLeft(number, other) {
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
    found.push(`${nameOf(first)} was handed in ${howLong(Math.abs(other - one))} before ${nameOf(last)}.`);
  }
  found.push(await namesLeft(pair.left, pair.right), await namesLeft(pair.right, pair.left));
  const words = found.filter(Boolean);
  return words.length ? el("details", { class: "unusual hints", open: true }, el("summary", {}, "Who had it first? Hints, not a verdict"), el("ul", {}, words.map((each) => el("li", {}, each)))) : null;
}
