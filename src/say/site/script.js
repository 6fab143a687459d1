"use strict";

// The door: the key stands behind the `#` of the address, which no server is sent.
const enter = async () => {
  const words = new URLSearchParams(location.hash.slice(1));
  const key = words.get("key");
  history.replaceState(null, "", "/");
  if (!key) return;
  const to = words.get("to") || "";
  const answer = await fetch("/session", { method: "POST", headers: { Authorization: `Bearer ${key}` } });
  if (!answer.ok) return;
  const { base } = await answer.json();
  const way = to.split("/").map(encodeURIComponent).join("/");
  location.replace(base + (/^\/[^/]/.test(way) ? way : "/home"));
};

// The parts of a page that take longer come when the page is there.
const fill = async (part) => {
  const answer = await fetch(`${part.dataset.part}?part`);
  if (!answer.ok) return;
  const made = new DOMParser().parseFromString(await answer.text(), "text/html");
  part.replaceChildren(...made.body.childNodes);
};

// How often a visible page asks whether there is something newer, in milliseconds.
const EVERY = 3000;

const say = (text, way) => {
  const said = document.querySelector("#said");
  said.classList.add("gone");
  said.replaceChildren(text, " ");
  if (way) said.append(Object.assign(document.createElement("a"), { href: location.pathname + location.search, textContent: way }));
};

const watch = async () => {
  const wait = () => new Promise((done) => setTimeout(done, EVERY));
  for (;;) {
    await wait();
    if (document.hidden) continue;
    try {
      const { status } = await fetch(document.body.dataset.changed);
      if (status === 200) return say("The tree has changed since.", "Show it");
      if (status === 404) return say("The server was started anew: `brv ui` opens this page again.");
      if (status === 401) return say("This session is over; the page stays as it is.");
    } catch {
      return say("The server has ended; the page stays as it is.");
    }
  }
};

// What was typed and not sent stays until its form was carried out, with the version of the text that it was typed about: the
// server tells where that is another one now. A page has the same name in each run.
const draft = (field) => {
  const page = location.pathname.split("/").slice(2).join("/");
  const name = `draft ${page} ${field.dataset.draft}`;
  const seen = field.form.querySelector("input[name=seen]");
  const first = field.value;
  const now = seen?.value;
  const note = document.createElement("p");
  note.className = "soft";
  const say = () => {
    const discard = Object.assign(document.createElement("button"), { type: "button", textContent: "Discard" });
    discard.addEventListener("click", () => {
      sessionStorage.removeItem(name);
      field.value = first;
      if (seen) seen.value = now;
      note.remove();
    });
    note.replaceChildren("Draft kept. ", discard);
    field.after(note);
  };
  const kept = JSON.parse(sessionStorage.getItem(name) || "null");
  if (kept && document.querySelector("#done") && sessionStorage.getItem("sent") === name) {
    sessionStorage.removeItem(name);
  } else if (kept) {
    field.value = kept.text;
    if (seen && kept.seen) seen.value = kept.seen;
    const folded = field.closest("details");
    if (folded) folded.open = true;
    say();
  }
  field.addEventListener("input", () => {
    sessionStorage.setItem(name, JSON.stringify({ text: field.value, seen: seen?.value }));
    if (!note.isConnected) say();
  });
  field.form.addEventListener("submit", () => sessionStorage.setItem("sent", name));
};

// What was done is told once.
const told = (done) => {
  const here = new URL(location.href);
  here.searchParams.delete("done");
  history.replaceState(null, "", here);
  done.focus();
};

// In review, a key leads to what decides, and never decides.
const decision = { a: "approve", x: "reject", c: "comment" };

const lead = (act) => {
  const form = document.querySelector(`form[action$="/act/${act}"]`);
  if (!form) return;
  const folded = form.closest("details");
  if (folded) folded.open = true;
  form.querySelector("textarea, button").focus();
};

const rows = () => [...document.querySelectorAll(".rows li")];

// Mark the row that is so far from the marked one, and focus what it leads to.
const step = (by) => {
  const all = rows();
  if (all.length === 0) return;
  const at = all.findIndex((row) => row.classList.contains("here"));
  const next = Math.min(Math.max(at + by, 0), all.length - 1);
  if (at >= 0) all[at].classList.remove("here");
  all[next].classList.add("here");
  all[next].querySelector("a")?.focus();
};

const keys = [
  ["/", "search"],
  ["g h", "the overview"],
  ["g t", "the tree"],
  ["g c", "changes"],
  ["g r", "review"],
  ["g w", "why something is served"],
  ["j k", "the next row, the row before"],
  ["Enter", "open it"],
  ["u", "the folder above"],
  ["a x c", "to approve, reject, comment"],
  ["?", "this list"],
];

const list = () => {
  const dialog = document.createElement("dialog");
  dialog.setAttribute("aria-label", "Keys");
  const table = document.createElement("dl");
  for (const [key, what] of keys) {
    const [term, meaning] = [document.createElement("dt"), document.createElement("dd")];
    [term.textContent, meaning.textContent] = [key, what];
    table.append(term, meaning);
  }
  const form = Object.assign(document.createElement("form"), { method: "dialog" });
  const close = Object.assign(document.createElement("button"), { textContent: "Close" });
  form.append(close);
  dialog.append(table, form);
  document.body.append(dialog);
  dialog.addEventListener("close", () => dialog.remove());
  dialog.showModal();
};

let waits = false;

const press = (event) => {
  const field = event.target.closest?.("input, textarea, select, [contenteditable]");
  if (field || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  const follows = waits;
  waits = false;
  if (follows) {
    const ways = [...document.querySelectorAll("nav[aria-label=Pages] a")];
    ways.find((way) => way.dataset.key === event.key)?.click();
    return;
  }
  switch (event.key) {
    case "g": waits = true; return;
    case "/": document.querySelector("#q")?.focus(); break;
    case "j": step(1); break;
    case "k": step(-1); break;
    case "u": [...document.querySelectorAll(".crumbs a")].at(-1)?.click(); break;
    case "?": list(); break;
    case "a": case "x": case "c": lead(decision[event.key]); break;
    default: return;
  }
  event.preventDefault();
};

if (document.querySelector("#door")) {
  enter();
} else {
  document.querySelectorAll("[data-part]").forEach(fill);
  document.querySelectorAll("[data-draft]").forEach(draft);
  const done = document.querySelector("#done");
  if (done) told(done);
  if (document.body.dataset.changed) watch();
  if (document.documentElement.dataset.keys !== "off") document.addEventListener("keydown", press);
}
