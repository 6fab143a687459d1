//! The data of `brv links`: where an entry points and what points to it, or the links that lead nowhere.

use crate::doc::LinkKind;
use crate::ops::links::{Found, Incoming, Outcome, Outgoing};
use crate::ops::steps::links::references::{Reference, Target};
use crate::ops::steps::links::repointing::Dangling;
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.links/1`; paths are relative to the tree.
#[derive(Debug, JsonSchema, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Links {
    /// Of one entry or folder.
    Of {
        /// Which; of the root the empty text.
        path: String,
        /// Of a folder, that of its `context.md`.
        title: Option<String>,
        /// Subjects that are disputed in it.
        disputed: Vec<String>,
        /// In the order of the document. Of a folder: those of its `context.md`, then those of the files at or below it
        /// that lead out of it or are broken, in the order of the paths.
        outgoing: Vec<Link>,
        /// In the order of the paths. Of a folder also those from outside to anything below it.
        incoming: Vec<Link>,
        /// Of a folder: how many links lead from one of the files below it to another.
        #[serde(skip_serializing_if = "Option::is_none")]
        inside: Option<usize>,
        /// With `--at`: the commit whose tree it is.
        #[serde(skip_serializing_if = "Option::is_none")]
        commit: Option<String>,
    },
    /// With `--broken`: all that lead nowhere.
    Broken {
        /// In the order of the paths.
        links: Vec<Link>,
        /// How many files were looked at.
        files: usize,
        /// With `--at`: the commit whose tree it is.
        #[serde(skip_serializing_if = "Option::is_none")]
        commit: Option<String>,
    },
}

/// A link.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Link {
    /// The file in which it stands.
    pub from: String,
    /// Of an incoming link: the title of that file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// `related` in frontmatter, `@path` under `Relations`, or a markdown link.
    form: Form,
    /// The path as written.
    pub written: String,
    /// The line it stands in, counted from 1; `null` in frontmatter.
    pub line: Option<usize>,
    /// Where it leads, or would lead; `null` out of the tree.
    pub to: Option<String>,
    /// What stands there.
    pub state: State,
    /// Whether something is disputed in the entry at its other end.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub disputed: bool,
    /// Of a broken one: what may have been meant.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nearest: Vec<String>,
}

/// How a link is written.
#[derive(Debug, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Form {
    Related,
    Relation,
    Markdown,
}

/// What stands where a link leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// An entry.
    Entry,
    /// A folder, also by its `context.md`.
    Folder,
    /// A file that is no entry.
    Other,
    /// A derived file, which others may not have; `to` is what it is derived from.
    Derived,
    /// Nothing.
    Missing,
    /// Out of the tree.
    Outside,
}

impl From<&Outcome> for Links {
    fn from(outcome: &Outcome) -> Self {
        let commit = outcome.commit.map(|id| id.to_string());
        match &outcome.found {
            Found::Of(links) => Self::Of {
                commit,
                path: links.subject.path().unwrap_or_default().to_owned(),
                title: links.title.clone(),
                disputed: links.disputed.clone(),
                outgoing: links.outgoing.iter().map(Link::from).collect(),
                incoming: links.incoming.iter().map(Link::from).collect(),
                inside: links.inside,
            },
            Found::Broken { links, files } => {
                Self::Broken { commit, links: links.iter().map(Link::from).collect(), files: *files }
            }
        }
    }
}

impl From<&Outgoing> for Link {
    fn from(link: &Outgoing) -> Self {
        let disputed = link.is_disputed;
        Self { disputed, ..Self::new(&link.path, None, &link.reference, link.nearest.clone()) }
    }
}

impl From<&Incoming> for Link {
    fn from(link: &Incoming) -> Self {
        let disputed = link.is_disputed;
        Self { disputed, ..Self::new(&link.path, link.title.clone(), &link.reference, Vec::new()) }
    }
}

impl From<&Dangling> for Link {
    fn from(dangling: &Dangling) -> Self {
        let lost = Self::new(dangling.path.as_str(), None, &dangling.reference, Vec::new());
        Self { state: State::Missing, ..lost }
    }
}

impl Link {
    fn new(from: &str, title: Option<String>, reference: &Reference, nearest: Vec<String>) -> Self {
        Self {
            from: from.to_owned(),
            title,
            form: reference.kind.into(),
            written: reference.written.clone(),
            line: reference.line,
            to: reference.target.path().map(str::to_owned),
            state: match reference.target {
                Target::Entry(_) => State::Entry,
                Target::Folder(_) => State::Folder,
                Target::Other(_) => State::Other,
                Target::Derived(_) => State::Derived,
                Target::Missing(_) => State::Missing,
                Target::Outside => State::Outside,
            },
            disputed: false,
            nearest,
        }
    }
}

impl From<LinkKind> for Form {
    fn from(kind: LinkKind) -> Self {
        match kind {
            LinkKind::Related => Self::Related,
            LinkKind::Relation => Self::Relation,
            LinkKind::Markdown => Self::Markdown,
        }
    }
}
