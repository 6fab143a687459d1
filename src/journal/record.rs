//! What an operation's commit says: trailers of one line each, escaped on the way in, validated on the way out.

use super::discarded::{Discarded, TRAILER};
use super::{Error, OperationId};
use crate::git::{self, CommitId, Scope};
use bstr::{BString, ByteSlice};

/// What kind of command it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `brv init` on a tree that another tool made.
    Adopt,
    /// `vc commit`
    Commit,
    /// `vc pull`
    Pull,
    /// `vc sync`
    Sync,
    /// `vc clone`
    Clone,
    /// `vc resolve`
    Resolve,
    /// `vc repair`
    Repair,
    /// `vc merge`
    Merge,
    /// `vc merge --abort`
    AbortMerge,
}

/// What the operation writes beside references.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Touches {
    /// Files of the work tree and their index entries.
    Files,
    /// Files of the work tree only: their index entries are the command's last step, and may be made by hand as well.
    WorkTree,
    /// Nothing: the files are already as they shall be.
    History,
    /// Files, index and merge state; an interrupted one is rolled back, because the merge can simply be run again.
    Conflict,
    /// Files, their index entries and the merge state: back to before a merge, which ends.
    MergeEnd,
}

/// A branch that the operation moves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeadMove {
    /// The full name, or `HEAD` itself when detached.
    pub reference: BString,
    /// Where it was; `None`: unborn.
    pub old: Option<CommitId>,
    /// Where it goes.
    pub new: CommitId,
}

/// One operation as read from its commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Its name.
    pub id: OperationId,
    /// Its commit.
    pub commit: CommitId,
    /// The command.
    pub kind: Kind,
    /// What it writes.
    pub touches: Touches,
    /// The branch it moves, if any.
    pub head: Option<HeadMove>,
    /// The snapshot before.
    pub before: CommitId,
    /// The snapshot after.
    pub after: CommitId,
    /// Why, in the user's words.
    pub reason: String,
    /// Who: person or agent.
    pub actor: String,
    /// Which session of the actor, if it said so.
    pub session: Option<String>,
    /// Values that a merge gave up for others.
    pub discarded: Vec<Discarded>,
    /// When, in seconds since 1970.
    pub seconds: i64,
}

impl Kind {
    const ALL: [Self; 9] = [
        Self::Adopt,
        Self::Commit,
        Self::Pull,
        Self::Sync,
        Self::Clone,
        Self::Merge,
        Self::AbortMerge,
        Self::Resolve,
        Self::Repair,
    ];

    /// The word in the trailer.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Adopt => "adopt",
            Self::Commit => "commit",
            Self::Pull => "pull",
            Self::Sync => "sync",
            Self::Clone => "clone",
            Self::Resolve => "resolve",
            Self::Repair => "repair",
            Self::Merge => "merge",
            Self::AbortMerge => "merge --abort",
        }
    }
}

impl Touches {
    const ALL: [(Self, &'static str); 5] = [
        (Self::Files, "files"),
        (Self::WorkTree, "work-tree"),
        (Self::History, "history"),
        (Self::Conflict, "conflict"),
        (Self::MergeEnd, "merge-end"),
    ];

    fn word(self) -> &'static str {
        Self::ALL.iter().find(|(touches, _)| *touches == self).map_or("", |(_, word)| word)
    }
}

/// The message of the operation's commit.
pub(super) fn message(id: &OperationId, draft: &super::Draft) -> BString {
    let mut text = format!("{}: {}\n\n", draft.kind.word(), one_line(&draft.reason));
    let mut trailer = |key: &str, value: &str| text.push_str(&format!("{key}: {}\n", one_line(value)));
    trailer("Brv-Op", &id.to_string());
    trailer("Brv-Kind", draft.kind.word());
    trailer("Brv-Touches", draft.touches.word());
    if let Some(head) = &draft.head {
        trailer("Brv-Head", &head.reference.to_str_lossy());
        trailer("Brv-Old", &head.old.map_or("unborn".to_owned(), |id| id.to_string()));
        trailer("Brv-New", &head.new.to_string());
    }
    trailer("Brv-Reason", &draft.reason);
    trailer("Brv-Actor", &draft.actor);
    if let Some(session) = &draft.session {
        trailer("Brv-Session", session);
    }
    for discarded in &draft.discarded {
        trailer(TRAILER, &discarded.to_line());
    }
    text.into()
}

/// Control characters become spaces, so that no value can forge a trailer of its own.
fn one_line(value: &str) -> String {
    value.chars().map(|c| if c.is_control() { ' ' } else { c }).collect::<String>().trim().to_owned()
}

/// Read the operation in a commit.
///
/// # Errors
/// [`Error::Unreadable`] when the commit is not an operation of this version.
pub fn read(scope: &Scope, commit: CommitId) -> Result<Record, Error> {
    let unreadable = |reason| Error::Unreadable { id: commit, reason };
    let object = git::commit::read(scope, commit)?;
    let text = object.message.to_str_lossy();
    let trailer = |key: &str| {
        text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(": ").map(str::to_owned))
    };
    let id = trailer("Brv-Op")
        .and_then(|id| OperationId::parse(&id))
        .ok_or_else(|| unreadable("no operation id"))?;
    let word = trailer("Brv-Kind").unwrap_or_default();
    let kind =
        Kind::ALL.into_iter().find(|kind| kind.word() == word).ok_or_else(|| unreadable("unknown kind"))?;
    let word = trailer("Brv-Touches").unwrap_or_default();
    let touches =
        Touches::ALL.iter().find(|(_, name)| *name == word).ok_or_else(|| unreadable("unknown reach"))?.0;
    let [before, after] = object.parents[..] else { return Err(unreadable("it does not have two parents")) };
    let head = match trailer("Brv-Head") {
        None => None,
        Some(reference) => Some(HeadMove {
            reference: reference.into(),
            old: trailer("Brv-Old").and_then(|id| CommitId::from_hex(&id)),
            new: trailer("Brv-New")
                .and_then(|id| CommitId::from_hex(&id))
                .ok_or_else(|| unreadable("no new head"))?,
        }),
    };
    Ok(Record {
        id,
        commit,
        kind,
        touches,
        head,
        before,
        after,
        reason: trailer("Brv-Reason").unwrap_or_default(),
        actor: trailer("Brv-Actor").unwrap_or_default(),
        session: trailer("Brv-Session"),
        discarded: discarded(&text),
        seconds: object.author.seconds,
    })
}

fn discarded(text: &str) -> Vec<Discarded> {
    let line = |line: &str| Discarded::parse(line.strip_prefix(TRAILER)?.strip_prefix(": ")?);
    text.lines().filter_map(line).collect()
}
