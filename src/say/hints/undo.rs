//! Hints for the errors of `brv undo`.

use super::unfinished;
use crate::say::Failure;
use brv_base::escape::escape_line;
use brv_commands::undo::work;
use brv_commands::undo::{Error, OperationId, Refused};
use brv_engine::Fails as _;
use brv_engine::vc::work_tree::ongoing;

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let failure = Failure::because(error.kind(), &error);
        match &error {
            Error::Nothing => failure.hinting(Some("`brv op log` lists the logged operations")),
            Error::UnknownSession(_) => failure.hinting(Some(
                "`brv op log` shows the session of each operation; undo an operation of another clone with `brv undo ID`",
            )),
            Error::Alone { id, .. } => failure.hinting(Some(format!(
                "nothing was written; undo it with `brv undo {0}` first, or undo the others one by one",
                id.short()
            ))),
            Error::Others { id, actor } => failure.hinting(Some(match actor.as_str() {
                "" => format!("it is {id}; to undo it anyway, name it"),
                actor => format!(
                    "it is {id} by {}; to undo it anyway, name it",
                    escape_line(actor.as_bytes())
                ),
            })),
            Error::OtherTree { .. } => failure.hinting(Some("undo it there")),
            Error::Already { by, .. } => {
                failure.hinting(Some(format!("undo {by} to redo it; `brv op log` shows both")))
            }
            Error::Name(error) => failure.detailing(error.details()).hinting(error.hint()),
            Error::Gone(_) => failure.hinting(Some(
                "its commits were squashed or made without the operation ID; revert a commit with `brv vc revert COMMIT`",
            )),
            Error::Scattered { commits, .. } => failure
                .detailing(commits.iter().map(ToString::to_string))
                .hinting(Some("revert them one by one with `brv vc revert COMMIT`")),
            Error::Undoing(work::Error::Refused(refused)) => refused_by(failure, refused, None),
            Error::Undoing(work::Error::One { refused, .. }) => refused_by(failure, refused, None),
            Error::Stuck { refused, next, .. } => refused_by(failure, refused, next.as_ref()),
            Error::Undoing(work::Error::Identity(_)) => failure.hinting(Some(
                "a new commit needs an author: set `brv vc config user.name NAME` and `brv vc config user.email ADDRESS`",
            )),
            Error::Undoing(work::Error::UnderWay(error)) => under_way(failure, error),
            Error::Undoing(work::Error::NoMatch(_)) => {
                failure.hinting(Some("nothing was written; `brv op show ID` lists its files"))
            }
            Error::Undoing(work::Error::Changed(_)) => {
                failure.hinting(Some("nothing was written; try again"))
            }
            _ => failure,
        }
    }
}

/// Hints for an operation that cannot be undone in the current state, and how to continue.
fn refused_by(failure: Failure, refused: &Refused, next: Option<&OperationId>) -> Failure {
    let paths = match refused {
        Refused::InTheWay(paths) | Refused::RecordedAnew(paths) | Refused::NotBrought(paths) => {
            paths.as_slice()
        }
        _ => &[],
    };
    let next = next.map(|id| format!("; `brv undo {}` undoes the operation before it", id.short()));
    failure.detailing(paths.iter().map(|path| escape_line(path).into_owned())).hinting(Some(format!(
        "{}{}",
        help(refused),
        next.unwrap_or_default()
    )))
}

fn help(refused: &Refused) -> &'static str {
    match refused {
        Refused::OtherBranch { .. } => "nothing was written; switch to that branch to undo it",
        Refused::HeadElsewhere { .. } => {
            "nothing was written; switch branches with `brv vc switch BRANCH`, or restore a file from before the operation `ID` with `brv vc restore --source refs/brv/ops/ID^1 PATH`"
        }
        Refused::NotBrought(_) => "nothing was written; undo single files with `brv undo ID PATH`",
        Refused::MovedOn(_) => "nothing was written; `brv op log` shows the later operations",
        Refused::SetSince(_) => "nothing was written; `brv op log` and `brv op show ID` show what was set",
        Refused::Followed { .. } => {
            "nothing was written; undo that first, or set another upstream with `brv vc branch -u UPSTREAM`"
        }
        Refused::OnIt(_) => "nothing was written; switch to another branch to undo it",
        Refused::NothingLeft => "nothing was written; `brv op show ID` shows what it did",
        Refused::AllStays => {
            "nothing was written; to restore the versions from before it, use `--on-conflict theirs`"
        }
        Refused::Cloned => {
            "nothing was written; remove the folder if you no longer need the clone; `brv op log` lists the operations that can be undone"
        }
        Refused::MergeEnded => "nothing was written; the commit of the merge in `brv op log` can be undone",
        Refused::RecordedAnew(_) => {
            "nothing was written; undo that first, or take one side or both with `--on-conflict`"
        }
        Refused::CommittedSince => {
            "nothing was written; revert the commit with `brv vc revert COMMIT`, or undo a logged operation with `brv undo ID`"
        }
        Refused::InTheWay(_) => "nothing was written; move them away, then try again",
        Refused::Merging(keeper) => keeper.waiting(),
    }
}

/// Hints for a command that makes commits and did not start.
fn under_way(failure: Failure, error: &ongoing::Error) -> Failure {
    match error {
        ongoing::Error::InProgress(kind) => failure.hinting(Some(unfinished(*kind))),
        ongoing::Error::File(_) => failure,
    }
}
