//! The CI files of `brv stale --workflow`: with real git and the real brv, in every place where a tree can be.

use super::{Runner, by, step};
use crate::env::program;
use brv::say::workflow::{Host, WorkflowFile, stale_files};
use std::path::{Path, PathBuf};

const ENTRY: &str = "# Tokens\n\nA request is tried `MAX_RETRIES` times, see `src/retry.rs`.\n";
const RETRY: &str = "pub const MAX_RETRIES: u32 = 3;\n";
const TREE: &str = "https://git.example.com/team/knowledge.git";
const FOLDER: &str = ".brv/context-tree";

/// A checkout of the code at the head of a pull request that changes what the entry names.
struct Checkout {
    runner: Runner,
    folder: PathBuf,
}

fn github(tree: Option<&str>) -> Vec<WorkflowFile> {
    stale_files(Host::Github, tree, by(Some("true"))).unwrap()
}

/// Commit files in `folder` at an hour of a day.
fn commit(runner: &Runner, folder: &Path, hour: u32, files: &[(&str, &str)]) {
    crate::lab::write(folder, files);
    runner.env.git(folder, &["add", "-f", "-A"]);
    let date = format!("2026-01-01T{hour:02}:00:00Z");
    let mut command = runner.env.git_command(folder);
    command.env("GIT_COMMITTER_DATE", &date).env("GIT_AUTHOR_DATE", &date);
    assert!(command.args(["commit", "-q", "-m", "edit"]).output().unwrap().status.success());
}

impl Checkout {
    /// `entry` is the path of the entry among the files of the code, if the tree is there.
    fn new(entry: Option<&str>) -> Self {
        let runner = Runner::new();
        let brv = Path::new(env!("CARGO_BIN_EXE_brv"));
        std::os::unix::fs::symlink(brv, runner.env.path("bin/brv")).unwrap();
        let (env, code) = (&runner.env, runner.env.path("code"));
        env.git(env.root(), &["init", "-q", "-b", "main", "code"]);
        commit(&runner, &code, 1, &[("src/retry.rs", RETRY)]);
        if let Some(entry) = entry {
            commit(&runner, &code, 2, &[(entry, ENTRY)]);
        }
        env.git(&code, &["checkout", "-q", "-b", "topic"]);
        commit(&runner, &code, 3, &[("src/retry.rs", "pub const MAX_RETRIES: u32 = 5;\n")]);
        Self { folder: env.path("checkout"), runner }
    }

    /// Put the tree on a branch of its own of the code's remote.
    fn beside(self, branch: &str) -> Self {
        let code = self.runner.env.path("code");
        self.runner.env.git(&code, &["checkout", "-q", "--orphan", branch]);
        self.runner.env.git(&code, &["rm", "-rfq", "."]);
        commit(&self.runner, &code, 2, &[("auth/tokens.md", ENTRY)]);
        self
    }

    /// Run the job until the result is there; returns it, or the message if there is no tree.
    fn compare(
        &self,
        file: &WorkflowFile,
        variables: super::Variables<'_>,
    ) -> Result<serde_json::Value, String> {
        let env = &self.runner.env;
        env.git(env.root(), &["clone", "-q", "code", "checkout"]);
        env.git(&self.folder, &["checkout", "-q", "--detach", "origin/topic"]);
        let home = env.path("home");
        std::fs::create_dir_all(&home).unwrap();
        let output = env.path("output");
        let common = [
            ("GITHUB_BASE_REF", "main"),
            ("DEFAULT", "main"),
            ("GITHUB_OUTPUT", output.to_str().unwrap()),
            ("GITHUB_PATH", "/dev/null"),
            ("HOME", home.to_str().unwrap()),
        ];
        let all = [&common[..], variables].concat();
        let ran = self.runner.bash(&self.folder, &step(file, "Get the context tree"), &all);
        if ran.code != 0 {
            return Err(ran.stderr);
        }
        let told = std::fs::read_to_string(&output).unwrap();
        let value = |name: &str| {
            told.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('=')).unwrap_or_default()
        };
        if value("found").is_empty() {
            return Err(ran.stdout);
        }
        let variables = [("RANGE", value("range")), ("NUMBER", "7")];
        let ran = self.runner.bash(&self.folder, &step(file, "Compare"), &variables);
        assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
        assert!(ran.stdout.starts_with("::warning file=src/retry.rs,line=1,"), "{}", ran.stdout);
        assert_eq!(std::fs::read_to_string(env.path("temp/brv-stale/number")).unwrap(), "7\n");
        let json = std::fs::read_to_string(env.path("temp/brv-stale/stale.json")).unwrap();
        Ok(serde_json::from_str::<serde_json::Value>(&json).unwrap()["data"].clone())
    }
}

#[track_caller]
fn assert_found(data: &serde_json::Value) {
    assert_eq!(data["entries"][0]["path"], "auth/tokens.md", "{data}");
    assert_eq!(data["counts"]["changed"], 1);
}

#[test]
fn a_tree_among_the_files_of_the_code_is_used_as_it_is() {
    let checkout = Checkout::new(Some(".brv/context-tree/auth/tokens.md"));
    assert_found(&checkout.compare(&github(None)[0], &[("IS_FORK", "true")]).unwrap());
}

#[test]
fn a_tree_on_a_branch_beside_the_code_is_fetched() {
    let checkout = Checkout::new(None).beside("brv/main");
    assert_found(&checkout.compare(&github(None)[0], &[("IS_FORK", "true")]).unwrap());
}

#[test]
fn without_a_tree_there_is_a_notice() {
    for branch in ["brv/other", "other"] {
        let checkout = Checkout::new(None).beside(branch);
        let said = checkout.compare(&github(None)[0], &[("IS_FORK", "false")]).unwrap_err();
        assert!(said.starts_with("::notice::There is no context tree here"), "{said}");
    }
}

#[test]
fn a_tree_with_an_address_is_cloned_with_the_token_in_no_argument() {
    let checkout = Checkout::new(None);
    let env = &checkout.runner.env;
    let tree = env.path("tree");
    env.git(env.root(), &["init", "-q", "tree"]);
    commit(&checkout.runner, &tree, 2, &[("auth/tokens.md", ENTRY)]);
    let git = program("git").unwrap();
    // the address is rewritten to a folder, and what git is called with is written down
    let script = format!(
        "echo \"$*\" >> {calls}\nexec {git} -c protocol.file.allow=always -c url.{tree}.insteadOf={TREE} \"$@\"\n",
        calls = env.path("calls").display(),
        git = git.display(),
        tree = tree.display(),
    );
    checkout.runner.fake("git", &script);
    let token = [("TREE", TREE), ("TREE_TOKEN", "s3cret"), ("IS_FORK", "false")];
    assert_found(&checkout.compare(&github(Some(TREE))[0], &token).unwrap());
    let calls = checkout.runner.calls();
    assert!(
        calls.iter().any(|call| call.contains("clone")) && !calls.concat().contains("s3cret"),
        "{calls:#?}"
    );
}

#[test]
fn a_tree_that_cannot_be_read_skips_a_fork_and_fails_otherwise() {
    for (fork, said) in
        [("true", "::notice::The context tree cannot be read from a fork"), ("false", "BRV_TREE_TOKEN")]
    {
        let checkout = Checkout::new(None);
        let nowhere = "file:///nowhere/tree.git";
        let variables = [("TREE", nowhere), ("TREE_TOKEN", ""), ("IS_FORK", fork)];
        let why = checkout.compare(&github(Some(TREE))[0], &variables).unwrap_err();
        assert!(why.contains(said), "{fork}: {why}");
    }
}

#[test]
fn gitlab_gets_a_code_quality_report() {
    let checkout = Checkout::new(Some(".brv/context-tree/auth/tokens.md"));
    let env = &checkout.runner.env;
    env.git(env.root(), &["clone", "-q", "code", "checkout"]);
    env.git(&checkout.folder, &["checkout", "-q", "--detach", "origin/topic"]);
    let file = &stale_files(Host::Gitlab, None, by(Some("true"))).unwrap()[0];
    let value: serde_yaml::Value = serde_yaml::from_str(&file.text).unwrap();
    let scripts = value["brv-stale"]["script"].as_sequence().unwrap();
    let script = scripts.iter().map(|script| script.as_str().unwrap()).collect::<Vec<_>>().join("\n");
    let id = |name: &str| env.git(&checkout.folder, &["rev-parse", name]);
    let (base, head) = (id("origin/main"), id("HEAD"));
    let home = env.path("home");
    std::fs::create_dir_all(&home).unwrap();
    let variables = [
        ("CI_MERGE_REQUEST_DIFF_BASE_SHA", base.as_str()),
        ("CI_COMMIT_SHA", head.as_str()),
        ("CI_DEFAULT_BRANCH", "main"),
        ("CI_PROJECT_DIR", checkout.folder.to_str().unwrap()),
        ("HOME", home.to_str().unwrap()),
    ];
    let ran = checkout.runner.run(&["bash", "-eo", "pipefail"], &checkout.folder, &script, &variables);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let report = std::fs::read_to_string(checkout.folder.join("gl-code-quality-report.json")).unwrap();
    let rows: serde_json::Value = serde_json::from_str(&report).unwrap();
    assert_eq!(
        (&rows[0]["check_name"], &rows[0]["location"]["path"]),
        (&"BRV016".into(), &"src/retry.rs".into())
    );
    assert!(!checkout.folder.join(FOLDER).join(".git").exists());
}

const SHA: &str = "1111111111111111111111111111111111111111";

/// Answers as GitHub's API, with a comment of this id; none for 0.
const GH: &str = r#"echo "$*" | head -n 1 >> "$TEST/calls"
case "$*" in
  *actions/runs/42/artifacts*) echo 1 ;;
  "run download 42 "*) cp -RP "$TEST/artifact" brv-stale ;;
  *pulls/7*) echo "1111111111111111111111111111111111111111 fork/code" ;;
  *comments\?*) if [ "$EXISTING" != 0 ]; then echo "$EXISTING"; fi ;;
  *--method*) ;;
  *) echo "unknown call: $*" >&2; exit 1 ;;
esac
"#;

/// Run the trusted half with an artifact; returns the calls that write, and the messages.
fn comment(json: &str, existing: &str) -> (i32, Vec<String>, String, Option<String>) {
    let runner = Runner::new();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_brv"), runner.env.path("bin/brv")).unwrap();
    runner.fake("gh", GH);
    let artifact = runner.env.path("artifact");
    std::fs::create_dir(&artifact).unwrap();
    std::fs::write(artifact.join("number"), "7\n").unwrap();
    std::fs::write(artifact.join("stale.json"), json).unwrap();
    let variables = [
        ("GITHUB_REPOSITORY", "team/code"),
        ("RUN_ID", "42"),
        ("HEAD_SHA", SHA),
        ("HEAD_REPOSITORY", "fork/code"),
        ("EXISTING", existing),
        ("TEST", runner.env.root().to_str().unwrap()),
    ];
    let ran = runner.bash(runner.env.root(), &step(&github(None)[1], "Update the comment"), &variables);
    let written = runner.calls().into_iter().filter(|call| call.contains("--method")).collect();
    let page = std::fs::read_to_string(runner.env.path("temp/brv-stale-comment.md")).ok();
    (ran.code, written, ran.stdout, page)
}

fn answer(entries: &str, changed: usize) -> String {
    let findings = match changed {
        0 => String::new(),
        _ => r#"{"rule":"BRV016","severity":"warning","path":"src/a.rs","line":1,"column":1,"message":"m","fingerprint":"00112233445566ff","standing":"present"}"#.to_owned(),
    };
    format!(
        r#"{{"schema":"brv.stale/1","ok":true,"data":{{"entries":[{entries}],"findings":[{findings}],"counts":{{"fresh":0,"touched":0,"changed":{changed},"gone":0,"unknown":0,"uncited":0}}}},"warnings":[],"next":[]}}"#
    )
}

#[test]
fn the_trusted_half_makes_the_comment_itself() {
    let entry = r##"{"path":"a.md","title":"@everyone <img src=x> #1","freshness":{"state":"changed","files":[{"path":"x","state":"changed","names":["@all"]}]},"facts":[{"line":1,"text":"</details> [x](https://evil.example)","name":"`x`","state":"gone","before":"</details>"}]}"##;
    let (code, written, said, page) = comment(&answer(entry, 1), "0");
    assert_eq!((code, written.len()), (0, 1), "{said}");
    assert!(written[0].contains("POST repos/team/code/issues/7/comments"), "{written:?}");
    let page = page.unwrap();
    assert!(page.starts_with("<!-- brv:stale -->\n## ⚠️ 1 entry may no longer hold"), "{page}");
    for text in [
        "**`@everyone` \\<img src=x\\> `#1`**",
        "changed: `@all` in x",
        ": \\</details\\> `[x](https://evil.example)`",
    ] {
        assert!(page.contains(text), "{text} in {page}");
    }
    let (_, written, ..) = comment(&answer(entry, 1), "3");
    assert!(written[0].contains("PATCH repos/team/code/issues/comments/3"), "{written:?}");
}

#[test]
fn where_nothing_is_stale_a_comment_is_updated_and_none_is_made() {
    let (code, written, said, _) = comment(&answer("", 0), "0");
    assert_eq!((code, written.len()), (0, 0), "{said}");
    assert_eq!(comment(&answer("", 0), "3").1.len(), 1);
}

#[test]
fn an_artifact_that_is_no_answer_is_rejected() {
    for json in [
        "",
        "{}",
        "<!-- brv:stale -->",
        &answer(r#"{"path":"../x"}"#, 1),
        &answer("", 0).replace("brv.stale/1", "x"),
    ] {
        let (code, written, said, page) = comment(json, "3");
        assert_eq!((code, written.len(), page), (1, 0, None), "{json}");
        assert_eq!(
            said,
            "::error::Rejected the artifact of the check: stale.json is not the output of brv stale.\n"
        );
    }
}
