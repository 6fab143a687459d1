//! Syncing: the state of both sides afterwards, and what is unchanged if syncing fails. The other side is plain git.

use crate::env::{Env, context};
use crate::init::json;
use crate::lab::{is_volatile, picture};
use brv_commands::vc::sync::{self, Mode, Options, Outcome, Relation};
use brv_commands::vc::{add, commit};
use brv_engine::{FailureKind, Stop};
use brv_text::merge::Undecided;
use std::path::{Path, PathBuf};

/// A bare remote, a teammate who uses plain git, and our project.
struct Team {
    env: Env,
    remote: PathBuf,
    mate: PathBuf,
    tree: PathBuf,
}

const ENTRY: &str = "# Tokens\n\nAccess tokens live a day, because the gateway checks them once a shift.\n\n\
    ## Facts\n\n- **clock skew**: two minutes are tolerated [convention]\n";

impl Team {
    fn with(files: &[(&str, &str)]) -> Self {
        let env = Env::new();
        let (remote, mate) = (env.bare("remote.git"), env.path("mate"));
        env.git(env.root(), &["clone", "-q", remote.to_str().unwrap(), mate.to_str().unwrap()]);
        env.git(&mate, &["checkout", "-q", "-B", "main"]);
        env.commit(&mate, files);
        env.git(&mate, &["push", "-q", "-u", "origin", "main"]);
        let ran = env.brv(&["vc", "clone", "-q", remote.to_str().unwrap(), "ours"]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        Self { remote, mate, tree: env.path("ours/.brv/context-tree"), env }
    }

    fn mate_pushes(&self, files: &[(&str, &str)]) -> String {
        let id = self.env.commit(&self.mate, files);
        self.env.git(&self.mate, &["push", "-q"]);
        id
    }

    fn sync(&self) -> Result<Outcome, Stop> {
        self.sync_with(&Options::default())
    }

    fn sync_with(&self, options: &Options) -> Result<Outcome, Stop> {
        sync::run(&context(&self.tree), options)
    }

    fn write(&self, path: &str, text: &str) {
        std::fs::write(self.tree.join(path), text).unwrap();
    }

    fn commit(&self, path: &str, text: &str) {
        self.write(path, text);
        let all = add::Options { selection: add::Selection::Everything, ..add::Options::default() };
        add::run(&context(&self.tree), &all).unwrap();
        let message = commit::Options { message: vec!["ours".into()], ..commit::Options::default() };
        commit::run(&context(&self.tree), &message).unwrap();
    }

    fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.tree.join(path)).unwrap()
    }

    fn there(&self) -> String {
        self.env.git(&self.remote, &["rev-parse", "main"])
    }

    fn here(&self) -> String {
        self.env.git(&self.tree, &["rev-parse", "HEAD"])
    }

    /// Both sides have one commit, git sees nothing left to do here, and nothing is broken.
    fn assert_in_step(&self) {
        assert_eq!(self.here(), self.there());
        assert_eq!(self.env.git(&self.tree, &["rev-parse", "origin/main"]), self.there());
        assert_eq!(self.env.git(&self.tree, &["status", "--porcelain"]), "");
        assert_eq!(self.env.git(&self.tree, &["for-each-ref", "refs/brv/pending"]), "");
        self.env.fsck(&self.tree);
        self.env.fsck(&self.remote);
    }

    fn hook(&self, name: &str, script: &str) {
        let file = self.remote.join("hooks").join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, format!("#!/bin/sh\n{script}\n")).unwrap();
        make_executable(&file);
    }

    /// A teammate commits on the remote whenever a ref is about to move there, as long as `condition` holds.
    fn others_are_faster(&self, condition: &str) {
        self.hook(
            "update",
            &format!(
                "{condition} || exit 0\nnew=$(git -c user.name=x -c user.email=x@y commit-tree -p main -m other main^{{tree}})\n\
                 git update-ref refs/heads/main $new"
            ),
        );
    }
}

#[cfg(unix)]
fn make_executable(file: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[cfg(not(unix))]
fn make_executable(_: &Path) {}

#[test]
fn both_sides_get_one_merge_by_meaning_in_one_operation() {
    let team = Team::with(&[("auth/tokens.md", ENTRY)]);
    team.mate_pushes(&[("auth/tokens.md", &ENTRY.replace("a day", "an hour"))]);
    team.commit("auth/tokens.md", &format!("{ENTRY}- **logout**: ends the session [project]\n"));
    let operations = || team.env.git(&team.tree, &["for-each-ref", "refs/brv/ops"]).lines().count();
    let before = operations();
    let outcome = team.sync().unwrap();
    assert_eq!((outcome.brought.relation, outcome.tries), (Relation::Merged, 1));
    assert_eq!(outcome.sent.as_ref().unwrap().commits, 2, "our commit, and the merge");
    assert_eq!(operations(), before + 1);
    let text = team.read("auth/tokens.md");
    assert!(text.contains("live an hour") && text.contains("ends the session"), "{text}");
    assert!(team.read("auth/tokens.abstract.md").contains("an hour"), "its derived files are regenerated");
    team.assert_in_step();
    let again = team.sync().unwrap();
    assert_eq!(again.brought.relation, Relation::UpToDate);
    assert!(again.sent.is_none() && again.brought.written.operation.is_none());
}

#[test]
fn what_only_one_side_has_goes_to_the_other_without_a_merge() {
    let team = Team::with(&[("a.md", "a\n")]);
    let tip = team.mate_pushes(&[("b.md", "b\n")]);
    let outcome = team.sync().unwrap();
    assert_eq!(outcome.brought.relation, Relation::FastForward);
    assert!(outcome.sent.is_none());
    assert_eq!(team.here(), tip);
    team.commit("c.md", "c\n");
    let ours = team.here();
    let outcome = team.sync().unwrap();
    assert_eq!(outcome.brought.relation, Relation::UpToDate);
    assert_eq!(outcome.sent.unwrap().commits, 1);
    assert_eq!(team.there(), ours);
    team.assert_in_step();
}

#[test]
fn a_branch_that_the_remote_lacks_is_made_there() {
    let team = Team::with(&[("a.md", "a\n")]);
    team.env.git(&team.tree, &["switch", "-q", "-c", "side"]);
    team.commit("b.md", "b\n");
    let named = Options { remote: Some("origin".into()), ..Options::default() };
    let outcome = team.sync_with(&named).unwrap();
    assert_eq!((outcome.branch.as_str(), outcome.sent.unwrap().before), ("side", None));
    assert_eq!(team.env.git(&team.remote, &["rev-parse", "side"]), team.here());
    let error = team.sync().unwrap_err();
    assert_eq!(error.kind(), FailureKind::Usage, "without a name it must track a branch: {error:?}");
}

#[test]
fn a_conflict_changes_nothing_here_or_there_and_is_told_with_its_texts() {
    let team = Team::with(&[("a.md", "# A\n\nTokens live a day.\n")]);
    team.mate_pushes(&[("a.md", "# A\n\nTokens live one hour, and no longer.\n")]);
    team.write("a.md", "# A\n\nTokens are good for a week at most.\n");
    assert_eq!(team.env.brv_in(&team.tree, &["vc", "commit", "-qam", "ours"]).code, 0);
    team.write("new.md", "mine\n");
    let (there, before) = (team.there(), picture(&team.env.path("ours"), &is_volatile));
    let ran = team.env.brv_in(&team.tree, &["vc", "sync", "--json"]);
    assert_eq!(ran.code, 5, "{}", ran.stderr);
    let told = json(&ran.stdout);
    assert_eq!((&told["ok"], &told["error"]["code"]), (&false.into(), &"conflict".into()));
    let conflict = &told["data"]["conflicts"][0];
    assert_eq!((&conflict["path"], &conflict["kind"]), (&"a.md".into(), &"both modified".into()));
    let decision = &conflict["decisions"][0];
    assert_eq!(decision["base"], "Tokens live a day.");
    assert_eq!(decision["ours"], "Tokens are good for a week at most.");
    assert_eq!(decision["theirs"], "Tokens live one hour, and no longer.");
    let ran = team.env.brv_in(&team.tree, &["vc", "sync"]);
    assert!(ran.stdout.contains("nothing was changed"), "{}", ran.stdout);
    assert!(
        ran.stderr
            .contains("commit the other files with `brv vc commit`; then start the merge with `brv vc pull`"),
        "{}",
        ran.stderr
    );
    assert!(picture(&team.env.path("ours"), &is_volatile) == before, "not a byte");
    assert_eq!(team.there(), there);
    assert_eq!(team.env.try_git(&team.tree, &["rev-parse", "-q", "--verify", "MERGE_HEAD"]).code, 1);
    let ran = team.env.brv_in(&team.tree, &["vc", "sync", "--on-conflict", "theirs"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(team.read("a.md"), "# A\n\nTokens live one hour, and no longer.\n");
    assert!(ran.stderr.contains("1 file is not committed, and not synced: new.md"), "{}", ran.stderr);
    let message = team.env.git(&team.tree, &["log", "-1", "--format=%B"]);
    assert!(message.contains("good for a week"), "the discarded value is in the message: {message}");
    assert_eq!(team.here(), team.there());
}

#[test]
fn a_branch_that_follows_nothing_is_told_how_it_may_and_then_does() {
    let team = Team::with(&[("a.md", "a\n")]);
    let brv = |arguments: &[&str]| team.env.brv_in(&team.tree, arguments);
    team.env.git(&team.tree, &["switch", "-q", "-c", "topic"]);
    team.env.commit(&team.tree, &[("b.md", "b\n")]);
    let ran = brv(&["vc", "sync"]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("`brv vc sync -u`"), "{}", ran.stderr);
    let ran = brv(&["vc", "sync", "-u", "--dry-run"]);
    assert!(ran.code == 0 && !ran.stdout.contains("follows"), "{}{}", ran.stdout, ran.stderr);
    let ran = brv(&["vc", "sync", "-u"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.ends_with("topic now tracks origin/topic.\n"), "{}", ran.stdout);
    assert_eq!(team.env.git(&team.tree, &["rev-parse", "--abbrev-ref", "@{u}"]), "origin/topic");
    assert_eq!(team.env.git(&team.remote, &["rev-parse", "topic"]), team.here());
    // again nothing to report
    let ran = brv(&["vc", "sync", "-u"]);
    assert!(ran.code == 0 && !ran.stdout.contains("follows"), "{}{}", ran.stdout, ran.stderr);
    // what a push would do by itself
    team.env.git(&team.tree, &["config", "push.autoSetupRemote", "true"]);
    team.env.git(&team.tree, &["switch", "-q", "-c", "other"]);
    let told = json(&brv(&["vc", "sync", "--json"]).stdout);
    assert_eq!(told["data"]["followed"][0]["upstream"], "origin/other", "{told}");
    assert_eq!(team.env.git(&team.tree, &["config", "branch.other.merge"]), "refs/heads/other");
}

#[test]
fn a_rule_for_conflicts_settles_them_by_both_too() {
    let team = Team::with(&[("a.md", "# A\n\nTokens live a day.\n")]);
    team.mate_pushes(&[("a.md", "# A\n\nTokens live one hour, and no longer.\n")]);
    team.commit("a.md", "# A\n\nTokens are good for a week at most.\n");
    let both = Options { undecided: Undecided::Both, ..Options::default() };
    let outcome = team.sync_with(&both).unwrap();
    assert_eq!(outcome.brought.relation, Relation::Merged);
    assert!(!outcome.brought.settled.is_empty());
    let text = team.read("a.md");
    assert!(text.contains("one hour") && text.contains("a week"), "{text}");
    team.assert_in_step();
}

#[test]
fn what_is_not_committed_stays_as_it_is_and_what_it_would_collide_with_is_not_sent() {
    let team = Team::with(&[("a.md", "a\n"), ("b.md", "b\n")]);
    team.mate_pushes(&[("a.md", "a theirs\n")]);
    team.commit("c.md", "c\n");
    team.write("b.md", "b mine\n");
    let outcome = team.sync().unwrap();
    assert_eq!(outcome.uncommitted, ["b.md".into()]);
    assert_eq!((team.read("a.md"), team.read("b.md")), ("a theirs\n".into(), "b mine\n".into()));
    assert_eq!(team.here(), team.there());
    team.mate_pushes_after_pull(&[("b.md", "b theirs\n")]);
    let there = team.there();
    team.env.git(&team.tree, &["commit", "-q", "--allow-empty", "-m", "ours"]);
    let (head, error) = (team.here(), team.sync().unwrap_err());
    assert_eq!((error.details.len(), error.kind), (1, FailureKind::Refused), "{error:?}");
    assert_eq!((team.here(), team.there()), (head, there), "neither side has moved");
    assert_eq!(team.read("b.md"), "b mine\n");
}

impl Team {
    fn mate_pushes_after_pull(&self, files: &[(&str, &str)]) {
        self.env.git(&self.mate, &["pull", "-q"]);
        self.mate_pushes(files);
    }
}

#[test]
fn a_dry_run_tells_both_ways_and_moves_neither() {
    let team = Team::with(&[("a.md", "a\n")]);
    team.mate_pushes(&[("b.md", "b\n")]);
    team.commit("c.md", "c\n");
    let (here, there) = (team.here(), team.there());
    let dry = Options { mode: Mode::DryRun, ..Options::default() };
    let outcome = team.sync_with(&dry).unwrap();
    assert_eq!(outcome.brought.relation, Relation::Merged);
    assert_eq!(outcome.brought.files.len(), 1);
    assert_eq!((team.here(), team.there()), (here, there));
    assert!(!team.tree.join("b.md").exists());
}

#[cfg(unix)]
#[test]
fn who_is_overtaken_merges_again_and_leaves_no_trace_of_the_first_try() {
    let team = Team::with(&[("a.md", "a\n")]);
    team.mate_pushes(&[("b.md", "b\n")]);
    team.commit("c.md", "c\n");
    team.others_are_faster("test $(git rev-list --count main) -lt 4");
    let outcome = team.sync().unwrap();
    assert_eq!(outcome.tries, 3, "another push was faster twice");
    assert_eq!(outcome.brought.relation, Relation::Merged);
    team.assert_in_step();
    let merges = team.env.git(&team.tree, &["rev-list", "--merges", "--count", "HEAD"]);
    assert_eq!(merges, "1", "the overtaken merges are in no history");
}

#[cfg(unix)]
#[test]
fn tries_end_with_9_and_nothing_has_changed() {
    let team = Team::with(&[("a.md", "a\n")]);
    team.write("c.md", "c\n");
    for arguments in [&["vc", "add", "."][..], &["vc", "commit", "-qm", "c"]] {
        assert_eq!(team.env.brv_in(&team.tree, arguments).code, 0);
    }
    team.others_are_faster("true");
    let before = picture(&team.env.path("ours"), &is_volatile);
    let ran = team.env.brv_in(&team.tree, &["vc", "sync", "--tries", "3"]);
    assert_eq!(ran.code, 9, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("gave up after 3 attempts: the remote had new commits each time"),
        "{}",
        ran.stderr
    );
    assert!(picture(&team.env.path("ours"), &is_volatile) == before);
    assert_eq!(team.env.git(&team.remote, &["rev-list", "--count", "main"]), "4");
}

#[cfg(unix)]
#[test]
fn a_server_that_says_no_is_asked_once_and_quoted() {
    let team = Team::with(&[("a.md", "a\n")]);
    team.commit("c.md", "c\n");
    team.hook("pre-receive", "echo asked >> asked; echo 'not on a Sunday' >&2; exit 1");
    let (here, there) = (team.here(), team.there());
    let error = team.sync().unwrap_err();
    assert!(error.message.contains("pre-receive hook declined"), "{error:?}");
    assert_eq!(error.kind(), FailureKind::Remote);
    assert_eq!((team.here(), team.there()), (here, there));
    assert_eq!(std::fs::read_to_string(team.remote.join("asked")).unwrap(), "asked\n");
}

/// A busy machine has no process left for a moment, say.
#[cfg(unix)]
#[test]
fn a_server_that_could_not_unpack_is_asked_again_and_at_last_quoted() {
    for (stumbles, code) in [(2, 0), (9, 9)] {
        let team = Team::with(&[("a.md", "a\n")]);
        team.commit("c.md", "c\n");
        let programs = team.env.path("programs");
        std::fs::create_dir_all(&programs).unwrap();
        let git = crate::env::program("git").unwrap();
        let (count, git) = (programs.join("count").display().to_string(), git.display().to_string());
        let script = format!(
            "#!/bin/sh\n[ \"$1\" = unpack-objects ] || exec '{git}' \"$@\"\necho x >> '{count}'\n\
             [ $(wc -l < '{count}') -gt {stumbles} ] && exec '{git}' \"$@\"\necho 'no process is left' >&2\nexit 1\n"
        );
        std::fs::write(programs.join("git"), script).unwrap();
        make_executable(&programs.join("git"));
        let team = Team { env: team.env.with("GIT_EXEC_PATH", &programs), ..team };
        let ran = team.env.brv_in(&team.tree, &["vc", "sync"]);
        assert_eq!(ran.code, code, "{}", ran.stderr);
        match code {
            0 => team.assert_in_step(),
            _ => assert!(
                ran.stderr.contains("unpacker error") && ran.stderr.contains("no process is left"),
                "{}",
                ran.stderr
            ),
        }
    }
}

/// Runs on the server after a ref has moved, before the client gets its answer.
#[cfg(target_os = "linux")]
fn once_moved(act: &str) -> String {
    format!("[ \"$1\" = committed ] || exit 0\n[ -e once ] && exit 0\n: > once\n{act}")
}

#[cfg(target_os = "linux")]
#[test]
fn a_push_that_arrived_although_the_connection_broke_is_found_and_not_repeated() {
    let team = Team::with(&[("a.md", "a\n")]);
    team.mate_pushes(&[("b.md", "b\n")]);
    team.commit("c.md", "c\n");
    team.hook("reference-transaction", &once_moved("kill -9 $PPID"));
    let outcome = team.sync().unwrap();
    assert!(outcome.sent.is_some());
    team.assert_in_step();
    assert_eq!(team.env.git(&team.tree, &["rev-list", "--merges", "--count", "HEAD"]), "1");
}

#[cfg(target_os = "linux")]
#[test]
fn who_dies_after_the_remote_has_taken_it_is_merely_behind() {
    let team = Team::with(&[("a.md", "a\n")]);
    team.mate_pushes(&[("b.md", "b\n")]);
    team.write("c.md", "c\n");
    for arguments in [&["vc", "add", "."][..], &["vc", "commit", "-qm", "c"]] {
        assert_eq!(team.env.brv_in(&team.tree, arguments).code, 0);
    }
    let here = team.here();
    // the parent of the server is the command
    let killing = "kill -9 $(sed -n 's/^PPid:[[:space:]]*//p' /proc/$PPID/status)";
    team.hook("reference-transaction", &once_moved(killing));
    let ran = team.env.brv_in(&team.tree, &["vc", "sync"]);
    assert_eq!(ran.code, -1, "{}", ran.stderr);
    assert_eq!(team.here(), here);
    assert_ne!(team.there(), here);
    let ran = team.env.brv_in(&team.tree, &["vc", "sync"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    team.assert_in_step();
    assert_eq!(team.env.git(&team.tree, &["rev-list", "--merges", "--count", "HEAD"]), "1");
}

#[test]
fn what_must_not_leave_stops_the_sync_before_anything_moves() {
    let team = Team::with(&[("a.md", "a\n")]);
    team.env.commit(&team.tree, &[("b.md", "# B\n\n<<<<<<< x\none\n=======\ntwo\n>>>>>>> y\n")]);
    let (here, there) = (team.here(), team.there());
    let outcome = team.sync().unwrap();
    assert_eq!((outcome.findings.len(), outcome.sent.is_none()), (1, true));
    assert_eq!(team.env.brv_in(&team.tree, &["vc", "sync"]).code, 7);
    assert_eq!((team.here(), team.there()), (here, there));
}

#[test]
fn a_remote_that_is_not_there_is_not_tried_again() {
    let team = Team::with(&[("a.md", "a\n")]);
    std::fs::rename(&team.remote, team.env.path("away.git")).unwrap();
    let error = team.sync().unwrap_err();
    assert!(!error.message.starts_with("gave up"), "{error:?}");
    assert_eq!(error.kind(), FailureKind::Remote);
}

/// A tree in which `auth/p.md` links to `auth/q.md`, and the same after `vc mv auth/q.md auth/qq.md`.
const LINKING: &str = "# P\n\nSee [q](q.md), which says more.\n";

#[test]
fn a_turned_link_is_no_edit_so_that_the_deletion_holds() {
    let turned = LINKING.replace("q.md", "qq.md");
    for is_ours_deleted in [true, false] {
        let team = Team::with(&[("auth/p.md", LINKING), ("auth/q.md", "# Q\n\nMore.\n")]);
        if is_ours_deleted {
            team.env.git(&team.mate, &["mv", "auth/q.md", "auth/qq.md"]);
            team.mate_pushes(&[("auth/p.md", &turned)]);
            assert_eq!(team.env.brv_in(&team.tree, &["vc", "rm", "-q", "auth/p.md"]).code, 0);
        } else {
            team.env.git(&team.mate, &["rm", "-q", "auth/p.md"]);
            team.mate_pushes(&[]);
            let ran = team.env.brv_in(&team.tree, &["vc", "mv", "-q", "auth/q.md", "auth/qq.md"]);
            assert_eq!((ran.code, team.read("auth/p.md")), (0, turned.clone()), "{}", ran.stderr);
        }
        assert_eq!(team.env.brv_in(&team.tree, &["vc", "commit", "-qam", "ours"]).code, 0);
        let told = json(&team.env.brv_in(&team.tree, &["vc", "sync", "--json"]).stdout);
        assert_eq!(
            (&told["data"]["relation"], &told["warnings"]),
            (&"merged".into(), &serde_json::json!([]))
        );
        assert_eq!(told["data"]["records"], serde_json::json!([]), "{told}");
        assert_eq!(team.env.git(&team.tree, &["ls-files"]), "auth/qq.md", "{is_ours_deleted}");
        team.assert_in_step();
    }
}

#[test]
fn an_edit_that_brings_a_deleted_file_back_is_named_in_text_and_json() {
    for arguments in [&["vc", "sync", "--json"][..], &["vc", "sync"]] {
        let team = Team::with(&[("auth/p.md", LINKING), ("auth/q.md", "# Q\n\nMore.\n"), ("r.md", "# R\n")]);
        team.env.git(&team.mate, &["mv", "auth/q.md", "auth/qq.md"]);
        team.env.git(&team.mate, &["rm", "-q", "r.md"]);
        // the link is updated, and a word beside it differs
        team.mate_pushes(&[("auth/p.md", &LINKING.replace("q.md", "qq.md").replace("more", "all"))]);
        team.write("r.md", "# R\n\nEdited.\n");
        assert_eq!(team.env.brv_in(&team.tree, &["vc", "rm", "-q", "auth/p.md"]).code, 0);
        assert_eq!(team.env.brv_in(&team.tree, &["vc", "commit", "-qam", "ours"]).code, 0);
        let ran = team.env.brv_in(&team.tree, arguments);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let warning = if arguments.contains(&"--json") {
            let told = json(&ran.stdout);
            let kept = |at: usize| {
                let record = &told["data"]["records"][at];
                (record["path"].clone(), record["settled"].clone(), record["side"].clone())
            };
            assert_eq!(kept(0), ("auth/p.md".into(), "change_kept".into(), "theirs".into()), "{told}");
            assert_eq!(kept(1), ("r.md".into(), "change_kept".into(), "ours".into()), "{told}");
            told["warnings"][0].as_str().unwrap().to_owned()
        } else {
            ran.stderr
        };
        assert!(warning.contains("auth/p.md (deleted here), r.md (deleted there)"), "{warning}");
        assert_eq!(team.env.git(&team.tree, &["ls-files"]), "auth/p.md\nauth/qq.md\nr.md");
        team.assert_in_step();
    }
}

#[test]
fn two_versions_of_an_entry_behind_one_another_leave_neither_by_push_nor_by_sync() {
    let team = Team::with(&[("a.md", "# A\n")]);
    let entry = "---\ntitle: A\ntags: []\n---\n\n# A\n\nOne.\n\n";
    team.env.commit(&team.tree, &[("a.md", &entry.repeat(2))]);
    let there = team.there();
    for verb in ["push", "sync"] {
        let ran = team.env.brv_in(&team.tree, &["vc", verb]);
        assert_eq!(ran.code, 7, "{}", ran.stderr);
        assert!(
            ran.stderr.contains("a.md:10:1") && ran.stderr.contains("a second frontmatter begins here"),
            "{}",
            ran.stderr
        );
    }
    assert_eq!(team.there(), there);
}
