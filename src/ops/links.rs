//! `brv links`: where an entry or folder points, what points to it, and which links of the tree lead nowhere.
//!
//! What points to an entry is sought in all files; only those that hold its name are taken apart.

use super::FailureKind;
use super::context::{Context, OpenError, Opened};
use super::steps::at::{self, Reading};
use super::steps::entry_name::{self, Named};
use super::steps::references::{Places, Reference, Target};
use super::steps::refresh;
use crate::doc::{self, Document};
use crate::fs;
use crate::git::status::StatusError;
use crate::git::{self, CommitId};
use crate::parallel;
use crate::path::TreePath;
use bstr::{ByteSlice as _, Finder};

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

/// What `find` has to say of every curated file, on all cores, in the order of the paths.
fn each<T: Send>(
    reading: &Reading,
    curated: &[TreePath],
    find: impl Fn(&TreePath, &[u8]) -> Result<Vec<T>, fs::Error> + Sync,
) -> Result<Vec<T>, Error> {
    let folders: Vec<&[TreePath]> = curated.chunk_by(|one, other| one.folder() == other.folder()).collect();
    let found = parallel::try_map(&folders, Vec::new, |buffer, paths| {
        let mut found = Vec::new();
        if reading.commit().is_some() {
            for path in *paths {
                found.extend(find(path, &reading.read(path)?.unwrap_or_default())?);
            }
            return Ok(found);
        }
        let root = reading.root();
        let Some(first) = paths.first().map(|path| path.on_disk(root)) else { return Ok(found) };
        if !fs::is_reached_by_folders(root, &first)? {
            return Ok(found);
        }
        for path in *paths {
            if fs::read_into(&path.on_disk(root), buffer)? {
                found.extend(find(path, buffer)?);
            }
        }
        Ok::<_, at::Error>(found)
    })?;
    Ok(found.into_iter().flatten().collect())
}

/// How the marks of a plain name may also be written in a link: escaped, as formatters like to, or encoded.
const DISGUISES: [&str; 5] = ["\\_", "\\-", "\\.", "%5", "%2"];

/// The bytes without which no file points to an entry or folder.
struct Sought {
    any_of: Vec<Finder<'static>>,
    /// Whether the name may also be written in another way: encoded or escaped.
    is_plain: bool,
}

impl Sought {
    fn of(subject: &Target) -> Self {
        let path = subject.path().unwrap_or_default();
        let path = path.strip_suffix(".md").unwrap_or(path);
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let above = folder.rsplit('/').next().unwrap_or_default();
        let mut any_of = match (subject, above) {
            // relations have the whole path, links from within the folder the file with its ending
            (_, "") => vec![name.to_owned()],
            _ => ["/", "\\", "\\\\"].map(|between| format!("{above}{between}{name}")).into(),
        };
        match subject {
            Target::Folder(_) => any_of.extend(["context.".to_owned(), "_index.".to_owned()]),
            _ => any_of.push(format!("{name}.")),
        }
        any_of.extend(DISGUISES.map(str::to_owned));
        let is_plain = path.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-./".contains(&byte));
        Self { any_of: any_of.iter().map(|text| Finder::new(text).into_owned()).collect(), is_plain }
    }

    fn may_be_in(&self, bytes: &[u8]) -> bool {
        self.any_of.iter().any(|sought| sought.find(bytes).is_some())
            || (!self.is_plain && bytes.find_byteset(b"%\\").is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(crate::cases::held_to(256))]

        #[test]
        fn no_link_is_passed_over(
            at in 0..6_usize,
            parts in prop::collection::vec(prop::sample::select(vec![
                "a", "b", "my note", "my_note", "my\\_note", "my%20note", "c", "/", "../", "./", "\\", "@", ".md", ".abstract.md",
                "context.md", "_index.md", "context", "a/b", "a/b/my_note", "a/b/my note.md",
            ]), 1..5),
            form in 0..4_usize,
        ) {
            let curated = ["a/b/c.md", "a/b/my note.md", "a/b/my_note.md", "a/context.md", "b.md", "a/b.md"];
            let curated = curated.map(|path| TreePath::parse(path.as_bytes()).unwrap());
            let target = parts.concat();
            let text = match form {
                0 => format!("---\nrelated: [{target}]\n---\n"),
                1 => format!("---\nrelated: [\"{}\"]\n---\n", target.replace('\\', "\\\\")),
                2 => format!("## Relations\n@{target}\n"),
                _ => format!("[t](<{target}>)\n"),
            };
            let root = tempfile::tempdir().unwrap();
            let places = Places::of(root.path(), &curated);
            for reference in places.references(&curated[at], &Document::parse(text.clone())).unwrap() {
                let subject = reference.target.subject();
                if !subject.is_broken() {
                    prop_assert!(Sought::of(subject).may_be_in(text.as_bytes()), "{:?} {:?}", subject, text);
                }
                prop_assert!(crate::doc::may_link(text.as_bytes()), "{:?}", text);
            }
        }
    }

    #[test]
    fn whoever_points_to_an_entry_holds_the_bytes_that_are_sought() {
        let entry = Sought::of(&Target::Entry("auth/jwt/token.md".into()));
        for text in
            ["related: [auth/jwt/token]", "@auth\\jwt\\token.md", "[t](token.md)", "[t](../jwt/token.md)"]
        {
            assert!(entry.may_be_in(text.as_bytes()), "{text}");
        }
        assert!(!entry.may_be_in(b"related: [auth/jwt/tokens_of_others]") || entry.is_plain);
        assert!(!entry.may_be_in(b"a token of thanks"));
        let spaced = Sought::of(&Target::Entry("a/my note.md".into()));
        assert!(spaced.may_be_in(b"[t](my%20note.md)"));
        let folder = Sought::of(&Target::Folder("auth/jwt".into()));
        for text in ["related: [auth/jwt]", "[t](context.md)", "[t](../jwt/_index.md)"] {
            assert!(folder.may_be_in(text.as_bytes()), "{text}");
        }
        assert!(Sought::of(&Target::Folder(String::new())).may_be_in(b""));
    }
}
