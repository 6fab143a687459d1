//! What people and agents say about entries and changes, on this clone. What became of a comment is computed at each reading:
//! an undo, a later edit and a decision change it.

use super::flag::Flag;
use crate::jobs::Store;
use crate::journal;
use crate::open::context::Opened;
use crate::open::state::{CommentWrite, Remark, Ruling, State, StatePlace, StoredComment, StoredDecision};
use crate::outcome::json;
use crate::{FailureKind, Stop};
use brv_base::content::ContentId;
use brv_base::fs;
use brv_base::nearest::nearest;
use brv_base::path::TreePath;
use brv_git::{Converter, Scope, trees};
use brv_text::doc::{Document, is_same_subject, single_spaced};
use brv_text::lint::secrets;
use bstr::{BStr, ByteSlice as _};
use schemars::JsonSchema;
use serde::Serialize;
use std::cell::OnceCell;
use std::collections::HashMap;
use std::path::Path;

/// The most characters of a comment, or of an answer.
pub const LONGEST_COMMENT: usize = 4_000;

/// The most comments that wait for an answer.
const MOST_OPEN: usize = 1_000;

/// The most characters of a quote.
const LONGEST_QUOTE: usize = 200;

/// How long a comment is kept after it was closed, in seconds; one that is answered or outdated, after its last word.
const KEPT_SECONDS: i64 = 90 * 24 * 60 * 60;

/// How many hexadecimal digits name a comment.
const DIGITS: usize = 10;

/// A comment on an entry, or on a change that was marked for review. Paths are relative to the tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "ReviewComment")]
pub struct Comment {
    pub id: String,
    /// The change that it is on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change: Option<String>,
    pub path: String,
    /// The blob that was commented on.
    pub blob: String,
    /// The subject of the fact that it is on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fact: Option<String>,
    /// The line that it is on, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The value of the fact, or the line, as it was; at most 200 characters. Empty if it is on the whole entry.
    pub quote: String,
    pub text: String,
    pub actor: String,
    #[serde(serialize_with = "json::time")]
    #[schemars(with = "String")]
    pub time: i64,
    pub state: CommentState,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<CommentAnswer>,
}

/// What became of a comment; the last that holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "ReviewCommentState")]
pub enum CommentState {
    /// It waits for an answer.
    Open,
    /// The entry does not say any more what it quotes, or is gone.
    Outdated,
    Answered,
    /// The change that it is on was approved or rejected since.
    Closed,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "ReviewCommentAnswer")]
pub struct CommentAnswer {
    pub text: String,
    pub actor: String,
    #[serde(serialize_with = "json::time")]
    #[schemars(with = "String")]
    pub time: i64,
}

/// Where in an entry a comment is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum CommentSpot {
    #[default]
    Entry,
    /// The fact with this subject.
    Fact(String),
    /// This line, from 1.
    Line(u32),
}

/// What a comment is on.
#[derive(Debug)]
pub struct CommentPlace {
    change: Option<[String; 2]>,
    path: String,
    blob: ContentId,
    spot: CommentSpot,
    quote: String,
    is_before: bool,
}

impl CommentPlace {
    /// A place in an entry as it is on disk, which must still be this blob.
    ///
    /// # Errors
    /// It is not there, or another one now; it has no such fact or line.
    pub fn in_entry(
        opened: &Opened,
        path: &TreePath,
        spot: CommentSpot,
        expected: Option<ContentId>,
    ) -> Result<Self, Stop> {
        let gone = || Stop::usage(format!("`{path}` is not in the context tree"));
        let (blob, bytes) = on_disk(&opened.scope, path.as_str())?.ok_or_else(gone)?;
        if expected.is_some_and(|expected| expected != blob) {
            let message = format!("`{path}` was changed since it was shown: nothing was said about it");
            return Err(Stop::new(FailureKind::Conflict, message).hint("read it again, then say it again"));
        }
        let quote = quote(path.as_str(), &bytes, &spot)?;
        Ok(Self { change: None, path: path.to_string(), blob, spot, quote, is_before: false })
    }

    /// A place in what a change made of its path; what it removed is sought in the version before.
    ///
    /// # Errors
    /// Neither version has such a fact or line.
    pub fn in_change(scope: &Scope, flag: &Flag, spot: CommentSpot) -> Result<Self, Stop> {
        let path = flag.path.to_string();
        let [before, after] = flag.versions.map(|version| version.map(|version| version.id));
        let found = |id: ContentId, is_before: bool| {
            let quote = quote(&path, &trees::blob(scope, id)?, &spot)?;
            Ok::<_, Stop>((id, quote, is_before))
        };
        let found = match (before, after) {
            (Some(before), Some(after)) => match (found(after, false), &spot) {
                (Err(stop), CommentSpot::Fact(_)) => found(before, true).map_err(|_| stop),
                (found, _) => found,
            },
            (None, Some(after)) => found(after, false),
            (Some(before), None) => found(before, true),
            (None, None) => Err(Stop::failed(format!("`{}` has no version of `{path}`", flag.id))),
        };
        let (blob, quote, is_before) = found?;
        let change = Some([flag.id.clone(), flag.change()]);
        Ok(Self { change, path, blob, spot, quote, is_before })
    }
}

/// The comments of this clone, what became of them, and what of them is kept no longer.
#[derive(Debug, Default)]
pub struct Comments {
    /// The oldest first.
    pub all: Vec<Comment>,
    old: Vec<String>,
}

impl Comments {
    pub fn read(opened: &Opened) -> Result<Self, Stop> {
        let store = Store::of(opened)?;
        let (stored, decisions) = store.read(|state| {
            let comments = state.comments()?;
            let decisions = if comments.is_empty() { Vec::new() } else { state.decisions()? };
            Ok((comments, decisions))
        })?;
        let mut judge = CommentJudge { opened, decisions, texts: HashMap::new(), undone: OnceCell::new() };
        let mut comments = Self::default();
        for one in stored {
            let (state, last) = judge.judge(&one)?;
            match state != CommentState::Open && store.now() - last > KEPT_SECONDS {
                true => comments.old.push(one.id),
                false => comments.all.push(Comment::of(one, state)),
            }
        }
        Ok(comments)
    }

    /// Changes when somebody says or decides something on this clone.
    pub fn stamp(opened: &Opened) -> Result<String, Stop> {
        let place = StatePlace::of(&opened.places, opened.scope.environment())?;
        let stat = |file: &Path| fs::stat(file).ok().flatten();
        Ok(format!("{:?}", [stat(&place.file), stat(&place.file.with_extension("db-wal"))]))
    }

    /// Those that wait for an answer.
    pub fn open(&self) -> impl Iterator<Item = &Comment> {
        self.all.iter().filter(|comment| comment.state == CommentState::Open)
    }

    /// The one that a typed id names.
    ///
    /// # Errors
    /// None is called so, or several are.
    pub fn called(&self, typed: &str) -> Result<&Comment, Stop> {
        let id = typed.trim().to_lowercase();
        let found: Vec<&Comment> =
            self.all.iter().filter(|one| !id.is_empty() && one.id.starts_with(&id)).collect();
        match found[..] {
            [one] => Ok(one),
            [] => Err(unknown(typed)),
            _ => {
                let names: Vec<&str> = found.iter().map(|one| one.id.as_str()).collect();
                Err(Stop::usage(format!("`{typed}` is ambiguous: {} begin with it", names.join(", "))))
            }
        }
    }

    /// Keep a comment. The same one is not kept twice while it waits for an answer.
    ///
    /// # Errors
    /// The text is empty, too long, or has a secret; too many comments wait.
    pub fn add(opened: &Opened, place: CommentPlace, said: Remark) -> Result<Comment, Stop> {
        let said = checked(said)?;
        let known = Self::read(opened)?;
        let CommentPlace { change, path, blob, spot, quote, is_before } = place;
        let (fact, line) = match spot {
            CommentSpot::Entry => (None, None),
            CommentSpot::Fact(subject) => (Some(subject), None),
            CommentSpot::Line(line) => (None, Some(line)),
        };
        let count = known.all.len() + known.old.len();
        let named = format!("{path}\0{blob}\0{fact:?}{line:?}\0{}\0{}\0{count}", said.text, said.at);
        let mut id = ContentId::of(named.as_bytes()).to_string();
        id.truncate(DIGITS);
        let blob = blob.to_string();
        let (decided, answer) = (0, None);
        let new =
            StoredComment { id, change, path, blob, fact, line, quote, is_before, said, decided, answer };
        let settled = known.all.iter().filter(|one| one.state != CommentState::Open);
        let settled: Vec<String> = settled.map(|one| one.id.clone()).collect();
        let keep = |state: &mut State| state.add_comment(&new, (&known.old, &settled, MOST_OPEN));
        match Store::of(opened)?.with(keep)? {
            CommentWrite::Done(kept) => Ok(Comment::of(kept, CommentState::Open)),
            _ => {
                let message = format!("{MOST_OPEN} comments wait for an answer: there may be no more");
                Err(Stop::new(FailureKind::Refused, message)
                    .hint("`brv review answer CID -m TEXT` answers one"))
            }
        }
    }

    /// Answer a comment. The same answer may come again.
    ///
    /// # Errors
    /// As [`Comments::called`] and [`Comments::add`]; it has another answer.
    pub fn answer(opened: &Opened, typed: &str, said: Remark) -> Result<Comment, Stop> {
        let said = checked(said)?;
        let known = Self::read(opened)?;
        let comment = known.called(typed)?;
        let keep = |state: &mut State| state.answer_comment(&comment.id, &said, &known.old);
        match Store::of(opened)?.with(keep)? {
            CommentWrite::Done(kept) => {
                let is_closed = comment.state == CommentState::Closed;
                Ok(Comment::of(kept, if is_closed { CommentState::Closed } else { CommentState::Answered }))
            }
            CommentWrite::Answered(kept) => {
                let by = kept.answer.map(|answer| answer.actor).unwrap_or_default();
                let message = format!("`{}` was answered by {by}: an answer is not replaced", kept.id);
                Err(Stop::new(FailureKind::Refused, message).hint("`brv review comment` says more"))
            }
            CommentWrite::Full | CommentWrite::Unknown => Err(unknown(typed)),
        }
    }
}

fn unknown(typed: &str) -> Stop {
    Stop::usage(format!("there is no comment `{typed}`")).hint("`brv review comments --all` lists them")
}

/// A text that may be kept.
fn checked(said: Remark) -> Result<Remark, Stop> {
    let text = said.text.replace("\r\n", "\n").trim().to_owned();
    if text.is_empty() {
        return Err(Stop::usage("a comment is a text"));
    }
    let length = text.chars().count();
    if length > LONGEST_COMMENT {
        return Err(Stop::usage(format!("a comment has at most {LONGEST_COMMENT} characters, not {length}")));
    }
    if let Some(fault) = secrets::faults(text.as_bytes()).first() {
        let message = format!("{}: {}: the text was not kept", fault.rule.id(), fault.message);
        return Err(Stop::new(FailureKind::Blocked, message).hint("say it without the value"));
    }
    Ok(Remark { text, ..said })
}

impl Comment {
    fn of(stored: StoredComment, state: CommentState) -> Self {
        let masked = |text: String| secrets::masked(&text).into_owned();
        let Remark { text, actor, at: time } = stored.said;
        Self {
            id: stored.id,
            change: stored.change.map(|[id, _]| id),
            path: stored.path,
            blob: stored.blob,
            fact: stored.fact,
            line: stored.line,
            quote: stored.quote,
            text: masked(text),
            actor: masked(actor),
            time,
            state,
            answer: stored.answer.map(|Remark { text, actor, at: time }| CommentAnswer {
                text: masked(text),
                actor: masked(actor),
                time,
            }),
        }
    }
}

/// Finds out what became of comments.
struct CommentJudge<'a> {
    opened: &'a Opened,
    decisions: Vec<StoredDecision>,
    /// The entries as they are.
    texts: HashMap<String, Option<Vec<u8>>>,
    /// The operations that were undone.
    undone: OnceCell<Vec<String>>,
}

impl CommentJudge<'_> {
    /// The state, and when something was last said or decided.
    fn judge(&mut self, one: &StoredComment) -> Result<(CommentState, i64), Stop> {
        if let Some(closed) = self.closed(one) {
            return Ok((CommentState::Closed, closed));
        }
        if let Some(answer) = &one.answer {
            return Ok((CommentState::Answered, answer.at));
        }
        let state = if self.stands(one)? { CommentState::Open } else { CommentState::Outdated };
        Ok((state, one.said.at))
    }

    /// When the change was decided about, if that still holds.
    fn closed(&self, one: &StoredComment) -> Option<i64> {
        let [id, does] = one.change.as_ref()?;
        let later = self.decisions.get(usize::try_from(one.decided).ok()?..)?;
        let last = later.iter().rev().find(|decision| decision.row == *id || decision.change == *does)?;
        let stands = match last.ruling {
            Ruling::Approved => true,
            Ruling::Reopened => false,
            Ruling::Rejected => !last.operation.as_ref().is_some_and(|id| self.undone().contains(id)),
        };
        stands.then_some(last.at)
    }

    fn undone(&self) -> &[String] {
        self.undone.get_or_init(|| {
            let listed = journal::list(&self.opened.scope).unwrap_or_default();
            journal::undone(&listed).keys().map(ToString::to_string).collect()
        })
    }

    /// Whether the entry is still as the comment has it: it says the quote, or lacks it where the change removed it.
    fn stands(&mut self, one: &StoredComment) -> Result<bool, Stop> {
        if !self.texts.contains_key(&one.path) {
            let bytes = on_disk(&self.opened.scope, &one.path)?.map(|(_, bytes)| bytes);
            self.texts.insert(one.path.clone(), bytes);
        }
        let Some(bytes) = self.texts.get(&one.path).and_then(Option::as_ref) else {
            return Ok(one.is_before);
        };
        let says = match (&one.fact, one.line) {
            (Some(subject), _) => values(bytes, subject).contains(&one.quote),
            (None, Some(_)) => bytes.lines().any(|line| shown(&line.to_str_lossy()) == one.quote),
            (None, None) => true,
        };
        Ok(says != one.is_before)
    }
}

/// The blob of a file of the tree, and its bytes, as git has them.
fn on_disk(scope: &Scope, path: &str) -> Result<Option<(ContentId, Vec<u8>)>, Stop> {
    let root = scope.root();
    let Ok(file) = TreePath::parse(path.as_bytes()) else { return Ok(None) };
    let Some(bytes) = fs::read_below(&root, &file.on_disk(&root))? else { return Ok(None) };
    let bytes = Converter::of(scope).to_git(BStr::new(path), bytes.into())?.into_owned();
    Ok(Some((ContentId::of(&bytes), bytes)))
}

/// What a version says at a spot.
fn quote(path: &str, bytes: &[u8], spot: &CommentSpot) -> Result<String, Stop> {
    match spot {
        CommentSpot::Entry => Ok(String::new()),
        CommentSpot::Fact(subject) => values(bytes, subject).into_iter().next().ok_or_else(|| {
            let document = Document::parse(bytes);
            let subjects: Vec<String> =
                document.facts().into_iter().filter_map(|fact| fact.subject).collect();
            let near = nearest(subject, subjects.iter().map(String::as_str));
            let names =
                near.map_or_else(|| subjects.iter().take(3).cloned().collect(), |one| vec![one.to_owned()]);
            let stop = Stop::usage(format!("`{path}` has no fact `{subject}`"));
            if names.is_empty() { stop.hint("it has no facts: name a line") } else { stop.nearest(&names) }
        }),
        CommentSpot::Line(number) => {
            let line =
                usize::try_from(*number).ok().and_then(|number| bytes.lines().nth(number.checked_sub(1)?));
            let line = line.map(|line| shown(&line.to_str_lossy()));
            let last = || Stop::usage(format!("`{path}` has no line {number}")).hint(lines(bytes));
            line.ok_or_else(last)
        }
    }
}

fn lines(bytes: &[u8]) -> String {
    format!("its last line is {}", bytes.lines().count())
}

/// What the facts of a subject say.
fn values(bytes: &[u8], subject: &str) -> Vec<String> {
    let document = Document::parse(bytes);
    let of_subject = document
        .facts()
        .into_iter()
        .filter(|fact| fact.subject.as_ref().is_some_and(|one| is_same_subject(one, subject)));
    of_subject.map(|fact| shown(&fact.statement)).collect()
}

/// A text as it is quoted: on one line, without the values of secrets, not too long.
fn shown(text: &str) -> String {
    let line = single_spaced(&secrets::masked(text));
    if line.chars().count() <= LONGEST_QUOTE {
        return line;
    }
    let start: String = line.chars().take(LONGEST_QUOTE - 1).collect();
    format!("{}…", start.trim_end())
}
