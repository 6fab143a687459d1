//! JSON of `brv vc mv`.

use brv_commands::vc::mv::{self, Outcome, Staging};
use brv_engine::outcome::bytes::Bytes;
use brv_engine::read::links::repointing::Turn;
use brv_engine::write::written::Written;
use brv_text::doc::LinkKind;
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.vc.mv/1`; paths are relative to the tree.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Mv {
    /// The given paths, and their new paths.
    pub routes: Vec<Route>,
    /// All moved files.
    pub files: Vec<MovedFile>,
    /// Documents with links to update.
    pub links: Vec<Document>,
    /// With `-k`: paths that were skipped.
    pub skipped: Vec<Skipped>,
    /// Files of moved folders that were not moved: untracked, and not managed by brv.
    pub left_behind: Vec<Bytes>,
    /// Effects on files, and the operation.
    #[serde(flatten)]
    pub written: Written,
}

/// A given path, and its new path.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Route {
    pub from: Bytes,
    pub to: Bytes,
    /// Whether it is a folder.
    pub is_folder: bool,
}

/// A moved file.
#[derive(Debug, JsonSchema, Serialize)]
pub struct MovedFile {
    pub from: Bytes,
    pub to: Bytes,
}

/// A document with links to update.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Document {
    /// Its new path.
    pub path: Bytes,
    /// Whether the updated links are staged; not if the file has unstaged edits.
    pub staged: bool,
    /// The links, in the order of the document.
    pub links: Vec<Link>,
}

/// A link to update.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Link {
    /// `related` in frontmatter, `@path` under `Relations`, or a markdown link.
    form: LinkKind,
    /// Its line, from 1; `null` in frontmatter.
    pub line: Option<usize>,
    /// The old target as written.
    pub from: String,
    /// The new target; `null` if it cannot be written, so that the link is broken or points elsewhere.
    pub to: Option<String>,
}

/// A path that was skipped.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Skipped {
    /// The path.
    pub path: Bytes,
    /// Why it was skipped.
    pub reason: String,
    /// Whether the reason is a full sentence, rather than one that continues from the path.
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
            form: link.kind,
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
