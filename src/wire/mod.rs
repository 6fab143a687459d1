//! The JSON that outsiders read: one envelope, one file for each command's data.
//!
//! Fields are added, never renamed or removed, within one version of a schema. Knows the outcomes of [`crate::ops`],
//! and nothing of how they come about.

mod add;
mod blame;
mod branch;
mod change;
mod commit;
mod config;
mod decision;
mod demo;
mod derived;
mod diff;
mod finding;
mod gc;
mod history;
mod init;
mod integrated;
mod knowledge;
mod links;
mod manual;
mod merge;
mod merge_driver;
mod mv;
mod operation;
mod overall;
mod read;
mod remote;
mod repair;
mod resolve;
mod revert;
mod rm;
mod schema;
mod show;
mod status;
mod switch;
mod sync;
mod tag;
mod transfer;
mod tree;
mod undo;
mod written;

pub use add::Add;
pub use blame::Blame;
pub use branch::{Branch, Branches, Detached, Upstream as BranchUpstream};
pub use change::{Change, Recovered, Refused, Resolution, What};
pub use commit::{Commit, NewCommit};
pub use config::{Preference, Preferences};
pub use decision::{Conflict, Decision, Done, Party, Place, Record as MergeRecord, Why};
pub use demo::Demo;
pub use derived::{Derive, NotInOrder, Refreshed};
pub use diff::{Diff, FileDifference, Hunk, Line, Word};
pub use finding::Finding;
pub use gc::Gc;
pub use history::{Changes, Commit as ShownCommit, Log};
pub use init::{Adopted, Init};
pub use integrated::{Integrated, Stopped};
pub use links::Links;
pub use manual::{Completions, Help, Man, ManPage};
pub use merge::Merge;
pub use merge_driver::MergeDriver;
pub use mv::Mv;
pub use operation::{
    Foreign, Known as KnownOperation, Move, OpDiff, OpLog, OpPrune, OpShow, Operation, Settings,
};
pub use overall::Overall;
pub use read::{Length, MissingName, Piece, Read};
pub use remote::{Config, Remote, Remotes, Setting};
pub use repair::{Repair, RepairState, RepairedFile};
pub use resolve::{Numbered, Resolve, ResolvedFile, Settled, Standing};
pub use revert::Revert;
pub use rm::Rm;
pub use schema::{KnownSchema, OneSchema, Part, Schema};
pub use show::Show;
pub use status::{Claim, Dispute, Status};
pub use switch::{Checkout, Reset, ResetCommit, Restore, Switch};
pub use sync::{Sent, Sync};
pub use tag::{Tag, Tags};
pub use transfer::{Clone, Fetch, Followed, Moved, Pull, Push, Ref, Unreached, Withheld};
pub use tree::Tree;
pub use undo::Undo;
pub use written::Written;

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
