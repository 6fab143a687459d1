#!/usr/bin/env node
// Starts the program of this platform. npm installs it as a package of its own; no script downloads anything.
"use strict";

const { spawn } = require("node:child_process");
const path = require("node:path");

const name = "@NAME@";
const platform = `git-brv-${process.platform}-${process.arch}`;
let folder;
try {
  folder = path.dirname(require.resolve(`${platform}/package.json`));
} catch {
  console.error(`${name}: the package ${platform} is missing. Install without --omit=optional;`);
  console.error("if there is none for this platform: cargo install brv --locked");
  process.exit(1);
}
const file = path.join(folder, process.platform === "win32" ? `${name}.exe` : name);
const child = spawn(file, process.argv.slice(2), { stdio: "inherit" });
child.on("error", (error) => {
  console.error(`${name}: cannot start ${file}: ${error.message}`);
  process.exit(1);
});
// the terminal sends its signals to both; this one ends when the program has ended
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => signal === "SIGINT" || child.kill(signal));
}
child.on("exit", (code, signal) => {
  if (signal === null) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
