//! `brv undo --session`: the operations of a session are undone one after the other, as one operation.

use crate::env::{Env, Ran, tree};
use crate::init::{json, project, write};
use crate::undo::{A, interrupt, last, state};
use crate::undo_kinds::arguments;
use serde_json::{Value, json as value};
use std::path::{Path, PathBuf};

/// The settings under which a session runs: name, `commit.auto`, arguments of `init`.
const MODES: [(&str, &str, &[&str]); 3] =
    [("commit", "true", &[]), ("stage", "false", &[]), ("in-repo", "true", &["--in-repo"])];

/// What the session does; `other:` goes before what somebody else does in between.
const SESSION: [&str; 9] = [
    "curate Words. --into new/folder --title One --reason r",
    "curate Words. --into new/folder --title Two --reason r",
    "other: curate Words. --into z --title Z --reason r",
    "curate More. --into auth/a.md --title A --reason r",
    "archive run b.md",
    "curate Again. --into auth/a.md --title A --reason r",
    "archive restore b.md",
    "archive run new/folder/one.md b.md",
    "curate Last. --into new/folder/two.md --title Two --reason r",
];

struct Session {
    env: Env,
    tree: PathBuf,
    /// The agent of the session, and somebody else.
    agent: Env,
    other: Env,
}

#[track_caller]
fn done(ran: Ran) -> Ran {
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    ran
}

impl Session {
    fn new() -> Self {
        Self::of(("commit", "true", &[]))
    }

    /// A tree with two committed entries.
    fn of((_, auto, init): (&str, &str, &[&str])) -> Self {
        let (env, tree) = match init {
            [] => {
                let env = project(&[]);
                let tree = tree(&env);
                (env, tree)
            }
            _ => {
                let env = Env::new();
                env.git(env.root(), &["init", "-q"]);
                env.commit(env.root(), &[("main.c", "int main;\n")]);
                done(env.brv(&[&["init", "-q"], init].concat()));
                let tree = env.root().join(".brv/context-tree");
                (env, tree)
            }
        };
        write(&env, &[("auth/a.md", A), ("b.md", "# B\n\nWords.\n")]);
        env.git(&tree, &["add", "auth/a.md", "b.md"]);
        env.git(&tree, &["commit", "-q", "-m", "first"]);
        let named =
            |actor: &str, session: &str| Env::new().with("BRV_ACTOR", actor).with("BRV_SESSION", session);
        let auto = |env: Env| env.with("BRV_COMMIT_AUTO", auto);
        Self {
            env: auto(env),
            tree,
            agent: auto(named("claude", "import-1")),
            other: auto(named("codex", "s2")),
        }
    }

    /// Run a command of the agent.
    fn brv(&self, command: &str) -> Ran {
        self.agent.brv_in(self.env.root(), &arguments(command))
    }

    /// Run the commands; returns the names of the session's operations, newest first.
    #[track_caller]
    fn run(&self, commands: &[&str]) -> Vec<String> {
        let mut made = Vec::new();
        for command in commands {
            match command.strip_prefix("other: ") {
                Some(command) => drop(done(self.other.brv_in(self.env.root(), &arguments(command)))),
                None => {
                    done(self.brv(command));
                    made.insert(0, last(&self.env));
                }
            }
        }
        done(self.env.brv(&["derive"]));
        made
    }

    fn undo(&self, more: &[&str]) -> Ran {
        self.env.brv(&[&["undo", "--session", "import-1"], more].concat())
    }

    #[track_caller]
    fn undone(&self, more: &[&str]) -> Value {
        json(&done(self.undo(&[more, &["--json"]].concat())).stdout)["data"].take()
    }

    /// The undone operations in the log, and what undid them.
    fn log(&self) -> Vec<(String, Value)> {
        let log = json(&done(self.env.brv(&["op", "log", "--json"])).stdout);
        let rows = log["data"]["operations"].as_array().unwrap().iter();
        rows.map(|row| (row["id"].as_str().unwrap().to_owned(), row["undone_by"].clone())).collect()
    }

    #[track_caller]
    fn says(&self, made: &[String], by: &Value) {
        let log = self.log();
        for id in made {
            let (_, undone_by) = log.iter().find(|(one, _)| one == id).unwrap();
            assert_eq!(undone_by, by, "{id}");
        }
    }

    /// The curated files, without those of somebody else, with their bytes.
    fn files(&self) -> Vec<(String, String)> {
        let mut files = Vec::new();
        gather(&self.tree, &self.tree, &mut files);
        files.retain(|(path, _)| !path.starts_with("z/") && path != "main.c");
        files
    }

    fn git(&self, arguments: &[&str]) -> String {
        self.env.git(&self.tree, arguments)
    }

    fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.tree.join(path)).unwrap()
    }

    fn edit(&self, path: &str, edit: impl Fn(&str) -> String) {
        std::fs::write(self.tree.join(path), edit(&self.read(path))).unwrap();
    }
}

fn gather(root: &Path, folder: &Path, files: &mut Vec<(String, String)>) {
    let mut entries: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
        let is_curated = |name: &str| {
            brv_base::path::TreePath::parse(name.as_bytes()).is_ok_and(|path| path.kind().is_curated())
        };
        if path.is_dir() && !name.starts_with(".git") {
            gather(root, &path, files);
        } else if path.is_file() && is_curated(&name) {
            files.push((name, std::fs::read_to_string(&path).unwrap()));
        }
    }
}

#[test]
fn a_session_is_undone_and_redone_byte_for_byte_as_one_operation_in_every_mode() {
    for mode in MODES {
        let session = Session::of(mode);
        let before = session.files();
        // an entry that was never committed cannot be archived, nor restored from an archive that was not
        let commands: Vec<&str> = match mode.0 {
            "commit" => SESSION.to_vec(),
            _ => [&SESSION[..6], &SESSION[8..]].concat(),
        };
        let made = session.run(&commands);
        let (after, head, count) =
            (session.files(), session.git(&["rev-parse", "HEAD"]), session.log().len());
        let index = session.git(&["ls-files", "-s"]);
        assert_ne!(before, after, "{}", mode.0);
        // a dry run
        let picture = state_of(&session);
        let planned = session.undone(&["--dry-run"]);
        assert_eq!((picture, session.log().len()), (state_of(&session), count), "{}", mode.0);
        // undone
        let data = session.undone(&[]);
        assert_eq!(data["session"], planned["session"]);
        let named: Vec<&str> = data["session"]["operations"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["id"].as_str().unwrap())
            .collect();
        assert_eq!(named, made, "{}", mode.0);
        assert_eq!(session.files(), before, "{}", mode.0);
        let undo = last(&session.env);
        assert_eq!(session.log().len(), count + 1, "one operation");
        session.says(&made, &value!(undo));
        match mode.0 {
            "commit" => {
                assert_eq!(session.git(&["rev-parse", "HEAD~"]), head, "one commit");
                assert_eq!(session.git(&["status", "--porcelain"]), "");
                assert_eq!(data["commit"], value!(session.git(&["rev-parse", "HEAD"])));
            }
            mode => {
                assert_eq!(session.git(&["rev-parse", "HEAD"]), head, "{mode}");
                let staged = session.git(&["diff", "--cached", "--name-only"]);
                assert!(staged.lines().all(|path| path.starts_with("z/")), "{mode}: {staged}");
            }
        }
        // neither the session nor the agent has anything left, and what somebody else did stands
        let ran = session.undo(&[]);
        assert_eq!((ran.code, ran.stderr.contains("nothing to undo")), (6, true), "{}", ran.stderr);
        let ran = session.agent.brv_in(session.env.root(), &["undo"]);
        assert_eq!((ran.code, ran.stderr.contains("not made in this session")), (6, true), "{}", ran.stderr);
        assert!(session.tree.join("z/z.md").exists());
        // redone
        done(session.env.brv(&["undo", &undo]));
        assert_eq!((session.files(), session.git(&["rev-parse", "HEAD"])), (after, head), "{}", mode.0);
        assert_eq!(session.git(&["ls-files", "-s"]), index, "{}", mode.0);
        session.says(&made, &Value::Null);
        // undone again, and the newest alone
        session.undone(&[]);
        assert_eq!(session.files(), before);
        done(session.env.brv(&["undo", "last"]));
        let ran = done(session.agent.brv_in(session.env.root(), &["undo"]));
        assert!(ran.stdout.starts_with("Undid curate "), "{}", ran.stdout);
        assert_eq!(session.undone(&[])["session"]["operations"].as_array().unwrap().len(), made.len() - 1);
        assert_eq!(session.files(), before);
        session.env.fsck(&session.tree);
    }
}

/// Files, index and references; a tree in a bigger repository has its index elsewhere.
fn state_of(session: &Session) -> (Vec<(String, String)>, String, String) {
    let index = session.git(&["ls-files", "-s"]);
    (session.files(), index, session.git(&["for-each-ref", "refs/heads"]))
}

#[test]
fn a_commit_names_every_operation_that_it_undoes_also_in_another_clone() {
    let session = Session::new();
    let made = session.run(&SESSION[..2]);
    let ran = done(session.undo(&[]));
    let short = |id: &String| id.rsplit('-').next().unwrap().to_owned();
    assert!(ran.stdout.starts_with("Undid 2 operations of session import-1\n"), "{}", ran.stdout);
    assert!(ran.stdout.contains(&format!(" curate {}: r\n", short(&made[0]))), "{}", ran.stdout);
    let message = session.git(&["log", "-1", "--format=%B"]);
    assert!(message.starts_with("undo: session import-1 (2 operations)\n"), "{message}");
    let undo = last(&session.env);
    let log = json(&done(session.env.brv(&["op", "log", "-n", "1", "--json"])).stdout);
    let undoes = &log["data"]["operations"][0]["undoes"];
    assert_eq!(*undoes, value!({"operation": made[0], "whole": true, "others": [made[1]]}));
    session
        .env
        .git(session.env.root(), &["clone", "-q", "--bare", session.tree.to_str().unwrap(), "remote.git"]);
    done(session.env.brv(&["vc", "clone", "remote.git", "other"]));
    for folder in [session.env.root().to_owned(), session.env.path("other")] {
        let shown = done(session.env.brv_in(&folder, &["op", "show", &undo])).stdout;
        let lines = shown.lines().filter(|line| line.starts_with("Undoes:")).count();
        assert!(lines == 2 && made.iter().all(|id| shown.contains(&short(id))), "{shown}");
    }
    // the commits of another clone say what it undid already
    let ran = session.env.brv_in(&session.env.path("other"), &["undo", "--session", "import-1"]);
    assert_eq!((ran.code, ran.stderr.contains("nothing to undo")), (6, true), "{}", ran.stderr);
}

#[test]
fn edits_between_the_operations_and_after_them_are_kept() {
    let session = Session::new();
    let made = session.run(&["curate More. --into auth/a.md --title A --reason r"]);
    session.edit("auth/a.md", |text| text.replace("One.", "Uno."));
    done(session.env.brv(&["vc", "commit", "-a", "-m", "by hand"]));
    session.run(&[
        "curate Again. --into auth/a.md --title A --reason r",
        "curate Words. --into new --title One --reason r",
    ]);
    // an edit that is not committed
    session.edit("auth/a.md", |text| text.replace("Three.", "Tre."));
    let ran = done(session.undo(&[]));
    assert!(ran.stderr.contains("`auth/a.md` has uncommitted edits"), "{}", ran.stderr);
    assert_eq!(session.read("auth/a.md"), A.replace("One.", "Uno.").replace("Three.", "Tre."));
    assert!(!session.tree.join("new").join("one.md").exists());
    session.says(&made, &value!(last(&session.env)));
    session.env.fsck(&session.tree);
}

#[test]
fn a_conflict_writes_nothing_unless_asked_for_and_ends_the_undo_before_older_operations() {
    let session = Session::new();
    let commands =
        ["curate Words. --into new --title One --reason r", "curate Old. --into c --title C --reason r"];
    let made = session.run(&[commands[0], commands[1], "curate Words. --into new --title Two --reason r"]);
    session.edit("c/c.md", |text| text.replace("Old.", "Newer."));
    done(session.env.brv(&["vc", "commit", "-a", "-m", "by hand"]));
    let before = state(&session.env, &session.tree);
    let ran = session.undo(&[]);
    assert_eq!((ran.code, ran.stderr.contains("c/c.md")), (5, true), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stderr.contains("nothing was written"), "{}", ran.stderr);
    assert_eq!(state(&session.env, &session.tree), before);
    session.says(&made, &Value::Null);
    // markers: the operations down to the conflict are undone, the older one is left for the next call
    let ran = session.undo(&["--on-conflict", "mark", "--json"]);
    assert_eq!(ran.code, 5, "{}{}", ran.stdout, ran.stderr);
    let data = json(&ran.stdout)["data"].take();
    assert_eq!(data["session"]["remaining"][0]["id"], value!(made[2]), "{data}");
    assert!(
        json(&ran.stdout)["warnings"][0].as_str().unwrap().contains("before the one with conflicts"),
        "{}",
        ran.stdout
    );
    session.says(&made[..2], &value!(last(&session.env)));
    session.says(&made[2..], &Value::Null);
    assert!(session.tree.join("new/one.md").exists() && !session.tree.join("new/two.md").exists());
    done(session.env.brv(&["undo", "last"]));
    // one side for all of it; the operation that it keeps is not undone
    let data = session.undone(&["--on-conflict", "ours"]);
    assert_eq!(data["session"]["remaining"][0]["id"], value!(made[1]), "{data}");
    assert!(session.read("c/c.md").contains("Newer."));
    session.says(&made[1..2], &Value::Null);
    done(session.env.brv(&["undo", "last"]));
    session.undone(&["--on-conflict", "theirs"]);
    assert!(!session.tree.join("c/c.md").exists() && !session.tree.join("new").exists());
    session.env.fsck(&session.tree);
}

#[test]
fn what_a_person_has_committed_since_is_reverted_and_left_to_that_person() {
    for mode in &MODES[1..] {
        let session = Session::of(*mode);
        let before = session.files();
        session.run(&[&SESSION[..2], &SESSION[3..6]].concat());
        session.git(&["add", "-A", "."]);
        session.git(&["commit", "-q", "-m", "by hand"]);
        let made = session.run(&[SESSION[8]]);
        let head = session.git(&["rev-parse", "HEAD"]);
        session.undone(&[]);
        assert_eq!((session.files(), session.git(&["rev-parse", "HEAD"])), (before, head), "{}", mode.0);
        session.says(&made, &value!(last(&session.env)));
        let staged = session.git(&["diff", "--cached", "--name-only"]).lines().count();
        let changed = session.git(&["diff", "--name-only", "--", "*.md"]).lines().count();
        match mode.0 {
            "stage" => assert!(staged > 0 && changed == 0, "{staged} {changed}"),
            _ => assert!(staged == 0 && changed > 0, "{staged} {changed}"),
        }
        session.env.fsck(&session.tree);
    }
}

#[test]
fn a_long_session_is_undone_with_one_commit() {
    let session = Session::new();
    let (before, count) = (session.files(), session.git(&["rev-list", "--count", "HEAD"]));
    let commands: Vec<String> = (0..36)
        .map(|at| format!("curate Words{at}. --into f{}/e{}.md --title E --reason r", at % 3, at % 9))
        .collect();
    let commands: Vec<&str> = commands.iter().map(String::as_str).collect();
    let made = session.run(&commands);
    session.undone(&[]);
    assert_eq!(session.files(), before);
    let commits = session.git(&["rev-list", "--count", "HEAD"]).parse::<usize>().unwrap();
    assert_eq!(commits, count.parse::<usize>().unwrap() + made.len() + 1);
    session.says(&made, &value!(last(&session.env)));
    session.env.fsck(&session.tree);
}

#[test]
fn a_part_that_was_undone_before_stays_undone() {
    let session = Session::new();
    let before = session.files();
    let made = session.run(&SESSION);
    done(session.env.brv(&["undo", &made[5], "--on-conflict", "theirs"]));
    let first = last(&session.env);
    done(session.env.brv(&["undo", &made[1], "new/folder/one.md"]));
    let data = session.undone(&[]);
    assert_eq!(data["session"]["operations"].as_array().unwrap().len(), made.len() - 1);
    assert_eq!(session.files(), before);
    session.says(&made[5..6], &value!(first));
    session.env.fsck(&session.tree);
}

#[test]
fn a_session_of_another_clone_is_undone_by_its_commits() {
    let session = Session::new();
    let before = session.files();
    let made = session.run(&SESSION[..4]);
    let copy = session.env.root().join("copy");
    done(session.env.brv(&["vc", "clone", session.tree.to_str().unwrap(), copy.to_str().unwrap()]));
    let undo = |more: &[&str]| {
        session.env.brv_in(&copy, &[&["undo", "--session", "import-1", "--json"], more].concat())
    };
    let data = json(&done(undo(&[])).stdout)["data"].take();
    let operations = data["session"]["operations"].as_array().unwrap();
    let ids: Vec<&str> = operations.iter().map(|one| one["id"].as_str().unwrap()).collect();
    assert_eq!(ids, made, "{data}");
    let tree = copy.join(".brv/context-tree");
    let tree = if tree.is_dir() { tree } else { copy.clone() };
    let mut files = Vec::new();
    gather(&tree, &tree, &mut files);
    files.retain(|(path, _)| !path.starts_with("z/"));
    assert_eq!(files, before);
    let again = undo(&[]);
    assert_eq!((again.code, again.stdout.contains("nothing to undo")), (6, true), "{}", again.stdout);
}

#[test]
fn what_is_no_session_or_has_nothing_left_or_another_kind_is_an_error() {
    let session = Session::new();
    let made = session.run(&SESSION[..1]);
    let files = session.files();
    for (arguments, code, said) in [
        (
            &["undo", "--session", "typo"][..],
            2,
            "no operation in the log, and no commit in this history, was made in session `typo`",
        ),
        (&["undo", "--session", ""], 2, "no operation in the log"),
        (&["undo", "--session", "import-1", &made[0]], 2, "cannot be used with"),
        (&["undo", &made[0], "auth/a.md", "--session", "import-1"], 2, "cannot be used with"),
    ] {
        let ran = session.env.brv(arguments);
        assert_eq!((ran.code, ran.stderr.contains(said)), (code, true), "{arguments:?} {}", ran.stderr);
    }
    done(session.brv("switch -c side"));
    let switch = last(&session.env);
    let ran = session.undo(&[]);
    let short = switch.rsplit('-').next().unwrap();
    let said = format!("`switch` {short} of this session can only be undone separately");
    assert_eq!((ran.code, ran.stderr.contains(&said)), (6, true), "{}", ran.stderr);
    assert!(ran.stderr.contains(&format!("`brv undo {short}`")), "{}", ran.stderr);
    done(session.env.brv(&["undo", short]));
    assert_eq!(session.files(), files);
    // on a branch without the operation
    session.git(&["checkout", "-q", "-b", "apart", "HEAD~1"]);
    let ran = session.undo(&[]);
    let said = format!("cannot undo curate {}", made[0].rsplit('-').next().unwrap());
    assert_eq!((ran.code, ran.stderr.contains(&said)), (6, true), "{}", ran.stderr);
    session.git(&["checkout", "-q", "main"]);
    std::fs::remove_dir_all(session.tree.join("new")).unwrap();
    done(session.env.brv(&["vc", "commit", "-a", "-m", "gone"]));
    let ran = session.undo(&[]);
    assert_eq!((ran.code, ran.stderr.contains("nothing left to undo")), (6, true), "{}", ran.stderr);
    session.says(&made, &Value::Null);
}

#[test]
fn an_interrupted_undo_of_a_session_is_completed_and_not_begun_again() {
    let session = Session::new();
    let before = session.files();
    let made = session.run(&SESSION);
    session.undone(&[]);
    interrupt(&session.env, &last(&session.env));
    let (ran, undo) = (session.undo(&["--json"]), last(&session.env));
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let data = json(&ran.stdout)["data"].take();
    assert_eq!(data["session"]["operations"].as_array().unwrap().len(), made.len(), "{data}");
    assert_eq!(session.files(), before);
    session.says(&made, &value!(undo));
}
