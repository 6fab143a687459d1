//! Hints for the errors of `vc switch`, `checkout`, `restore`, `reset`, `rm` and `mv`.

use super::refs::branch;
use super::{remotes, unfinished};
use crate::say::Failure;
use crate::wire::Skipped;
use brv_base::escape::{escape_line, quote_path};
use brv_base::path::{self, Kind};
use brv_commands::vc::{checkout, mv, reset, restore, rm, switch};
use brv_engine::vc::work_tree::{hard_reset, restoring, switching};
use bstr::{BStr, BString, ByteSlice as _};

impl From<switch::Error> for Failure {
    fn from(error: switch::Error) -> Self {
        let failure = Failure::of(error.kind(), &error);
        match &error {
            switch::Error::Switch(error) => go(failure, error),
            _ => failure,
        }
    }
}

impl From<checkout::Error> for Failure {
    fn from(error: checkout::Error) -> Self {
        let failure = Failure::of(error.kind(), &error);
        match &error {
            checkout::Error::Switch(error) => go(failure, error),
            checkout::Error::Revision(error) => branch(failure, error),
            checkout::Error::Restore(error) => restored(failure, error),
            _ => failure,
        }
    }
}

impl From<restore::Error> for Failure {
    fn from(error: restore::Error) -> Self {
        let failure = Failure::of(error.kind(), &error);
        match &error {
            restore::Error::Restore(error) => restored(failure, error),
            restore::Error::Revision(error) => branch(failure, error),
            _ => failure,
        }
    }
}

impl From<reset::Error> for Failure {
    fn from(error: reset::Error) -> Self {
        let failure = Failure::of(error.kind(), &error);
        match &error {
            reset::Error::Branch(error) => branch(failure, error),
            reset::Error::Restore(error) => restored(failure, error),
            reset::Error::Forced(error) => refused(failure, error),
            reset::Error::PathsOnly => failure.hinting(Some(
                "leave out `--soft` or `--hard` to unstage paths; restore files with `brv vc restore`",
            )),
            reset::Error::Merging => failure.hinting(Some(super::WAITING)),
            _ => failure,
        }
    }
}

fn go(failure: Failure, error: &switching::Error) -> Failure {
    let named =
        |paths: &[BString]| paths.iter().map(|path| escape_line(path).into_owned()).collect::<Vec<_>>();
    match error {
        switching::Error::Branch(error) => branch(failure, error),
        switching::Error::NotABranch(_) => {
            failure.hinting(Some("use `--detach` to switch to the commit itself, or `-c NAME` to create a branch there"))
        }
        switching::Error::Ambiguous { .. } => {
            failure.hinting(Some("name the remote: `--track REMOTE/BRANCH`"))
        }
        switching::Error::UnderWay(kind) => failure.hinting(Some(unfinished(*kind))),
        switching::Error::Unmerged(paths) => failure.detailing(named(paths)).hinting(Some(
            "resolve a file with `brv vc resolve PATH`, or discard it with `brv vc restore --source REV PATH`",
        )),
        switching::Error::Cause(cause) => remotes::caused(failure, cause),
        switching::Error::Forced(error) => refused(failure, error),
    }
}

fn restored(failure: Failure, error: &restoring::Error) -> Failure {
    match error {
        restoring::Error::Unmerged(paths) => {
            failure.detailing(paths.iter().map(|path| escape_line(path).into_owned())).hinting(Some(
                "resolve it with `brv vc resolve PATH`; or take one side with `--ours` or `--theirs`",
            ))
        }
        restoring::Error::Forced(error) => refused(failure, error),
        _ => failure,
    }
}

/// The paths that must not be written, or that are in the way, with a hint.
fn refused(failure: Failure, error: &hard_reset::Error) -> Failure {
    match error {
        hard_reset::Error::Unsafe(paths) => failure
            .detailing(paths.iter().map(|found| format!("{} {}", escape_line(&found.path), found.reason)))
            .hinting(Some("nothing was written; these paths must be removed from the commit")),
        hard_reset::Error::Hidden(paths) => failure
            .detailing(paths.iter().map(|path| escape_line(path).into_owned()))
            .hinting(Some(remotes::HIDDEN)),
        hard_reset::Error::InTheWay(paths) => failure
            .detailing(paths.iter().map(|path| escape_line(path).into_owned()))
            .hinting(Some("nothing was written; move them away, then try again")),
        _ => failure,
    }
}

impl From<rm::Error> for Failure {
    fn from(error: rm::Error) -> Self {
        let failure = Failure::of(error.kind(), &error);
        match &error {
            rm::Error::NotAFile(paths) => failure
                .detailing(paths.iter().map(|path| quote_path(path).into_owned()).collect::<Vec<_>>())
                .hinting(Some(
                    "nothing was removed, because an undo could not restore it: move it away, or keep it with `--cached`",
                )),
            rm::Error::Unsaved(files) => {
                let lines = files.iter().map(|file| {
                    let what = match file.what {
                        rm::What::StagedAlone => "the staged version differs from both the file and the last commit",
                        rm::What::Staged => "has staged changes",
                        rm::What::Edited => "has unstaged edits",
                    };
                    format!("{}: {what}", quote_path(&file.path))
                });
                failure
                    .detailing(lines.collect::<Vec<_>>())
                    .hinting(Some("keep the files with `--cached`, or remove them with their edits with `--force`"))
            }
            rm::Error::Folder(_) => failure.hinting(Some("remove a folder with its files with `-r`")),
            _ => failure,
        }
    }
}

impl From<mv::Error> for Failure {
    fn from(error: mv::Error) -> Self {
        let failure = Failure::of(error.kind(), &error);
        match &error {
            mv::Error::Refused(refused) => {
                let hint = refused.iter().find_map(|one| match &one.why {
                    mv::Why::Exists(_) if !one.route.is_folder => {
                        Some("overwrite it with `--force`; the operation keeps its content".to_owned())
                    }
                    mv::Why::NotRecorded => Some(format!("stage it with `{}`", add(one.path.as_bstr()))),
                    mv::Why::NoFolder => Some("name the new file; its folder is created".to_owned()),
                    mv::Why::Conflicted => Some("`brv vc resolve --list` lists the conflicts".to_owned()),
                    _ => None,
                });
                failure
                    .detailing(refused.iter().map(|one| skipped(&Skipped::from(one))).collect::<Vec<_>>())
                    .hinting(hint)
            }
            mv::Error::NotAFolder(_) => {
                failure.hinting(Some("to move several files, name an existing folder"))
            }
            mv::Error::Saved(_) => failure.hinting(Some("run it again")),
            _ => failure,
        }
    }
}

/// A path that cannot move, and why.
pub fn skipped(one: &Skipped) -> String {
    let path = escape_line(&one.path);
    let link = if one.stands_alone { ":" } else { "" };
    format!("`{path}`{link} {}", one.reason)
}

/// The command that stages a file of any kind.
fn add(path: &BStr) -> String {
    let force = match path::kind_of(&path.to_str_lossy()) {
        Kind::Foreign => "-f ",
        Kind::Entry | Kind::NodeOverview | Kind::Support | Kind::Derived(_) => "",
    };
    format!("brv vc add {force}{}", quote_path(path))
}
