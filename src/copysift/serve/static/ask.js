// A file that is dropped on the text is looked up.
"use strict";
const area = document.getElementById("text");
const file = document.getElementById("file");
if (area && file) {
  area.addEventListener("dragover", (event) => event.preventDefault());
  area.addEventListener("drop", (event) => {
    if (!event.dataTransfer.files.length) return;
    event.preventDefault();
    file.files = event.dataTransfer.files;
    area.value = "";
    area.form.requestSubmit();
  });
  area.addEventListener("keydown", (event) => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) area.form.requestSubmit(); });
}
