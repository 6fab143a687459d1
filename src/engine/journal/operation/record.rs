//! The message of an operation's commit: one-line trailers, escaped when written and validated when read.

use super::discarded::{Discarded, TRAILER, escaped_path, unescaped};
use super::note::{self, Note};
use super::place::{self, Elsewhere};
use crate::Stop;
use crate::journal::{
    CodeHead, Draft, DreamId, OperationId, OperationKind, RefMove, SourceCommit, Touches, Undoes, one_line,
};
use brv_git as git;
use brv_git::settings_moves::{Owner, Setting, SettingsMove};
use brv_git::{CommitId, Scope};
use bstr::{BStr, BString, ByteSlice};

/// The trailer of a changed setting of branches and remotes: the branch, or the remote after [`OF_REMOTE`] (without a
/// name: remotes in general), then a value that was removed (`-`) or added (`+`).
const SETTING: &str = "Brv-Setting";

/// The trailer of the parts that an operation changes, and the one that earlier versions used.
const PARTS: &str = "Brv-Parts";
const EARLIER: &str = "Brv-Touches";

/// The trailer of an operation that is undone, one for each.
const UNDOES: &str = "Brv-Undoes";

/// The prefix of remotes; branch names cannot contain a colon.
const OF_REMOTE: &str = "remote:";

/// The trailer of the job that an operation is.
const JOB: &str = "Brv-Job";

/// One operation, as read from its commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    pub id: OperationId,
    pub commit: CommitId,
    pub kind: OperationKind,
    /// The parts of the tree that it changes.
    pub touches: Touches,
    /// The references that it moves, beginning with the current branch.
    pub moves: Vec<RefMove>,
    /// The changes to the settings of branches and remotes.
    pub settings: Vec<SettingsMove>,
    pub before: CommitId,
    pub after: CommitId,
    /// The changes to the index, before and after, if they differ from the changes to the files.
    pub(in crate::journal) index: Option<[CommitId; 2]>,
    /// The operations that it undoes, newest first; empty: it is not an undo.
    pub undoes: Vec<Undoes>,
    /// The tree that it was made in, if the tree is a folder of a bigger repository.
    pub place: Option<String>,
    /// The reason, in the user's words.
    pub reason: String,
    /// The actor: a person or an agent.
    pub actor: String,
    /// The session of the actor, if set.
    pub session: Option<String>,
    /// Values that a merge discarded.
    pub discarded: Vec<Discarded>,
    /// What it says about single paths, where no commit of its own says it.
    pub notes: Vec<Note>,
    /// The commit of the code that the knowledge comes from.
    pub source_commit: Option<SourceCommit>,
    /// The head of the code when it was written, where no commit of its own says it.
    pub code_head: Option<CodeHead>,
    /// The dream that it is.
    pub dream: Option<DreamId>,
    /// The job that it is.
    pub job: Option<String>,
    /// When it was made, in seconds since 1970.
    pub seconds: i64,
}

impl Record {
    /// Whether it was made in this tree, not in another tree of the same repository.
    pub fn is_of(&self, scope: &Scope) -> bool {
        self.place == place::place(scope)
    }

    /// Whether it lists its index entries; otherwise they are those of its files.
    pub const fn lists_index(&self) -> bool {
        self.index.is_some()
    }

    /// The other tree in which it was made, if any.
    pub fn elsewhere(&self, scope: &Scope) -> Option<Elsewhere> {
        place::elsewhere(scope, self.place.as_deref())
    }
}

pub(in crate::journal) fn message(
    id: &OperationId,
    actor: &str,
    place: Option<&str>,
    draft: &Draft,
) -> BString {
    let mut text = format!("{}: {}\n\n", draft.kind.word(), one_line(&draft.reason));
    let mut trailer = |key: &str, value: &str| text.push_str(&format!("{key}: {}\n", one_line(value)));
    trailer("Brv-Op", &id.to_string());
    trailer("Brv-Kind", draft.kind.word());
    trailer(PARTS, &draft.touches.words());
    if let Some(place) = place {
        trailer("Brv-Tree", place);
    }
    for one in &draft.moves {
        trailer("Brv-Move", &one.to_line());
    }
    for one in &draft.settings {
        for (sign, side) in [('-', &one.old), ('+', &one.new)] {
            for setting in side {
                let value = escaped_path(&setting.value().to_owned());
                trailer(SETTING, &format!("{} {sign}{}={value}", owner_word(&one.of), setting.key));
            }
        }
    }
    for undoes in &draft.undoes {
        trailer(UNDOES, &undoes.to_line());
    }
    trailer("Brv-Reason", &draft.reason);
    trailer("Brv-Actor", actor);
    if let Some(session) = &draft.session {
        trailer("Brv-Session", session);
    }
    if let Some(source) = &draft.source_commit {
        trailer(SourceCommit::TRAILER, &source.to_string());
    }
    if let Some(head) = &draft.code_head {
        trailer(CodeHead::TRAILER, &head.to_string());
    }
    if let Some(dream) = &draft.dream {
        trailer(DreamId::TRAILER, &dream.to_string());
    }
    if let Some(job) = &draft.job {
        trailer(JOB, job);
    }
    for discarded in &draft.discarded {
        trailer(TRAILER, &discarded.to_line());
    }
    for note in &draft.notes {
        trailer(note::TRAILER, &note.to_line());
    }
    text.into()
}

/// The original operation at the start of a chain of undos and redos; an operation that undoes nothing is its own. Of
/// several that were undone together, which are all of kinds that are undone alike, it is the newest.
pub fn first(scope: &Scope, record: &Record) -> Result<Record, Stop> {
    let mut first = record.clone();
    while let Some(undoes) = first.undoes.first() {
        match git::refs::commit(scope, undoes.operation.reference().as_str().into())? {
            Some(commit) => first = read(scope, commit)?,
            None => break,
        }
    }
    Ok(first)
}

/// Whether the message is that of an operation, perhaps of a later version. Ordinary commits have the id only.
pub(in crate::journal) fn is_operation(message: &BStr) -> bool {
    ["Brv-Op: ", "Brv-Kind: "].iter().all(|key| message.lines().any(|line| line.starts_with_str(key)))
}

/// Read an operation from its commit.
///
/// # Errors
/// The commit cannot be read, or is not an operation of this version.
pub fn read(scope: &Scope, commit: CommitId) -> Result<Record, Stop> {
    parse(&git::commit::read(scope, commit)?)
        .map_err(|why| Stop::failed(format!("this version of brv cannot read operation {commit}: {why}")))
}

/// The operation of a commit, or why this version cannot read it.
pub(in crate::journal) fn parse(object: &git::commit::Commit) -> Result<Record, &'static str> {
    let text = object.message.to_str_lossy();
    let trailer = |key: &str| {
        text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(": ").map(str::to_owned))
    };
    let id = trailer("Brv-Op").and_then(|id| OperationId::parse(&id)).ok_or("no operation id")?;
    let word = trailer("Brv-Kind").unwrap_or_default();
    let kind = OperationKind::ALL.into_iter().find(|kind| kind.word() == word).ok_or("unknown kind")?;
    let (before, after, index) = match object.parents[..] {
        [before, after] => (before, after, None),
        [before, after, first, second] => (before, after, Some([first, second])),
        _ => return Err("it has neither two parents nor four"),
    };
    let touches = match trailer(PARTS) {
        Some(words) => Touches::parse(&words),
        None => Touches::of_earlier(&trailer(EARLIER).unwrap_or_default(), index.is_some()),
    };
    let touches = touches.ok_or("unknown parts")?;
    let moves = moves(&text).ok_or("unreadable ref move")?;
    let settings = settings(&text).ok_or("unreadable setting")?;
    Ok(Record {
        id,
        commit: object.id,
        kind,
        touches,
        moves,
        settings,
        before,
        after,
        index,
        place: trailer("Brv-Tree"),
        undoes: undoes(&text),
        reason: trailer("Brv-Reason").unwrap_or_default(),
        actor: trailer("Brv-Actor").unwrap_or_default(),
        session: trailer("Brv-Session"),
        discarded: discarded(&text),
        notes: text.lines().filter_map(Note::parse).collect(),
        source_commit: trailer(SourceCommit::TRAILER).and_then(|value| SourceCommit::parse(&value)),
        code_head: trailer(CodeHead::TRAILER).and_then(|value| CodeHead::parse(&value)),
        dream: trailer(DreamId::TRAILER).and_then(|value| DreamId::parse(&value)),
        job: trailer(JOB),
        seconds: object.author.seconds,
    })
}

/// The moves of references; also reads the format of versions that logged only the move of `HEAD`.
fn moves(text: &str) -> Option<Vec<RefMove>> {
    let value = |key: &str| text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(": "));
    if let Some(name) = value("Brv-Head") {
        let old = value("Brv-Old").and_then(CommitId::from_hex).map(Into::into);
        let new = Some(value("Brv-New").and_then(CommitId::from_hex)?.into());
        return Some(vec![RefMove { name: name.into(), old, new }]);
    }
    text.lines().filter_map(|line| line.strip_prefix("Brv-Move: ")).map(RefMove::parse).collect()
}

fn owner_word(of: &Owner) -> String {
    match of {
        Owner::Branch(name) => name.clone(),
        Owner::Remote(name) => format!("{OF_REMOTE}{name}"),
        Owner::Remotes => OF_REMOTE.to_owned(),
    }
}

fn settings(text: &str) -> Option<Vec<SettingsMove>> {
    let mut moves: Vec<SettingsMove> = Vec::new();
    for line in text.lines().filter_map(|line| line.strip_prefix(SETTING)?.strip_prefix(": ")) {
        // names of branches and remotes contain no blanks
        let (word, rest) = line.split_once(' ')?;
        if moves.last().is_none_or(|last| owner_word(&last.of) != word) {
            let of = match word.strip_prefix(OF_REMOTE) {
                Some("") => Owner::Remotes,
                Some(remote) => Owner::Remote(remote.to_owned()),
                None => Owner::Branch(word.to_owned()),
            };
            moves.push(SettingsMove { of, old: Vec::new(), new: Vec::new() });
        }
        let last = moves.last_mut()?;
        let (side, rest) = match rest.split_at_checked(1)? {
            ("-", rest) => (&mut last.old, rest),
            ("+", rest) => (&mut last.new, rest),
            _ => return None,
        };
        let (key, value) = rest.split_once('=')?;
        side.push(Setting::recorded(key, unescaped(value)?));
    }
    Some(moves)
}

fn undoes(text: &str) -> Vec<Undoes> {
    let line = |line: &str| Undoes::parse(line.strip_prefix(UNDOES)?.strip_prefix(": ")?);
    text.lines().filter_map(line).collect()
}

fn discarded(text: &str) -> Vec<Discarded> {
    let line = |line: &str| Discarded::parse(line.strip_prefix(TRAILER)?.strip_prefix(": ")?);
    text.lines().filter_map(line).collect()
}
