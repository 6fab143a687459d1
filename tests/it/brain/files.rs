//! `brain write` and `brain unwrite`: only the block changes, and all comes back.

use super::{TODAY, brain, document, entry, knowledge};
use crate::env::Env;
use crate::init::{json, write};
use serde_json::Value;

fn state(env: &Env, word: &str, file: &str) -> String {
    let ran = env.brv(&["brain", word, file, "--json"]);
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    let data = json(&ran.stdout)["data"].clone();
    assert_eq!(data["file"], file);
    data["state"].as_str().unwrap().to_owned()
}

fn bytes(env: &Env, file: &str) -> Vec<u8> {
    std::fs::read(env.path(file)).unwrap()
}

#[test]
fn the_summary_is_kept_in_a_file_and_taken_out_again() {
    let env = knowledge();
    std::fs::write(env.path("AGENTS.md"), "# Agents\r\n\r\nRead.\r\n").unwrap();
    let before = bytes(&env, "AGENTS.md");
    assert_eq!(state(&env, "write", "AGENTS.md"), "written");
    let text = String::from_utf8(bytes(&env, "AGENTS.md")).unwrap();
    let summary = document(&brain(&env, &["--summary"])).to_owned();
    let block = format!("<!-- brv:brain -->\n{summary}<!-- /brv:brain -->\n").replace('\n', "\r\n");
    assert_eq!(text, format!("# Agents\r\n\r\nRead.\r\n\r\n{block}"));
    assert_eq!(state(&env, "write", "AGENTS.md"), "unchanged");
    let env = env.with("BRV_CLOCK", "2023-11-16T10:00:00Z");
    assert_eq!(state(&env, "write", "AGENTS.md"), "unchanged", "two days later");
    write(&env, &[("auth/decisions/new.md", &entry("New one", TODAY, "", "x"))]);
    let env = env.with("BRV_CLOCK", "2023-11-16T10:01:00Z");
    assert_eq!(state(&env, "write", "AGENTS.md"), "written");
    assert!(String::from_utf8(bytes(&env, "AGENTS.md")).unwrap().contains("New one"));
    assert_eq!(state(&env, "unwrite", "AGENTS.md"), "removed");
    assert_eq!(bytes(&env, "AGENTS.md"), before);
    assert_eq!(state(&env, "unwrite", "AGENTS.md"), "unchanged");
}

#[test]
fn a_file_that_was_made_goes_again() {
    let env = knowledge();
    assert_eq!(state(&env, "write", "CLAUDE.md"), "written");
    assert_eq!(state(&env, "unwrite", "CLAUDE.md"), "removed");
    assert!(!env.path("CLAUDE.md").exists());
    assert_eq!(state(&env, "unwrite", "CLAUDE.md"), "unchanged");
}

#[cfg(unix)]
#[test]
fn mode_and_symlink_stay_and_a_link_out_of_the_project_is_refused() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let env = knowledge();
    std::fs::write(env.path("real.md"), "x\n").unwrap();
    std::fs::set_permissions(env.path("real.md"), std::fs::Permissions::from_mode(0o640)).unwrap();
    symlink("real.md", env.path("AGENTS.md")).unwrap();
    assert_eq!(env.brv(&["brain", "write", "AGENTS.md"]).code, 0);
    assert!(env.path("AGENTS.md").symlink_metadata().unwrap().is_symlink());
    assert_eq!(env.path("real.md").metadata().unwrap().permissions().mode() & 0o777, 0o640);
    assert!(bytes(&env, "real.md").starts_with(b"x\n\n<!-- brv:brain -->"));
    let outside = env.root().parent().unwrap().join("brv-outside.md");
    std::fs::write(&outside, "x\n").unwrap();
    symlink(&outside, env.path("out.md")).unwrap();
    let ran = env.brv(&["brain", "write", "out.md"]);
    assert!(ran.code == 6 && ran.stderr.contains("link out of the project"), "{} {}", ran.code, ran.stderr);
    assert_eq!(std::fs::read(&outside).unwrap(), b"x\n");
    std::fs::remove_file(outside).unwrap();
    std::fs::set_permissions(env.path("real.md"), std::fs::Permissions::from_mode(0o440)).unwrap();
    let ran = env.brv(&["brain", "unwrite", "AGENTS.md"]);
    assert!(ran.code == 1 && ran.stderr.contains("`real.md` is read-only"), "{}", ran.stderr);
}

#[test]
fn markers_that_do_not_belong_together_and_other_places_are_refused() {
    let env = knowledge();
    let (start, end) = ("<!-- brv:brain -->", "<!-- /brv:brain -->");
    for text in [start.into(), end.into(), format!("{end}{start}"), format!("{start}{end}{start}{end}")] {
        std::fs::write(env.path("A.md"), &text).unwrap();
        for word in ["write", "unwrite"] {
            let ran = env.brv(&["brain", word, "A.md"]);
            assert!(ran.code == 6 && ran.stderr.contains("marker"), "{text}: {}", ran.stderr);
            assert_eq!(bytes(&env, "A.md"), text.as_bytes());
        }
    }
    for (file, code) in
        [("/nowhere.md", 2), ("../out.md", 2), (".brv/context-tree/a.md", 6), ("no/such/a.md", 2), (".", 2)]
    {
        let ran = env.brv(&["brain", "write", file]);
        assert_eq!(ran.code, code, "{file}: {}", ran.stderr);
    }
}

#[test]
fn an_entry_whose_change_waits_for_review_is_left_out() {
    let env = knowledge();
    let tree = crate::env::tree(&env);
    let text = entry("Signed tokens", TODAY, "", "Tokens are not signed.");
    std::fs::write(tree.join("auth/decisions/tokens.md"), text).unwrap();
    env.git(&tree, &["add", "-A"]);
    let trailers = "Brv-Op: 20260102T030405.678Z-0a1b2c3d\nBrv-Reason: auth/decisions/tokens.md: x\nBrv-Review: auth/decisions/tokens.md fact_removed";
    env.git(
        &tree,
        &["commit", "-q", "-m", &format!("x\n\n- UPDATE auth/decisions/tokens.md: x\n\n{trailers}")],
    );
    let data = brain(&env, &[]);
    assert!(document(&data).contains("\n  - pending review: fact_removed\n"), "{data}");
    assert_eq!(env.brv(&["brain", "write", "AGENTS.md"]).code, 0);
    let text = String::from_utf8(bytes(&env, "AGENTS.md")).unwrap();
    assert!(!text.contains("Signed tokens") && text.contains("Session leak"), "{text}");
    assert_eq!(json(&env.brv(&["brain", "--json"]).stdout)["data"]["withheld"], Value::from(0));
}
