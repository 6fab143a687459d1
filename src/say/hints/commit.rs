//! What may help where nothing was committed, or a decision was not made.

use super::{under_way, unfinished, waiting};
use crate::ops::steps::work_tree::staging;
use crate::ops::vc::{commit, resolve, revert};
use crate::say::escape::{escape_line, quote_path};
use crate::say::{Exit, Failure};

impl From<commit::Error> for Failure {
    fn from(error: commit::Error) -> Self {
        let hint = match &error {
            commit::Error::NotMerging => {
                Some("`brv vc merge REV` begins one; `brv vc status` shows how the tree stands")
            }
            commit::Error::NothingToAmend => Some("`brv vc commit -m MSG` makes the first commit"),
            commit::Error::Published(_) => Some(
                "`brv vc commit` without `--amend` makes another one on top; `--allow rewrite` with a `--reason` replaces it all the same, and the next push must then be forced",
            ),
            commit::Error::Shallow(_) => Some("`brv vc fetch --unshallow` brings the rest of the history"),
            commit::Error::WouldBeEmpty(_) => Some(
                "`--allow-empty` keeps it without changes; `brv vc reset --soft HEAD~1` takes it off the branch and leaves the files",
            ),
            commit::Error::MovedOn => {
                Some("look at `brv vc log`, then commit again; the message stands in git's COMMIT_EDITMSG")
            }
            commit::Error::NoMessage => Some("say what changed with -m MSG"),
            commit::Error::Identity(_) => Some(
                "set yours with `brv vc config user.name NAME` and `brv vc config user.email ADDRESS`, or in git's own settings",
            ),
            commit::Error::Unmerged(_) => {
                Some("`brv vc resolve --list` shows what is open, `brv vc resolve PATH` decides it")
            }
            commit::Error::Stage(staging::Error::NotRecorded(_)) => {
                Some("`brv vc add PATH` records a new file")
            }
            commit::Error::Unstaged(_) => Some("`brv vc add PATH` stages it for the merge"),
            commit::Error::PartOfMerge => Some("`brv vc commit` without paths ends what is under way"),
            commit::Error::HostBusy => {
                Some("end it as a whole: `git status` says how, and `git commit` takes what is staged")
            }
            commit::Error::Signing(commit::SigningError::NoKey) => {
                Some("set it to the file of your key, or commit without a signature: `--no-gpg-sign`")
            }
            commit::Error::Signing(commit::SigningError::Git(_) | commit::SigningError::File(_)) => None,
            commit::Error::Signing(_) => Some("`--no-gpg-sign` makes a commit without a signature"),
            _ => None,
        };
        let files = match &error {
            commit::Error::Unmerged(paths) | commit::Error::Unstaged(paths) => paths.as_slice(),
            _ => &[],
        };
        let failure = Failure::of(error.kind(), &error);
        let failure = match &error {
            commit::Error::OtherInProgress(kind) => failure.hinting(Some(unfinished(*kind))),
            commit::Error::UnderWay(error) => under_way(failure, error),
            _ => failure,
        };
        failure.detailing(files.iter().map(|path| escape_line(path).into_owned())).hinting(hint)
    }
}

impl From<commit::EditError> for Failure {
    fn from(error: commit::EditError) -> Self {
        Failure::because(Exit::Failed, &error)
            .hinting(Some("nothing was committed; `-m MSG` gives the message without an editor"))
    }
}

impl From<revert::Error> for Failure {
    fn from(error: revert::Error) -> Self {
        let failure = Failure::of(error.kind(), &error);
        match &error {
            revert::Error::Staged(paths) => failure
                .detailing(paths.iter().map(|path| quote_path(path).into_owned()))
                .hinting(Some("`brv vc commit` records them first")),
            revert::Error::IsMerge(_) => failure.hinting(Some("`-m 1` goes back to its first parent")),
            revert::Error::Merging(keeper) => failure.hinting(Some(waiting(*keeper))),
            revert::Error::UnderWay(error) => under_way(failure, error),
            _ => failure,
        }
    }
}

impl From<resolve::Error> for Failure {
    fn from(error: resolve::Error) -> Self {
        let hint = match &error {
            resolve::Error::NoDecision { .. } | resolve::Error::WhichFile | resolve::Error::Changed(_) => {
                Some("`brv vc resolve --list` shows what is open, with its numbers")
            }
            resolve::Error::NotUnmerged(_) => Some(
                "`brv vc resolve --list` shows what is unmerged; `brv vc repair` merges a file again that another tool committed",
            ),
            resolve::Error::TwoFrontmatters(_) => Some(
                "`brv vc resolve PATH --merge` merges the versions by meaning; or leave one frontmatter, then try again",
            ),
            resolve::Error::InConflict(_) => Some("`brv vc resolve --list` shows what is open"),
            resolve::Error::Unsettled(_) => Some("`brv read PATH` shows disputed subjects with their claims"),
            _ => None,
        };
        Failure::of(error.kind(), &error).hinting(hint)
    }
}
