//! The trusted workflow: what it does with good and with bad artifacts.

use super::{Runner, made, step};
use crate::env::{Ran, program};
use brv::say::workflow::Host;
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
  "api --silent --method "*@brv-review/comment.md) ;;
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
        let artifact = runner.env.path("artifact");
        std::fs::create_dir(&artifact).unwrap();
        let trusted = Self { runner, artifact };
        trusted.write("artifact/number", "7\n");
        trusted.write("artifact/comment.md", format!("{MARKER}\n# Review\n"));
        trusted.write("count", r#"{"total_count": 1, "artifacts": [{}]}"#);
        trusted.write("comments", "[]");
        trusted.head(SHA, "fork/tree");
        Some(trusted)
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        std::fs::write(self.runner.env.path(name), text).unwrap();
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
    let body = "-F body=@brv-review/comment.md";
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
fn a_comment_of_the_allowed_length_in_any_script_is_accepted() {
    let Some(trusted) = Trusted::new() else { return };
    for filler in ["a", "é", "\u{1f980}"] {
        let length = 65_536 - MARKER.len();
        trusted.write("artifact/comment.md", format!("{MARKER}{}", filler.repeat(length)));
        assert_eq!(trusted.run().code, 0);
        assert_eq!(trusted.written().len(), 1);
        trusted.write("artifact/comment.md", format!("{MARKER}{}", filler.repeat(length + 1)));
        trusted.assert_rejected("the comment is too long");
    }
}

#[test]
fn a_comment_that_is_not_one_of_brv_is_rejected() {
    let Some(trusted) = Trusted::new() else { return };
    for comment in ["", "# Review\n", " <!-- brv:review -->\n", "<!-- brv:review"] {
        trusted.write("artifact/comment.md", comment);
        trusted.assert_rejected("the comment does not begin with its marker");
    }
    trusted.write("artifact/comment.md", b"<!-- brv:review -->\n\xff\n");
    trusted.assert_rejected("the comment is not UTF-8");
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
    trusted.write("elsewhere", format!("{MARKER}\n7\n"));
    for name in ["number", "comment.md"] {
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
