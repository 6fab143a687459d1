//! The pages of `brv vc diff` and `brv vc show`, one of them in a real browser.

use crate::env::{Env, program};
use crate::init::{commit, project, write};
use std::path::Path;
use std::process::Command;

const BEFORE: &str = "---\ntitle: Token lifetime\ntags: [auth, jwt]\nrelated: [auth/gone]\n---\n\n## Narrative\n\nTokens live for 24 hours and are signed.\n\n- never log a token\n\n```ts\nconst ttl = 24;\n```\n\n## Facts\n\n- **ttl**: tokens live 24 hours [project]\n- **issuer**: id.example.com [environment]\n";

/// Two commits with every kind of change, including hostile text.
fn changed() -> Env {
    let long = "averyveryverylongwordwithoutanybreak".repeat(12);
    let moved = "# Cookies\n\nThe login cookie is set after the second factor, and is scoped to the identity host only.\n";
    let env = project(&[
        ("auth/tokens.md", BEFORE),
        (
            "auth/gone.md",
            "# Gone\n\nSomething that nobody needs any longer, and that is not said elsewhere.\n",
        ),
        ("auth/cookies.md", moved),
        ("ops/form.md", "# Form\n\none\ntwo\n"),
    ]);
    commit(&env, "first");
    let tree = env.path(".brv/context-tree");
    for path in ["auth/gone.md", "auth/cookies.md"] {
        std::fs::remove_file(tree.join(path)).unwrap();
    }
    let after = BEFORE
        .replace("24 hours", "12 hours")
        .replace("ttl = 24", "ttl = 12")
        .replace("[auth, jwt]", "[auth, oauth]\ndisputed: [ttl]")
        .replace("- never log a token\n", "")
        .replace("- **issuer**", "- **ttl**: tokens live 6 hours [project]\n- **issuer**");
    let hostile = format!(
        "---\ntitle: '</title><script>alert(1)</script> \"&'\n---\n\n## <img src=https://x.invalid/a onerror=alert(2)>\n\n\
         <script src=https://x.invalid/b></script> \u{202e}drawkcab\u{202c} \u{5e9}\u{5dc}\u{5d5}\u{5dd} {long}\n\n```\n{long}\n```\n"
    );
    write(
        &env,
        &[
            ("auth/tokens.md", &after),
            ("auth/sessions/cookies.md", moved),
            ("ops/form.md", "# Form\n\none two\n"),
            ("security/hostile.md", &hostile),
            (&format!("security/{}.md", &long[..120]), "# Long name\n\nText.\n"),
        ],
    );
    commit(&env, "second <b>");
    env
}

fn page(env: &Env, name: &str) -> std::path::PathBuf {
    let ran = env.brv(&["vc", "diff", "HEAD~1", "HEAD", "--format", "html", "--output", name]);
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (0, "", ""));
    env.path(name)
}

/// A page that inspects another one and reports what it finds. `SCHEME` is the expected colour scheme.
const PROBE: &str = r#"<!doctype html><meta charset=utf-8><body><script>
const parse = text => { const n = text.match(/[\d.]+/g).map(Number); return {r: n[0], g: n[1], b: n[2], a: n.length > 3 ? n[3] : 1}; };
const light = c => { const f = v => { v /= 255; return v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4; }; return .2126 * f(c.r) + .7152 * f(c.g) + .0722 * f(c.b); };
const ground = (view, e) => { for (; e; e = e.parentElement) { const c = parse(view.getComputedStyle(e).backgroundColor); if (c.a === 1) return c; if (c.a > 0) throw "half-transparent " + e.className; } return {r: 0, g: 0, b: 255}; };
const look = frame => {
  const view = frame.contentWindow, page = frame.contentDocument, found = {};
  found.width = page.documentElement.scrollWidth; found.inner = view.innerWidth;
  found.wide = [...page.querySelectorAll("body *")].filter(e => e.getClientRects().length && e.getBoundingClientRect().right > view.innerWidth + 1 && !e.closest(".sr, .skip")).map(e => e.outerHTML.slice(0, 80)).slice(0, 3);
  found.sideways = [...page.querySelectorAll("body *")].filter(e => ["auto", "scroll"].includes(view.getComputedStyle(e).overflowX) && e.scrollWidth > e.clientWidth).map(e => e.tagName);
  found.requests = view.performance.getEntriesByType("resource").map(e => e.name);
  found.scripts = page.scripts.length + page.images.length;
  let worst = 99, where = "";
  const walker = page.createTreeWalker(page.body, NodeFilter.SHOW_TEXT);
  for (let node; node = walker.nextNode();) {
    const e = node.parentElement; if (!node.data.trim() || e.closest("script, style")) continue;
    const a = light(parse(view.getComputedStyle(e).color)), b = light(ground(view, e));
    const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    if (ratio < worst) { worst = ratio; where = e.tagName + "." + e.className + " " + node.data.slice(0, 30); }
  }
  found.contrast = worst; found.where = where;
  found.ground = light(parse(view.getComputedStyle(page.body).backgroundColor));
  found.lost = [...page.querySelectorAll("a")].filter(a => !page.getElementById(decodeURIComponent(a.hash.slice(1)))).map(a => a.outerHTML);
  found.levels = [...page.querySelectorAll("h1,h2,h3,h4,h5,h6")].map(h => +h.tagName[1]);
  found.title = page.title;
  return found;
};
const frame = document.createElement("iframe");
frame.width = WIDTH; frame.height = 800; frame.src = "page.html";
frame.onload = () => { let said; try { said = look(frame); } catch (error) { said = {error: String(error)}; } const out = document.createElement("pre"); out.id = "found"; out.textContent = JSON.stringify(said); document.body.append(out); };
document.body.append(frame);
</script></body>"#;

fn browser() -> Option<std::path::PathBuf> {
    ["chromium", "chromium-browser", "google-chrome"].iter().find_map(|name| program(name))
}

/// What the browser finds on `page.html` apart from the probe.
fn looked_at(browser: &Path, folder: &Path, width: u32, scheme: &str) -> serde_json::Value {
    std::fs::write(folder.join("probe.html"), PROBE.replace("WIDTH", &width.to_string())).unwrap();
    let profile = tempfile::tempdir().unwrap();
    let mut command = Command::new(browser);
    command
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"])
        .args([
            "--disable-background-networking",
            "--disable-component-update",
            "--allow-file-access-from-files",
        ])
        .args([
            "--enable-logging=stderr",
            "--window-size=1400,1000",
            "--virtual-time-budget=5000",
            "--dump-dom",
        ])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg(format!("--blink-settings=preferredColorScheme={scheme}"))
        .arg(format!("file://{}", folder.join("probe.html").display()))
        .env("HOME", profile.path());
    let output = command.output().unwrap();
    let (dom, said) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(!said.contains("CONSOLE"), "{said}");
    let found = dom.split_once("<pre id=\"found\">").unwrap_or_else(|| panic!("{dom}\n{said}")).1;
    let json = found.split_once("</pre>").unwrap().0;
    let json = json.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    serde_json::from_str(&json).unwrap_or_else(|error| panic!("{error}: {json}"))
}

#[test]
fn a_browser_shows_the_page_whole_and_alone() {
    let Some(browser) = browser().filter(|_| cfg!(unix)) else {
        println!("skipped: no chromium on this machine to look at the page with");
        return;
    };
    let env = changed();
    page(&env, "page.html");
    for (width, scheme) in [(360, "1"), (360, "0"), (1280, "1")] {
        let found = looked_at(&browser, env.root(), width, scheme);
        assert_eq!(found["error"], serde_json::Value::Null, "{found}");
        assert_eq!(found["inner"], width, "{found}");
        assert!(
            found["width"].as_u64() <= Some(u64::from(width)),
            "nothing is wider than the screen: {found}"
        );
        assert_eq!(found["wide"], serde_json::json!([]), "{found}");
        assert_eq!(found["sideways"], serde_json::json!([]), "no part is scrolled sideways: {found}");
        assert_eq!((&found["requests"], &found["scripts"]), (&serde_json::json!([]), &0.into()), "{found}");
        assert!(found["contrast"].as_f64() >= Some(4.5), "{found}");
        // the style is applied, and matches the scheme
        let ground = found["ground"].as_f64().unwrap();
        assert!(if scheme == "1" { ground > 0.8 } else { ground < 0.05 }, "{found}");
        assert_eq!(found["lost"], serde_json::json!([]), "{found}");
        let levels: Vec<u64> =
            found["levels"].as_array().unwrap().iter().filter_map(|level| level.as_u64()).collect();
        assert!(levels[0] == 1 && levels.windows(2).all(|pair| pair[1] <= pair[0] + 1), "{levels:?}");
    }
}

#[test]
fn the_page_goes_where_it_is_told_to() {
    let env = changed();
    let html = std::fs::read_to_string(page(&env, "new/folder/page.html")).unwrap();
    let ran = env.brv(&["vc", "diff", "HEAD~1", "HEAD", "--format", "html"]);
    assert_eq!(ran.stdout, html, "the same on standard output");
    assert!(html.starts_with("<!doctype html>\n") && html.ends_with("</html>\n"));
    let ran = env.brv(&["vc", "diff", "HEAD~1", "HEAD", "--json", "--output", "diff.json"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""));
    let json: serde_json::Value =
        serde_json::from_slice(&std::fs::read(env.path("diff.json")).unwrap()).unwrap();
    assert_eq!(json["schema"], "brv.vc.diff/1");
    let ran = env.brv(&["vc", "diff", "HEAD~1", "HEAD", "--exit-code", "--output", "patch"]);
    assert_eq!(ran.code, 1);
    assert!(std::fs::read_to_string(env.path("patch")).unwrap().starts_with("diff --git "));
    let ran = env.brv(&["vc", "diff", "HEAD~1", "HEAD", "--output", "."]);
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{}", ran.stderr);
}

#[test]
fn a_commit_is_shown_as_a_page_too() {
    let env = changed();
    let html = env.brv(&["vc", "show", "--format", "html"]).stdout;
    assert!(html.contains("<h1><bdi>second &lt;b&gt;</bdi></h1>"), "{html}");
    assert!(html.contains("was <code>auth/cookies.md</code>"), "{html}");
    let markdown = env.brv(&["vc", "show", "--format", "markdown"]).stdout;
    assert!(markdown.starts_with("## Knowledge diff: second \\<b\\>\n\n`"), "{markdown}");
    assert!(
        markdown.contains(
            "> ⚠️ `ttl` is now disputed: 2 statements\n> - tokens live 12 hours\n> - tokens live 6 hours\n"
        ),
        "{markdown}"
    );
    assert!(markdown.contains("> ⚠️ points to deleted files\n> - `auth/gone.md`\n"), "{markdown}");
}

#[test]
fn a_page_names_the_states_as_they_were_typed() {
    let env = changed();
    let short = |name: &str| env.git(&env.path(".brv/context-tree"), &["rev-parse", "--short=7", name]);
    let (first, second) = (short("HEAD~1"), short("HEAD"));
    let front = |arguments: &[&str]| {
        let ran = env.brv(&[&["vc", "diff", "--format", "markdown"], arguments].concat());
        ran.stdout.lines().next().unwrap_or_else(|| panic!("{}", ran.stderr)).to_owned()
    };
    let wanted = format!("HEAD\\~1 ({first}) → HEAD ({second})");
    // an id may need a code span, so that no host takes it for one of its own commits
    let plain = |line: &str| line.replace("\\(", "(").replace("\\)", ")").replace('`', "");
    assert_eq!(plain(&front(&["HEAD~1..HEAD"])), format!("## Knowledge diff: {wanted}"));
    assert_eq!(plain(&front(&["HEAD~1.."])), format!("## Knowledge diff: {wanted}"));
    assert_eq!(plain(&front(&[&first, &second])), format!("## Knowledge diff: {first} → {second}"));
    assert!(plain(&front(&["HEAD~1"])).ends_with(&format!("HEAD\\~1 ({first}) → work tree")));
}

#[test]
fn counts_and_names_are_no_page() {
    let env = changed();
    for flag in ["--stat", "--name-only", "--name-status"] {
        for format in ["html", "markdown"] {
            for command in [&["vc", "diff", "HEAD~1"][..], &["vc", "show"]] {
                let ran = env.brv(&[command, &[flag, "--format", format]].concat());
                assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
                assert!(
                    ran.stderr.contains(&format!("`{flag}` cannot be used with `--format {format}`")),
                    "{}",
                    ran.stderr
                );
            }
        }
    }
}
