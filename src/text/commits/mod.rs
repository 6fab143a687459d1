//! What a commit message teaches: facts and prose for the tree, or the reason why nothing is filed.
//!
//! By rules, without a model. Trailers state facts, exactly. A body is filed if it is long enough or has a list, no
//! program or form wrote it, and its sentences give reasons or rules. Most commits state nothing. Knows messages and paths;
//! reads no repository, no tree, and never the change itself.
//!
//! Text for an entry is changed as little as an entry needs: control characters, patches, conflict markers, rulers,
//! checklists, HTML comments and lines of issue numbers are left out, a heading loses its marks, HTML at the start of a line
//! is escaped. Characters that nobody sees stay, so that curation can refuse them.

pub mod attribution;
mod body;
#[cfg(test)]
mod laws;
mod lines;
pub mod place;
mod signals;
mod statement;
mod subject;
#[cfg(test)]
mod tests;
mod trailers;

use crate::doc;
use std::fmt;

/// The version of the rules. A commit that another version declined is read again when its history is taken in.
pub const RULES_VERSION: u32 = 1;

/// A commit as its message and its list of files show it.
#[derive(Debug, Clone, Copy)]
pub struct Told<'a> {
    /// The first paragraph of the message.
    pub subject: &'a str,
    /// The message after its first paragraph, as it is.
    pub body: &'a str,
    /// The files that it changed.
    pub files: &'a [File<'a>],
    /// The number of its parents.
    pub parents: usize,
    /// The folder of the tree, if the tree is in the repository of the code.
    pub in_repo_tree: Option<&'a str>,
}

/// A file that a commit changed.
#[derive(Debug, Clone, Copy)]
pub struct File<'a> {
    /// Its path before the commit if it was renamed, else its path.
    pub path: &'a str,
    /// The letter that git shows: `A`, `M`, `D`, `R`.
    pub status: char,
    /// Its path after the commit if it was renamed or copied.
    pub new_path: Option<&'a str>,
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
    /// The facts of its trailers, then those of its body.
    pub facts: Vec<Stated>,
    /// The subjects that it supersedes, also those that none of its facts is about.
    pub supersedes: Vec<String>,
    /// Markdown for Narrative › Highlights, at most 2,000 characters.
    pub prose: Option<String>,
    /// The subject on one line, for Raw Concept.
    pub task: String,
    /// The subject without the type of a conventional commit and issue numbers; never empty.
    pub title: String,
}

/// A fact that a commit states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stated {
    /// What it is about, if it says so.
    pub subject: Option<String>,
    /// One line that is never empty.
    pub statement: String,
    /// Its category.
    pub category: Option<doc::Category>,
    /// Whether it replaces what stands about the subject.
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
    /// A release or an update of dependencies.
    Bump,
    /// Only files that others or a package manager wrote.
    Vendored,
    /// Formatting that a tool made.
    Formatting,
    /// A body that a program or a form wrote.
    Template,
    /// A body that tells what was done, without a reason or a rule.
    OnlySteps,
    /// A body that lacks something.
    StatesNothing(Lacks),
}

/// What a body lacks to state something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Lacks {
    /// It has no text.
    Text,
    /// It is short, and has no list.
    Words,
    /// It has only code, quotes, logs, addresses and the like.
    Prose,
}

impl fmt::Display for Lacks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text => f.write_str("no text besides subject and trailers"),
            Self::Words => write!(f, "fewer than {} words, and no list", body::WORDS),
            Self::Prose => f.write_str("only code, quotes, logs or addresses"),
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::StatesNothing(lacks) => return write!(f, "states nothing: {lacks}"),
            Self::Skip => "`Brv-Skip`",
            Self::Merge => "merge",
            Self::Fixup => "fixup",
            Self::KnowledgeOnly => "knowledge only",
            Self::Bump => "version bump",
            Self::Vendored => "vendored paths",
            Self::Formatting => "formatting",
            Self::Template => "template",
            Self::OnlySteps => "tells steps, no rule or reason",
        })
    }
}

/// The text of a message above its trailers, without its subject.
pub fn text_of(body: &str) -> &str {
    trailers::split(body).text
}

impl Lesson {
    /// A lesson of facts that somebody else found in a commit with this subject.
    pub fn of_facts(subject: &str, facts: Vec<Stated>) -> Self {
        let task = one_line(subject);
        Self { facts, supersedes: Vec::new(), prose: None, title: title(&task), task }
    }
}

/// Read a commit.
pub fn read(told: &Told<'_>) -> Reading {
    lesson(told).map_or_else(Reading::Declined, Reading::Lesson)
}

fn lesson(told: &Told<'_>) -> Result<Lesson, Reason> {
    let task = one_line(told.subject);
    let parts = trailers::split(told.body);
    let is_skip = |one: &trailers::Trailer| {
        one.key.eq_ignore_ascii_case("brv-skip") && one.value.eq_ignore_ascii_case("true")
    };
    if parts.trailers.iter().any(is_skip) {
        return Err(Reason::Skip);
    }
    if told.parents > 1 {
        return Err(Reason::Merge);
    }
    if subject::is_fixup(&task) {
        return Err(Reason::Fixup);
    }
    if told.in_repo_tree.is_some_and(|folder| subject::is_below(told.files, folder)) {
        return Err(Reason::KnowledgeOnly);
    }
    let mut facts: Vec<Stated> = parts.trailers.iter().filter_map(statement::of_trailer).collect();
    let mut prose = None;
    match text(told, &task, parts.text, facts.is_empty()) {
        Ok(text) => {
            facts.extend(text.facts);
            prose = text.prose;
        }
        Err(reason) if facts.is_empty() => return Err(reason),
        Err(_) => {}
    }
    let supersedes = statement::superseded(&parts.trailers);
    let facts = settled(facts, &supersedes);
    Ok(Lesson { facts, supersedes, prose, title: title(&task), task })
}

/// The title of what a commit teaches.
fn title(task: &str) -> String {
    let title = Some(subject::title(task)).filter(|title| !title.is_empty());
    title.unwrap_or_else(|| "Commit without a subject".to_owned())
}

/// What the text above the trailers states. If `is_all`, there is nothing else, and the subject and the files decide first.
fn text(told: &Told<'_>, task: &str, text: &str, is_all: bool) -> Result<body::Text, Reason> {
    if is_all && subject::is_bump(task) {
        return Err(Reason::Bump);
    }
    if is_all && subject::is_vendored(told.files) {
        return Err(Reason::Vendored);
    }
    if body::is_squash_subject(task) {
        return Err(Reason::Template);
    }
    body::read(text).map_err(|reason| if subject::is_formatting(task) { Reason::Formatting } else { reason })
}

/// Each fact once; those of a superseded subject settle.
fn settled(facts: Vec<Stated>, supersedes: &[String]) -> Vec<Stated> {
    let mut kept: Vec<Stated> = Vec::new();
    for mut fact in facts {
        let is_of = |one: &String| fact.subject.as_deref().is_some_and(|own| doc::is_same_subject(own, one));
        fact.settles = supersedes.iter().any(is_of);
        let is_same = |one: &Stated| one.subject == fact.subject && one.statement == fact.statement;
        if !kept.iter().any(is_same) {
            kept.push(fact);
        }
    }
    kept
}

/// A text on one line, without control characters.
fn one_line(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}
