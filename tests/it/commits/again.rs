//! `brv curate --commit --again`: a tree of earlier rules is filed anew, and what they wrote goes in the last commit.

use super::Code;
#[cfg(target_os = "linux")]
use crate::faults::{
    calls::{is_killed, tracing},
    is_skipped,
};
use crate::init::json;
use serde_json::{Value, json};

const RETRY: &str = "net: retry the first call

The server drops the first call after a restart, because the pool is empty until then.
Never retry more than twice, since the server bans clients that do.";
const TOKENS: &str = "auth: tokens live shorter\n\nConstraint: token lifetime: 12 hours";
const COLOUR: &str = "cli: colour\n\nFact: terminal colour: off in pipes";
const TYPO: &str = "docs: fix a typo\n\nIt must say so, because it was wrong.";

const ELSEWHERE: &str = "1111111111111111111111111111111111111111";

/// A history of the code, and a tree that earlier rules made of it; the commits by the name of their entry.
struct Old {
    code: Code,
    sources: Vec<(&'static str, String)>,
}

impl Old {
    fn new(all: &[(&'static str, &str)]) -> Self {
        let code = Code::new();
        code.run(&["hooks", "uninstall"]);
        let mut old = Self { code, sources: Vec::new() };
        for (name, message) in all {
            let file = format!("{name}.rs");
            old.code.write(&file, name);
            old.code.git(&["add", &file]);
            let id = old.code.commit(message);
            old.sources.push((name, id));
        }
        for (name, id) in old.sources.clone() {
            old.filed(name, &id);
        }
        old
    }

    /// What earlier rules filed of a commit.
    fn filed(&self, name: &str, source: &str) {
        let tree = self.code.tree();
        let entry = format!(
            "---\ntitle: {name}\ntags: []\nkeywords: []\ncreatedAt: 2023-10-01T00:00:00Z\nupdatedAt: 2023-10-01T00:00:00Z\n---\n# {name}\n\n## Reason\n{name} was changed (commit {short})\n\n## Raw Concept\n**Task:**\n{name}\n\n**Files:**\n- {name}.rs\n\n**Timestamp:** 2023-10-01\n\n**Author:** Test\n\n## Facts\n- **{name} default**: as it was [project]\n",
            short = &source[..7]
        );
        std::fs::create_dir_all(tree.join("general")).unwrap();
        std::fs::write(tree.join(format!("general/{name}.md")), entry).unwrap();
        let overview = tree.join("general/context.md");
        if !overview.exists() {
            std::fs::write(overview, format!("# Domain: general\n\n## Scope\n- {name}\n")).unwrap();
        }
        let trailers = format!(
            "Brv-Op: 20230101T000000.000Z-{}\nBrv-Session: import-1690000000000\nBrv-Source-Commit: {source}",
            &source[..8]
        );
        self.code.env.git(&tree, &["add", "general"]);
        self.code.env.git(
            &tree,
            &["commit", "-q", "-m", &format!("{name} (commit {})", &source[..7]), "-m", &trailers],
        );
    }

    fn edit(&self, name: &str) {
        let file = self.code.tree().join(format!("general/{name}.md"));
        let text = std::fs::read_to_string(&file).unwrap();
        std::fs::write(&file, format!("{text}- **mine**: a person wrote this [project]\n")).unwrap();
    }

    fn commit_edits(&self) {
        self.code.run(&["vc", "add", "--all"]);
        self.code.run(&["vc", "commit", "-m", "mine"]);
    }

    fn again(&self) -> Value {
        self.code.data(&["curate", "--commit", "--again"])
    }

    /// On another day, when a session would have another name.
    fn later(self) -> Self {
        let env = self.code.env.with("BRV_CLOCK", "2023-12-24T00:00:00Z");
        Self { code: Code { env, path: self.code.path }, sources: self.sources }
    }

    fn tree_id(&self) -> String {
        self.code.env.git(&self.code.tree(), &["rev-parse", "HEAD^{tree}"])
    }

    fn files(&self) -> Vec<String> {
        let listed = self.code.env.git(&self.code.tree(), &["ls-files", "*.md"]);
        listed.lines().map(str::to_owned).collect()
    }

    fn trailers(&self, key: &str) -> Vec<String> {
        let format = format!("--format=%(trailers:key={key},valueonly)");
        let log = self.code.env.git(&self.code.tree(), &["log", &format]);
        log.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect()
    }
}

fn all() -> Old {
    let old = Old::new(&[("retry", RETRY), ("tokens", TOKENS), ("colour", COLOUR), ("typo", TYPO)]);
    old.filed("elsewhere", ELSEWHERE);
    old.edit("colour");
    old.commit_edits();
    old
}

fn kept(data: &Value) -> Vec<(&str, &str)> {
    let rows = data["again"]["kept"].as_array().unwrap().iter();
    rows.map(|row| (row["path"].as_str().unwrap(), row["why"].as_str().unwrap())).collect()
}

const KEPT: [(&str, &str); 2] =
    [("general/colour.md", "edited"), ("general/elsewhere.md", "source_not_here")];

#[test]
fn entries_of_earlier_rules_go_once_their_commits_are_filed_anew() {
    let old = all();
    let before = old.tree_id();
    assert_eq!(old.code.data(&["hooks", "status"])["old_entries"], json!(3));
    let dry = old.code.data(&["curate", "--commit", "--again", "-n"]);
    assert_eq!(old.tree_id(), before);
    let done = old.again();
    assert_eq!(dry["counts"], done["counts"], "{dry}");
    assert_eq!(
        (done["counts"]["curated"].clone(), done["counts"]["declined"].clone()),
        (json!(2), json!(1)),
        "{done}"
    );
    let removed = json!(["general/retry.md", "general/tokens.md", "general/typo.md"]);
    assert_eq!((&done["again"]["removed"], &dry["again"]["removed"]), (&removed, &removed));
    assert_eq!(kept(&done), KEPT);
    assert_eq!(old.code.facts("token lifetime"), ["12 hours [environment]"]);
    assert_eq!(
        old.code.facts("terminal colour"),
        Vec::<String>::new(),
        "its entry stays, and is not filed twice"
    );
    assert!(old.files().contains(&"general/context.md".to_owned()), "{:?}", old.files());
    // one session; the removal is its last commit, and says by which rules
    let session = done["again"]["session"].as_str().unwrap();
    assert_eq!(old.trailers("Brv-Session")[..3], [session, session, session]);
    assert_eq!(old.trailers("Brv-Rules"), ["3", "3", "3"]);
    let last = old.code.env.git(&old.code.tree(), &["log", "-1", "--format=", "--name-status"]);
    assert!(last.lines().all(|line| line.starts_with("D\tgeneral/")), "{last}");
    let pending = old.code.data(&["review", "pending"])["pending"].take();
    assert_eq!(pending.as_array().unwrap().len(), 1, "{pending}");
    assert_eq!(pending[0]["why"], json!(["again"]));
    assert_eq!(old.code.data(&["hooks", "status"])["old_entries"], Value::Null);
    // twice: nothing is left to do
    let after = old.tree_id();
    let twice = old.again();
    assert_eq!((&twice["commits"], &twice["again"]["session"]), (&json!([]), &Value::Null), "{twice}");
    assert_eq!((kept(&twice), old.tree_id()), (KEPT.to_vec(), after));
    old.code.run(&["undo", "--session", session]);
    assert_eq!(old.tree_id(), before);
    assert_eq!(old.code.data(&["review", "pending"])["pending"], json!([]));
}

#[test]
fn what_was_undone_is_filed_anew_again() {
    let old = all();
    let before = old.tree_id();
    let undone = |old: &Old| {
        let done = old.again();
        old.code.run(&["undo", "--session", done["again"]["session"].as_str().unwrap()]);
        assert_eq!(old.tree_id(), before);
        done
    };
    let first = undone(&old);
    assert_eq!(old.code.data(&["hooks", "status"])["old_entries"], json!(3));
    let old = old.later();
    let second = undone(&old);
    assert_eq!((kept(&second), &second["counts"]["curated"]), (KEPT.to_vec(), &json!(2)), "{second}");
    assert_eq!(second["again"]["removed"], first["again"]["removed"]);
    let third = old.again();
    assert_eq!(third["again"]["removed"], first["again"]["removed"], "{third}");
}

#[test]
fn the_folder_goes_with_its_last_entry_and_a_push_passes() {
    let old = Old::new(&[("retry", RETRY), ("tokens", TOKENS)]);
    let hub = old.code.env.bare("hub.git");
    old.code.run(&["vc", "remote", "add", "origin", hub.to_str().unwrap()]);
    old.code.run(&["vc", "push", "-u", "origin", "main"]);
    let done = old.again();
    assert_eq!(kept(&done), []);
    assert!(old.files().iter().all(|path| !path.starts_with("general/")), "{:?}", old.files());
    assert!(!old.code.tree().join("general").exists());
    old.code.run(&["config", "set", "review.push", "block"]);
    let pushed = old.code.run(&["vc", "push"]);
    assert!(pushed.stderr.contains("general/"), "reported: {}", pushed.stderr);
}

#[test]
fn what_is_dirty_pinned_or_outside_of_the_range_stays() {
    let old = Old::new(&[("retry", RETRY), ("tokens", TOKENS), ("colour", COLOUR)]);
    let file = old.code.tree().join("general/tokens.md");
    let text = std::fs::read_to_string(&file).unwrap().replace("tags: []\n", "tags: []\npinned: true\n");
    std::fs::write(&file, text).unwrap();
    old.commit_edits();
    old.edit("colour");
    let done = old.code.data(&["curate", "--commit", "HEAD~2..HEAD", "--again"]);
    let expected = [
        ("general/colour.md", "not_committed"),
        ("general/retry.md", "source_not_in_range"),
        ("general/tokens.md", "pinned"),
    ];
    assert_eq!((kept(&done), &done["again"]["removed"]), (expected.to_vec(), &json!([])), "{done}");
    let done = old.code.data(&["curate", "--commit", "HEAD~2", "--again"]);
    assert_eq!(done["again"]["removed"], json!(["general/retry.md"]), "{done}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_run_that_was_killed_is_gone_on_with() {
    if is_skipped() {
        return;
    }
    let run = |old: &Old, options: &[&str]| {
        let mut command = tracing(&old.code.env, options, &["curate", "--commit", "--again"]);
        command.current_dir(&old.code.path).output().unwrap()
    };
    let whole = all();
    run(&whole, &["-e", "trace=rename,renameat,renameat2"]);
    let calls = std::fs::read_to_string(whole.code.env.path("calls")).unwrap();
    let count = |name: &str| calls.lines().filter(|line| line.contains(&format!(" {name}("))).count();
    let names = ["rename", "renameat", "renameat2"].map(|name| (count(name), name));
    let (most, name) = names.into_iter().max().unwrap();
    // one that was killed between its commits, and another
    let (mut was_halfway, mut others) = (false, 0);
    for nth in (1..8).map(|eighth| most * eighth / 8).filter(|nth| *nth > 0) {
        if was_halfway && others > 0 {
            break;
        }
        let old = all();
        let before = old.tree_id();
        let kill = format!("inject={name}:signal=KILL:when={nth}");
        let output = run(&old, &["-e", &format!("trace={name}"), "-e", &kill]);
        match is_killed(&output) && !old.trailers("Brv-Rules").is_empty() {
            true if was_halfway => others += 1,
            true => was_halfway = true,
            false => others += 1,
        }
        let old = old.later();
        let done = old.again();
        assert_eq!(kept(&done), KEPT, "{nth}: {done}");
        assert_eq!(old.code.facts("token lifetime"), ["12 hours [environment]"], "{nth}");
        assert!(!old.files().contains(&"general/typo.md".to_owned()), "{nth}");
        let sessions: std::collections::BTreeSet<String> = old.trailers("Brv-Session").into_iter().collect();
        assert_eq!(sessions.len(), 2, "{nth}: of earlier rules, and of both runs: {sessions:?}");
        let session = sessions.iter().find(|name| *name != "import-1690000000000").unwrap();
        old.code.run(&["undo", "--session", session]);
        assert_eq!(old.tree_id(), before, "{nth}");
    }
    assert!(was_halfway, "no run was killed between its commits");
}

#[test]
fn without_a_range_or_in_the_codes_repository_it_is_refused_with_the_reason() {
    let code = Code::new();
    assert_eq!(code.brv(&["curate", "--commit"]).code, 2);
    assert_eq!(code.brv(&["curate", "--again"]).code, 2);
    assert_eq!(
        json(&code.run(&["curate", "--commit", "--again", "--json"]).stdout)["data"]["commits"],
        json!([])
    );
    let inside = Code::of(crate::env::Env::new()).in_repo();
    let ran = inside.brv(&["curate", "--commit", "--again"]);
    assert!(ran.code == 6 && ran.stderr.contains("a folder of the code's repository"), "{}", ran.stderr);
}

impl Code {
    /// With the tree as a folder of the code's repository.
    fn in_repo(self) -> Self {
        std::fs::remove_dir_all(self.path.join(".brv")).unwrap();
        self.run(&["init", "-q", "--in-repo"]);
        self
    }
}
