//! JSON of `brv links`: the links from and to an entry or folder, or the broken links of the tree.

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
    /// The links of one entry or folder.
    Of {
        /// Its path; empty for the root.
        path: String,
        /// Its title; for a folder, the title of its `context.md`.
        title: Option<String>,
        /// Its disputed subjects.
        disputed: Vec<String>,
        /// Links from it, in the order of the document. For a folder: the links of its `context.md`, followed by the
        /// links of the files below it that lead outside or are broken, ordered by path.
        outgoing: Vec<Link>,
        /// Links to it, ordered by path. For a folder, also the links from outside to anything below it.
        incoming: Vec<Link>,
        /// For a folder: number of links between the files below it.
        #[serde(skip_serializing_if = "Option::is_none")]
        inside: Option<usize>,
        /// With `--at`: the commit that was read.
        #[serde(skip_serializing_if = "Option::is_none")]
        commit: Option<String>,
    },
    /// With `--broken`: all broken links.
    Broken {
        /// The links, ordered by path.
        links: Vec<Link>,
        /// Number of files that were checked.
        files: usize,
        /// With `--at`: the commit that was read.
        #[serde(skip_serializing_if = "Option::is_none")]
        commit: Option<String>,
    },
}

/// A link.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Link {
    /// The file that contains it.
    pub from: String,
    /// The title of that file, for an incoming link.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// `related` in frontmatter, `@path` under `Relations`, or a markdown link.
    form: Form,
    /// The target as written.
    pub written: String,
    /// Its line, from 1; `null` in frontmatter.
    pub line: Option<usize>,
    /// The path of the target; `null` if it is outside the tree.
    pub to: Option<String>,
    /// What is at the target.
    pub state: State,
    /// Whether the entry at the other end has disputed subjects.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub disputed: bool,
    /// Suggested targets, for a broken link.
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

/// What is at the target of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// An entry.
    Entry,
    /// A folder, or its `context.md`.
    Folder,
    /// A file that is not an entry.
    Other,
    /// A derived file, which may be missing elsewhere; `to` is its source.
    Derived,
    /// An archived entry: `brv archive show` prints it.
    Archived,
    /// Nothing.
    Missing,
    /// A path outside the tree.
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
                Target::Archived(_) => State::Archived,
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
