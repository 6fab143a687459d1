//! The data of `brv vc mv`.

use crate::ops::steps::repointing::Turn;
use crate::ops::vc::mv::{self, Outcome, Staging};
use crate::wire::change::paths;
use crate::wire::links::Form;
use crate::wire::text;
use crate::wire::written::Written;
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.vc.mv/1`; paths are relative to the tree.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Mv {
    /// What was named, and its new place.
    routes: Vec<Route>,
    /// Each file that moves.
    files: Vec<MovedFile>,
    /// Documents with links that have to change.
    links: Vec<Document>,
    /// With `-k`: what stays.
    skipped: Vec<Skipped>,
    /// Files of moved folders that stay: not recorded, and no knowledge.
    left_behind: Vec<String>,
    /// The rest.
    #[serde(flatten)]
    written: Written,
}

#[derive(Debug, JsonSchema, Serialize)]
struct Route {
    from: String,
    to: String,
    /// Whether it is a folder, which goes with all in it.
    is_folder: bool,
}

#[derive(Debug, JsonSchema, Serialize)]
struct MovedFile {
    from: String,
    to: String,
}

/// A document in which links change.
#[derive(Debug, JsonSchema, Serialize)]
struct Document {
    /// Where it is afterwards.
    path: String,
    /// Whether the changed links are staged; they are not where the file has edits that are not.
    staged: bool,
    /// In the order of the document.
    links: Vec<Link>,
}

/// A link that has to change.
#[derive(Debug, JsonSchema, Serialize)]
struct Link {
    /// `related` in frontmatter, `@path` under `Relations`, or a markdown link.
    form: Form,
    /// The line it stands in, counted from 1; `null` in frontmatter.
    line: Option<usize>,
    /// The target as written before.
    from: String,
    /// The new one; `null` where it cannot be written, so that the link leads elsewhere or nowhere.
    to: Option<String>,
}

#[derive(Debug, JsonSchema, Serialize)]
struct Skipped {
    path: String,
    /// Why, in words.
    reason: String,
}

impl From<&Outcome> for Mv {
    fn from(outcome: &Outcome) -> Self {
        let route = |route: &mv::Route| Route {
            from: text(&route.from),
            to: text(&route.to),
            is_folder: route.is_folder,
        };
        let skipped = |one: &mv::Refusal| Skipped { path: text(&one.path), reason: one.why.to_string() };
        Self {
            routes: outcome.routes.iter().map(route).collect(),
            files: outcome
                .files
                .iter()
                .map(|(from, to)| MovedFile { from: text(from), to: text(to) })
                .collect(),
            links: outcome.links.iter().map(Document::from).collect(),
            skipped: outcome.skipped.iter().map(skipped).collect(),
            left_behind: paths(&outcome.left_behind),
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
            path: text(&document.path),
            staged: document.staging == Staging::Staged,
            links: document.links.iter().map(link).collect(),
        }
    }
}
