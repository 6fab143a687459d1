//! What an operation's commit says: trailers of one line each, escaped on the way in, validated on the way out.

use super::discarded::{Discarded, TRAILER, escaped_path, unescaped};
use super::{Elsewhere, Error, OperationId};
use crate::git::refs::{Expected, Move, Target};
use crate::git::settings_moves::{Owner, Setting, SettingsMove};
use crate::git::{self, CommitId, Head, Scope};
use bstr::{BString, ByteSlice};

/// The trailers of what an operation changes in the settings of branches and remotes: the branch, or the remote behind
/// [`OF_REMOTE`] (none: the remotes as such), then what was set of it (`-`) or is (`+`).
const SETTING: &str = "Brv-Setting";

/// A name of a branch has no colon.
const OF_REMOTE: &str = "remote:";

/// What kind of command it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `brv init` on a tree that another tool made.
    Adopt,
    /// `vc commit`
    Commit,
    /// `vc pull`
    Pull,
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
    /// `brv undo`
    Undo,
    /// `vc branch`
    Branch,
    /// `vc switch`, `vc checkout`
    Switch,
    /// `vc restore`
    Restore,
    /// `vc reset`
    Reset,
    /// `vc mv`
    Move,
    /// `vc rm`
    Remove,
    /// `vc revert`
    Revert,
    /// `vc sync`
    Sync,
    /// `vc add`
    Add,
    /// `vc push`, of which only what branches then follow is on record
    Push,
    /// `vc remote`
    Remote,
    /// `vc tag`
    Tag,
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
    /// Exactly what the record says: files, index entries, merge state, references. A [`Transition`](super::Transition).
    State,
}

/// A reference that the operation moves, creates or deletes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefMove {
    /// The full name; `HEAD` itself when it is detached, or goes to another branch.
    pub name: BString,
    /// Where it was; `None`: it was not there.
    pub old: Option<Target>,
    /// Where it goes; `None`: it goes away.
    pub new: Option<Target>,
}

impl RefMove {
    /// The branch that `HEAD` is on, or `HEAD` itself where it is detached, goes to a commit.
    #[must_use]
    pub fn of_head(head: &Head, new: CommitId) -> Self {
        Self {
            name: head.branch().map_or_else(|| "HEAD".into(), ToOwned::to_owned),
            old: head.commit().map(Into::into),
            new: Some(new.into()),
        }
    }

    /// For [`refs::update`](crate::git::refs::update); `reason` goes into the reflog.
    #[must_use]
    pub fn to_move(&self, reason: BString) -> Move {
        let expected = self.old.clone().map_or(Expected::Absent, Expected::Is);
        Move { name: self.name.clone(), expected, target: self.new.clone(), reason }
    }

    /// The commit it pointed to itself.
    #[must_use]
    pub const fn old_commit(&self) -> Option<CommitId> {
        commit_of(self.old.as_ref())
    }

    /// The commit it then points to itself.
    #[must_use]
    pub const fn new_commit(&self) -> Option<CommitId> {
        commit_of(self.new.as_ref())
    }

    fn to_line(&self) -> String {
        let word = |target: &Option<Target>| match target {
            None => "absent".to_owned(),
            Some(Target::Object(id)) => id.to_string(),
            Some(Target::Symbolic(name)) => format!("ref:{name}"),
        };
        format!("{} {} {}", self.name, word(&self.old), word(&self.new))
    }

    fn parse(line: &str) -> Option<Self> {
        let target = |word: &str| match word {
            "absent" => Some(None),
            _ => match word.strip_prefix("ref:") {
                Some(name) => Some(Some(Target::Symbolic(name.into()))),
                None => Some(Some(CommitId::from_hex(word)?.into())),
            },
        };
        // a name of a reference has no blanks
        let [name, old, new] = line.split(' ').collect::<Vec<_>>()[..] else { return None };
        Some(Self { name: name.into(), old: target(old)?, new: target(new)? })
    }
}

impl From<Move> for RefMove {
    fn from(one: Move) -> Self {
        let old = match one.expected {
            Expected::Is(target) => Some(target),
            Expected::Absent | Expected::Anything => None,
        };
        Self { name: one.name, old, new: one.target }
    }
}

const fn commit_of(target: Option<&Target>) -> Option<CommitId> {
    match target {
        Some(Target::Object(id)) => Some(id.assumed_commit()),
        _ => None,
    }
}

/// What an operation takes back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undoes {
    /// The operation that is taken back.
    pub operation: OperationId,
    /// How much of it.
    pub extent: Extent,
}

/// How much of an operation is taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// All of it: it counts as undone.
    Whole,
    /// Some of its files.
    Part,
}

impl Undoes {
    fn to_line(&self) -> String {
        match self.extent {
            Extent::Whole => self.operation.to_string(),
            Extent::Part => format!("{} part", self.operation),
        }
    }

    fn parse(line: &str) -> Option<Self> {
        let (id, extent) = match line.strip_suffix(" part") {
            Some(id) => (id, Extent::Part),
            None => (line, Extent::Whole),
        };
        Some(Self { operation: OperationId::parse(id)?, extent })
    }
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
    /// The references it moves; the branch that `HEAD` is on first.
    pub moves: Vec<RefMove>,
    /// What it changes in the settings of branches and remotes.
    pub settings: Vec<SettingsMove>,
    /// The snapshot before.
    pub before: CommitId,
    /// The snapshot after.
    pub after: CommitId,
    /// What it changes in the index, before and after, if that is not what it changes in the files.
    pub(super) index: Option<[CommitId; 2]>,
    /// The operation that it takes back.
    pub undoes: Option<Undoes>,
    /// Which of several trees of the repository it was made in, if the tree is a folder of a bigger one.
    pub place: Option<String>,
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

impl Record {
    /// Whether it was made in the tree that the scope is, and not in another of its repository.
    #[must_use]
    pub fn is_of(&self, scope: &Scope) -> bool {
        self.place == super::place(scope)
    }

    /// In which other one, if it was.
    #[must_use]
    pub fn elsewhere(&self, scope: &Scope) -> Option<Elsewhere> {
        super::elsewhere(scope, self.place.as_deref())
    }
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 21] = [
        Self::Adopt,
        Self::Commit,
        Self::Pull,
        Self::Clone,
        Self::Merge,
        Self::AbortMerge,
        Self::Resolve,
        Self::Repair,
        Self::Undo,
        Self::Branch,
        Self::Switch,
        Self::Restore,
        Self::Reset,
        Self::Move,
        Self::Remove,
        Self::Revert,
        Self::Sync,
        Self::Add,
        Self::Push,
        Self::Remote,
        Self::Tag,
    ];

    /// The word in the trailer.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Adopt => "adopt",
            Self::Commit => "commit",
            Self::Pull => "pull",
            Self::Clone => "clone",
            Self::Resolve => "resolve",
            Self::Repair => "repair",
            Self::Merge => "merge",
            Self::AbortMerge => "merge --abort",
            Self::Undo => "undo",
            Self::Branch => "branch",
            Self::Switch => "switch",
            Self::Restore => "restore",
            Self::Reset => "reset",
            Self::Move => "mv",
            Self::Remove => "rm",
            Self::Revert => "revert",
            Self::Sync => "sync",
            Self::Add => "add",
            Self::Push => "push",
            Self::Remote => "remote",
            Self::Tag => "tag",
        }
    }
}

impl Touches {
    const ALL: [(Self, &'static str); 6] = [
        (Self::Files, "files"),
        (Self::WorkTree, "work-tree"),
        (Self::History, "history"),
        (Self::Conflict, "conflict"),
        (Self::MergeEnd, "merge-end"),
        (Self::State, "state"),
    ];

    fn word(self) -> &'static str {
        Self::ALL.iter().find(|(touches, _)| *touches == self).map_or("", |(_, word)| word)
    }
}

/// The message of the operation's commit.
pub(super) fn message(id: &OperationId, actor: &str, place: Option<&str>, draft: &super::Draft) -> BString {
    let mut text = format!("{}: {}\n\n", draft.kind.word(), one_line(&draft.reason));
    let mut trailer = |key: &str, value: &str| text.push_str(&format!("{key}: {}\n", one_line(value)));
    trailer("Brv-Op", &id.to_string());
    trailer("Brv-Kind", draft.kind.word());
    trailer("Brv-Touches", draft.touches.word());
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
    if let Some(undoes) = &draft.undoes {
        trailer("Brv-Undoes", &undoes.to_line());
    }
    trailer("Brv-Reason", &draft.reason);
    trailer("Brv-Actor", actor);
    if let Some(session) = &draft.session {
        trailer("Brv-Session", session);
    }
    for discarded in &draft.discarded {
        trailer(TRAILER, &discarded.to_line());
    }
    text.into()
}

/// Control characters become spaces, so that no value can forge a trailer of its own.
#[must_use]
pub fn one_line(value: &str) -> String {
    value.chars().map(|c| if c.is_control() { ' ' } else { c }).collect::<String>().trim().to_owned()
}

/// What an operation that takes another back, or brings it back, goes back to; any other is its own.
///
/// # Errors
/// As [`read`].
pub fn first(scope: &Scope, record: &Record) -> Result<Record, Error> {
    let mut first = record.clone();
    while let Some(undoes) = &first.undoes {
        match git::refs::commit(scope, undoes.operation.reference().as_str().into())? {
            Some(commit) => first = read(scope, commit)?,
            None => break,
        }
    }
    Ok(first)
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
    let (before, after, index) = match object.parents[..] {
        [before, after] => (before, after, None),
        [before, after, first, second] => (before, after, Some([first, second])),
        _ => return Err(unreadable("it has neither two parents nor four")),
    };
    let moves = moves(&text).ok_or_else(|| unreadable("a move of a reference that cannot be read"))?;
    let settings = settings(&text).ok_or_else(|| unreadable("a setting that cannot be read"))?;
    Ok(Record {
        id,
        commit,
        kind,
        touches,
        moves,
        settings,
        before,
        after,
        index,
        place: trailer("Brv-Tree"),
        undoes: trailer("Brv-Undoes").and_then(|line| Undoes::parse(&line)),
        reason: trailer("Brv-Reason").unwrap_or_default(),
        actor: trailer("Brv-Actor").unwrap_or_default(),
        session: trailer("Brv-Session"),
        discarded: discarded(&text),
        seconds: object.author.seconds,
    })
}

/// The moves of references; those of a version that recorded the one of `HEAD` alone, too.
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
        // a name of a branch or a remote has no blanks
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

fn discarded(text: &str) -> Vec<Discarded> {
    let line = |line: &str| Discarded::parse(line.strip_prefix(TRAILER)?.strip_prefix(": ")?);
    text.lines().filter_map(line).collect()
}
