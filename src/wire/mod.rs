//! The JSON that outsiders read: one envelope, one file for each command's data.
//!
//! Fields are added, never renamed or removed, within one version of a schema. Knows the outcomes of [`crate::ops`],
//! and nothing of how they come about.

mod bytes;
mod change;
mod config;
mod decision;
mod demo;
mod derive;
mod finding;
mod hunk;
mod init;
mod integrated;
mod knowledge;
mod links;
mod manual;
mod merge_driver;
mod op;
mod read;
mod schema;
mod status;
mod transfer;
mod tree;
mod undo;
mod vc;
mod written;

pub use bytes::Bytes;
pub use change::{Change, Recovered, Refused, Resolution, What};
pub use config::{Origin, Preference, Preferences};
pub use decision::{Conflict, Decision, Done, Party, Place, Record as MergeRecord, Why};
pub use demo::{Demo, Step};
pub use derive::{Derive, NotInOrder, Refreshed};
pub use finding::Finding;
pub use hunk::{Hunk, Line, Word};
pub use init::{Adopted, Init, Origin as TreeOrigin};
pub use integrated::{Integrated, Relation, Stopped};
pub use links::{Link, Links, State as LinkState};
pub use manual::{Completions, Help, Man, ManPage};
pub use merge_driver::MergeDriver;
pub use op::{Foreign, KnownOperation, Move, OpDiff, OpLog, OpPrune, OpShow, Operation, Settings};
pub use read::{Length, MissingName, Piece, Read};
pub use schema::{KnownSchema, OneSchema, Part, Schema};
pub use status::{Changes as Changed, Overall};
pub use transfer::{History, Moved, Ref};
pub use tree::{Row, Tree};
pub use undo::{Undo, Undone};
pub use vc::{
    Aborted, Add, Blame, BlamedCommit, BlamedFact, BlamedLine, Branch, BranchUpstream, Branches, Changes,
    Checkout, Claim, Clone, Commit, Config, Detached, Diff, Dispute, DisputedEntry, Endpoint, Fetch,
    FetchedRemote, FileDifference, Followed, ForeignFile, Gc, Log, Logged, Merge, Mv, MvDocument, MvLink,
    NewCommit, Numbered, Pointing, Pull, Push, Remote, Remotes, Repair, RepairState, RepairedFile, Reset,
    ResetCommit, Resolve, ResolvedFile, Restore, Revert, Rm, Sent, Setting, Settled, Show, ShownCommit,
    Skipped, Standing, Statement, Status, Switch, Sync, Tag, Tags, Unfinished, Unmerged, Unreached,
    UpstreamState,
};
pub use written::{Withheld, Written};

use schemars::JsonSchema;
use serde::Serialize;

/// What every command prints under `--json`.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Envelope<T> {
    /// `brv.vc.status/1`: which data this is, and the version of its shape.
    pub schema: String,
    /// Whether the command did what it was asked for.
    pub ok: bool,
    /// What it found or did; absent when it failed before there was anything to tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<T>,
    /// Why it did not; present exactly when `ok` is false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Error>,
    /// What a reader should know beside the data.
    pub warnings: Vec<String>,
    /// Commands that may follow; none of them is destructive.
    pub next: Vec<String>,
}

/// What went wrong.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
pub struct Error {
    /// The exit code as a word: `not_initialised`, `conflict`, `remote`, …
    pub code: &'static str,
    /// What could not be done, on what, and why.
    pub message: String,
    /// The files, refs or findings it is about, one line each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<String>,
    /// What may help.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// An error and its causes, `what: why: why`, leaving out a cause that only repeats the words before it.
#[must_use]
pub fn message(error: &dyn std::error::Error) -> String {
    let mut message = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let words = error.to_string();
        if !message.ends_with(&words) {
            message.push_str(": ");
            message.push_str(&words);
        }
        cause = error.source();
    }
    message
}

/// The name of a command's schema in its first version: `vc status` gives `brv.vc.status/1`.
#[must_use]
pub fn schema(command: &str) -> String {
    format!("brv.{}/1", command.replace(' ', "."))
}

/// Bytes that are nearly always UTF-8, as JSON text; what is not UTF-8 becomes U+FFFD.
pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_envelope_has_the_fields_of_the_contract_in_order() {
        let good = Envelope {
            schema: schema("vc status"),
            ok: true,
            data: Some(7),
            error: None,
            warnings: vec![],
            next: vec![],
        };
        assert_eq!(
            serde_json::to_string(&good).unwrap(),
            r#"{"schema":"brv.vc.status/1","ok":true,"data":7,"warnings":[],"next":[]}"#
        );
        let bad: Envelope<()> = Envelope {
            ok: false,
            data: None,
            error: Some(Error { code: "busy", message: "m".into(), details: vec![], hint: None }),
            ..Envelope {
                schema: schema("init"),
                ok: true,
                data: None,
                error: None,
                warnings: vec![],
                next: vec![],
            }
        };
        assert_eq!(
            serde_json::to_string(&bad).unwrap(),
            r#"{"schema":"brv.init/1","ok":false,"error":{"code":"busy","message":"m"},"warnings":[],"next":[]}"#
        );
    }
}
