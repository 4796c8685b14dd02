// The heat map: every pair of the class as a cell, clusters first, so that groups are squares on the diagonal.

const MAP_PIXELS = 900;
const MAP_NAMES = 40; // submissions whose names are beside the rows
let scores = null;

// The similarity of two submissions, whether their pair is in this report or not.
function scoreOf(one, other) {
  const [low, high] = one < other ? [one, other] : [other, one];
  return scores[(low * (2 * data.submissions.length - low - 1)) / 2 + high - low - 1] / 255;
}

// Clusters one after the other, then the others by their nearest.
function mapOrder() {
  const clustered = clusters.flatMap((cluster) => cluster.members);
  const known = new Set(clustered);
  const rest = data.submissions.map((each) => each.number).filter((number) => !known.has(number));
  const near = (number) => (spread.nearest[number].length ? spread.nearest[number][0][0] : 0);
  return [...clustered, ...rest.sort((a, b) => near(b) - near(a) || a - b)];
}

// From the ground over yellow to red; low shares, which every class has, stay pale.
function mapColour(share) {
  const ground = isDark() ? [28, 32, 39] : [255, 255, 255];
  const [from, to, along] = share < 0.5 ? [ground, [233, 180, 76], share * 2] : [[233, 180, 76], [200, 40, 26], share * 2 - 1];
  return from.map((value, at) => Math.round(value + (to[at] - value) * along));
}

function drawMap(canvas, order) {
  const side = order.length;
  canvas.width = side;
  canvas.height = side;
  const context = canvas.getContext("2d");
  const image = context.createImageData(side, side);
  const cells = new DataView(image.data.buffer);
  const opaque = ([red, green, blue]) => ((red << 24) | (green << 16) | (blue << 8) | 255) >>> 0;
  const shades = Uint32Array.from({ length: 256 }, (_, value) => opaque(mapColour(value / 255)));
  for (let row = 0; row < side; row += 1) {
    for (let column = 0; column < side; column += 1) {
      cells.setUint32(4 * (row * side + column), row === column ? opaque([128, 136, 150]) : shades[Math.round(scoreOf(order[row], order[column]) * 255)]);
    }
  }
  context.putImageData(image, 0, 0);
}

async function mapPage() {
  if (!scores) scores = new Uint8Array(await inflated(spread.scores).arrayBuffer());
  const order = mapOrder();
  const pairs = new Map(data.pairs.map((pair) => [`${pair.left} ${pair.right}`, pair.number]));
  const pairAt = (one, other) => pairs.get(`${one} ${other}`) ?? pairs.get(`${other} ${one}`);
  const words = el("p", { class: "muted", id: "map-words" }, "Point at a cell, or tap it, to see its pair; a click opens it.");
  const canvas = el("canvas", { class: "heat-map", role: "img", "aria-label": `Heat map of the similarities of ${count(order.length, UNIT)}; the pairs page lists the highest` });
  canvas.style.setProperty("width", `min(100%, ${Math.max(MAP_PIXELS / 3, Math.min(MAP_PIXELS, 24 * order.length))}px)`);
  drawMap(canvas, order);
  const at = (event) => {
    const box = canvas.getBoundingClientRect();
    const place = (value, size) => Math.min(order.length - 1, Math.max(0, Math.floor((value * order.length) / size)));
    return [order[place(event.clientY - box.top, box.height)], order[place(event.clientX - box.left, box.width)]];
  };
  canvas.addEventListener("pointermove", (event) => {
    const [one, other] = at(event);
    words.textContent = one === other ? nameOf(one) : `${nameOf(one)} and ${nameOf(other)}: ${percent(scoreOf(one, other))}${pairAt(one, other) === undefined ? ", not in this report" : ""}`;
  });
  canvas.addEventListener("click", (event) => {
    const [one, other] = at(event);
    const pair = pairAt(one, other);
    if (pair !== undefined) location.hash = `#/pair/${pair}`;
    else if (one === other) location.hash = `#/submission/${one}`;
  });
  const scale = [0, 0.25, 0.5, 0.75, 1].map((share) => el("span", {}, el("i", { style: { background: `rgb(${mapColour(share).join(",")})` } }), percent(share)));
  return el("section", { class: "page" }, el("h1", {}, "Heat map"),
    el("p", {}, `Every pair of the class, ${count(spread.pairs, "pair")}: clusters come first, so they are squares on the diagonal.`),
    el("p", { class: "heat-scale" }, scale), words,
    el("div", { class: "card heat" }, order.length <= MAP_NAMES && innerWidth >= 600 ? el("ol", { class: "heat-names" }, order.map((number) => el("li", {}, submissionLink(number)))) : null, canvas));
}
