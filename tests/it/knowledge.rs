//! Diff by meaning: the cases of `fixtures/diff`, and the output of `vc diff` and `vc show` for them.

use crate::env::Env;
use crate::init::{commit, json, project, write};
use brv::cli::knowledge::text;
use brv::cli::ui::{Colour, Screen, ScreenKind};
use brv_text::diff::knowledge::{Entry, Gone, Version, entry};
use std::cell::RefCell;
use std::io::Write;
use std::path::Path;
use std::rc::Rc;

#[derive(Clone, Default)]
struct Memory(Rc<RefCell<Vec<u8>>>);

impl Write for Memory {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn shown(entries: &[Entry]) -> String {
    let memory = Memory::default();
    let mut screen = Screen::new(Box::new(memory.clone()), ScreenKind::Pipe, Colour::Off);
    text(&mut screen, entries, &[]);
    screen.finish().unwrap();
    String::from_utf8(memory.0.take()).unwrap()
}

/// Each folder: `before.md` and `after.md`, one may be missing, and the expected output in `expected.txt`.
/// `BRV_FIXTURES=write` writes it.
#[test]
fn every_case_is_shown_as_expected() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/diff");
    let mut folders: Vec<_> = std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    assert!(folders.len() > 40, "the cases are found");
    let mut wrong = Vec::new();
    for folder in folders {
        let read = |name: &str| std::fs::read(folder.join(name)).ok();
        let (before, after) = (read("before.md"), read("after.md"));
        let version = |bytes: &'static [u8]| Version { path: "domain/topic/case.md".into(), bytes };
        let leak = |bytes: Option<Vec<u8>>| bytes.map(|bytes| version(bytes.leak()));
        let found = shown(&[entry(leak(before), leak(after), &Gone::default())]);
        assert!(!found.contains(['\x1b', '\x07', '\u{202e}', '\r']), "{}: {found}", folder.display());
        let expected = folder.join("expected.txt");
        if std::env::var_os("BRV_FIXTURES").is_some_and(|value| value == "write") {
            std::fs::write(&expected, &found).unwrap();
        }
        if std::fs::read_to_string(&expected).unwrap_or_default() != found {
            wrong.push(format!("{}:\n{found}", folder.file_name().unwrap().display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

const KEYS: &str = "# Keys\n\n## Facts\n\n- **rotation**: Keys rotate on the first of the month in all regions at once\n- **storage**: Private keys are kept in the vault and nowhere else\n";
const TOKENS: &str = "---\ntitle: Tokens\nrelated: [auth/keys.md]\n---\n\n## Facts\n\n- **ttl**: Tokens live 24 hours [project]\n";
const MOVED: &str = "# Deploying\n\nPush to main and wait for the pipeline; the canary takes ten minutes.\nThen all regions follow, one after the other, and nobody sleeps.\n";

/// Keys are merged into tokens, deploying moves and is rewrapped, a script changes.
fn consolidated() -> Env {
    let env = project(&[
        ("auth/keys.md", KEYS),
        ("auth/tokens.md", TOKENS),
        ("ops/deploying.md", MOVED),
        (".github/run.sh", "one\ntwo\n"),
    ]);
    commit(&env, "first");
    let tree = env.path(".brv/context-tree");
    std::fs::remove_file(tree.join("auth/keys.md")).unwrap();
    std::fs::remove_file(tree.join("ops/deploying.md")).unwrap();
    let facts = KEYS.split_once("## Facts\n\n").unwrap().1;
    let tokens = format!("{}{facts}", TOKENS.replace("24", "12"));
    let moved = MOVED
        .replace("; ", ";\n")
        .replace("Then all", "Then\nall")
        .replace("nobody sleeps", "all sleep")
        .replace("# Deploying", "# Deploying it");
    write(
        &env,
        &[("auth/tokens.md", &tokens), ("release/canary.md", &moved), (".github/run.sh", "one\n2\n")],
    );
    commit(&env, "second");
    env
}

#[test]
fn entries_that_became_one_or_moved_are_recognised() {
    let env = consolidated();
    let shown = env.brv(&["vc", "diff", "HEAD~1", "HEAD", "--format", "text"]).stdout;
    assert!(
        shown.contains("- Keys  auth/keys.md, merged into auth/tokens.md\n    2 facts are there now\n"),
        "{shown}"
    );
    assert!(shown.contains("~ Tokens  auth/tokens.md\n    merged from auth/keys.md"), "{shown}");
    assert!(shown.contains("~ ttl: Tokens live [-24-]{+12+} hours  [project]\n"), "{shown}");
    assert!(shown.contains("! points to auth/keys.md, which was deleted\n"), "{shown}");
    assert!(shown.contains("> Deploying it  ops/deploying.md -> release/canary.md\n"), "{shown}");
    assert!(shown.contains("~ .github/run.sh\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n"), "{shown}");
    assert!(
        shown.ends_with("4 entries: 2 edited, 1 renamed, 1 merged into others; 1 fact changed; -5 tokens\n"),
        "{shown}"
    );
    let commit = env.brv(&["vc", "show", "--format", "text"]).stdout;
    assert!(commit.ends_with(&shown) && commit.starts_with("commit "), "{commit}");
}

#[test]
fn json_has_the_entries_beside_the_lines() {
    let env = consolidated();
    let data = json(&env.brv(&["vc", "diff", "HEAD~1", "HEAD", "--json"]).stdout)["data"].clone();
    assert_eq!(data["files"].as_array().unwrap().len(), 5);
    let entries = data["entries"].as_array().unwrap();
    let of = |path: &str| entries.iter().find(|entry| entry["path"] == path).unwrap();
    assert_eq!(
        (&of("auth/keys.md")["change"], &of("auth/keys.md")["merged_into"]),
        (&"merged".into(), &"auth/tokens.md".into())
    );
    assert_eq!(of("auth/tokens.md")["dangling"], serde_json::json!(["auth/keys.md"]));
    let ttl = &of("auth/tokens.md")["facts"][0];
    assert_eq!(
        (&ttl["change"], &ttl["words"][1]),
        (&"changed".into(), &serde_json::json!({"kind": "removed", "text": "24"}))
    );
    assert_eq!(ttl["at"]["before"], serde_json::json!({"start": 8, "lines": 1}));
    assert_eq!(of("release/canary.md")["renamed_from"], "ops/deploying.md");
    assert_eq!(of(".github/run.sh")["by_line"], "not_a_document");
    let counted = json(&env.brv(&["vc", "diff", "HEAD~1", "HEAD", "--json", "--stat"]).stdout);
    assert!(counted["data"].get("entries").is_none());
}

#[test]
fn the_default_is_a_patch_where_no_person_reads() {
    let env = consolidated();
    let piped = env.brv(&["vc", "diff", "HEAD~1", "HEAD"]).stdout;
    assert_eq!(piped, env.brv(&["vc", "diff", "HEAD~1", "HEAD", "--format", "unified"]).stdout);
    assert!(piped.starts_with("diff --git "));
}

#[test]
fn what_is_on_disk_is_told_too() {
    let env = consolidated();
    write(
        &env,
        &[("auth/tokens.md", "---\ntitle: Tokens\n---\n\n## Facts\n\n- **ttl**: Tokens live 6 hours\n")],
    );
    let shown = env.brv(&["vc", "diff", "--format", "text"]).stdout;
    assert!(shown.contains("~ ttl: Tokens live [-12-]{+6+} hours  [project -> no category]\n"), "{shown}");
}
