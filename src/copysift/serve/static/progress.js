// Watch a check until it is over, then show what came of it.
"use strict";

const running = document.getElementById("running");
const words = document.getElementById("words");
const bar = document.getElementById("bar");

async function look() {
  try {
    const answer = await fetch(running.dataset.status, { headers: { Accept: "application/json" } });
    if (answer.status === 404 || answer.status === 401) { location.reload(); return; }
    const job = await answer.json();
    if (job.state !== "queued" && job.state !== "running") { location.reload(); return; }
    const { phase, done, total } = job.progress;
    if (job.state === "queued") words.textContent = job.ahead ? `Waiting, ${job.ahead} before it.` : "Waiting.";
    else words.textContent = phase ? `${phase}${total ? `: ${done} of ${total}` : "…"}` : "starting…";
    if (total) { bar.max = total; bar.value = done; } else bar.removeAttribute("value");
  } catch { words.textContent = "The server cannot be reached; trying again."; }
  setTimeout(look, 700);
}
setTimeout(look, 400);
