//! `brv links`: where an entry or folder points, what points to it, and which links of the tree lead nowhere.
//!
//! What points to an entry is sought in all files; only those that hold its name are taken apart.

use super::FailureKind;
use super::context::{Context, OpenError, Opened};
use super::steps::at::{self, Reading};
use super::steps::entry_name::{self, Named};
use super::steps::pointing::{Sought, each};
use super::steps::references::{Places, Reference, Target};
use super::steps::refresh;
use crate::doc::{self, Document};
use crate::fs;
use crate::git::status::StatusError;
use crate::git::{self, CommitId};
use crate::path::TreePath;

/// Broken links of one entry for which the whole tree is searched for something alike.
const SUGGESTIONS: usize = 20;

/// What to show, and of what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// What.
    pub what: What,
    /// As this revision has it; `None`: as it is on disk.
    pub at: Option<String>,
}

/// What to show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// The links of and to this entry or folder, as it was typed.
    Of(String),
    /// Every link of the tree that leads nowhere.
    Broken,
}

/// What was found, and in what.
#[derive(Debug)]
pub struct Outcome {
    /// The commit whose tree it is; `None`: what is on disk.
    pub commit: Option<CommitId>,
    /// What was found.
    pub found: Found,
}

/// What was found.
#[derive(Debug)]
pub enum Found {
    /// Of one entry or folder.
    Of(Links),
    /// In the order of the paths.
    Broken {
        /// Each link that leads nowhere.
        links: Vec<Outgoing>,
        /// How many files were read.
        files: usize,
    },
}

/// The links of and to an entry or a folder.
#[derive(Debug)]
pub struct Links {
    /// Which.
    pub subject: Target,
    /// Its title; of a folder that of its `context.md`.
    pub title: Option<String>,
    /// Subjects that are disputed in it.
    pub disputed: Vec<String>,
    /// In the order of the document.
    pub outgoing: Vec<Outgoing>,
    /// In the order of the paths.
    pub incoming: Vec<Incoming>,
}

/// A link away from an entry.
#[derive(Debug, PartialEq, Eq)]
pub struct Outgoing {
    /// Where it stands.
    pub path: String,
    /// What it is.
    pub reference: Reference,
    /// Whether something is disputed in the entry to which it leads.
    pub is_disputed: bool,
    /// Of a broken one: what may have been meant.
    pub nearest: Vec<String>,
}

/// A link to an entry.
#[derive(Debug, PartialEq, Eq)]
pub struct Incoming {
    /// The file in which it stands.
    pub path: String,
    /// The title of that.
    pub title: Option<String>,
    /// What it is.
    pub reference: Reference,
    /// Whether something is disputed in that file.
    pub is_disputed: bool,
}

/// Why nothing is shown.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No tree.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The name means nothing here.
    #[error("`{name}` is not in the context tree")]
    Missing {
        /// As it was typed.
        name: String,
        /// What may have been meant.
        nearest: Vec<String>,
    },
    /// The name.
    #[error(transparent)]
    Name(#[from] entry_name::Error),
    /// Disk or index.
    #[error(transparent)]
    Survey(#[from] StatusError),
    /// The repository.
    #[error(transparent)]
    Git(#[from] git::Error),
    /// What is read.
    #[error(transparent)]
    Reading(#[from] at::Error),
    /// A file.
    #[error(transparent)]
    File(#[from] fs::Error),
}

impl Error {
    /// What kind of failure it is.
    #[must_use]
    pub const fn kind(&self) -> FailureKind {
        match self {
            Self::Open(error) => error.kind(),
            Self::Missing { .. } => FailureKind::Usage,
            Self::Reading(error) => error.kind(),
            _ => FailureKind::Failed,
        }
    }
}

/// Show links.
///
/// # Errors
/// [`Error`]
pub fn run(cx: &mut Context<'_>, options: &Options) -> Result<Outcome, Error> {
    let opened = cx.open()?;
    let reading = Reading::open(&opened.scope, options.at.as_deref())?;
    let curated = curated(&opened, &reading)?;
    let places = Places::in_reading(&reading, &curated);
    let found = match &options.what {
        What::Broken => broken(&reading, &curated, &places)?,
        What::Of(name) => match reading.resolve(&cx.cwd, name)? {
            Some(named) if !matches!(named, Named::NotKnowledge(_)) => {
                let subject = Target::from(named).subject().clone();
                Found::Of(links(&reading, &curated, &places, subject)?)
            }
            _ => {
                let nearest = entry_name::meant(name, curated.iter().map(TreePath::as_str));
                return Err(Error::Missing { name: name.clone(), nearest });
            }
        },
    };
    Ok(Outcome { commit: reading.commit(), found })
}

fn curated(opened: &Opened, reading: &Reading) -> Result<Vec<TreePath>, Error> {
    if let Some(curated) = reading.curated() {
        return Ok(curated.into_iter().map(|file| file.path).collect());
    }
    let survey = refresh::quick_survey(opened, git::index::read(&opened.scope)?)?;
    Ok(refresh::curated_paths(&opened.scope, &survey)?)
}

fn links(
    reading: &Reading,
    curated: &[TreePath],
    places: &Places<'_>,
    subject: Target,
) -> Result<Links, Error> {
    let own = match &subject {
        Target::Folder(path) if path.is_empty() => "context.md".to_owned(),
        Target::Folder(path) => format!("{path}/context.md"),
        other => other.path().unwrap_or_default().to_owned(),
    };
    let (mut outgoing, mut title, mut disputed) = (Vec::new(), None, Vec::new());
    if let Ok(path) = TreePath::parse(own.as_bytes())
        && let Some(bytes) = reading.read(&path)?
    {
        let document = Document::parse(bytes);
        title = document.title();
        disputed = doc::disputes(&document).into_iter().map(|dispute| dispute.subject).collect();
        let references = places.references(&path, &document)?.into_iter();
        outgoing = references
            .map(|reference| Outgoing {
                path: own.clone(),
                nearest: places.moved(&reference.target),
                is_disputed: false,
                reference,
            })
            .collect();
        for link in &mut outgoing {
            link.is_disputed = leads_to_dispute(reading, &link.reference.target)?;
        }
        suggest(&mut outgoing, curated);
    }
    let sought = Sought::of(&subject);
    let incoming = each(reading, curated, |path, bytes| {
        if path.as_str() == own || !sought.may_be_in(bytes) {
            return Ok(Vec::new());
        }
        let document = Document::parse(bytes);
        let references = places.references(path, &document)?.into_iter();
        let found = references.filter(|reference| *reference.target.subject() == subject);
        let is_disputed = doc::may_dispute(bytes) && !doc::disputes(&document).is_empty();
        let title = document.title();
        let incoming =
            |reference| Incoming { path: path.to_string(), title: title.clone(), reference, is_disputed };
        Ok(found.map(incoming).collect())
    })?;
    Ok(Links { subject, title, disputed, outgoing, incoming })
}

fn leads_to_dispute(reading: &Reading, target: &Target) -> Result<bool, Error> {
    let Target::Entry(path) = target else { return Ok(false) };
    let Ok(path) = TreePath::parse(path.as_bytes()) else { return Ok(false) };
    let bytes = reading.read(&path)?.unwrap_or_default();
    Ok(doc::may_dispute(&bytes) && !doc::disputes(&Document::parse(bytes)).is_empty())
}

/// Where nothing of the same name stands elsewhere, what is alike.
fn suggest(outgoing: &mut [Outgoing], curated: &[TreePath]) {
    let open = outgoing.iter_mut().filter(|link| link.nearest.is_empty());
    for link in open.take(SUGGESTIONS) {
        if let Target::Missing(path) = &link.reference.target {
            link.nearest = entry_name::meant(path, curated.iter().map(TreePath::as_str));
        }
    }
}

fn broken(reading: &Reading, curated: &[TreePath], places: &Places<'_>) -> Result<Found, Error> {
    let links = each(reading, curated, |path, bytes| {
        if !crate::doc::may_link(bytes) {
            return Ok(Vec::new());
        }
        let references = places.references(path, &Document::parse(bytes))?.into_iter();
        Ok(references
            .filter(|reference| reference.target.is_broken())
            .map(|reference| Outgoing {
                path: path.to_string(),
                nearest: places.moved(&reference.target),
                is_disputed: false,
                reference,
            })
            .collect())
    })?;
    Ok(Found::Broken { links, files: curated.len() })
}
