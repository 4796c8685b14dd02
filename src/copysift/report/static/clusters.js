// Clusters: the graph of the pairs, and a slider for the threshold that joins them.

const HUES = ["#4c78d0", "#d0582f", "#3d9a6a", "#9b5fc0", "#c29a1f", "#2f9db5", "#c44d86", "#7a8b3a", "#8a6d5a", "#5c6f91"];
let graph = null;
let joinAt = null;

function colourGraph(clusters, threshold) {
  if (!graph) return;
  const [nodes, edges] = ["nodes", "edges"].map((name) => graph.get_model_by_name(name));
  const colour = new Map();
  clusters.forEach((cluster, number) => cluster.members.forEach((member) => colour.set(member, HUES[number % HUES.length])));
  const members = [...nodes.data.node];
  nodes.data = {
    ...nodes.data, color: members.map((node) => colour.get(node) || "#8a93a2"),
    alpha: members.map((node) => (colour.has(node) ? 0.95 : 0.6)),
  };
  edges.data = { ...edges.data, alpha: [...edges.data.similarity].map((share) => (share >= threshold - 1e-9 ? 0.25 + 0.5 * share : 0)) };
}

// A name that would cover another one is left out; it comes back where there is room, as after zooming in.
function fitNames(plot, nodes, every) {
  const { x_range: across, y_range: up, inner_width: width, inner_height: height } = plot;
  const taken = [];
  const shown = every.map((name, at) => {
    const [wide, align] = [7 * name.length, nodes.data.align[at]];
    const x = (width * (nodes.data.x[at] - across.start)) / (across.end - across.start) + nodes.data.x_offset[at];
    const y = (height * (up.end - nodes.data.y[at])) / (up.end - up.start) + nodes.data.y_offset[at];
    const left = align === "left" ? x : align === "right" ? x - wide : x - wide / 2;
    if (taken.some((box) => left < box.right && box.left < left + wide && y - 14 < box.bottom && box.bottom - 14 < y)) return "";
    taken.push({ left, right: left + wide, bottom: y });
    return name;
  });
  if (shown.some((name, at) => name !== nodes.data.short[at])) nodes.data = { ...nodes.data, short: shown };
}

function watchGraph(model) {
  graph = model;
  const names = model.get_model_by_name("names");
  if (names && innerWidth < 600) names.visible = false; // they would be cut, or cover each other
  const [nodes, edges] = ["nodes", "edges"].map((name) => model.get_model_by_name(name));
  const open = (chosen, address) => chosen.selected.properties.indices.change.connect(() => {
    const [at] = chosen.selected.indices;
    if (at === undefined) return;
    chosen.selected.indices = [];
    location.hash = address(at);
  });
  if (names) {
    const every = [...nodes.data.short];
    const [plot] = model.roots();
    const fit = () => fitNames(plot, nodes, every);
    for (const changed of [plot.properties.inner_width, plot.x_range.properties.start, plot.x_range.properties.end]) changed.change.connect(fit);
    fit();
  }
  open(nodes, (at) => `#/submission/${nodes.data.node[at]}`);
  open(edges, (at) => `#/pair/${at}`);
  colourGraph(...clustersFrom(joinAt));
}

// Where the slider starts: at the threshold of the comparison, or at the lowest similarity if another measure chose.
function lowestAverage() {
  const lowest = data.pairs.reduce((least, pair) => Math.min(least, pair.similarity), 1);
  return Math.floor(100 * (data.measure === "similarity" ? Math.min(1, data.threshold) : lowest)) / 100;
}

// The clusters at the place of the slider, and from which similarity on pairs are drawn: at its start all of them.
function clustersFrom(threshold) {
  return threshold === null || threshold <= lowestAverage() ? [clusters, 0] : [clustersAt(threshold - 1e-9), threshold];
}

function clusterCard(cluster, number) {
  return el("li", { class: "card cluster", style: { "--hue": HUES[number % HUES.length] } },
    el("h3", {}, `Cluster ${number + 1}: ${count(cluster.members.length, UNIT)}`, cluster.strength === null ? null : el("span", { class: "muted" }, `${percent(cluster.strength)} on average`)),
    el("ul", { class: "names" }, cluster.members.map((member) => el("li", {}, submissionLink(member)))),
    cluster.members.length > 2 ? el("p", {}, el("a", { href: `#/together/${cluster.members.slice(0, TOGETHER).join(",")}` }, "Side by side")) : null);
}

function clustersPage() {
  const lowest = lowestAverage();
  const list = el("ol", { class: "clusters", id: "cluster-list" });
  const total = el("p", { class: "muted", id: "cluster-count" });
  function update(threshold) {
    joinAt = threshold;
    const [found, drawn] = clustersFrom(threshold);
    list.replaceChildren(...found.map(clusterCard));
    total.textContent = `${count(found.length, "cluster")} of ${count(found.reduce((sum, each) => sum + each.members.length, 0), UNIT)}`
      + (drawn ? `, at an average of ${percent(drawn)}${data.allPairs > data.pairs.length ? " of the pairs in this report" : ""}` : "");
    say(total.textContent);
    colourGraph(found, drawn);
  }
  update(joinAt);
  return el("section", { class: "page" }, el("h1", {}, "Clusters"),
    el("div", { class: "controls" }, slider("Average of at least", lowest, 1, joinAt ?? lowest, update)), total,
    data.equal.length ? el("p", { class: "muted" }, `Equal ${UNITS} are always in the same cluster; they have `, el("a", { href: "#/equal" }, "a page of their own"), ", too.") : null,
    hidden ? el("p", { class: "muted" }, "The graph shows names, and is hidden with them.") : el("div", { class: "card" }, chart("graph", `Graph of ${UNITS}; the clusters are listed below it`, watchGraph)), list);
}
