//! Operations interrupted by a crash: the next command finishes them or rolls them back, and loses nothing.
//!
//! A crash is simulated by performing only a part of a command.

use crate::env::Env;
use brv_base::clock::Clock;
use brv_base::fs::WriteGuard;
use brv_engine::journal::{
    self, Draft, IndexSides, OperationKind, RefMove, Resolution, Side, Staged, Touches, Transition, TreePart,
    Waiting,
};
use brv_engine::write::operation::{Derived, Interference, Purpose, Work, Writing};
use brv_engine::write::policy::own_files::admits;
use brv_engine::{OrStop, Stop};
use brv_git as git;
use brv_git::merge_state::MergeState;
use brv_git::{CommitId, Scope};
use std::path::PathBuf;
use std::time::Duration;

/// The parts that a pull changes.
const ALL: [TreePart; 3] = [TreePart::Files, TreePart::Index, TreePart::References];

/// A repository with two commits on `main`; `main`, index and files are at the first.
struct Stage {
    env: Env,
    work_tree: PathBuf,
    scope: Scope,
    old: CommitId,
    new: CommitId,
}

impl Stage {
    fn set() -> Self {
        let env = Env::new();
        let work_tree = env.path("tree");
        std::fs::create_dir(&work_tree).unwrap();
        let scope = git::init(&work_tree, "main", crate::env::environment()).unwrap();
        let old =
            env.commit(&work_tree, &[("a.md", "a before\n"), ("gone.md", "gone\n"), ("same.md", "same\n")]);
        std::fs::remove_file(work_tree.join("gone.md")).unwrap();
        let new = env.commit(&work_tree, &[("a.md", "a after\n"), ("deep/new.md", "new\n")]);
        env.git(&work_tree, &["reset", "-q", "--hard", &old]);
        let scope = git::open(scope.work_tree(), "", crate::env::environment()).unwrap();
        let id = |hex: &str| CommitId::from_hex(hex).unwrap();
        Self { old: id(&old), new: id(&new), env, work_tree, scope }
    }

    fn guard(&self) -> WriteGuard {
        WriteGuard::acquire(&self.scope.common_dir().join("brv/lock"), Duration::from_secs(5)).unwrap()
    }

    fn draft(&self, touches: impl Into<Touches>) -> Draft {
        Draft {
            id: None,
            kind: OperationKind::Pull,
            touches: touches.into(),
            moves: vec![RefMove {
                name: "refs/heads/main".into(),
                old: Some(self.old.into()),
                new: Some(self.new.into()),
            }],
            before: Side::Commit(self.old),
            after: Side::Commit(self.new),
            index: None,
            undoes: Vec::new(),
            reason: "pull origin/main\nBrv-Kind: forged".into(),
            actor: "ada".into(),
            session: None,
            settings: Vec::new(),
            discarded: Vec::new(),
            notes: Vec::new(),
            source_commit: None,
            code_head: None,
            dream: None,
            job: None,
        }
    }

    /// A merge of the second commit, with `a.md` in conflict.
    fn conflict(&self) -> Draft {
        let [old, new] = [self.old, self.new].map(|commit| self.scope.tree_of(commit).unwrap());
        let found = git::trees::diff(&self.scope, old, new, git::trees::Renames::Ignore).unwrap();
        let entries = found.into_iter().map(|change| {
            let staged = match change.path == "a.md" {
                true => Staged::Unmerged([change.before, change.before, change.after]),
                false => change.after.map_or(Staged::Nothing, Staged::Version),
            };
            (change.path, staged)
        });
        let index = git::index::read(&self.scope).unwrap();
        let mut index = IndexSides::of(&self.scope, &index, entries).unwrap();
        index.after.waiting = self.waiting();
        let touches = [TreePart::Files, TreePart::Index, TreePart::MergeState];
        Draft { moves: Vec::new(), index: Some(index), ..self.draft(touches) }
    }

    fn waiting(&self) -> Waiting {
        let merge = MergeState { heads: vec![self.new], message: "Merge\n".into() };
        Waiting { merge: Some(merge), ..Waiting::default() }
    }

    fn begin(&self, draft: &Draft) {
        let _ = journal::begin(
            &self.scope,
            &self.guard(),
            Clock::from_environment(crate::env::environment()),
            draft,
        )
        .unwrap();
    }

    fn recover(&self) -> Option<journal::Recovered> {
        let scope = git::open(&self.work_tree, "", crate::env::environment()).unwrap();
        journal::recover(&scope, &self.guard(), admits).unwrap()
    }

    fn read(&self, path: &str) -> Option<String> {
        std::fs::read_to_string(self.work_tree.join(path)).ok()
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.work_tree.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn assert_at(&self, commit: CommitId) {
        assert_eq!(self.env.git(&self.work_tree, &["rev-parse", "HEAD"]), commit.to_string());
        assert_eq!(self.env.git(&self.work_tree, &["status", "--porcelain"]), "");
        self.env.fsck(&self.work_tree);
        assert_eq!(self.env.git(&self.work_tree, &["for-each-ref", "refs/brv/pending"]), "");
    }

    fn operations(&self) -> usize {
        self.env.git(&self.work_tree, &["for-each-ref", "refs/brv/ops/"]).lines().count()
    }
}

#[test]
fn an_operation_that_had_not_written_anything_is_finished() {
    let stage = Stage::set();
    stage.begin(&stage.draft(ALL));
    assert_eq!(stage.recover().unwrap().resolution, Resolution::Finished);
    stage.assert_at(stage.new);
    assert_eq!(stage.read("a.md").as_deref(), Some("a after\n"));
    assert_eq!(stage.read("deep/new.md").as_deref(), Some("new\n"));
    assert_eq!(stage.read("gone.md"), None);
    assert_eq!(stage.operations(), 1);
    assert!(stage.recover().is_none(), "recovery runs once");
}

#[test]
fn an_operation_interrupted_between_files_is_finished_and_its_stale_locks_are_dropped() {
    let stage = Stage::set();
    stage.write(".git/refs/brv/pending.lock", "");
    assert!(stage.recover().is_none(), "killed before it began: only the lock is left");
    stage.begin(&stage.draft(ALL));
    stage.write("a.md", "a after\n");
    std::mem::forget(git::index::lock(&stage.scope, &stage.guard()).unwrap());
    // as a killed process leaves them: the announced lock, and the lock file
    stage.write(".git/brv/locks-dead", "refs/heads/main\nHEAD\n");
    stage.write(".git/refs/heads/main.lock", "");
    std::thread::sleep(Duration::from_millis(50));
    assert_eq!(stage.recover().unwrap().resolution, Resolution::Finished);
    stage.assert_at(stage.new);
}

#[test]
fn a_file_edited_since_the_crash_is_left_alone_and_named() {
    let stage = Stage::set();
    stage.begin(&stage.draft(ALL));
    stage.write("a.md", "edited by hand\n");
    let recovered = stage.recover().unwrap();
    assert_eq!(recovered.left_alone, ["a.md"]);
    assert_eq!(stage.read("a.md").as_deref(), Some("edited by hand\n"));
    assert_eq!(stage.env.git(&stage.work_tree, &["status", "--porcelain"]), " M a.md");
    assert_eq!(stage.env.git(&stage.work_tree, &["rev-parse", "HEAD"]), stage.new.to_string());
}

#[test]
fn a_file_whose_bytes_went_with_the_power_is_written_again_and_one_that_was_cut_by_hand_is_not() {
    for (found, is_written) in
        [("", true), ("\0\0\0\0\0\0\0\0", true), ("a aft\0\0\0", true), ("a aft", false), ("mine\0", false)]
    {
        let stage = Stage::set();
        stage.begin(&stage.draft(ALL));
        stage.write("a.md", found);
        assert_eq!(stage.recover().unwrap().left_alone.is_empty(), is_written, "{found:?}");
        let expected = if is_written { "a after\n" } else { found };
        assert_eq!(stage.read("a.md").as_deref(), Some(expected));
    }
}

#[test]
fn after_a_commit_or_switch_by_hand_nothing_is_touched_and_the_snapshots_stay_on_record() {
    for by_hand in ["elsewhere", "child of new", "other branch", "detached"] {
        let stage = Stage::set();
        stage.begin(&stage.draft(ALL));
        stage.write("a.md", "a after\n");
        let git = |arguments: &[&str]| stage.env.git(&stage.work_tree, arguments);
        let on = |parent: &str| git(&["commit-tree", "-m", "x", "-p", parent, &format!("{parent}^{{tree}}")]);
        match by_hand {
            "elsewhere" => drop(git(&["update-ref", "refs/heads/main", &on("HEAD")])),
            "child of new" => drop(git(&["update-ref", "refs/heads/main", &on(&stage.new.to_string())])),
            "other branch" => drop(git(&["checkout", "-q", "-b", "other"])),
            _ => drop(git(&["checkout", "-q", "--detach"])),
        }
        let (head, status) = (git(&["rev-parse", "HEAD"]), git(&["status", "--porcelain"]));
        assert_eq!(stage.recover().unwrap().resolution, Resolution::PutOnRecord, "{by_hand}");
        assert_eq!(
            (git(&["rev-parse", "HEAD"]), git(&["status", "--porcelain"])),
            (head, status),
            "{by_hand}"
        );
        assert_eq!(stage.read("a.md").as_deref(), Some("a after\n"));
        assert_eq!(stage.operations(), 1);
        assert!(stage.recover().is_none());
    }
}

#[test]
fn an_operation_whose_reference_cannot_be_moved_is_put_on_record_and_locks_nobody_out() {
    let stage = Stage::set();
    stage.begin(&stage.draft(ALL));
    std::fs::remove_file(stage.work_tree.join(".git/logs/refs/heads/main")).unwrap();
    stage.write(".git/logs/refs/heads/main/stale", "");
    assert_eq!(stage.recover().unwrap().resolution, Resolution::Hindered);
    assert_eq!(stage.env.git(&stage.work_tree, &["rev-parse", "HEAD"]), stage.old.to_string());
    assert_eq!(stage.read("a.md").as_deref(), Some("a after\n"));
    assert_eq!(
        stage.env.git(&stage.work_tree, &["diff", "--cached", "--name-only", &stage.new.to_string()]),
        ""
    );
    assert_eq!(stage.operations(), 1);
    assert!(stage.recover().is_none(), "no command is kept from writing");
}

#[test]
fn a_merge_whose_commit_cannot_be_brought_into_its_branch_waits_still() {
    let stage = Stage::set();
    let waiting = stage.waiting();
    waiting.write(&stage.scope).unwrap();
    let mut index = IndexSides::of(&stage.scope, &git::index::read(&stage.scope).unwrap(), []).unwrap();
    index.after.waiting = Waiting::default();
    let draft = stage.draft([TreePart::References, TreePart::Index, TreePart::MergeState]);
    stage.begin(&Draft { kind: OperationKind::Commit, index: Some(index), ..draft });
    std::fs::remove_file(stage.work_tree.join(".git/logs/refs/heads/main")).unwrap();
    stage.write(".git/logs/refs/heads/main/stale", "");
    assert_eq!(stage.recover().unwrap().resolution, Resolution::Hindered);
    assert_eq!(Waiting::read(&stage.scope).unwrap(), waiting);
}

#[test]
fn a_merge_that_already_waits_for_decisions_is_left_to_them() {
    let stage = Stage::set();
    let scope = &stage.scope;
    let parents = vec![stage.old, stage.new];
    let after = Side::Snapshot { tree: scope.tree_of(stage.new).unwrap(), parents };
    stage.begin(&Draft { after, ..stage.conflict() });
    let waiting = stage.waiting();
    waiting.write(scope).unwrap();
    stage.write("a.md", "half decided\n");
    assert_eq!(stage.recover().unwrap().resolution, Resolution::Finished);
    assert_eq!(Waiting::read(scope).unwrap(), waiting);
    assert_eq!(stage.read("a.md").as_deref(), Some("half decided\n"));
    assert!(stage.work_tree.join(".git/MERGE_HEAD").exists());
}

#[test]
fn a_merge_commit_that_was_interrupted_ends_the_merge() {
    let stage = Stage::set();
    let git = |arguments: &[&str]| stage.env.git(&stage.work_tree, arguments);
    let other = git(&["commit-tree", "-m", "x", "HEAD^{tree}"]);
    let old = stage.old.to_string();
    let merged = git(&["commit-tree", "-m", "m", "-p", &old, "-p", &other, "HEAD^{tree}"]);
    let new = CommitId::from_hex(&merged).unwrap();
    let head = RefMove { name: "refs/heads/main".into(), old: Some(stage.old.into()), new: Some(new.into()) };
    stage.write(".git/MERGE_HEAD", &format!("{other}\n"));
    let mut index = IndexSides::of(&stage.scope, &git::index::read(&stage.scope).unwrap(), []).unwrap();
    index.after.waiting = Waiting::default();
    let draft = stage.draft([TreePart::References, TreePart::Index, TreePart::MergeState]);
    let moves = vec![head];
    let index = Some(index);
    stage.begin(&Draft { kind: OperationKind::Commit, moves, after: Side::Commit(new), index, ..draft });
    assert_eq!(stage.recover().unwrap().resolution, Resolution::Finished);
    assert!(!stage.work_tree.join(".git/MERGE_HEAD").exists());
}

#[test]
fn a_commit_that_was_interrupted_ends_the_pick_and_keeps_what_was_picked() {
    let stage = Stage::set();
    stage.write(".git/CHERRY_PICK_HEAD", &format!("{}\n", stage.new));
    stage.write(".git/MERGE_MSG", "picked\n");
    let mut index = IndexSides::of(&stage.scope, &git::index::read(&stage.scope).unwrap(), []).unwrap();
    index.after.waiting = Waiting::default();
    let draft = stage.draft([TreePart::References, TreePart::Index, TreePart::MergeState]);
    stage.begin(&Draft { kind: OperationKind::Commit, index: Some(index.clone()), ..draft });
    assert_eq!(stage.recover().unwrap().resolution, Resolution::Finished);
    assert_eq!(Waiting::read(&stage.scope).unwrap(), Waiting::default());
    let record = journal::latest(&stage.scope).unwrap().unwrap();
    assert_eq!(journal::transition(&stage.scope, &record).unwrap().index, index);
    let parents = stage.env.git(&stage.work_tree, &["rev-parse", &format!("{}^3^@", record.commit)]);
    assert_eq!(parents, stage.new.to_string());
}

#[test]
fn a_merge_on_its_way_into_a_conflict_gets_there() {
    let stage = Stage::set();
    stage.begin(&stage.conflict());
    stage.write("a.md", "a after\n");
    stage.write(".git/MERGE_MSG", "Merge\n");
    assert_eq!(stage.recover().unwrap().resolution, Resolution::Finished);
    assert_eq!(Waiting::read(&stage.scope).unwrap(), stage.waiting());
    let status = stage.env.git(&stage.work_tree, &["status", "--porcelain"]);
    assert_eq!(status, "UU a.md\nA  deep/new.md\nD  gone.md");
    assert_eq!(stage.read("a.md").as_deref(), Some("a after\n"));
    assert_eq!(stage.env.git(&stage.work_tree, &["rev-parse", "HEAD"]), stage.old.to_string());
}

#[test]
fn a_commit_that_lost_its_branch_update_gets_it_and_no_file_is_touched() {
    let stage = Stage::set();
    stage.begin(&Draft { kind: OperationKind::Commit, ..stage.draft([TreePart::References]) });
    stage.write("a.md", "a before, edited further\n");
    assert_eq!(stage.recover().unwrap().resolution, Resolution::Finished);
    assert_eq!(stage.read("a.md").as_deref(), Some("a before, edited further\n"));
    assert_eq!(stage.env.git(&stage.work_tree, &["rev-parse", "HEAD"]), stage.new.to_string());
}

#[test]
fn one_command_carries_out_one_thing_with_the_index_that_it_has_locked() {
    let env = crate::init::project(&[("a.md", "# A\n")]);
    crate::init::commit(&env, "first");
    let cx = crate::env::context(&env.path(".brv/context-tree"));
    let opened = cx.open().unwrap();
    let head = opened.scope.head().unwrap().commit().unwrap();
    let branch = |name: &str| {
        let moves = vec![RefMove { name: name.into(), old: None, new: Some(head.into()) }];
        Work::exact(Transition { moves, ..Transition::default() })
    };
    let is_there = |name: &str| git::refs::find(&opened.scope, name.into()).unwrap().is_some();
    let purpose = Purpose::new(OperationKind::Branch, "x");
    let mut writing = Writing::begin(cx.parts(&opened)).unwrap();
    let index = git::index::read(&opened.scope).unwrap();
    let refused = writing.carry_out(Some(index), branch("refs/heads/one"), &purpose);
    assert!(is_out_of_turn(refused.unwrap_err()), "an index without its lock");
    assert!(!is_there("refs/heads/one"));
    assert_eq!(writing.carry_out(None, Work::exact(Transition::default()), &purpose).unwrap(), None);
    let operation = writing.carry_out(None, branch("refs/heads/one"), &purpose).unwrap();
    assert!(operation.is_some() && is_there("refs/heads/one"));
    let refused = writing.carry_out(None, branch("refs/heads/two"), &purpose);
    assert!(is_out_of_turn(refused.unwrap_err()), "a second one");
    assert!(!is_there("refs/heads/two"));
    assert_eq!(writing.finish(Derived::Leave).operation, operation);
}

#[test]
fn a_lock_of_a_killed_brv_is_dropped_and_one_of_git_is_respected() {
    let stage = Stage::set();
    let lock = stage.work_tree.join(".git/index.lock");
    let killed = git::index::lock(&stage.scope, &stage.guard()).unwrap();
    std::mem::forget(killed);
    assert!(lock.exists());
    drop(git::index::lock(&stage.scope, &stage.guard()).unwrap());
    assert!(!lock.exists());
    assert!(!stage.work_tree.join(".git/brv/index.lock-owner").exists(), "the note is removed with the lock");
    let killed = git::index::lock(&stage.scope, &stage.guard()).unwrap();
    std::mem::forget(killed);
    stage.write(".git/index.lock", "half of an index");
    drop(git::index::lock(&stage.scope, &stage.guard()).unwrap());
    stage.write(".git/index.lock", "held by git");
    assert!(git::index::lock(&stage.scope, &stage.guard()).is_err());
    assert!(lock.exists());
}

#[test]
fn operations_of_every_kind_read_back() {
    let stage = Stage::set();
    for kind in OperationKind::ALL {
        stage.begin(&Draft { kind, moves: Vec::new(), ..stage.draft([TreePart::References]) });
        assert_eq!(stage.recover().unwrap().kind, kind);
    }
}

/// `Brv-Touches` used to have one word for all parts; such operations exist in journals.
#[test]
fn an_operation_that_an_earlier_version_recorded_is_read_and_taken_back() {
    let stage = Stage::set();
    let git = |arguments: &[&str]| stage.env.git(&stage.work_tree, arguments);
    let (old, new) = (stage.old.to_string(), stage.new.to_string());
    git(&["reset", "-q", "--hard", &new]);
    let id = journal::reserve(&stage.scope, Clock::from_environment(crate::env::environment()), "earlier")
        .unwrap();
    let message = format!(
        "pull: pull origin/main\n\nBrv-Op: {id}\nBrv-Kind: pull\nBrv-Touches: files\n\
         Brv-Move: refs/heads/main {old} {new}\nBrv-Reason: pull origin/main\nBrv-Actor: ada\n"
    );
    let tree = git(&["rev-parse", "HEAD^{tree}"]);
    let record = git(&["commit-tree", "-m", &message, "-p", &old, "-p", &new, &tree]);
    git(&["update-ref", &id.reference(), &record]);
    let read = journal::read(&stage.scope, CommitId::from_hex(&record).unwrap()).unwrap();
    assert_eq!((read.kind, read.touches), (OperationKind::Pull, Touches::from(ALL)));
    let project = stage.env.path("project");
    std::fs::create_dir_all(project.join(".brv")).unwrap();
    let tree = project.join(".brv/context-tree");
    std::fs::rename(&stage.work_tree, &tree).unwrap();
    let ran = stage.env.brv_in(&project, &["undo", &id.to_string()]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(stage.env.git(&tree, &["rev-parse", "HEAD"]), old);
    assert_eq!(stage.env.git(&tree, &["status", "--porcelain"]), "");
}

#[test]
fn a_second_operation_waits_for_recovery_of_the_first() {
    let stage = Stage::set();
    stage.begin(&stage.draft(ALL));
    let second = journal::begin(&stage.scope, &stage.guard(), Clock::Wall, &stage.draft(ALL));
    assert_eq!(second.unwrap_err().message, "another operation is pending");
}

#[test]
fn an_operation_reads_back_and_no_reason_forges_a_trailer() {
    let stage = Stage::set();
    stage.begin(&stage.draft(ALL));
    stage.recover().unwrap();
    let name = stage.env.git(&stage.work_tree, &["for-each-ref", "--format=%(objectname)", "refs/brv/ops/"]);
    let record = journal::read(&stage.scope, CommitId::from_hex(&name).unwrap()).unwrap();
    assert_eq!((record.kind, record.touches), (OperationKind::Pull, Touches::from(ALL)));
    assert_eq!((record.before, record.after), (stage.old, stage.new));
    assert_eq!(record.reason, "pull origin/main Brv-Kind: forged");
    assert_eq!(record.actor, "ada");
    let seconds = stage.env.git(&stage.work_tree, &["show", "-s", "--format=%ct", &name]);
    assert_eq!(seconds, "1", "negotiation must not offer it");
}

#[test]
fn a_file_that_becomes_a_folder_or_gives_way_to_one_is_brought_both_ways() {
    for is_finished in [true, false] {
        let mut stage = Stage::set();
        for name in ["x.md", "y.md"] {
            stage.write(name, "file\n");
        }
        stage.write("y.md.d/inner.md", "inner\n");
        let old = stage.env.commit(&stage.work_tree, &[("z.md/inner.md", "inner\n")]);
        std::fs::remove_file(stage.work_tree.join("x.md")).unwrap();
        std::fs::remove_dir_all(stage.work_tree.join("z.md")).unwrap();
        let new = stage.env.commit(&stage.work_tree, &[("x.md/inner.md", "inner\n"), ("z.md", "file\n")]);
        let id = |hex: &str| CommitId::from_hex(hex).unwrap();
        // crashed after the files were written, before index and branch were
        stage.env.git(&stage.work_tree, &["update-ref", "refs/heads/main", &old]);
        stage.env.git(&stage.work_tree, &["read-tree", &old]);
        (stage.old, stage.new) = (id(&old), id(&new));
        stage.scope = git::open(&stage.work_tree, "", crate::env::environment()).unwrap();
        if !is_finished {
            // the other way round
            stage.env.git(&stage.work_tree, &["reset", "-q", "--hard", &new]);
            stage.env.git(&stage.work_tree, &["clean", "-fdq", "-e", "y.md.d"]);
            (stage.old, stage.new) = (stage.new, stage.old);
        }
        stage.begin(&stage.draft(ALL));
        let recovered = stage.recover().unwrap();
        assert!(recovered.left_alone.is_empty(), "{recovered:?}");
        stage.assert_at(stage.new);
        let inner = if is_finished { "x.md/inner.md" } else { "z.md/inner.md" };
        assert_eq!(stage.read(inner).as_deref(), Some("inner\n"));
    }
}

#[cfg(unix)]
#[test]
fn recovery_does_not_write_through_a_link_that_was_put_there_since() {
    let stage = Stage::set();
    stage.begin(&stage.draft(ALL));
    let outside = stage.env.path("outside");
    std::fs::create_dir(&outside).unwrap();
    std::os::unix::fs::symlink(&outside, stage.work_tree.join("deep")).unwrap();
    let recovered = stage.recover().unwrap();
    assert_eq!(recovered.left_alone, ["deep/new.md"]);
    assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 0);
}

/// The index must still list a file in conflict as unmerged: the file may still contain markers.
#[test]
fn an_operation_on_the_work_tree_is_finished_and_the_index_stays() {
    let stage = Stage::set();
    let index = || stage.env.git(&stage.work_tree, &["ls-files", "--stage"]);
    let before = index();
    stage.begin(&Draft { moves: Vec::new(), ..stage.draft([TreePart::Files]) });
    let recovered = stage.recover().unwrap();
    assert!(recovered.left_alone.is_empty(), "{recovered:?}");
    assert_eq!(stage.read("a.md").as_deref(), Some("a after\n"));
    assert_eq!(stage.read("deep/new.md").as_deref(), Some("new\n"));
    assert_eq!((index(), stage.operations()), (before, 1));
}

#[test]
fn what_stood_on_this_disk_is_finished_at_its_new_place_whatever_its_name() {
    let stage = Stage::set();
    for (kind, is_there) in [(OperationKind::Pull, false), (OperationKind::Move, true)] {
        let image = format!("image {is_there}\0");
        stage.env.git(&stage.work_tree, &["reset", "-q", "--hard", &stage.old.to_string()]);
        let with_image = stage.env.commit(&stage.work_tree, &[("a.png", &image)]);
        let moved = stage.env.git(&stage.work_tree, &["mv", "a.png", "b.png"]);
        let moved = moved + &stage.env.commit(&stage.work_tree, &[]);
        stage.env.git(&stage.work_tree, &["reset", "-q", "--hard", &with_image]);
        let [before, after] = [&with_image, &moved].map(|hex| Side::Commit(CommitId::from_hex(hex).unwrap()));
        stage.begin(&Draft { kind, moves: Vec::new(), before, after, ..stage.draft(ALL) });
        assert_eq!(stage.recover().unwrap().resolution, Resolution::Finished);
        assert_eq!((stage.read("a.png"), stage.read("b.png")), (None, is_there.then_some(image)), "{kind:?}");
    }
}

fn is_out_of_turn(error: OrStop<Interference>) -> bool {
    Stop::from(error).message.starts_with("the index is not locked")
}

#[test]
fn the_log_lists_the_first_files_of_a_large_operation_with_their_number() {
    let files: Vec<(String, String)> =
        (0..230).map(|at| (format!("a/e{at:03}.md"), format!("# Entry {at}\n"))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (&**path, &**text)).collect();
    let env = crate::init::project(&files);
    assert_eq!(env.brv(&["vc", "add", "."]).code, 0);
    let logged = |flags: &[&str]| {
        let ran = env.brv(&[&["op", "log", "-n", "1", "--json"], flags].concat());
        let row = crate::init::json(&ran.stdout)["data"]["operations"][0].clone();
        (row["footprint"].as_array().unwrap().len(), row["footprint_total"].clone())
    };
    assert_eq!(logged(&[]), (200, 230.into()));
    assert_eq!(logged(&["--all-paths"]), (230, serde_json::Value::Null));
    assert!(env.brv(&["op", "log"]).stdout.contains("230 files"));
}
