//! The guards: what blocks a pull, a merge and a sync, what is kept, and what `--allow` permits. The other side is
//! plain git.

use crate::env::{Env, Ran};
use crate::init::json;
use crate::lab::{is_volatile, picture};
use serde_json::Value;
use std::path::PathBuf;

/// A bare remote, a teammate who uses plain git, and our project.
struct Team {
    env: Env,
    remote: PathBuf,
    mate: PathBuf,
    tree: PathBuf,
}

impl Team {
    fn with(files: &[(&str, &str)]) -> Self {
        let env = Env::new();
        let (remote, mate) = (env.bare("remote.git"), env.path("mate"));
        env.git(env.root(), &["clone", "-q", remote.to_str().unwrap(), mate.to_str().unwrap()]);
        env.git(&mate, &["checkout", "-q", "-B", "main"]);
        env.commit(&mate, files);
        env.git(&mate, &["push", "-q", "-u", "origin", "main"]);
        done(&env.brv(&["vc", "clone", "-q", remote.to_str().unwrap(), "ours"]));
        Self { remote, mate, tree: env.path("ours/.brv/context-tree"), env }
    }

    /// A remote that had `a.md` and `b.md`, which we have, and that replaced the commit with `b.md` by one with `c.md`.
    fn rewritten() -> Self {
        let team = Self::with(&[("a.md", "a\n")]);
        team.mate_pushes(&[("b.md", "b\n")]);
        done(&team.brv(&["vc", "pull"]));
        team.mate_forces(&[("c.md", "c\n")]);
        team
    }

    fn mate_pushes(&self, files: &[(&str, &str)]) -> String {
        let id = self.env.commit(&self.mate, files);
        self.env.git(&self.mate, &["push", "-q"]);
        id
    }

    /// Drop the last commit and commit something else.
    fn mate_forces(&self, files: &[(&str, &str)]) -> String {
        self.env.git(&self.mate, &["reset", "-q", "--hard", "HEAD~1"]);
        let id = self.env.commit(&self.mate, files);
        self.env.git(&self.mate, &["push", "-q", "--force"]);
        id
    }

    fn mate_removes(&self, paths: &[String]) {
        for path in paths {
            std::fs::remove_file(self.mate.join(path)).unwrap();
        }
        self.mate_pushes(&[]);
    }

    fn commit(&self, path: &str, text: &str) {
        std::fs::write(self.tree.join(path), text).unwrap();
        done(&self.brv(&["vc", "add", "."]));
        done(&self.brv(&["vc", "commit", "-m", "ours"]));
    }

    fn brv(&self, arguments: &[&str]) -> Ran {
        self.env.brv_in(&self.tree, arguments)
    }

    fn rev(&self, name: &str) -> String {
        self.env.git(&self.tree, &["rev-parse", name])
    }

    fn there(&self) -> String {
        self.env.git(&self.remote, &["rev-parse", "main"])
    }

    fn has(&self, path: &str) -> bool {
        self.tree.join(path).exists()
    }

    /// Check that it exits with 6 for this guard, and that neither side has changed. Returns the reported guard.
    fn assert_stops(&self, arguments: &[&str], guard: &str) -> Value {
        let (before, there) = (picture(&self.env.path("ours"), &is_volatile_or_kept), self.there());
        let ran = self.brv(arguments);
        assert_eq!(ran.code, 6, "{arguments:?}: {}{}", ran.stdout, ran.stderr);
        assert!(ran.stderr.contains(&format!("--allow {guard}")), "{}", ran.stderr);
        assert!(ran.stderr.contains("refs/brv/rescue/"), "{}", ran.stderr);
        let told = json(&self.brv(&[arguments, &["--json"]].concat()).stdout);
        assert_eq!((&told["ok"], &told["error"]["code"]), (&false.into(), &"refused".into()));
        assert_eq!(told["data"]["relation"], "stopped");
        let stopped = told["data"]["stopped"].clone();
        assert_eq!(stopped["guard"], guard);
        assert!(picture(&self.env.path("ours"), &is_volatile_or_kept) == before, "{arguments:?}");
        assert_eq!(self.there(), there, "{arguments:?}");
        stopped
    }

    /// The messages of all operations.
    fn journal(&self) -> String {
        self.env.git(&self.tree, &["for-each-ref", "--format=%(contents)", "refs/brv/ops"])
    }
}

fn is_volatile_or_kept(path: &str) -> bool {
    is_volatile(path) || path.contains(".git/refs/brv")
}

fn done(ran: &Ran) {
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
}

const ALLOW_REWRITE: [&str; 4] = ["--allow", "rewrite", "--reason", "a secret was taken out"];
const ALLOW_DELETION: [&str; 4] = ["--allow", "mass-delete", "--reason", "the notes moved"];

#[test]
fn a_rewritten_remote_stops_every_way_in_until_somebody_agrees() {
    let team = Team::rewritten();
    let ours = team.rev("HEAD");
    for arguments in
        [&["vc", "pull"][..], &["vc", "sync"], &["vc", "merge", "origin/main"], &["vc", "pull", "-n"]]
    {
        let stopped = team.assert_stops(arguments, "rewrite");
        assert_eq!(stopped["reference"], "refs/remotes/origin/main");
        assert_eq!((&stopped["old"], &stopped["dropped"]), (&ours.clone().into(), &1.into()));
        let rescue = stopped["rescue"].as_str().unwrap();
        assert_eq!(team.rev(rescue), ours, "the old state is kept");
    }
    assert_eq!(team.brv(&["vc", "pull", "--allow", "rewrite"]).code, 2, "--allow needs a reason");
    assert_eq!(team.brv(&["vc", "pull", "--reason", "x"]).code, 2);
    assert_eq!(team.brv(&["vc", "pull", "--allow", "rewrite", "--reason", " "]).code, 2);
    let other = [&["vc", "pull"], &ALLOW_DELETION[..]].concat();
    assert_eq!(team.brv(&other).code, 6, "another --allow does not help");
}

#[test]
fn who_has_nothing_of_their_own_goes_over_to_the_new_history() {
    for verb in ["pull", "sync"] {
        let team = Team::rewritten();
        let ours = team.rev("HEAD");
        let ran = team.brv(&[&["vc", verb], &ALLOW_REWRITE[..]].concat());
        done(&ran);
        assert!(ran.stdout.contains("Switched to the new history of origin/main"), "{}", ran.stdout);
        assert_eq!(team.rev("HEAD"), team.there(), "nothing of the old history is restored");
        assert!(team.has("c.md") && !team.has("b.md"));
        assert_eq!(team.env.git(&team.tree, &["status", "--porcelain"]), "");
        let rescue = format!("refs/brv/rescue/remotes/origin/main/{}", &ours[..12]);
        assert_eq!(team.rev(&rescue), ours, "and nothing of it is lost");
        assert!(team.journal().contains("(allowed rewrite: a secret was taken out)"), "{}", team.journal());
        team.mate_pushes(&[("d.md", "d\n")]);
        done(&team.brv(&["vc", verb]));
        assert!(team.has("d.md"), "from then on everything works as usual");
    }
}

#[test]
fn what_is_ours_alone_is_merged_with_the_new_history_and_what_was_dropped_does_not_return() {
    for verb in ["pull", "sync"] {
        let team = Team::rewritten();
        team.commit("mine.md", "mine\n");
        let ours = team.rev("HEAD");
        done(&team.brv(&[&["vc", verb], &ALLOW_REWRITE[..]].concat()));
        assert!(team.has("a.md") && team.has("c.md") && team.has("mine.md") && !team.has("b.md"));
        assert_eq!(team.rev("HEAD^1"), ours);
        done(&team.brv(&["vc", "sync"]));
        assert_eq!(team.rev("HEAD"), team.there());
        team.env.fsck(&team.tree);
    }
}

#[test]
fn who_takes_back_what_they_agreed_to_is_asked_again() {
    let team = Team::rewritten();
    team.commit("mine.md", "mine\n");
    let ours = team.rev("HEAD");
    done(&team.brv(&[&["vc", "pull"], &ALLOW_REWRITE[..]].concat()));
    done(&team.brv(&["undo"]));
    assert_eq!(team.rev("HEAD"), ours);
    for arguments in [&["vc", "sync"][..], &["vc", "pull"]] {
        team.assert_stops(arguments, "rewrite");
    }
    let status = team.brv(&["vc", "status"]).stdout;
    assert!(status.contains("refs/brv/rescue/"), "{status}");
    done(&team.brv(&[&["vc", "sync"], &ALLOW_REWRITE[..]].concat()));
    assert_eq!(team.rev("HEAD"), team.there());
}

#[test]
fn a_remote_that_went_back_is_not_brought_forward_again_by_a_sync() {
    let team = Team::with(&[("a.md", "a\n")]);
    team.mate_pushes(&[("b.md", "b\n")]);
    done(&team.brv(&["vc", "sync"]));
    team.env.git(&team.mate, &["reset", "-q", "--hard", "HEAD~1"]);
    team.env.git(&team.mate, &["push", "-q", "--force"]);
    team.assert_stops(&["vc", "sync"], "rewrite");
    team.assert_stops(&["vc", "pull"], "rewrite");
    done(&team.brv(&[&["vc", "sync"], &ALLOW_REWRITE[..]].concat()));
    assert_eq!(team.rev("HEAD"), team.there());
    assert!(!team.has("b.md"));
    done(&team.brv(&["vc", "sync"]));
}

#[test]
fn a_fetch_shows_a_rewritten_history_keeps_the_old_one_and_the_pull_still_stops() {
    let team = Team::rewritten();
    let ours = team.rev("HEAD");
    let ran = team.brv(&["vc", "fetch"]);
    done(&ran);
    let rescue = format!("refs/brv/rescue/remotes/origin/main/{}", &ours[..12]);
    assert!(ran.stdout.contains(" + ") && ran.stdout.contains(&rescue), "{}", ran.stdout);
    assert_eq!(team.rev(&rescue), ours);
    team.assert_stops(&["vc", "pull"], "rewrite");
    team.assert_stops(&["vc", "merge", "origin/main"], "rewrite");
}

#[test]
fn a_status_names_the_history_that_the_next_pull_stops_at() {
    let team = Team::rewritten();
    assert!(
        !team.brv(&["vc", "status"]).stdout.contains("rewritten"),
        "the remote has not been contacted yet"
    );
    let stopped = team.assert_stops(&["vc", "pull"], "rewrite");
    let status = team.brv(&["vc", "status"]).stdout;
    for words in [
        "the history of origin/main was rewritten: 1 commit was dropped.",
        stopped["rescue"].as_str().unwrap(),
        "\"--allow rewrite\"",
    ] {
        assert!(status.contains(words), "{words} in {status}");
    }
    for command in [&["vc", "status", "--json"][..], &["status", "--json"]] {
        let told = json(&team.brv(command).stdout);
        assert_eq!(told["data"]["stopped"], stopped, "{command:?}");
        assert!(!told["next"].to_string().contains("pull"), "{told}");
    }
    done(&team.brv(&[&["vc", "pull"], &ALLOW_REWRITE[..]].concat()));
    assert!(!team.brv(&["vc", "status"]).stdout.contains("rewritten"));
    // plain git fetches without a warning
    team.mate_forces(&[("d.md", "d\n")]);
    team.env.git(&team.tree, &["fetch", "-q"]);
    let told = json(&team.brv(&["vc", "status", "--json"]).stdout)["data"]["stopped"].take();
    let kept = told["rescue"].as_str().unwrap();
    assert_eq!(team.rev(kept), team.rev("HEAD"), "{told}");
    team.mate_pushes(&[("e.md", "e\n")]);
}

#[test]
fn a_fetch_by_plain_git_hides_no_rewrite_from_the_next_pull() {
    let team = Team::rewritten();
    team.env.git(&team.tree, &["fetch", "-q"]);
    team.assert_stops(&["vc", "pull"], "rewrite");
}

#[test]
fn a_history_that_nobody_here_had_taken_in_is_kept_too() {
    let team = Team::with(&[("a.md", "a\n")]);
    let dropped = team.mate_pushes(&[("b.md", "b\n")]);
    done(&team.brv(&["vc", "fetch"]));
    team.mate_forces(&[("c.md", "c\n")]);
    done(&team.brv(&["vc", "fetch"]));
    let stopped = team.assert_stops(&["vc", "pull"], "rewrite");
    assert_eq!(stopped["old"], dropped.as_str());
    let ran = team.brv(&[&["vc", "pull"], &ALLOW_REWRITE[..]].concat());
    done(&ran);
    assert!(ran.stdout.contains("Fast-forwarded"), "{}", ran.stdout);
    assert_eq!(team.rev("HEAD"), team.there());
}

#[test]
fn our_own_forced_push_is_no_rewrite_by_others_and_keeps_what_it_replaced() {
    let team = Team::with(&[("a.md", "a\n")]);
    team.commit("b.md", "b\n");
    done(&team.brv(&["vc", "sync"]));
    let replaced = team.rev("HEAD");
    team.env.git(&team.tree, &["commit", "-q", "--amend", "-m", "better words"]);
    done(&team.brv(&["vc", "push", "--force"]));
    let rescue = format!("refs/brv/rescue/remotes/origin/main/{}", &replaced[..12]);
    assert_eq!(team.rev(&rescue), replaced);
    done(&team.brv(&["vc", "pull"]));
    done(&team.brv(&["vc", "sync"]));
}

#[test]
fn what_is_kept_is_never_sent_fetched_or_pruned() {
    let team = Team::rewritten();
    team.assert_stops(&["vc", "pull"], "rewrite");
    let kept = || team.env.git(&team.tree, &["for-each-ref", "refs/brv/rescue", "refs/brv/taken"]);
    let before = kept();
    assert_eq!(before.lines().count(), 2, "{before}");
    // our branch is checked out, and so rejected; what the remote does not have would be pruned
    assert_eq!(team.brv(&["vc", "fetch", "--prune", "origin", "+refs/*:refs/*"]).code, 6);
    assert_eq!(kept(), before);
    done(&team.brv(&["vc", "push", "--all", "--force"]));
    let sent = team.env.git(&team.remote, &["for-each-ref", "--format=%(refname)"]);
    assert!(!sent.contains("refs/brv"), "{sent}");
    let ran = team.brv(&["vc", "push", "origin", "refs/brv/rescue/*:refs/heads/*"]);
    assert_ne!(ran.code, 0, "{}", ran.stdout);
}

/// This many entries, all different.
fn entries(count: usize) -> Vec<(String, String)> {
    let text = |number: usize| {
        let words: Vec<String> = (0..12).map(|at| format!("word{}", number * 31 + at * 7)).collect();
        format!("# Entry {number}\n\n{}\n", words.join("\n"))
    };
    (0..count).map(|number| (format!("domain/topic/entry_{number:02}.md"), text(number))).collect()
}

fn team_of(count: usize) -> (Team, Vec<String>) {
    let files = entries(count);
    let borrowed: Vec<(&str, &str)> =
        files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let team = Team::with(&borrowed);
    (team, files.into_iter().map(|(path, _)| path).collect())
}

#[test]
fn an_update_that_deletes_a_large_part_of_the_entries_stops_every_way_in() {
    let (team, paths) = team_of(12);
    team.mate_removes(&paths[..4]);
    let ours = team.rev("HEAD");
    for arguments in [&["vc", "pull"][..], &["vc", "sync"], &["vc", "merge", "origin/main"]] {
        let stopped = team.assert_stops(arguments, "mass-delete");
        let deleted: Vec<&str> =
            stopped["deleted"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        assert_eq!(
            (deleted, &stopped["entries"]),
            (paths[..4].iter().map(String::as_str).collect(), &12.into())
        );
        assert_eq!(team.rev(stopped["rescue"].as_str().unwrap()), ours);
    }
    team.commit("mine.md", "mine\n");
    team.assert_stops(&["vc", "sync"], "mass-delete");
    let ran = team.brv(&["vc", "pull"]);
    assert!(ran.stderr.contains("4 of 13 entries would be deleted"), "{}", ran.stderr);
    done(&team.brv(&[&["vc", "sync"], &ALLOW_DELETION[..]].concat()));
    assert!(!team.has(&paths[0]) && team.has(&paths[4]) && team.has("mine.md"));
    assert_eq!(team.rev("HEAD"), team.there());
    let journal = team.journal();
    assert!(journal.contains("(allowed mass-delete: the notes moved)"), "{journal}");
    assert_eq!(team.rev(&format!("refs/brv/rescue/heads/main/{}", &ours[..12])), ours);
}

#[test]
fn a_small_part_or_a_small_tree_is_deleted_without_a_word() {
    let (team, paths) = team_of(10);
    team.mate_removes(&paths[..3]);
    done(&team.brv(&["vc", "pull"]));
    assert!(!team.has(&paths[0]));
    let (team, paths) = team_of(9);
    team.mate_removes(&paths[..8]);
    done(&team.brv(&["vc", "sync"]));
    assert!(!team.has(&paths[7]) && team.has(&paths[8]));
}

#[test]
fn entries_that_moved_or_were_archived_are_not_deleted() {
    let (team, paths) = team_of(12);
    for path in &paths[..5] {
        let moved = path.replace("topic/", "topic/elsewhere/");
        std::fs::create_dir_all(team.mate.join("domain/topic/elsewhere")).unwrap();
        std::fs::rename(team.mate.join(path), team.mate.join(moved)).unwrap();
    }
    let archived = |path: &String| {
        let id = team.env.git(&team.mate, &["rev-parse", &format!("HEAD:{path}")]);
        let name = path.rsplit_once('/').unwrap().1;
        format!("  - {name} {id} 12 2026-11-20T09:00:00Z\n")
    };
    let items: String = paths[5..10].iter().map(archived).collect();
    let overview = format!("---\ntitle: Topic\narchived:\n{items}---\n\n# Topic\n");
    std::fs::write(team.mate.join("domain/topic/context.md"), overview).unwrap();
    team.mate_removes(&paths[5..10]);
    done(&team.brv(&["vc", "pull"]));
    assert!(!team.has(&paths[0]) && !team.has(&paths[5]));
    assert!(team.has("domain/topic/elsewhere/entry_00.md"));
}

#[test]
fn what_we_deleted_ourselves_stops_nobody_here_and_everybody_there() {
    let (team, paths) = team_of(12);
    for path in &paths[..6] {
        std::fs::remove_file(team.tree.join(path)).unwrap();
    }
    done(&team.brv(&["vc", "commit", "-am", "fewer"]));
    team.mate_pushes(&[("new.md", "new\n")]);
    done(&team.brv(&["vc", "sync"]));
    assert!(team.has("new.md") && !team.has(&paths[0]));
    assert_eq!(team.rev("HEAD"), team.there());
}
