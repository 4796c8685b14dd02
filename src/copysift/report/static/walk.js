// Steps through the passages of a page: marks, chips and strips of one passage light up in every pane.

let walked = null; // steps on the page that is shown

function centre(body, target) {
  const [outer, inner] = [body.getBoundingClientRect(), target.getBoundingClientRect()];
  const over = Math.min(inner.height, outer.height * 0.6);
  body.scrollTop += inner.top - outer.top - (outer.height - over) / 3;
}

// Let clicks and keys go to a passage. A pane has a body with marks, maybe a strip; `words` says where it is.
function walk(root, panes, total, words) {
  let current = -1;
  function go(to, focus) {
    if (!total) return;
    current = (to + total) % total;
    for (const { body } of panes) {
      body.querySelectorAll(".mark.on").forEach((each) => each.classList.remove("on"));
      const parts = body.querySelectorAll(`.mark[data-mark="${current}"]`);
      parts.forEach((each) => each.classList.add("on"));
      if (parts.length) centre(body, parts[0]);
    }
    root.querySelectorAll("[data-go]").forEach((each) => each.classList.toggle("on", Number(each.dataset.go) === current));
    say(words(current));
    if (focus) focus.body.querySelector(`.mark[data-mark="${current}"][tabindex]`)?.focus({ preventScroll: true });
  }
  panes.forEach(({ body, strip }, at) => {
    const next = panes[(at + 1) % panes.length];
    body.addEventListener("click", (event) => {
      const mark = event.target.closest(".mark");
      if (mark && !String(getSelection())) go(Number(mark.dataset.mark));
    });
    body.addEventListener("keydown", (event) => {
      const mark = event.target.closest(".mark");
      if (mark && (event.key === "Enter" || event.key === " ")) { event.preventDefault(); go(Number(mark.dataset.mark), next); }
    });
    if (strip) strip.addEventListener("click", (event) => { if (event.target.dataset.go) go(Number(event.target.dataset.go)); });
  });
  walked = (by) => go(current < 0 && by < 0 ? -1 : current + by);
  return go;
}

function walkKey(event) {
  if (!walked) return;
  const by = { j: 1, n: 1, ArrowRight: 1, k: -1, p: -1, ArrowLeft: -1 }[event.key];
  if (by) { event.preventDefault(); walked(by); }
  else if (event.key === "Escape") location.hash = "#/pairs";
}
