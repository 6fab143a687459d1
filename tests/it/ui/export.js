// Reads a written site in Chromium, as files and below a path of a host; says what is wrong, and ends with 1 if anything is.
const { chromium } = require("playwright-core");
const fs = require("fs");
const http = require("http");
const path = require("path");
const { pathToFileURL } = require("url");

const axe = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const site = process.argv[2];
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

const types = { ".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".json": "application/json", ".svg": "image/svg+xml" };

const run = async () => {
  const server = http.createServer((request, answer) => {
    const name = decodeURIComponent(new URL(request.url, "http://a").pathname).replace(/^\/some\/where\//, "");
    const file = path.join(site, name);
    if (!request.url.startsWith("/some/where/") || !fs.existsSync(file)) return answer.writeHead(404).end();
    answer.setHeader("content-type", types[path.extname(file)]);
    answer.end(fs.readFileSync(file));
  });
  const port = await new Promise((done) => server.listen(0, "127.0.0.1", () => done(server.address().port)));
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox", "--no-proxy-server"] });
  for (const root of [`${pathToFileURL(site)}/`, `http://127.0.0.1:${port}/some/where/`]) {
    const page = await (await browser.newContext()).newPage();
    page.on("console", (message) => check(false, `console: ${message.text()}`));
    page.on("pageerror", (error) => check(false, `script: ${error.message}`));
    page.on("request", (request) => check(request.url().startsWith(root), `asked ${request.url()}`));
    for (const name of ["index.html", "tree/auth.html", "entry/auth/tokens.html", "entry/net/ports%20%26%20more.html"]) {
      for (const { name: view, width, height, ...media } of views) {
        await page.setViewportSize({ width, height });
        await page.emulateMedia({ colorScheme: "light", forcedColors: "none", media: "screen", ...media });
        await page.goto(root + name);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
        check(!wide, `${name}, ${view}: scrolls sideways`);
        await page.evaluate(axe);
        const found = await page.evaluate(() => axe.run({ preload: false, runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] }));
        for (const { id, nodes } of found.violations) check(false, `${name}, ${view}: ${id} ${nodes[0].html}`);
        if (process.env.SHOTS && root.startsWith("file")) await page.screenshot({ path: path.join(process.env.SHOTS, `${name.replace(/\W/g, "_")}-${view}.png`) });
      }
    }
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.emulateMedia({ media: "screen", forcedColors: "none", colorScheme: "light" });
    // the filter, from a page below
    await page.goto(`${root}entry/auth/tokens.html`);
    await page.keyboard.press("/");
    await page.keyboard.type("PORTS them");
    await page.waitForSelector("#found li");
    check(await page.locator("#found li").count() === 1, "one entry has both words");
    check(await page.locator("#found bdi").textContent() === "Ports <b>", "a title is text");
    check(!(await page.locator("h1").isVisible()), "the page makes room");
    await page.evaluate(axe);
    const found = await page.evaluate(() => axe.run({ preload: false, runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] }));
    for (const { id, nodes } of found.violations) check(false, `filter: ${id} ${nodes[0].html}`);
    if (process.env.SHOTS) await page.screenshot({ path: path.join(process.env.SHOTS, "filter.png") });
    await page.keyboard.press("Enter");
    await page.waitForURL(/entry\/net\/ports%20%26%20more\.html$/);
    await page.locator("#q").fill("nothing has this");
    await page.waitForSelector("text=0 entries");
    await page.keyboard.press("Escape");
    check(await page.locator("h1").isVisible(), "Escape ends the filter");
    await page.click("text=keys >> nth=0");
    await page.waitForURL(/entry\/auth\/keys\.html$/);
    await page.click(".crumbs a >> nth=1");
    await page.waitForURL(/tree\/auth\.html$/);
    await page.click("nav[aria-label=Pages] a");
    await page.waitForURL(/index\.html$/);
  }
  // without a script there is no filter, and all is there
  const still = await (await browser.newContext({ javaScriptEnabled: false })).newPage();
  await still.goto(`${pathToFileURL(site)}/index.html`);
  check(!(await still.locator("#q").isVisible()), "no field that does nothing");
  await still.click("text=auth");
  await still.click("text=Tokens");
  check((await still.locator("main").textContent()).includes("24 hours"), "an entry is read without a script");
  await browser.close();
  server.close();
};

run().then(
  () => {
    faults.forEach((fault) => console.log(fault));
    if (faults.length === 0) console.log("done");
    process.exit(faults.length === 0 ? 0 : 1);
  },
  (error) => {
    faults.forEach((fault) => console.log(fault));
    console.log(error.stack);
    process.exit(1);
  },
);
