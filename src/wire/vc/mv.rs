//! The data of `brv vc mv`.

use crate::ops::steps::links::repointing::Turn;
use crate::ops::vc::mv::{self, Outcome, Staging};
use crate::wire::bytes::Bytes;
use crate::wire::links::Form;
use crate::wire::written::Written;
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.vc.mv/1`; paths are relative to the tree.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Mv {
    /// What was named, and its new place.
    pub routes: Vec<Route>,
    /// Each file that moves.
    pub files: Vec<MovedFile>,
    /// Documents with links that have to change.
    pub links: Vec<Document>,
    /// With `-k`: what stays.
    pub skipped: Vec<Skipped>,
    /// Files of moved folders that stay: not recorded, and no knowledge.
    pub left_behind: Vec<Bytes>,
    /// The rest.
    #[serde(flatten)]
    pub written: Written,
}

/// What was named, and its new place.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Route {
    pub from: Bytes,
    pub to: Bytes,
    /// Whether it is a folder, which goes with all in it.
    pub is_folder: bool,
}

/// A file that moves.
#[derive(Debug, JsonSchema, Serialize)]
pub struct MovedFile {
    pub from: Bytes,
    pub to: Bytes,
}

/// A document in which links change.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Document {
    /// Where it is afterwards.
    pub path: Bytes,
    /// Whether the changed links are staged; they are not where the file has edits that are not.
    pub staged: bool,
    /// In the order of the document.
    pub links: Vec<Link>,
}

/// A link that has to change.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Link {
    /// `related` in frontmatter, `@path` under `Relations`, or a markdown link.
    form: Form,
    /// The line it stands in, counted from 1; `null` in frontmatter.
    pub line: Option<usize>,
    /// The target as written before.
    pub from: String,
    /// The new one; `null` where it cannot be written, so that the link leads elsewhere or nowhere.
    pub to: Option<String>,
}

/// What stays.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Skipped {
    /// Where it is.
    pub path: Bytes,
    /// Why, in words.
    pub reason: String,
    /// Whether the words stand alone, or go on from the path.
    #[serde(skip)]
    pub stands_alone: bool,
}

impl From<&Outcome> for Mv {
    fn from(outcome: &Outcome) -> Self {
        let route = |route: &mv::Route| Route {
            from: Bytes::from(&route.from),
            to: Bytes::from(&route.to),
            is_folder: route.is_folder,
        };
        Self {
            routes: outcome.routes.iter().map(route).collect(),
            files: outcome
                .files
                .iter()
                .map(|(from, to)| MovedFile { from: from.into(), to: to.into() })
                .collect(),
            links: outcome.links.iter().map(Document::from).collect(),
            skipped: outcome.skipped.iter().map(Skipped::from).collect(),
            left_behind: Bytes::of(&outcome.left_behind),
            written: Written::from(&outcome.written),
        }
    }
}

impl From<&mv::Document> for Document {
    fn from(document: &mv::Document) -> Self {
        let link = |link: &Turn| Link {
            form: link.kind.into(),
            line: link.line,
            from: link.from.clone(),
            to: link.to.clone(),
        };
        Self {
            path: Bytes::from(&document.path),
            staged: document.staging == Staging::Staged,
            links: document.links.iter().map(link).collect(),
        }
    }
}

impl From<&mv::Refusal> for Skipped {
    fn from(refusal: &mv::Refusal) -> Self {
        let stands_alone = matches!(
            refusal.why,
            mv::Why::Exists(_) | mv::Why::Blocked(_) | mv::Why::Twice(_) | mv::Why::Unfit(..)
        );
        Self { path: Bytes::from(&refusal.path), reason: refusal.why.to_string(), stands_alone }
    }
}
