//! What a commit message teaches: facts and notes for the tree, or the reason why nothing is filed.
//!
//! By rules, without a model. A trailer with a subject is a fact, exactly; one without is a note, and so are the best
//! sentences of the body, if they give a reason, a rule or a limit ([`crate::judge`]). Most commits state nothing. Knows
//! messages and paths; reads no repository, no tree, and never the change itself.
//!
//! Characters that nobody sees stay, so that curation can refuse them; control characters are blanks.

pub mod attribution;
mod called;
mod chores;
mod declined;
mod keys;
#[cfg(test)]
mod laws;
mod message;
mod notes;
mod patterns;
mod reverts;
mod statement;
#[cfg(test)]
mod tests;
mod title;

pub use called::is_called;
pub use reverts::{Reverted, reverts};

use crate::doc;
use crate::doc::item::Prefix;
use crate::judge::{NoteKind, TAKEN};
use message::Message;
use statement::TrailerStatement;
use std::fmt;

/// The version of the rules. A commit that another version declined is read again when its history is taken in.
pub const RULES_VERSION: u32 = 3;

/// A commit as its message and its list of files show it.
#[derive(Debug, Clone, Copy)]
pub struct CommitDescription<'a> {
    /// The first paragraph of the message.
    pub subject: &'a str,
    /// The message after its first paragraph, as it is.
    pub body: &'a str,
    /// The name and the address of its author.
    pub author: &'a str,
    pub address: &'a str,
    /// The files that it changed.
    pub files: &'a [&'a str],
    /// The number of its parents.
    pub parents: usize,
    /// The folder of the tree, if the tree is in the repository of the code.
    pub in_repo_tree: Option<&'a str>,
}

/// What a commit teaches, or why it teaches nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reading {
    /// It teaches something.
    Lesson(Lesson),
    /// Nothing of it is filed.
    Declined(Reason),
}

/// What a commit teaches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lesson {
    /// The facts of its trailers.
    pub facts: Vec<CommitFact>,
    /// The notes of trailers without a subject, then at most one of its prose.
    pub notes: Vec<CommitNote>,
    /// The subjects that it supersedes, also those that none of its facts is about.
    pub supersedes: Vec<String>,
    /// The subject on one line.
    pub task: String,
    /// The subject without type, scope and issue numbers, at most 80 characters, such that it can stand in bold; `None` if
    /// nothing is left that could be read.
    pub title: Option<String>,
}

/// What an item says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitNote {
    pub prefix: Option<Prefix>,
    /// One line that is never empty.
    pub text: String,
    /// The weight of the heaviest sentence of the text, by [`crate::judge::note`].
    pub weight: i32,
    /// The sentence of the text that stands for all.
    pub lead: String,
    pub lead_weight: i32,
    /// The kind that the prefix says, else the lead.
    pub kind: NoteKind,
    /// Whether it is of the prose, not of a trailer.
    pub is_prose: bool,
}

/// A fact that a commit states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitFact {
    /// What it is about, if it says so.
    pub subject: Option<String>,
    /// One line that is never empty.
    pub statement: String,
    /// Its category.
    pub category: Option<doc::Category>,
    /// Whether it replaces the existing statements about the subject.
    pub settles: bool,
}

/// Why a commit is declined. Its text is shown in the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reason {
    /// A trailer `Brv-Skip: true`.
    Skip,
    /// More than one parent.
    Merge,
    /// `fixup!`, `squash!` or `amend!`.
    Fixup,
    /// Only files of the tree.
    KnowledgeOnly,
    /// A program wrote it: which one, or what it is.
    Generated(&'static str),
    Release,
    Typo,
    /// What it says is about code that is gone. Reading never says so: who takes a history in knows.
    CodeGone,
    /// It has no text besides trailers.
    NoText,
    /// The weights of its sentences do not suffice: the greatest of them.
    NoReason {
        best: i32,
    },
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Generated(name) => return write!(f, "generated: {name}"),
            Self::NoReason { best } => {
                return write!(f, "no sentence gives a reason, rule or limit (best {best} of {TAKEN})");
            }
            Self::Skip => "`Brv-Skip`",
            Self::Merge => "merge",
            Self::Fixup => "fixup",
            Self::KnowledgeOnly => "knowledge only",
            Self::Release => "release",
            Self::Typo => "typo",
            Self::CodeGone => "its code is gone",
            Self::NoText => "no text",
        })
    }
}

/// The prose of a message without its trailers, one paragraph or list item a line.
pub fn text_of(body: &str) -> String {
    let messages = message::read(body);
    let units = messages.iter().flat_map(|message| &message.units);
    units.map(|unit| unit.text.as_str()).collect::<Vec<_>>().join("\n")
}

impl Reading {
    /// The same without what it says in prose, for a commit whose code is gone.
    pub fn without_prose(self) -> Self {
        let Self::Lesson(mut lesson) = self else { return self };
        lesson.notes.retain(|note| !note.is_prose);
        match lesson.facts.is_empty() && lesson.notes.is_empty() {
            true => Self::Declined(Reason::CodeGone),
            false => Self::Lesson(lesson),
        }
    }
}

impl Lesson {
    /// A lesson of facts that somebody else found in a commit with this subject.
    pub fn of_facts(subject: &str, facts: Vec<CommitFact>) -> Self {
        let task = one_line(subject);
        Self { facts, notes: Vec::new(), supersedes: Vec::new(), title: title::title(&task), task }
    }
}

/// Read a commit.
pub fn read(told: &CommitDescription<'_>) -> Reading {
    lesson(told).map_or_else(Reading::Declined, Reading::Lesson)
}

fn lesson(told: &CommitDescription<'_>) -> Result<Lesson, Reason> {
    let messages = message::read(told.body);
    let task = task(told.subject, &messages);
    let trailers: Vec<_> = messages.iter().flat_map(|message| &message.trailers).collect();
    if let Some(reason) = declined::always(told, &task, &trailers) {
        return Err(reason);
    }
    let (mut facts, mut notes) = (Vec::new(), Vec::new());
    for said in trailers.iter().filter_map(|trailer| statement::of_trailer(trailer)) {
        match said {
            TrailerStatement::Fact(fact) => facts.push(fact),
            TrailerStatement::Item { prefix, text } => notes.push(CommitNote::of(prefix, text)),
        }
    }
    let is_silent = facts.is_empty() && notes.is_empty();
    match prose(told, &task, &messages, is_silent) {
        Ok(note) => notes.push(note),
        Err(reason) if is_silent => return Err(reason),
        Err(_) => {}
    }
    let supersedes = statement::superseded(&trailers);
    let facts = settled(facts, &supersedes);
    Ok(Lesson { facts, notes: once(notes), supersedes, title: title::title(&task), task })
}

/// The subject on one line: that of the first squashed commit if git wrote the other.
fn task(subject: &str, messages: &[Message]) -> String {
    let squashed = messages.iter().map(|message| message.subject.as_str()).find(|own| !own.is_empty());
    match squashed.filter(|_| subject.trim() == message::HEAD) {
        Some(own) => one_line(own),
        None => one_line(subject),
    }
}

/// The note of the prose. If the trailers are silent, the subject decides first.
fn prose(
    told: &CommitDescription<'_>,
    task: &str,
    messages: &[Message],
    is_silent: bool,
) -> Result<CommitNote, Reason> {
    if let Some(reason) = declined::made(told, task) {
        return Err(reason);
    }
    match declined::by_subject(task).filter(|_| is_silent) {
        Some(reason) => Err(reason),
        None => notes::of_prose(messages),
    }
}

/// Each note once.
fn once(notes: Vec<CommitNote>) -> Vec<CommitNote> {
    let mut kept: Vec<CommitNote> = Vec::new();
    for note in notes {
        let is_same = |one: &CommitNote| one.prefix == note.prefix && one.text == note.text;
        if !kept.iter().any(is_same) {
            kept.push(note);
        }
    }
    kept
}

/// Each fact once; those of a superseded subject settle.
fn settled(facts: Vec<CommitFact>, supersedes: &[String]) -> Vec<CommitFact> {
    let mut kept: Vec<CommitFact> = Vec::new();
    for mut fact in facts {
        let is_of = |one: &String| fact.subject.as_deref().is_some_and(|own| doc::is_same_subject(own, one));
        fact.settles = supersedes.iter().any(is_of);
        let is_same = |one: &CommitFact| one.subject == fact.subject && one.statement == fact.statement;
        if !kept.iter().any(is_same) {
            kept.push(fact);
        }
    }
    kept
}

/// A text on one line, without control characters.
fn one_line(text: &str) -> String {
    message::plain(text).split_whitespace().collect::<Vec<_>>().join(" ")
}
