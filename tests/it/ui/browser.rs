//! The pages in Chromium: signing in, reading by keyboard, what axe-core finds, what other sites may not.

use super::{Site, project};
use crate::env::program;
use std::path::PathBuf;
use std::process::Command;

const SCRIPT: &str = include_str!("browser.js");

/// Two entries say this, so that a dream merges them.
const SPAN: &str = "---\ntitle: Life\n---\nTokens are signed by the gate, and checked by each service without asking it again.\n\n\
    ## Facts\n\n- **life**: tokens live 12 hours\n";

/// The folder with playwright-core and axe-core, and the browser.
pub(super) fn browser() -> Option<(PathBuf, PathBuf)> {
    let packages = std::env::var_os("BRV_IT_SERVERS").map(PathBuf::from);
    let packages = packages
        .map(|folder| folder.join("node_modules"))
        .filter(|folder| ["playwright-core", "axe-core"].iter().all(|name| folder.join(name).is_dir()));
    let found = packages.zip(program("chromium"));
    if found.is_none() {
        println!("skipped: playwright-core and axe-core are not in BRV_IT_SERVERS, or there is no chromium");
    }
    found
}

#[test]
fn a_browser_signs_in_reads_by_keyboard_and_finds_no_fault() {
    let Some((packages, chromium)) = browser() else { return };
    let env = project(&[
        (
            "auth/tokens.md",
            "---\ntitle: Token lifetime\nsummary: How long\nrelated: [auth/keys]\n---\n# Token lifetime\n\n```sh\nlong\n```\n\n\
             |a|b|\n|-|-|\n|c|d|\n\n## Facts\n\n- **lifetime**: 24 hours [project]\n",
        ),
        (
            "auth/keys.md",
            "---\ntitle: \"Keys \u{202e} <img src=x onerror=alert(1)>\"\n---\nSee [tokens](tokens.md).\n",
        ),
        (
            "ops/port.md",
            "---\ntitle: Port\ndisputed: [port]\n---\n## Facts\n\n- **port**: 1\n- **port**: 2\n",
        ),
        ("ops/old.md", "---\ntitle: Old\n---\nOld.\n"),
        ("ops/tokens/span.md", SPAN),
        ("ops/tokens/life.md", SPAN),
        ("ops/deploy.md", "---\ntitle: Deploying\n---\nOn Mondays.\n"),
    ]);
    let keys = env.path(".brv/context-tree/auth/keys.md");
    let text = std::fs::read_to_string(&keys).unwrap();
    std::fs::write(keys, format!("{text}\n## Facts\n\n- **rotation**: weekly, see [gone](gone.md)\n"))
        .unwrap();
    assert_eq!(env.brv(&["vc", "commit", "-q", "-a", "-m", "keys: rotation"]).code, 0);
    let ops = env.path("ops.json");
    std::fs::write(&ops, r#"[{"type":"DELETE","path":"ops/old.md","reason":"unused"}]"#).unwrap();
    let agent = [("BRV_ACTOR", "bot"), ("CI", "")];
    let ran = env.brv_with(&agent, &["curate", "--ops", ops.to_str().unwrap()]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(env.brv_with(&agent, &["read", "auth/tokens"]).code, 0);
    assert_eq!(env.brv(&["dream", "--force", "--branch=dream/tidy"]).code, 0);
    let site = Site::start(&env, &[]);
    let second = env.brv(&["ui", "--no-open", "--json"]);
    let second: serde_json::Value = serde_json::from_str(&second.stdout).unwrap();
    let other = project(&[("other/one.md", "---\ntitle: One\n---\nText\n")]);
    let neighbour = Site::start(&other, &[]);
    let script = env.path("browser.js");
    std::fs::write(&script, SCRIPT).unwrap();
    let mut command = Command::new(program("node").expect("playwright is there, and so is node"));
    env.prepare(&mut command);
    command.arg(&script).arg(site.data["url"].as_str().unwrap()).arg(second["data"]["url"].as_str().unwrap());
    command.arg(site.data["without_script"].as_str().unwrap()).arg(neighbour.data["url"].as_str().unwrap());
    command.env("NODE_PATH", packages).env("CHROMIUM", chromium);
    command.env("ENTRY", env.path(".brv/context-tree/auth/tokens.md"));
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.ends_with("done\n"), "{said}");
}

#[test]
fn the_pages_are_valid_html() {
    let jar = std::env::var_os("BRV_IT_SERVERS").map(PathBuf::from);
    let jar = jar.map(|folder| folder.join("node_modules/vnu-jar/build/dist/vnu.jar"));
    let Some((jar, java)) = jar.filter(|jar| jar.is_file()).zip(program("java")) else {
        println!("skipped: vnu-jar is not in BRV_IT_SERVERS, or there is no java");
        return;
    };
    let env = project(&[
        (
            "auth/tokens.md",
            "---\ntitle: Tokens <b>\ndisputed: [life]\n---\n> quote\n\n1. one\n\n|a|\n|-|\n|b|\n\n## Facts\n\n- **life**: 1 h\n- **life**: 2 h\n- **host**: x\n",
        ),
        (
            "auth/keys.md",
            "---\ntitle: Keys\nrelated: [auth/tokens, gone/x]\n---\n# Keys\n\nSee [tokens](tokens.md) and <script>x</script>.\n",
        ),
    ]);
    let ops = env.path("ops.json");
    std::fs::write(&ops, r#"[{"type":"DELETE","path":"auth/keys.md","reason":"unused"}]"#).unwrap();
    let ran = env.brv_with(&[("BRV_ACTOR", "bot"), ("CI", "")], &["curate", "--ops", ops.to_str().unwrap()]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(env.brv(&["review", "comment", "auth/tokens", "-m", "why?"]).code, 0);
    let site = Site::start(&env, &[]);
    let visitor = site.sign_in();
    let pending = env.brv(&["review", "pending", "--json"]);
    let pending: serde_json::Value = serde_json::from_str(&pending.stdout).unwrap();
    let change = format!("/review/{}", pending["data"]["pending"][0]["id"].as_str().unwrap());
    let folder = env.path("pages");
    std::fs::create_dir(&folder).unwrap();
    let pages = [
        "/home",
        "/home/stale",
        "/home/broken",
        "/tree/",
        "/tree/auth",
        "/entry/auth/tokens.md",
        "/entry/auth/tokens.md/links",
        "/entry/auth/tokens.md/history",
        "/entry/auth/tokens.md/blame",
        "/changes",
        "/commit/HEAD",
        "/diff/HEAD~1..HEAD",
        "/findings/HEAD",
        "/review",
        &*change,
        "/why",
        "/why?q=life",
        "/why/served",
        "/search?q=tokens",
    ];
    for (number, page) in pages.iter().enumerate() {
        std::fs::write(folder.join(format!("{number}.html")), visitor.page(page)).unwrap();
    }
    let mut command = Command::new(java);
    command.arg("-jar").arg(jar).args(["--errors-only", "--skip-non-html"]).arg(&folder);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{pages:?}\n{}", String::from_utf8_lossy(&output.stderr));
}
