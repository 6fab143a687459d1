//! What may help where an operation cannot be taken back.

use super::{named, waiting};
use crate::ops::steps::undoing;
use crate::ops::undo::{Error, OperationId, Refused};
use crate::say::Failure;
use crate::say::escape::escape_line;

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let failure = Failure::of(error.kind(), &error);
        match &error {
            Error::Nothing => failure.hinting(Some("`brv op log` shows what is on record")),
            Error::Others { id, actor } => failure.hinting(Some(match actor.as_str() {
                "" => format!("it is {id}; by its name it can be undone all the same"),
                actor => format!(
                    "it is {id} of {}; by its name it can be undone all the same",
                    escape_line(actor.as_bytes())
                ),
            })),
            Error::OtherTree { .. } => failure.hinting(Some("take it back there")),
            Error::Already { by, .. } => {
                failure.hinting(Some(format!("undoing {by} brings it back; `brv op log` shows both")))
            }
            Error::Name(error) => named(failure, error),
            Error::Gone(_) => failure.hinting(Some(
                "its commits were squashed or made without its name; `brv vc revert COMMIT` takes back a commit",
            )),
            Error::Scattered { commits, .. } => failure
                .detailing(commits.iter().map(ToString::to_string))
                .hinting(Some("`brv vc revert COMMIT` takes them back one by one")),
            Error::Undoing(undoing::Error::Refused(refused)) => refused_by(failure, refused, None),
            Error::Stuck { refused, next, .. } => refused_by(failure, refused, next.as_ref()),
            Error::Undoing(undoing::Error::Identity(_)) => failure.hinting(Some(
                "a new commit needs an author: `brv vc config user.name NAME` and `brv vc config user.email ADDRESS`",
            )),
            Error::Undoing(undoing::Error::NoMatch(_)) => {
                failure.hinting(Some("nothing was written; `brv op show ID` names its files"))
            }
            Error::Undoing(undoing::Error::Changed(_)) => {
                failure.hinting(Some("nothing was written; try again"))
            }
            _ => failure,
        }
    }
}

/// Why it cannot be taken back as things stand, and how to go on.
fn refused_by(failure: Failure, refused: &Refused, next: Option<&OperationId>) -> Failure {
    let paths = match refused {
        Refused::InTheWay(paths) | Refused::RecordedAnew(paths) | Refused::NotBrought(paths) => {
            paths.as_slice()
        }
        _ => &[],
    };
    let next = next.map(|id| format!("; `brv undo {}` goes on with the operation before it", id.short()));
    failure.detailing(paths.iter().map(|path| escape_line(path).into_owned())).hinting(Some(format!(
        "{}{}",
        help(refused),
        next.unwrap_or_default()
    )))
}

fn help(refused: &Refused) -> &'static str {
    match refused {
        Refused::OtherBranch { .. } => "nothing was written; it can be undone where HEAD is on that branch",
        Refused::HeadElsewhere { .. } => {
            "nothing was written; `brv vc switch BRANCH` goes to a branch, and `brv vc restore --source refs/brv/ops/ID^1 PATH` restores a file as it was before the operation `ID`"
        }
        Refused::NotBrought(_) => "nothing was written; `brv undo ID PATH` takes back single files",
        Refused::MovedOn(_) => "nothing was written; `brv op log` shows what came after it",
        Refused::SetSince(_) => "nothing was written; `brv op log` and `brv op show ID` show what was set",
        Refused::Followed { .. } => {
            "nothing was written; take that back first, or let the branch follow another: `brv vc branch -u UPSTREAM`"
        }
        Refused::OnIt(_) => "nothing was written; it can be undone where HEAD is on another branch",
        Refused::NothingLeft => "nothing was written; `brv op show ID` shows what it did",
        Refused::AllStays => {
            "nothing was written, and it can be undone still: `--on-conflict theirs` takes what was before it"
        }
        Refused::Cloned => {
            "nothing was written; `brv op log` shows the operations since, which can be undone"
        }
        Refused::MergeEnded => {
            "nothing was written; `brv op log` shows the commit of the merge, which can be undone"
        }
        Refused::RecordedAnew(_) => {
            "nothing was written; take that back first, or `--on-conflict` takes one side or keeps both"
        }
        Refused::CommittedSince => {
            "nothing was written; `brv vc revert COMMIT` takes the commit back, `brv undo ID` one that `brv op log` shows"
        }
        Refused::InTheWay(_) => "nothing was written; move them away, and try again",
        Refused::Merging(keeper) => waiting(*keeper),
    }
}
