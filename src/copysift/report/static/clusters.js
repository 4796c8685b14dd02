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
    alpha: members.map((node) => (colour.has(node) ? 0.95 : 0.25)),
  };
  edges.data = { ...edges.data, alpha: [...edges.data.similarity].map((share) => (share >= threshold - 1e-9 ? 0.25 + 0.5 * share : 0)) };
}

function watchGraph(model) {
  graph = model;
  const names = model.get_model_by_name("names");
  if (names && innerWidth < 600 && names.data_source.data.node.length > 8) names.visible = false; // they would cover each other
  const [nodes, edges] = ["nodes", "edges"].map((name) => model.get_model_by_name(name));
  const open = (chosen, address) => chosen.selected.properties.indices.change.connect(() => {
    const [at] = chosen.selected.indices;
    if (at === undefined) return;
    chosen.selected.indices = [];
    location.hash = address(at);
  });
  open(nodes, (at) => `#/submission/${nodes.data.node[at]}`);
  open(edges, (at) => `#/pair/${at}`);
  colourGraph(clustersAt(joinAt), joinAt);
}

function clusterCard(cluster, number) {
  return el("li", { class: "card cluster", style: { "--hue": HUES[number % HUES.length] } },
    el("h3", {}, `Cluster ${number + 1}: ${count(cluster.members.length, UNIT)}`, el("span", { class: "muted" }, `${percent(cluster.strength)} on average`)),
    el("ul", { class: "names" }, cluster.members.map((member) => el("li", {}, submissionLink(member)))),
    cluster.members.length > 2 ? el("p", {}, el("a", { href: `#/together/${cluster.members.slice(0, TOGETHER).join(",")}` }, "Side by side")) : null);
}

function clustersPage() {
  const lowest = data.pairs.reduce((least, pair) => Math.min(least, pair.similarity), 1);
  if (joinAt === null) joinAt = Math.max(lowest, Math.min(1, lowest));
  const list = el("ol", { class: "clusters", id: "cluster-list" });
  const total = el("p", { class: "muted", id: "cluster-count" });
  function update(threshold) {
    joinAt = threshold;
    const clusters = clustersAt(threshold - 1e-9);
    list.replaceChildren(...clusters.map(clusterCard));
    total.textContent = `${count(clusters.length, "cluster")} of ${count(clusters.reduce((sum, each) => sum + each.members.length, 0), UNIT)}`;
    say(total.textContent);
    colourGraph(clusters, threshold);
  }
  update(joinAt);
  return el("section", { class: "page" }, el("h1", {}, "Clusters"),
    el("div", { class: "controls" }, slider("Average of at least", lowest, 1, joinAt, update)), total,
    data.equal.length ? el("p", { class: "muted" }, "Clusters are formed of similar files; ", el("a", { href: "#/equal" }, "equal files"), " have their own page.") : null,
    hidden ? el("p", { class: "muted" }, "The graph shows names, and is hidden with them.") : el("div", { class: "card" }, chart("graph", `Graph of ${UNITS}; the clusters are listed below it`, watchGraph)), list);
}
