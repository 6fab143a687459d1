// Drives the pages in Chromium; says what is wrong, and ends with 1 if anything is.
const { chromium } = require("playwright-core");
const fs = require("fs");
const http = require("http");
const net = require("net");

const axe = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const [first, second, without, neighbour] = process.argv.slice(2);
const faults = [];
const check = (holds, what) => {
  if (!holds) faults.push(what);
};

const views = [
  { name: "1280 light", width: 1280, height: 900 },
  { name: "360 dark", width: 360, height: 780, colorScheme: "dark" },
  { name: "320", width: 320, height: 700 },
  { name: "forced colours", width: 1280, height: 900, forcedColors: "active" },
  { name: "print", width: 800, height: 900, media: "print" },
];

// Each page in each view: silent, nothing from elsewhere, no sideways scroll, nothing that axe-core finds.
const look = async (page, path) => {
  for (const { name, width, height, ...media } of views) {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme: "light", forcedColors: "none", media: "screen", ...media });
    await page.goto(path);
    await page.waitForFunction(() => !document.querySelector("[data-part] > a:only-child"));
    const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
    check(!wide, `${path}, ${name}: scrolls sideways`);
    await page.evaluate(axe);
    const found = await page.evaluate(() =>
      axe.run({ runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] }));
    for (const { id, nodes } of found.violations) check(false, `${path}, ${name}: ${id} ${nodes[0].html}`);
  }
};

const listen = (server) => new Promise((done) => server.listen(0, "127.0.0.1", () => done(server.address().port)));

const run = async () => {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM,
    args: ["--no-sandbox", "--no-proxy-server", "--host-resolver-rules=MAP evil.example 127.0.0.1"],
  });
  const context = await browser.newContext();
  const page = await context.newPage();
  const origin = new URL(first).origin;
  // a refused form is told there, too
  page.on("console", (message) => check(page.url().includes("/act/"), `console at ${page.url()}: ${message.text()}`));
  page.on("pageerror", (error) => check(false, `script: ${error.message}`));
  page.on("request", (request) => check(request.url().startsWith(`${origin}/`), `asked ${request.url()}`));

  await page.goto(first);
  await page.waitForURL(/\/[0-9a-f]{16}\/home$/);
  const base = page.url().replace(/home$/, "");
  await page.goto(`${base}review`);
  const change = (await page.getAttribute(".rows li a[href*='/review/']:not([href*='/branch/'])", "href")).split("/").at(-1);
  for (const path of ["home", "home/stale", "home/broken", "why", "why?q=how+long+is+the+lifetime", "why?task=deploy", "why/served",
    "review/branch/dream/tidy", `review/${change}`, "entry/ops/port.md", "tree/", "tree/auth", "entry/auth/tokens.md", "entry/auth/keys.md", "entry/auth/keys.md/links", "entry/auth/keys.md/history", "entry/auth/keys.md/blame",
    "search?q=tokens", "search", "changes", "commit/HEAD", "diff/HEAD~1..HEAD", "findings/HEAD", "review"]) {
    await look(page, base + path);
  }

  // by keyboard alone
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.emulateMedia({ media: "screen", forcedColors: "none" });
  await page.goto(`${base}tree/`);
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.waitForURL(/tree\/auth$/);
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.waitForURL(/entry\/auth\//);
  await page.keyboard.press("u");
  await page.waitForURL(/tree\/auth$/);
  await page.keyboard.press("/");
  await page.keyboard.type("deploy j");
  await page.keyboard.press("Enter");
  await page.waitForURL(/search\?q=deploy/);
  await page.keyboard.press("?");
  check(await page.locator("dialog[open]").count() === 1, "? shows the keys");
  await page.keyboard.press("Escape");
  for (const [key, way] of [["c", /changes$/], ["r", /review$/], ["w", /why$/], ["h", /home$/], ["t", /tree\/$/]]) {
    await page.keyboard.press("g");
    await page.keyboard.press(key);
    await page.waitForURL(way);
  }

  // what changes while a page is open
  await page.goto(`${base}entry/auth/tokens.md`);
  fs.appendFileSync(process.env.ENTRY, "\nAdded while the page is open.\n");
  await page.click("#said a", { timeout: 15000 });
  await page.waitForSelector("text=Added while the page is open.");

  // approve, and take it back, by keyboard; a key leads there and does nothing by itself
  await page.goto(`${base}review/${change}`);
  await page.keyboard.press("x");
  check(await page.evaluate(() => document.activeElement.matches("form[action$='/reject'] textarea")), "x leads to reject");
  await page.keyboard.type("a x c");
  check((await page.textContent("main")).includes("pending"), "keys decide nothing");
  await page.keyboard.press("Shift+Tab");
  check(await page.evaluate(() => document.activeElement.textContent === "Approve"), "approve stands before");
  await page.keyboard.press("Enter");
  await page.waitForSelector("#done:focus");
  check((await page.textContent("#done")).startsWith("Approved."), "approved by keyboard");
  check(!page.url().includes("done="), "it is told once");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.waitForSelector("#done >> text=waits for review again");

  // a draft outlives a reload and ends when it was sent
  const draft = "form[action$='/comment'] textarea";
  await page.fill(draft, "which one?");
  await page.reload();
  check((await page.inputValue(draft)) === "which one?", "a draft is kept");
  await page.click("form[action$='/comment'] button:not([type])");
  await page.waitForSelector(".comment >> text=which one?");
  await page.reload();
  check((await page.inputValue(draft)) === "", "a draft that was sent is gone");

  // a draft about a text that is another one by now is told so, and can be discarded
  const fix = "form[action$='/fix'] textarea";
  await page.goto(`${base}entry/auth/tokens.md`);
  await page.click("text=Fix");
  await page.fill(fix, "77 hours");
  fs.appendFileSync(process.env.ENTRY, "\nAdded beside a draft.\n");
  await page.reload();
  check((await page.inputValue(fix)) === "77 hours", "the draft is kept beside a newer text");
  await page.click("form[action$='/fix'] button:not([type])");
  await page.waitForSelector("h1 >> text=It has changed");
  check((await page.inputValue("main textarea")) === "77 hours", "what was typed stays");
  await page.goto(`${base}entry/auth/tokens.md`);
  await page.click("form[action$='/fix'] >> text=Discard");
  check((await page.inputValue(fix)).startsWith("24 hours"), "a draft is discarded");

  // many tabs
  const tabs = await Promise.all(Array.from({ length: 8 }, () => context.newPage()));
  await Promise.all(tabs.map((tab) => tab.goto(`${base}entry/auth/tokens.md`)));
  await new Promise((done) => setTimeout(done, 3500));
  for (const tab of tabs) {
    await tab.click("text=Tree");
    check((await tab.textContent("main")).includes("auth"), "one of eight tabs goes on");
    await tab.close();
  }

  // a key that was used
  const other = await browser.newContext();
  const late = await other.newPage();
  await late.goto(first);
  await late.waitForTimeout(300);
  check(new URL(late.url()).pathname === "/", "a used key signs nobody in");

  // a name that leads here
  const refused = await late.goto(`http://evil.example:${new URL(first).port}/`);
  check(refused.status() === 403, `evil.example: ${refused.status()}`);

  // a page of another port, in the browser that is signed in
  let cookies = "";
  const evil = http.createServer((request, answer) => {
    cookies += request.headers.cookie || "";
    answer.setHeader("content-type", "text/html");
    answer.end(`<img src="${base}tree/"><iframe src="${base}tree/"></iframe><form id=f method=post action="${origin}/session"></form>`);
  });
  const port = await listen(evil);
  const visit = await context.newPage();
  await visit.goto(`http://127.0.0.1:${port}/`);
  const reads = (address) => fetch(address, { credentials: "include" }).then(() => "read", () => "refused");
  check((await visit.evaluate(reads, `${base}tree/`)) === "refused", "another port reads a page");
  const inside = () => document.querySelector("iframe").contentDocument;
  check((await visit.evaluate(inside)) === null, "another port looks into a frame");
  await Promise.all([
    visit.waitForURL(`${base}tree/`),
    visit.evaluate((address) => { location = address; }, `${base}tree/`),
  ]);
  check((await visit.textContent("h1")) === "Not signed in", "a link from another port is let in");
  await visit.click("text=Continue");
  await visit.waitForFunction(() => document.querySelector("h1").textContent !== "Not signed in");
  check((await visit.textContent("main")).includes("auth"), "what this site links to is let in");
  check(!cookies.includes("brv="), "another port was sent the cookie");
  await visit.goto(`http://127.0.0.1:${port}/`);
  const [posted] = await Promise.all([
    visit.waitForResponse(`${origin}/session`),
    visit.evaluate(() => document.querySelector("#f").submit()),
  ]);
  check(posted.status() === 403, `another port posts a form: ${posted.status()}`);
  evil.close();

  // without a script
  const plain = await browser.newContext({ javaScriptEnabled: false });
  const read = await plain.newPage();
  await read.goto(without);
  await read.click("nav >> text=Tree");
  await read.click("main a >> text=auth");
  await read.click("text=Token lifetime");
  await read.click("aside >> text=Links");
  check((await read.textContent("h1")) === "Token lifetime", "a part has a page of its own");
  await read.fill("#q", "mondays");
  await read.press("#q", "Enter");
  check((await read.textContent("main")).includes("Deploying"), "a search without a script");

  await read.click("nav >> text=Review");
  await read.click(".rows li a[href*='/review/']:not([href*='/branch/'])");
  await read.click("text=Approve");
  check((await read.textContent("#done")).startsWith("Approved."), "a form without a script");
  await read.click("#done button");

  // the pages of two trees in one browser
  const both = await context.newPage();
  await both.goto(neighbour);
  await both.waitForURL(/\/[0-9a-f]{16}\/home$/);
  check((await both.textContent("main")).includes("other"), "another tree signs in");
  await page.goto(`${base}tree/`);
  check((await page.textContent("main")).includes("auth"), "and this one stays signed in");

  // through a forwarded port
  const pipe = net.createServer((socket) => {
    const there = net.connect(new URL(first).port, "127.0.0.1");
    socket.pipe(there).pipe(socket);
    socket.on("error", () => there.destroy());
    there.on("error", () => socket.destroy());
  });
  const forwarded = await listen(pipe);
  const far = await other.newPage();
  await far.goto(second.replace(/:\d+\//, `:${forwarded}/`));
  await far.waitForURL(/\/[0-9a-f]{16}\/home$/);
  check((await far.textContent("main")).includes("auth"), "a forwarded port signs in");
  await browser.close();
  pipe.close();
};

run().then(
  () => {
    faults.forEach((fault) => console.log(fault));
    console.log(faults.length === 0 ? "done" : "faults");
    process.exit(faults.length === 0 ? 0 : 1);
  },
  (error) => {
    faults.forEach((fault) => console.log(fault));
    console.log(error);
    process.exit(1);
  },
);
