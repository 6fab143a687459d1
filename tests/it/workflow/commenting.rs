//! The trusted workflow: what it does with good and with bad artifacts.

use super::{Runner, made, step};
use crate::check::{TOKENS, World, secret, value};
use crate::env::{Ran, program};
use brv::say::workflow::Host;
use serde_json::{Value, json};
use std::path::PathBuf;

const SHA: &str = "1111111111111111111111111111111111111111";
const MARKER: &str = "<!-- brv:review -->";

/// Answers as GitHub's API: `count`, `artifact/`, `head` and `comments` are files of the test.
const GH: &str = r#"echo "$*" | head -n 1 >> "$TEST/calls"
jq_of() {
  while [ "$1" != --jq ]; do shift; done
  jq -r "$2"
}
case "$*" in
  api*/actions/runs/42/artifacts*) jq_of "$@" < "$TEST/count" ;;
  "run download 42 "*) cp -RP "$TEST/artifact" brv-review ;;
  api*/pulls/7\ *) jq_of "$@" < "$TEST/head" ;;
  api*/comments\?*) jq_of "$@" < "$TEST/comments" ;;
  "api --silent --method "*@brv-review-comment.md) ;;
  *) echo "unknown call: $*" >&2; exit 1 ;;
esac
"#;

/// The trusted workflow after a check of pull request 7.
struct Trusted {
    runner: Runner,
    artifact: PathBuf,
}

impl Trusted {
    /// With a good artifact and no comment yet. `None` without `jq`, which the fake uses for `gh --jq`.
    fn new() -> Option<Self> {
        if program("jq").is_none() {
            println!("skipped: no jq here");
            return None;
        }
        let runner = Runner::new();
        runner.fake("gh", GH);
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_brv"), runner.env.path("bin/brv")).unwrap();
        let artifact = runner.env.path("artifact");
        std::fs::create_dir(&artifact).unwrap();
        let trusted = Self { runner, artifact };
        trusted.write("artifact/number", "7\n");
        trusted.write("artifact/check.json", checked().to_string());
        trusted.write("count", r#"{"total_count": 1, "artifacts": [{}]}"#);
        trusted.write("comments", "[]");
        trusted.head(SHA, "fork/tree");
        Some(trusted)
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        std::fs::write(self.runner.env.path(name), text).unwrap();
    }

    /// With this result instead.
    fn found(&self, check: &Value) -> &Self {
        self.write("artifact/check.json", check.to_string());
        self
    }

    /// The comment that is posted.
    fn comment(&self) -> Option<String> {
        std::fs::read_to_string(self.runner.env.path("temp/brv-review-comment.md")).ok()
    }

    fn head(&self, sha: &str, repository: &str) {
        self.write(
            "head",
            format!(r#"{{"head": {{"sha": "{sha}", "repo": {{"full_name": "{repository}"}}}}}}"#),
        );
    }

    fn run(&self) -> Ran {
        let env = &self.runner.env;
        let _ = std::fs::remove_dir_all(env.path("temp/brv-review"));
        let _ = std::fs::remove_file(env.path("temp/brv-review-comment.md"));
        let variables = [
            ("GITHUB_REPOSITORY", "team/tree"),
            ("RUN_ID", "42"),
            ("HEAD_SHA", SHA),
            ("HEAD_REPOSITORY", "fork/tree"),
            ("TEST", env.root().to_str().unwrap()),
        ];
        let script = step(&made(Host::Github, None)[1], "Update the comment");
        self.runner.bash(env.root(), &script, &variables)
    }

    /// The calls that write.
    fn written(&self) -> Vec<String> {
        self.runner.calls().into_iter().filter(|call| call.contains("--method")).collect()
    }

    fn assert_rejected(&self, why: &str) {
        let ran = self.run();
        assert_eq!(ran.code, 1, "{why}: {}{}", ran.stdout, ran.stderr);
        assert_eq!(ran.stdout, format!("::error::Rejected the artifact of the check: {why}.\n"));
        assert!(
            !self.runner.calls().iter().any(|call| call.contains("/pulls/") || call.contains("--method"))
        );
    }
}

#[test]
fn the_first_comment_is_created_and_the_next_one_updates_it() {
    let Some(trusted) = Trusted::new() else { return };
    assert_eq!(trusted.run().code, 0);
    let body = "-F body=@brv-review-comment.md";
    let create = format!("api --silent --method POST repos/team/tree/issues/7/comments {body}");
    assert_eq!(trusted.written(), [create]);
    let comments = format!(
        r#"[{{"id": 1, "user": {{"login": "mallory"}}, "body": "{MARKER}"}},
            {{"id": 2, "user": {{"login": "github-actions[bot]"}}, "body": "another tool"}},
            {{"id": 3, "user": {{"login": "github-actions[bot]"}}, "body": "{MARKER}\n# Before"}},
            {{"id": 4, "user": {{"login": "github-actions[bot]"}}, "body": "{MARKER}\n# Twice"}}]"#
    );
    trusted.write("comments", comments);
    assert_eq!(trusted.run().code, 0);
    let update = format!("api --silent --method PATCH repos/team/tree/issues/comments/3 {body}");
    assert_eq!(trusted.written(), [update]);
}

#[test]
fn the_comment_is_made_from_the_result_of_a_pull_request() {
    let Some(trusted) = Trusted::new() else { return };
    let world = World::new();
    let text = format!("{TOKENS}- **new**: a fact\n{}", secret());
    world.commit(&[("auth/tokens.md", &text), ("notes.txt", "support\n")]);
    let folder = world.env.path("temp/brv-review");
    std::fs::create_dir_all(&folder).unwrap();
    let variables = [("SCOPE", "origin/main...HEAD"), ("NUMBER", "7")];
    let untrusted = Runner { env: world.env };
    std::fs::create_dir(untrusted.env.path("bin")).unwrap();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_brv"), untrusted.env.path("bin/brv")).unwrap();
    let ran = untrusted.bash(
        untrusted.env.root(),
        &step(&made(Host::Github, None)[0], "Write the result"),
        &variables,
    );
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let direct = untrusted.env.brv(&["vc", "check", "origin/main...HEAD", "--format", "markdown"]);
    for name in ["check.json", "number"] {
        std::fs::copy(folder.join(name), trusted.artifact.join(name)).unwrap();
    }
    let ran = trusted.run();
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert_eq!(trusted.written().len(), 1);
    let comment = trusted.comment().unwrap();
    assert!(comment.contains("## ❌ Knowledge check failed: 1 error, 1 warning\n"), "{comment}");
    assert!(comment.contains("\n+ support\n") && !comment.contains(&value()), "{comment}");
    let unnamed =
        |text: &str| text.lines().filter(|line| !line.contains(" → ")).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(unnamed(&comment), unnamed(&direct.stdout));
}

#[test]
fn what_a_result_says_is_shown_as_text() {
    let Some(trusted) = Trusted::new() else { return };
    let evil = "@everyone <img src=x onerror=y> [a](https://evil.example) #1\n<!-- brv:stale -->\n::error::x\u{202e}\u{1b}[31m";
    let mut check = checked();
    check["data"]["findings"][0]["message"] = json!(evil);
    check["data"]["flagged"] = json!([{"operation": evil, "path": evil, "why": evil, "reason": evil}]);
    check["data"]["commits"][0]["subject"] = json!(evil);
    check["data"]["consequences"]["broken"] = json!([{"path": evil, "target": evil}]);
    let ran = trusted.found(&check).run();
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let comment = trusted.comment().unwrap();
    assert!(
        comment.starts_with(&format!("{MARKER}\n")) && comment.contains("`@everyone` \\<img src=x"),
        "{comment}"
    );
    for line in comment.lines().skip(1) {
        // outside of code nobody is called, nothing is linked and no tag begins
        let plain: String = line.split('`').step_by(2).collect();
        assert!(!plain.contains(['@', '\u{202e}', '\u{1b}']) && !plain.contains("://"), "{line}");
        assert!(!plain.replace("\\<", "").contains("<img") && !line.starts_with("::"), "{line}");
    }
    assert!(!comment[1..].contains("\n<!--"), "{comment}");
}

#[test]
fn a_result_that_is_none_is_rejected() {
    let Some(trusted) = Trusted::new() else { return };
    let check = checked();
    let with = |place: &str, value: Value| {
        let mut check = check.clone();
        *check.pointer_mut(place).unwrap() = value;
        check.to_string()
    };
    let more = check.to_string().replacen("\"baselined\"", "\"html\":\"<b>\",\"baselined\"", 1);
    for text in [
        String::new(),
        "{}".into(),
        format!("{MARKER}\n# Review\n"),
        "[".repeat(100_000),
        with("/schema", json!("brv.stale/1")),
        with("/data/after/commit", json!("$(id)")),
        with("/data/verdict/errors", json!(0)),
        with("/data/findings/0/path", json!("../../etc/passwd")),
        with("/data/findings/0/standing", json!("\n::error::")),
        more,
    ] {
        trusted.write("artifact/check.json", &text);
        trusted.assert_rejected("check.json is not the output of brv vc check");
        assert_eq!(trusted.comment(), None, "{text}");
    }
}

/// What a check with one error found.
fn checked() -> Value {
    let finding = json!({
        "rule": "BRV006", "severity": "error", "path": "auth/a.md", "line": 1, "column": 1, "message": "a key",
        "fingerprint": "00112233445566ff", "standing": "present",
    });
    let commit = json!({
        "commit": "3".repeat(40), "subject": "learn", "author": "Ada", "date": "2026-03-01T10:00:00Z",
    });
    let verdict = json!({
        "entries": {"added": 0, "modified": 0, "renamed": 0, "merged": 0, "deleted": 0, "archived": 0},
        "facts": {"added": 0, "changed": 0, "removed": 0}, "disputed": 0, "secrets": 1, "errors": 1, "warnings": 0,
        "tokens": {"before": 0, "after": 0},
    });
    json!({"schema": "brv.vc.check/1", "ok": false, "error": {"code": "failed"}, "warnings": [], "next": [], "data": {
        "before": {"kind": "commit", "commit": "1".repeat(40)}, "after": {"kind": "commit", "commit": "2".repeat(40)},
        "verdict": verdict, "findings": [finding], "baselined": 0, "cut": 0, "entries": [], "flagged": [],
        "consequences": {"broken": [], "mended": [], "cited": []}, "commits": [commit], "prefix": "",
    }})
}

#[test]
fn a_number_with_anything_but_digits_is_rejected() {
    let Some(trusted) = Trusted::new() else { return };
    for number in ["1; rm -rf", "", "\n", "07", "7\n8\n", "-7", "7 ", "../7", "$(id)", "٧"] {
        trusted.write("artifact/number", number);
        trusted.assert_rejected("the number has other characters than digits");
    }
    trusted.write("artifact/number", "7".repeat(40));
    trusted.assert_rejected("the number is too long");
}

#[test]
fn links_folders_and_missing_files_are_rejected() {
    let Some(trusted) = Trusted::new() else { return };
    trusted.write("elsewhere", "7\n");
    for name in ["number", "check.json"] {
        let path = trusted.artifact.join(name);
        let kept = std::fs::read(&path).unwrap();
        let why = format!("{name} is not a regular file");
        std::fs::remove_file(&path).unwrap();
        trusted.assert_rejected(&why);
        std::os::unix::fs::symlink(trusted.runner.env.path("elsewhere"), &path).unwrap();
        trusted.assert_rejected(&why);
        std::fs::remove_file(&path).unwrap();
        std::fs::create_dir(&path).unwrap();
        trusted.assert_rejected(&why);
        std::fs::remove_dir(&path).unwrap();
        std::fs::write(&path, kept).unwrap();
    }
    assert_eq!(trusted.run().code, 0, "all is as it was");
}

#[test]
fn a_pull_request_with_another_head_gets_no_comment() {
    let Some(trusted) = Trusted::new() else { return };
    let other = SHA.replace('1', "2");
    for (sha, repository) in [(other.as_str(), "fork/tree"), (SHA, "victim/tree")] {
        trusted.head(sha, repository);
        let ran = trusted.run();
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert_eq!(ran.stdout, "::notice::Not the latest commit of pull request 7: no comment.\n");
        assert_eq!(trusted.written(), [""; 0]);
    }
    // the fork is gone
    trusted.write("head", format!(r#"{{"head": {{"sha": "{SHA}", "repo": null}}}}"#));
    assert_eq!((trusted.run().code, trusted.written()), (0, vec![]));
    // no such pull request
    trusted.write("artifact/number", "8\n");
    assert_eq!((trusted.run().code, trusted.written()), (1, vec![]));
}

#[test]
fn a_run_without_an_artifact_had_nothing_to_check() {
    let Some(trusted) = Trusted::new() else { return };
    trusted.write("count", r#"{"total_count": 0, "artifacts": []}"#);
    let ran = trusted.run();
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "This run had nothing to check.\n"));
    assert_eq!(trusted.runner.calls().len(), 1);
    assert!(!trusted.runner.env.path("temp/brv-review").exists());
}
