// Start a check: files, folders and archives that are dropped or chosen, sent with a bar that moves.
"use strict";

const form = document.getElementById("check");
const drop = document.getElementById("drop");
const chosen = document.getElementById("chosen");
const state = document.getElementById("state");
const sent = document.getElementById("sent");
let files = []; // [file, name with folders]

function shown(bytes) {
  for (const [unit, each] of [["GB", 1e9], ["MB", 1e6], ["kB", 1e3]]) if (bytes >= each) return `${(bytes / each).toPrecision(3)} ${unit}`;
  return `${bytes} B`;
}

function take(more) {
  const names = new Map(files.map(([file, name]) => [name, file]));
  for (const [file, name] of more) if (!name.split("/").some((part) => part.startsWith("."))) names.set(name, file);
  files = [...names].map(([name, file]) => [file, name]);
  const items = files.slice(0, 60).map(([, name]) => name);
  if (files.length > 60) items.push(`… and ${files.length - 60} more`);
  chosen.replaceChildren(...items.map((name) => { const item = document.createElement("li"); item.textContent = name; return item; }));
  const bytes = files.reduce((total, [file]) => total + file.size, 0);
  state.textContent = files.length ? `${files.length} ${files.length === 1 ? "file" : "files"}, ${shown(bytes)}` : "";
}

async function entries(entry, path) {
  if (entry.isFile) return new Promise((done) => entry.file((file) => done([[file, path + entry.name]]), () => done([])));
  const reader = entry.createReader();
  const found = [];
  for (;;) {
    const some = await new Promise((done) => reader.readEntries(done, () => done([])));
    if (!some.length) return found;
    for (const each of some) found.push(...await entries(each, `${path}${entry.name}/`));
  }
}

drop.addEventListener("dragover", (event) => { event.preventDefault(); drop.classList.add("over"); });
drop.addEventListener("dragleave", () => drop.classList.remove("over"));
drop.addEventListener("drop", async (event) => {
  event.preventDefault();
  drop.classList.remove("over");
  const roots = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry && item.webkitGetAsEntry()).filter(Boolean);
  if (!roots.length) return take([...event.dataTransfer.files].map((file) => [file, file.name]));
  for (const root of roots) take(await entries(root, ""));
});
for (const id of ["files", "folder"]) {
  const input = document.getElementById(id);
  input.addEventListener("change", () => {
    take([...input.files].map((file) => [file, file.webkitRelativePath || file.name]));
    if (id === "folder") input.value = "";
  });
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (!files.length && !form.querySelector('[name="url"]')?.value) { state.textContent = "Choose or drop some files first."; return; }
  const [most, many] = [Number(form.dataset.bytes), Number(form.dataset.files)];
  const bytes = files.reduce((total, [file]) => total + file.size, 0);
  if (bytes > most || files.length > many) {
    state.textContent = `That is too much: at most ${shown(most)} and ${many.toLocaleString("en")} files.`;
    return;
  }
  const data = new FormData();
  for (const field of form.elements) {
    if (!field.name || field.type === "file" || field.name === "form_token") continue;
    if (field.type === "checkbox" && !field.checked) continue;
    if (field.value) data.append(field.name, field.value);
  }
  for (const id of ["base", "earlier", "metadata"]) for (const file of document.getElementById(id).files) data.append(id, file, file.name);
  for (const [file, name] of files) data.append("files", file, name);
  const request = new XMLHttpRequest();
  request.open("POST", form.action);
  request.setRequestHeader("Accept", "application/json");
  request.setRequestHeader("X-Form-Token", form.elements.form_token.value);
  sent.hidden = false;
  request.upload.addEventListener("progress", (event) => { if (event.lengthComputable) sent.value = event.loaded / event.total; });
  request.addEventListener("error", () => { state.textContent = "The server cannot be reached."; sent.hidden = true; });
  request.addEventListener("load", () => {
    let answer = {};
    try { answer = JSON.parse(request.responseText); } catch { /* reported below */ }
    if (answer.location) { location.href = answer.location; return; }
    sent.hidden = true;
    const { message = "That did not work.", hint = "" } = answer.error || {};
    state.textContent = [message, hint].filter(Boolean).join(" – ");
  });
  state.textContent = "Sending…";
  request.send(data);
});
