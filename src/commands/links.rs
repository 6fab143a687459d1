//! `brv links`: the links from and to an entry or folder, and the broken links of the tree. A folder stands for
//! everything below it.
//!
//! Links to an entry are searched for only in the files that may have one, as the analyses of their blobs tell.

use brv_base::content::ContentId;
use brv_base::fs::Below;
use brv_base::path::TreePath;
use brv_engine::Stop;
use brv_engine::open::context::{Context, Opened};
use brv_engine::open::naming::resolve::{self, Named};
use brv_engine::read::analysis::{Analyses, AnalysisKind, NearSet};
use brv_engine::read::archive;
use brv_engine::read::history::source::{CuratedFiles, Reading};
use brv_engine::read::links::pointing::{self, each};
use brv_engine::read::links::references::{LinkTarget, Places, Reference};
use brv_git::CommitId;
use brv_text::doc::{self, Document};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;

pub use brv_engine::read::links::{Link, LinkTargetState};
pub use brv_text::doc::LinkKind;

/// For how many broken links of an answer the whole tree is searched for similar names.
const SUGGESTIONS: usize = 20;

/// Which links to show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinkSelection {
    /// The links from and to this entry or folder, as typed.
    Of(String),
    /// Every broken link of the tree.
    Broken,
}

/// `brv.links/1`; paths are relative to the tree.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[schemars(rename = "Links")]
pub enum Outcome {
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
        commit: Option<CommitId>,
    },
    /// With `--broken`: all broken links.
    Broken {
        /// The links, ordered by path.
        links: Vec<Link>,
        /// Number of files that were checked.
        files: usize,
        /// With `--at`: the commit that was read.
        #[serde(skip_serializing_if = "Option::is_none")]
        commit: Option<CommitId>,
    },
}

/// Find links in the files on disk, or at the revision `at`.
///
/// # Errors
/// A name that is not in the tree; the disk or git.
pub fn run(cx: &Context<'_>, what: &LinkSelection, at: Option<&str>) -> Result<Outcome, Stop> {
    let opened = cx.open()?;
    let reading = Reading::open(&opened.scope, at)?;
    let CuratedFiles { paths: curated, blobs, absent } = reading.curated_files(&opened)?;
    let places = Places::in_reading(&reading, &curated).with_absent(&absent);
    let name = match what {
        LinkSelection::Broken => return broken(&reading, &curated, &places),
        LinkSelection::Of(name) => name,
    };
    let of = |subject: &LinkTarget| {
        let sources = sources(&opened, &reading, (&curated, &blobs), subject)?;
        links(&reading, &sources, &places, subject)
    };
    match reading.resolve(&cx.cwd, name)? {
        Some(named) if !matches!(named, Named::NotKnowledge(_)) => {
            let subject = LinkTarget::from(named).subject().clone();
            of(&subject)
        }
        _ => match archived(&opened, &reading, &cx.cwd, name)? {
            Some(subject) => of(&subject),
            None => match resolve::resolve_among(reading.root(), &cx.cwd, name, &curated_of(absent.clone()))?
            {
                Some(named) => of(LinkTarget::from(named).subject()),
                None => Err(resolve::missing(name, &curated)),
            },
        },
    }
}

fn curated_of(mut paths: Vec<TreePath>) -> Vec<TreePath> {
    paths.retain(|path| path.kind().is_curated());
    paths
}

/// The files that may link to the subject.
fn sources(
    opened: &Opened,
    reading: &Reading,
    (curated, blobs): (&[TreePath], &[Option<ContentId>]),
    subject: &LinkTarget,
) -> Result<Vec<TreePath>, Stop> {
    let mut sought = NearSet::default();
    match subject {
        LinkTarget::Entry(path) => sought.seek_path(path),
        // of a folder all links count that lead below it, and an archived entry has another path than its links
        _ => sought.seek_links(),
    }
    let known = Analyses::open(&opened.scope, &opened.places.cache(), AnalysisKind::Near, curated.len());
    if !known.is_kept() {
        // a look at the bytes of each is faster
        return Ok(curated.to_vec());
    }
    let texts: Vec<_> = curated.iter().zip(blobs.iter().copied()).collect();
    let root = reading.root();
    let read = |below: &mut Below<'_>, path: &TreePath, blob: Option<ContentId>| match reading.commit() {
        Some(_) => Ok::<_, Stop>((reading.read(path)?.unwrap_or_default(), blob)),
        None => {
            let bytes = below.read(&path.on_disk(root))?.unwrap_or_default();
            let blob = blob.filter(|blob| ContentId::of(&bytes) == *blob);
            Ok((bytes, blob))
        }
    };
    let found = known.concerned(&texts, &sought, || Below::of(root), read)?;
    let found = found.into_iter().cloned().collect();
    known.keep();
    Ok(found)
}

/// The archived entry that a name means.
fn archived(opened: &Opened, reading: &Reading, cwd: &Path, name: &str) -> Result<Option<LinkTarget>, Stop> {
    let sought = archive::TypedName::of(&opened.scope, cwd, name);
    let found = archive::found(&opened.scope, reading, &sought)?;
    Ok(found.map(|item| LinkTarget::Archived(item.path.to_string())))
}

fn links(
    reading: &Reading,
    sources: &[TreePath],
    places: &Places<'_>,
    subject: &LinkTarget,
) -> Result<Outcome, Stop> {
    let own = match subject {
        LinkTarget::Folder(path) if path.is_empty() => "context.md".to_owned(),
        LinkTarget::Folder(path) => format!("{path}/context.md"),
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
        outgoing = references.map(|reference| link(places, &path, reference)).collect();
    }
    let mut incoming = Vec::new();
    let mut inside = matches!(subject, LinkTarget::Folder(_)).then_some(0);
    for other in others(reading, sources, places, (subject, &own))? {
        match other {
            Other::Outgoing(link) => outgoing.push(link),
            Other::Incoming(link) => incoming.push(link),
            Other::Inside => inside = inside.map(|count| count + 1),
        }
    }
    mark_disputed(reading, &mut outgoing)?;
    suggest(&mut outgoing, places);
    let path = subject.path().unwrap_or_default().to_owned();
    Ok(Outcome::Of { path, title, disputed, outgoing, incoming, inside, commit: reading.commit() })
}

/// A link from `path`; if it is broken, with what it is likely to mean.
fn link(places: &Places<'_>, path: &TreePath, reference: Reference) -> Link {
    Link { nearest: places.likely(&reference.target), ..Link::new(path, reference) }
}

/// A link in a file other than the subject itself.
enum Other {
    Outgoing(Link),
    Incoming(Link),
    Inside,
}

/// The links that concern the subject, in all files but `own`: links to it and, if it is a folder, links from and to
/// the files below it.
fn others(
    reading: &Reading,
    curated: &[TreePath],
    places: &Places<'_>,
    (subject, own): (&LinkTarget, &str),
) -> Result<Vec<Other>, Stop> {
    let sought = pointing::LinkPattern::of(subject);

    each(reading, curated, |path, bytes| {
        let is_folder = matches!(subject, LinkTarget::Folder(_));
        let may_concern = if is_folder { doc::may_link(bytes) } else { sought.may_be_in(bytes) };
        if path.as_str() == own || !may_concern {
            return Ok(Vec::new());
        }
        let document = Document::parse(bytes);
        let disputed = doc::may_dispute(bytes) && !doc::disputes(&document).is_empty();
        let title = document.title();
        let sort = |reference: Reference| {
            let target = reference.target.subject();
            let leads_below =
                !target.is_broken() && target.path().is_some_and(|path| is_below(path, subject));
            let incoming = |reference| {
                Other::Incoming(Link { title: title.clone(), disputed, ..Link::new(path, reference) })
            };
            match (is_below(path.as_str(), subject), leads_below) {
                _ if target == subject => Some(incoming(reference)),
                (true, true) => Some(Other::Inside),
                (true, false) => Some(Other::Outgoing(link(places, path, reference))),
                (false, true) => Some(incoming(reference)),
                (false, false) => None,
            }
        };
        Ok(places.references(path, &document)?.into_iter().filter_map(sort).collect())
    })
}

/// Whether a path lies below the subject; always false if the subject is not a folder.
fn is_below(path: &str, subject: &LinkTarget) -> bool {
    let LinkTarget::Folder(folder) = subject else { return false };
    folder.is_empty() || path.strip_prefix(folder.as_str()).is_some_and(|rest| rest.starts_with('/'))
}

/// Mark the links to entries that have disputed facts.
fn mark_disputed(reading: &Reading, outgoing: &mut [Link]) -> Result<(), Stop> {
    let mut known = BTreeMap::new();
    for link in outgoing.iter_mut().filter(|link| link.state == LinkTargetState::Entry) {
        let Some(Ok(path)) = link.to.as_ref().map(|path| TreePath::parse(path.as_bytes())) else { continue };
        link.disputed = match known.get(&path) {
            Some(known) => *known,
            None => {
                let bytes = reading.read(&path)?.unwrap_or_default();
                doc::may_dispute(&bytes) && !doc::disputes(&Document::parse(bytes)).is_empty()
            }
        };
        known.insert(path, link.disputed);
    }
    Ok(())
}

/// Suggest similar names where no file of the same name exists elsewhere.
fn suggest(links: &mut [Link], places: &Places<'_>) {
    let is_open = |link: &&mut Link| link.nearest.is_empty() && link.state == LinkTargetState::Missing;
    for link in links.iter_mut().filter(is_open).take(SUGGESTIONS) {
        let path = link.to.clone().unwrap_or_default();
        link.nearest = places.mistyped(&LinkTarget::Missing(path));
    }
}

fn broken(reading: &Reading, curated: &[TreePath], places: &Places<'_>) -> Result<Outcome, Stop> {
    let mut links = each(reading, curated, |path, bytes| {
        if !doc::may_link(bytes) {
            return Ok(Vec::new());
        }
        let references = places.references(path, &Document::parse(bytes))?.into_iter();
        let broken = references.filter(|reference| reference.target.is_broken());
        Ok(broken.map(|reference| link(places, path, reference)).collect())
    })?;
    suggest(&mut links, places);
    Ok(Outcome::Broken { links, files: curated.len(), commit: reading.commit() })
}
