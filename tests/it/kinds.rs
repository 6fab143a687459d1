//! How the tests cover each kind of operation. For a new [`Kind`], the compiler asks for an arm here, and the tests below
//! for the rows that the arm names.

use crate::env::Env;
use brv_engine::journal::Kind;
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
pub const fn tests(kind: Kind) -> Tests {
    match kind {
        Kind::Adopt => of(
            Test("undo", "what_was_taken_over_from_another_tool_is_given_back"),
            None,
            "init, taking over a tree",
            None,
        ),
        Kind::Commit => of(Row("commit -a -m all"), None, "vc commit", Some("commit")),
        Kind::Pull => of(
            Test("undo", "a_pull_is_undone_whether_it_moved_forward_or_merged"),
            None,
            "vc pull, merging",
            None,
        ),
        Kind::Clone => {
            of(Test("undo", "a_clone_is_not_undone_since_nothing_would_be_left"), None, "vc clone", None)
        }
        Kind::Merge => of(
            Test("undo", "a_merge_that_is_done_or_staged_is_undone"),
            Some("merge apart"),
            "vc merge",
            None,
        ),
        Kind::AbortMerge => of(Row("merge --abort"), None, "vc merge --abort", None),
        Kind::Resolve => of(Row("resolve auth/a.md --theirs"), None, "vc resolve", None),
        Kind::Repair => {
            of(Test("undo", "a_repair_is_undone_also_after_it_was_committed"), None, "vc repair", None)
        }
        Kind::Check => of(Test("undo", "fixes_of_a_check_are_undone"), None, "vc check --fix", None),
        Kind::Undo => of(
            Test("undo_kinds", "every_command_is_undone_and_redone_with_drafts_beside"),
            None,
            "undo",
            None,
        ),
        Kind::Branch => of(Row("branch made"), None, "vc branch", Some("branch")),
        Kind::Switch => of(Row("switch apart"), None, "vc switch", None),
        Kind::Restore => of(Row("restore auth/a.md b.md"), None, "vc restore", Some("restore")),
        Kind::Reset => of(Row("reset --hard HEAD~1"), None, "vc reset --hard", None),
        Kind::Move => of(Row("mv e.md f.md"), None, "vc mv", None),
        Kind::Remove => of(Row("rm e.md"), None, "vc rm --force", None),
        Kind::Revert => of(Row("revert HEAD"), Some("revert HEAD"), "vc revert", None),
        Kind::Sync => of(Row("sync -u"), None, "vc sync, merging", None),
        Kind::Add => of(Row("add --all"), None, "vc add", Some("add")),
        Kind::Push => of(Row("push -u origin side"), None, "vc push -u", None),
        Kind::Remote => of(Row("remote remove origin"), None, "vc remote add", None),
        Kind::Tag => of(Row("tag made"), None, "vc tag, moving", None),
        Kind::Curate => of(
            Row("curate words --into auth --title a --reason r"),
            Some("curate Words. --into auth --title a --reason r"),
            "curate",
            Some("curate"),
        ),
        Kind::Archive => of(Row("archive run e.md"), Some("archive run e.md"), "archive run", None),
        Kind::Unarchive => of(
            Test(
                "undo_session",
                "a_session_is_undone_and_redone_byte_for_byte_as_one_operation_in_every_mode",
            ),
            Some("archive restore e.md"),
            "archive restore",
            None,
        ),
        Kind::Dream => of(Row("dream --force"), None, "dream", None),
        Kind::Reject => of(Row("review reject 0a1b2c3d"), None, "review reject", None),
        Kind::Confirm => {
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
    let wanted = Kind::ALL.into_iter().find(|kind| covers(&tests(*kind)) == Some(command));
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
    for kind in Kind::ALL {
        if let Some(command) = covers(&tests(kind)) {
            assert!(commands.contains(&command), "{file} does not run `{command}`, which covers {kind:?}");
        }
    }
}

#[test]
fn every_kind_is_undone_and_redone() {
    has_all("tests/it/undo_kinds.rs", &crate::undo_kinds::commands(), |tests| tests.undone.row());
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it");
    for kind in Kind::ALL {
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
