"use strict";

// The filter of a written site looks in a list of all entries, which is read when the field is first used.
const root = new URL(".", document.currentScript.src);
const [form, main, found] = ["#filter", "#main", "#found"].map((name) => document.querySelector(name));
const [field, status, rows] = [form.querySelector("input"), found.querySelector("p"), found.querySelector("ul")];

// How many entries are listed at most.
const MOST = 200;

let list;

// What is opened as a file may fetch nothing: for it the same list is a script.
const load = async () => {
  if (location.protocol !== "file:") return (await fetch(new URL("index.json", root))).json();
  const script = Object.assign(document.createElement("script"), { src: new URL("index.js", root) });
  const loaded = new Promise((done, failed) => Object.assign(script, { onload: done, onerror: failed }));
  document.head.append(script);
  await loaded;
  return globalThis.brvIndex;
};

const element = (name, about, ...parts) => {
  const made = Object.assign(document.createElement(name), about);
  made.append(...parts);
  return made;
};

const row = ({ path, title, summary, page }) => {
  const name = element("bdi", {}, title ?? path);
  const item = element("li", {}, element("a", { href: new URL(page, root) }, name), " ", element("span", { className: "name" }, path));
  if (summary) item.append(element("p", { dir: "auto" }, summary));
  return item;
};

const asked = () => field.value.trim().toLowerCase();

const show = async () => {
  const text = asked();
  main.classList.toggle("filtered", text !== "");
  found.hidden = text === "";
  if (!text) return;
  try {
    const { entries } = await (list ??= load());
    if (text !== asked()) return;
    const words = text.split(/\s+/);
    const has = ({ path, title, summary }) => {
      const all = `${path}\n${title ?? ""}\n${summary ?? ""}`.toLowerCase();
      return words.every((word) => all.includes(word));
    };
    const hits = entries.filter(has);
    status.textContent = hits.length > MOST ? `The first ${MOST} of ${hits.length} entries` : hits.length === 1 ? "1 entry" : `${hits.length} entries`;
    rows.replaceChildren(...hits.slice(0, MOST).map(row));
  } catch {
    list = undefined;
    status.textContent = "The list of entries cannot be read.";
  }
};

form.hidden = false;
field.addEventListener("input", show);
form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (!found.hidden) rows.querySelector("a")?.click();
});
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "/" && event.target !== field) {
    event.preventDefault();
    field.focus();
  } else if (event.key === "Escape" && event.target === field) {
    field.value = "";
    show();
  }
});
// a browser may have kept what was typed
show();
