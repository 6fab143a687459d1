//! How the tests cover each kind of operation. For a new [`OperationKind`], the compiler asks for an arm here, and the tests below
//! for the rows that the arm names.

use crate::env::Env;
use brv_engine::journal::OperationKind;
use std::path::Path;

/// What covers the operations of a kind.
pub struct Tests {
    /// What undoes one and redoes it.
    pub undone: Undoing,
    /// The command in `undo_shared` that is undone after a push; for a command that commits what it writes.
    pub pushed: Option<&'static str>,
    /// The scene in `faults/scenes.rs` that makes one.
    #[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "faults are injected on Linux"))]
    pub scene: &'static str,
    /// The command in `load` that many processes run at once; for a command that writes entries.
    pub load: Option<&'static str>,
}

/// Where an operation is undone.
pub enum Undoing {
    /// The command, in a table of `undo_kinds`.
    Row(&'static str),
    /// A test of its own: its module and its name.
    Test(&'static str, &'static str),
}

use Undoing::{Row, Test};

/// What covers the operations of this kind.
pub const fn tests(kind: OperationKind) -> Tests {
    match kind {
        OperationKind::Adopt => of(
            Test("undo", "what_was_taken_over_from_another_tool_is_given_back"),
            None,
            "init, taking over a tree",
            None,
        ),
        OperationKind::Commit => of(Row("commit -a -m all"), None, "vc commit", Some("commit")),
        OperationKind::Pull => of(
            Test("undo", "a_pull_is_undone_whether_it_moved_forward_or_merged"),
            None,
            "vc pull, merging",
            None,
        ),
        OperationKind::Clone => {
            of(Test("undo", "a_clone_is_not_undone_since_nothing_would_be_left"), None, "vc clone", None)
        }
        OperationKind::Merge => of(
            Test("undo", "a_merge_that_is_done_or_staged_is_undone"),
            Some("merge apart"),
            "vc merge",
            None,
        ),
        OperationKind::AbortMerge => of(Row("merge --abort"), None, "vc merge --abort", None),
        OperationKind::Resolve => of(Row("resolve auth/a.md --theirs"), None, "vc resolve", None),
        OperationKind::Repair => {
            of(Test("undo", "a_repair_is_undone_also_after_it_was_committed"), None, "vc repair", None)
        }
        OperationKind::Check => of(Test("undo", "fixes_of_a_check_are_undone"), None, "vc check --fix", None),
        OperationKind::Undo => of(
            Test("undo_kinds", "every_command_is_undone_and_redone_with_drafts_beside"),
            None,
            "undo",
            None,
        ),
        OperationKind::Branch => of(Row("branch made"), None, "vc branch", Some("branch")),
        OperationKind::Switch => of(Row("switch apart"), None, "vc switch", None),
        OperationKind::Restore => of(Row("restore auth/a.md b.md"), None, "vc restore", Some("restore")),
        OperationKind::Reset => of(Row("reset --hard HEAD~1"), None, "vc reset --hard", None),
        OperationKind::Move => of(Row("mv e.md f.md"), None, "vc mv", None),
        OperationKind::Remove => of(Row("rm e.md"), None, "vc rm --force", None),
        OperationKind::Revert => of(Row("revert HEAD"), Some("revert HEAD"), "vc revert", None),
        OperationKind::Sync => of(Row("sync -u"), None, "vc sync, merging", None),
        OperationKind::Add => of(Row("add --all"), None, "vc add", Some("add")),
        OperationKind::Push => of(Row("push -u origin side"), None, "vc push -u", None),
        OperationKind::Remote => of(Row("remote remove origin"), None, "vc remote add", None),
        OperationKind::Tag => of(Row("tag made"), None, "vc tag, moving", None),
        OperationKind::Curate => of(
            Row("curate words --into auth --title a --reason r"),
            Some("curate Words. --into auth --title a --reason r"),
            "curate",
            Some("curate"),
        ),
        OperationKind::Archive => of(Row("archive run e.md"), Some("archive run e.md"), "archive run", None),
        OperationKind::Unarchive => of(
            Test(
                "undo_session",
                "a_session_is_undone_and_redone_byte_for_byte_as_one_operation_in_every_mode",
            ),
            Some("archive restore e.md"),
            "archive restore",
            None,
        ),
        OperationKind::Dream => of(Row("dream --force"), None, "dream", None),
        OperationKind::Reject => of(Row("review reject 0a1b2c3d"), None, "review reject", None),
        OperationKind::Confirm => {
            of(Row("stale confirm e.md auth"), Some("stale confirm e.md"), "stale confirm", Some("confirm"))
        }
    }
}

const fn of(
    undone: Undoing,
    pushed: Option<&'static str>,
    scene: &'static str,
    load: Option<&'static str>,
) -> Tests {
    Tests { undone, pushed, scene, load }
}

/// What the operation log calls the newest operation of a project.
pub fn newest(env: &Env, folder: &Path) -> String {
    let ran = env.brv_in(folder, &["op", "log", "-n", "1", "--json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    crate::init::json(&ran.stdout)["data"]["operations"][0]["kind"].as_str().unwrap().to_owned()
}

/// Whether the newest operation is of the kind that the command covers, if it covers one.
pub fn check(
    env: &Env,
    command: &str,
    covers: impl Fn(&Tests) -> Option<&'static str>,
) -> Result<(), String> {
    let wanted = OperationKind::ALL.into_iter().find(|kind| covers(&tests(*kind)) == Some(command));
    let Some(wanted) = wanted else { return Ok(()) };
    match newest(env, env.root()) {
        made if made == wanted.word() => Ok(()),
        made => Err(format!("tests/it/kinds.rs: it makes `{made}` instead of `{}`", wanted.word())),
    }
}

impl Undoing {
    /// The command in a table, unless a test of its own does it.
    pub const fn row(&self) -> Option<&'static str> {
        match self {
            Row(command) => Some(command),
            Test(..) => None,
        }
    }
}

#[track_caller]
fn has_all(file: &str, commands: &[&str], covers: impl Fn(&Tests) -> Option<&'static str>) {
    for kind in OperationKind::ALL {
        if let Some(command) = covers(&tests(kind)) {
            assert!(commands.contains(&command), "{file} does not run `{command}`, which covers {kind:?}");
        }
    }
}

#[test]
fn every_kind_is_undone_and_redone() {
    has_all("tests/it/undo_kinds.rs", &crate::undo_kinds::commands(), |tests| tests.undone.row());
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it");
    for kind in OperationKind::ALL {
        if let Test(module, name) = tests(kind).undone {
            let text = std::fs::read_to_string(folder.join(module).with_extension("rs")).unwrap();
            assert!(text.contains(&format!("#[test]\nfn {name}()")), "{module}.rs has no test {name}");
        }
    }
}

#[test]
fn what_stands_for_a_kind_in_other_lists_is_there() {
    has_all("tests/it/undo_shared.rs", &crate::undo_shared::commands(), |tests| tests.pushed);
    has_all("tests/it/load.rs", &crate::load::commands(), |tests| tests.load);
}
