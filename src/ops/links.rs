//! `brv links`: the links from and to an entry or folder, and the broken links of the tree. A folder stands for
//! everything below it.
//!
//! Links to an entry are searched for in the files that the search index names, or where that is not up to date, in all
//! files; only files that contain its name are parsed.

use super::FailureKind;
use super::cause::{Cause, caused};
use super::context::{Context, Opened};
use super::steps::archived;
use super::steps::links::pointing::{self, each};
use super::steps::links::references::{Places, Reference, Target};
use super::steps::refresh;
use super::steps::searching::SearchSession;
use crate::doc::{self, Document};
use crate::git::{self, CommitId};
use crate::ops::Fails;
use crate::ops::steps::history::source::{self, Reading};
use crate::ops::steps::naming::resolve::{self, Named};
use crate::path::TreePath;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

/// For how many broken links of one entry the whole tree is searched for similar names.
const SUGGESTIONS: usize = 20;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    pub what: What,
    /// The revision to read; `None`: the files on disk.
    pub at: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// The links from and to this entry or folder, as typed.
    Of(String),
    /// Every broken link of the tree.
    Broken,
}

#[derive(Debug)]
pub struct Outcome {
    /// The commit that was read; `None`: the files on disk.
    pub commit: Option<CommitId>,
    pub found: Found,
}

#[derive(Debug)]
pub enum Found {
    /// The links of one entry or folder.
    Of(Links),
    /// Broken links, ordered by path.
    Broken {
        links: Vec<Outgoing>,
        /// How many files were read.
        files: usize,
    },
}

/// The links from and to an entry or a folder.
#[derive(Debug)]
pub struct Links {
    pub subject: Target,
    /// Its title; for a folder, the title of its `context.md`.
    pub title: Option<String>,
    pub disputed: Vec<String>,
    /// In document order. For a folder: the links of its `context.md`, then, ordered by path, the links of the files at
    /// or below it that lead out of it or are broken.
    pub outgoing: Vec<Outgoing>,
    /// Ordered by path; for a folder, also the links from outside to anything below it.
    pub incoming: Vec<Incoming>,
    /// For a folder: how many links connect two files below it.
    pub inside: Option<usize>,
}

#[derive(Debug, PartialEq, Eq)]
pub struct Outgoing {
    pub path: String,
    pub reference: Reference,
    /// Whether the entry that it points to has disputed facts.
    pub is_disputed: bool,
    /// For a broken link: similar names.
    pub nearest: Vec<String>,
}

impl Outgoing {
    fn new(places: &Places<'_>, path: &TreePath, reference: Reference) -> Self {
        Self {
            path: path.to_string(),
            nearest: places.moved(&reference.target),
            is_disputed: false,
            reference,
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
pub struct Incoming {
    pub path: String,
    pub title: Option<String>,
    pub reference: Reference,
    /// Whether that file has disputed facts.
    pub is_disputed: bool,
}

/// Why nothing is shown.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Cause(Cause),
    #[error("`{name}` is not in the context tree")]
    Missing { name: String, nearest: Vec<String> },
    #[error(transparent)]
    Reading(#[from] source::Error),
}

impl Error {
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::Cause(cause) => cause.kind(),
            Self::Missing { .. } => FailureKind::Usage,
            Self::Reading(error) => error.kind(),
        }
    }
}

caused!(Error);

pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Error> {
    let opened = cx.open()?;
    let reading = Reading::open(&opened.scope, options.at.as_deref())?;
    let curated = curated(&opened, &reading)?;
    let places = Places::in_reading(&reading, &curated);
    let found = match &options.what {
        What::Broken => broken(&reading, &curated, &places)?,
        What::Of(name) => match reading.resolve(&cx.cwd, name)? {
            Some(named) if !matches!(named, Named::NotKnowledge(_)) => {
                let subject = Target::from(named).subject().clone();
                let sources = sources(cx, &opened, options, &curated, &subject);
                Found::Of(links(&reading, &curated, &sources, &places, subject)?)
            }
            _ => match archived(&opened, &reading, &cx.cwd, name)? {
                Some(subject) => Found::Of(links(&reading, &curated, &curated, &places, subject)?),
                None => {
                    let nearest = resolve::meant(name, curated.iter().map(TreePath::as_str));
                    return Err(Error::Missing { name: name.clone(), nearest });
                }
            },
        },
    };
    Ok(Outcome { commit: reading.commit(), found })
}

/// The files that may link to the subject: those that the search index names, where it is as the tree is, else all.
fn sources<'a>(
    cx: &Context<'_>,
    opened: &Opened,
    options: &Options,
    curated: &'a [TreePath],
    subject: &Target,
) -> Cow<'a, [TreePath]> {
    let (Target::Entry(path), None) = (subject, &options.at) else { return curated.into() };
    let indexed = SearchSession::linking_if_fresh(opened, path, cx.progress);
    indexed.map_or(Cow::Borrowed(curated), |mut paths| {
        paths.retain(|path| path.kind().is_curated());
        Cow::Owned(paths)
    })
}

/// The archived entry that a name means.
fn archived(opened: &Opened, reading: &Reading, cwd: &Path, name: &str) -> Result<Option<Target>, Error> {
    let sought = archived::TypedName::of(&opened.scope, cwd, name);
    let found = archived::found(&opened.scope, reading, &sought)?;
    Ok(found.map(|item| Target::Archived(item.path.to_string())))
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
    sources: &[TreePath],
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
        outgoing = references.map(|reference| Outgoing::new(places, &path, reference)).collect();
    }
    let others = others(reading, sources, places, (&subject, &own))?;
    let mut links = Links { subject, title, disputed, outgoing, incoming: Vec::new(), inside: None };
    links.inside = matches!(links.subject, Target::Folder(_)).then_some(0);
    for other in others {
        match other {
            Other::Outgoing(link) => links.outgoing.push(link),
            Other::Incoming(link) => links.incoming.push(link),
            Other::Inside => links.inside = links.inside.map(|count| count + 1),
        }
    }
    let mut known = BTreeMap::new();
    for link in &mut links.outgoing {
        link.is_disputed = match known.get(&link.reference.target) {
            Some(known) => *known,
            None => leads_to_dispute(reading, &link.reference.target)?,
        };
        known.insert(link.reference.target.clone(), link.is_disputed);
    }
    suggest(&mut links.outgoing, curated);
    Ok(links)
}

/// A link in a file other than the subject itself.
enum Other {
    Outgoing(Outgoing),
    Incoming(Incoming),
    Inside,
}

/// The links that concern the subject, in all files but `own`: links to it and, if it is a folder, links from and to
/// the files below it.
fn others(
    reading: &Reading,
    curated: &[TreePath],
    places: &Places<'_>,
    (subject, own): (&Target, &str),
) -> Result<Vec<Other>, Error> {
    let sought = pointing::LinkPattern::of(subject);
    let found = each(reading, curated, |path, bytes| {
        let is_folder = matches!(subject, Target::Folder(_));
        let may_concern = if is_folder { doc::may_link(bytes) } else { sought.may_be_in(bytes) };
        if path.as_str() == own || !may_concern {
            return Ok(Vec::new());
        }
        let document = Document::parse(bytes);
        let is_disputed = doc::may_dispute(bytes) && !doc::disputes(&document).is_empty();
        let title = document.title();
        let sort = |reference: Reference| {
            let target = reference.target.subject();
            let leads_below =
                !target.is_broken() && target.path().is_some_and(|path| is_below(path, subject));
            let incoming = |reference| {
                let (path, title) = (path.to_string(), title.clone());
                Other::Incoming(Incoming { path, title, reference, is_disputed })
            };
            match (is_below(path.as_str(), subject), leads_below) {
                _ if target == subject => Some(incoming(reference)),
                (true, true) => Some(Other::Inside),
                (true, false) => Some(Other::Outgoing(Outgoing::new(places, path, reference))),
                (false, true) => Some(incoming(reference)),
                (false, false) => None,
            }
        };
        Ok(places.references(path, &document)?.into_iter().filter_map(sort).collect())
    });
    Ok(found?)
}

/// Whether a path lies below the subject; always false if the subject is not a folder.
fn is_below(path: &str, subject: &Target) -> bool {
    let Target::Folder(folder) = subject else { return false };
    folder.is_empty() || path.strip_prefix(folder.as_str()).is_some_and(|rest| rest.starts_with('/'))
}

fn leads_to_dispute(reading: &Reading, target: &Target) -> Result<bool, Error> {
    let Target::Entry(path) = target else { return Ok(false) };
    let Ok(path) = TreePath::parse(path.as_bytes()) else { return Ok(false) };
    let bytes = reading.read(&path)?.unwrap_or_default();
    Ok(doc::may_dispute(&bytes) && !doc::disputes(&Document::parse(bytes)).is_empty())
}

/// Suggest similar names where no file of the same name exists elsewhere.
fn suggest(outgoing: &mut [Outgoing], curated: &[TreePath]) {
    let open = outgoing.iter_mut().filter(|link| link.nearest.is_empty());
    for link in open.take(SUGGESTIONS) {
        if let Target::Missing(path) = &link.reference.target {
            link.nearest = resolve::meant(path, curated.iter().map(TreePath::as_str));
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
            .map(|reference| Outgoing::new(places, path, reference))
            .collect())
    })?;
    Ok(Found::Broken { links, files: curated.len() })
}
