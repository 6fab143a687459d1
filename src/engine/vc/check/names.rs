//! Secrets beside the content of files: in the message of a commit, in a path, in the name of a branch or tag (BRV006).

use crate::vc::check::finding::CheckFinding;
use brv_git::CommitId;
use brv_text::lint::{Fault, secrets};
use bstr::BStr;

/// The path of what is about the tree as a whole.
const TREE: &str = ".";

/// The secrets in the name of a path.
pub fn path(path: &BStr) -> Vec<Fault> {
    faults(path, "the name of the path")
}

/// The secrets in the message of a commit.
pub fn message(commit: CommitId, message: &BStr) -> Vec<CheckFinding> {
    let faults = faults(message, &format!("the message of commit {}", commit.prefix(7)));
    let found =
        |fault: Fault| CheckFinding { commit: Some(commit), ..CheckFinding::present(fault.at(TREE.into())) };
    faults.into_iter().map(found).collect()
}

/// The secrets in the full name of a ref that is sent.
pub fn reference(name: &BStr) -> Vec<CheckFinding> {
    let kind = if name.starts_with(b"refs/tags/") { "tag" } else { "branch" };
    let faults = faults(name, &format!("the name of the {kind}"));
    faults.into_iter().map(|fault| CheckFinding::present(fault.at(TREE.into()))).collect()
}

fn faults(text: &BStr, place: &str) -> Vec<Fault> {
    let mut faults = secrets::faults(text);
    for fault in &mut faults {
        fault.message = format!("{} in {place}", fault.message);
    }
    faults
}
