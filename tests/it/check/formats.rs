//! The formats as a CI job uses them: where the report goes, and which paths a host sees.

use super::{World, secret, value};
use crate::env::Env;

#[test]
fn github_gets_annotations_and_a_step_summary_behind_what_is_there() {
    let world = World::new();
    let long: Vec<(String, String)> =
        (0..12).map(|at| (format!("ops/s{at}.md"), "zero\u{200b}width\n".to_owned())).collect();
    let files: Vec<(&str, &str)> = long.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    world.commit(&files);
    let summary = world.env.path("summary.md");
    std::fs::write(&summary, "of an earlier step\n").unwrap();
    let World { env } = world;
    let env = env.with("GITHUB_STEP_SUMMARY", &summary);
    let ran = env.brv(&["vc", "check", "--format", "github"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert_eq!(ran.stdout.lines().filter(|line| line.starts_with("::error ")).count(), 10);
    let text = std::fs::read_to_string(&summary).unwrap();
    assert!(text.starts_with("of an earlier step\n"), "{text}");
    assert!(text.contains("Knowledge check failed: 12 errors"), "{text}");
    let folder = env.path("home");
    let ran = env.with("GITHUB_STEP_SUMMARY", folder).brv(&["vc", "check", "--format", "github"]);
    assert!(ran.stdout.starts_with("::error ") && ran.stderr.starts_with("warning: "), "{}", ran.stderr);
}

#[test]
fn a_host_finds_the_files_of_a_tree_in_the_codes_repository() {
    let env = Env::new();
    env.git(env.root(), &["init", "-q"]);
    std::fs::write(env.path(".gitignore"), "home\nempty\n").unwrap();
    env.commit(env.root(), &[(".brv/context-tree/auth/a.md", "# A\n")]);
    env.commit(env.root(), &[(".brv/context-tree/auth/a.md", &format!("# A\n\n{}", secret()))]);
    for (format, path) in [
        ("github", "file=.brv/context-tree/auth/a.md,line=3"),
        ("gitlab", "\"path\": \".brv/context-tree/auth/a.md\""),
        ("sarif", "\"uri\": \".brv/context-tree/auth/a.md\""),
    ] {
        let ran = env.brv(&["vc", "check", "HEAD", "--format", format]);
        assert_eq!(ran.code, 1, "{}", ran.stderr);
        assert!(ran.stdout.contains(path), "{format}\n{}", ran.stdout);
        assert!(!ran.stdout.contains(&value()), "{format}");
    }
}
