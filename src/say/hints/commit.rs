//! Hints for the errors of `vc commit` and `vc resolve`.

use super::{under_way, unfinished};
use crate::say::Failure;
use brv_base::escape::escape_line;
use brv_commands::vc::{commit, resolve};
use brv_engine::FailureKind;
use brv_engine::vc::work_tree::staging;

impl From<commit::Error> for Failure {
    fn from(error: commit::Error) -> Self {
        let hint = match &error {
            commit::Error::NotMerging => {
                Some("start one with `brv vc merge REV`; `brv vc status` shows the state of the tree")
            }
            commit::Error::NothingToAmend => Some("create the first commit with `brv vc commit -m MSG`"),
            commit::Error::Published(_) => Some(
                "commit on top with `brv vc commit`, without `--amend`; or replace it with `--allow rewrite` and a `--reason`, which requires a forced push afterwards",
            ),
            commit::Error::Shallow(_) => {
                Some("fetch the rest of the history with `brv vc fetch --unshallow`")
            }
            commit::Error::WouldBeEmpty(_) => Some(
                "keep it without changes with `--allow-empty`, or remove it from the branch with `brv vc reset --soft HEAD~1`",
            ),
            commit::Error::MovedOn => {
                Some("check `brv vc log`, then commit again; the message is kept in git's COMMIT_EDITMSG")
            }
            commit::Error::NoMessage => Some("pass a message with `-m MSG`"),
            commit::Error::Identity(_) => Some(
                "set yours with `brv vc config user.name NAME` and `brv vc config user.email ADDRESS`, or in git's own settings",
            ),
            commit::Error::Unmerged(_) => Some(
                "list the conflicts with `brv vc resolve --list`, resolve them with `brv vc resolve PATH`",
            ),
            commit::Error::Stage(staging::Error::NotRecorded(_)) => {
                Some("stage a new file with `brv vc add PATH`")
            }
            commit::Error::Unstaged(_) => Some("stage it for the merge with `brv vc add PATH`"),
            commit::Error::PartOfMerge => {
                Some("commit the merge in progress with `brv vc commit`, without paths")
            }
            commit::Error::HostBusy => {
                Some("finish it first: `git status` shows how; `git commit` commits the staged changes")
            }
            commit::Error::Signing(commit::SigningError::NoKey) => {
                Some("set it to the file of your key, or commit without a signature with `--no-gpg-sign`")
            }
            commit::Error::Signing(commit::SigningError::Git(_) | commit::SigningError::File(_)) => None,
            commit::Error::Signing(_) => Some("commit without a signature with `--no-gpg-sign`"),
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
        Failure::because(FailureKind::Failed, &error)
            .hinting(Some("nothing was committed; pass the message with `-m MSG` instead of an editor"))
    }
}

impl From<resolve::Error> for Failure {
    fn from(error: resolve::Error) -> Self {
        let hint = match &error {
            resolve::Error::NoDecision { .. } | resolve::Error::WhichFile | resolve::Error::Changed(_) => {
                Some("`brv vc resolve --list` lists the open conflicts with their numbers")
            }
            resolve::Error::NotUnmerged(_) => Some(
                "`brv vc resolve --list` lists the unmerged files; `brv vc repair` redoes a merge that another tool committed",
            ),
            resolve::Error::TwoFrontmatters(_) => Some(
                "merge the versions by meaning with `brv vc resolve PATH --merge`; or remove all but one frontmatter and try again",
            ),
            resolve::Error::InConflict(_) => Some("`brv vc resolve --list` lists the open conflicts"),
            resolve::Error::Unsettled(_) => {
                Some("`brv read PATH` shows the disputed subjects with their claims")
            }
            _ => None,
        };
        Failure::of(error.kind(), &error).hinting(hint)
    }
}
