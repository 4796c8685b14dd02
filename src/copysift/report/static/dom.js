// Elements, numbers and words. Elements are made of text nodes only: no source can become markup.

function el(tag, properties, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "class") made.className = value;
    else if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name === "style") for (const [key, set] of Object.entries(value)) made.style.setProperty(key, set);
    else made.setAttribute(name, value === true ? "" : String(value));
  }
  return put(made, children);
}

// Append what there is: nothing is made of undefined, null and false, which `append` would spell out.
function put(parent, ...children) {
  for (const child of children.flat(Infinity)) {
    if (child === undefined || child === null || child === false) continue;
    parent.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return parent;
}

function percent(share) {
  if (share >= 1) return "100%";
  if (share <= 0) return "0%";
  return share < 0.005 ? "<1%" : `${Math.min(99, Math.round(share * 100))}%`;
}

function estimated(share, intervals, which) {
  if (!intervals) return percent(share);
  const [low, high] = intervals[which];
  return `${percent(share)} (${Math.floor(low * 100 + 1e-9)}–${Math.ceil(high * 100 - 1e-9)})`;
}

function count(number, noun) {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}

// A time as it was given, but for the T of ISO 8601.
function moment(when) {
  return when.replace(/^(\d{4}-\d\d-\d\d)T(?=\d)/, "$1 ");
}

function size(bytes) {
  for (const [unit, each] of [["MB", 1e6], ["kB", 1e3]]) {
    if (bytes >= each) return `${(bytes / each).toPrecision(3)} ${unit}`;
  }
  return `${bytes} B`;
}

function heat(share) {
  return share >= 0.75 ? "high" : share >= 0.5 ? "mid" : "low";
}

function meter(share, tone = heat(share)) {
  return el("span", { class: `meter ${tone}` },
    el("span", { class: "fill", style: { "--share": `${Math.max(2, share * 100)}%` } }),
    el("b", {}, percent(share)));
}

function slider(label, low, high, value, onchange) {
  const shown = el("output", {}, percent(value));
  const input = el("input", {
    type: "range", min: Math.floor(low * 100), max: high * 100, step: 1, value: Math.round(value * 100),
    "aria-label": label,
    oninput: () => {
      shown.textContent = percent(input.value / 100);
      input.setAttribute("aria-valuetext", shown.textContent);
      onchange(input.value / 100);
    },
  });
  return el("label", { class: "slider" }, el("span", {}, label), input, shown);
}

function say(words) {
  document.getElementById("status").textContent = words;
}

function isDark() {
  const { theme } = document.documentElement.dataset;
  return theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}
