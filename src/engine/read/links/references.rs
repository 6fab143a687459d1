//! Where entries point: the links of a document and the targets they resolve to.
//!
//! A link to a folder and one to its `context.md` or `_index.md` are the same. Knows no command; works on the documents
//! it is given, and reads the disk only to see whether a target exists.

use super::present::PresentFiles;
use crate::open::naming::resolve::{self, Named};
use crate::read::archive::Lookup;
use crate::read::history::source::Reading;
use brv_base::fs::{self, FileKind};
use brv_base::nearest::nearest;
use brv_base::path::{PathKind, TreePath};
use brv_text::doc::{Document, LinkKind, link_target, percent_decoded};
use bstr::{BStr, ByteSlice as _};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;
use std::sync::OnceLock;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    pub kind: LinkKind,
    /// The path as written, without `@`, quotes and fragment.
    pub written: String,
    /// The line of the link, counted from 1; `None` in frontmatter.
    pub line: Option<usize>,
    pub target: LinkTarget,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum LinkTarget {
    Entry(String),
    /// A folder, also by its `context.md`.
    Folder(String),
    /// An existing file that is not an entry.
    Other(String),
    /// A file derived from this entry or folder. Derived files are not shared, so others may not have it.
    Derived(Box<LinkTarget>),
    Archived(String),
    Missing(String),
    Outside,
}

impl LinkTarget {
    /// The entry or folder that the link refers to.
    pub fn subject(&self) -> &Self {
        match self {
            Self::Derived(subject) => subject,
            other => other,
        }
    }

    /// The path of the target, existing or not; `None` outside the tree.
    pub fn path(&self) -> Option<&str> {
        match self {
            Self::Entry(path)
            | Self::Folder(path)
            | Self::Other(path)
            | Self::Archived(path)
            | Self::Missing(path) => Some(path),
            Self::Derived(subject) => subject.path(),
            Self::Outside => None,
        }
    }

    /// Whether the link is broken for a reader.
    pub const fn is_broken(&self) -> bool {
        matches!(self, Self::Missing(_) | Self::Outside)
    }
}

impl From<Named> for LinkTarget {
    fn from(named: Named) -> Self {
        match named {
            Named::File(path) => match path.kind() {
                PathKind::Entry => Self::Entry(path.to_string()),
                PathKind::NodeOverview => Self::Folder(path.folder().to_owned()),
                _ => Self::Other(path.to_string()),
            },
            Named::Abstract(path) | Named::Overview(path) => {
                Self::Derived(Box::new(Self::Entry(path.to_string())))
            }
            Named::Folder(path) => Self::Folder(path),
            Named::NotKnowledge(path) => Self::Other(path),
        }
    }
}

/// Tells whether a file that is not curated exists.
pub type Others<'a> = Box<dyn Fn(&TreePath, FileKind) -> Result<bool, fs::Error> + Sync + 'a>;

/// The paths of the tree, so that the disk is read only for files that are not curated.
pub struct Places<'a> {
    root: &'a Path,
    /// Whether a file that is not curated exists, if the disk does not tell.
    others: Option<Others<'a>>,
    /// What is archived, if that counts.
    archives: Option<Lookup<'a>>,
    /// The curated files, where they change all the time, without one that is gone.
    present: Option<(&'a PresentFiles, Option<&'a TreePath>)>,
    files: HashSet<&'a str>,
    folders: HashSet<&'a str>,
    by_name: HashMap<&'a str, Vec<&'a str>>,
    /// Entries and folders by the folded form of their names, once a broken link asks for it.
    alike: OnceLock<HashMap<String, Vec<String>>>,
    /// Files that will exist, or will be gone, after a move that the disk does not show yet.
    moved: HashMap<&'a str, bool>,
}

impl<'a> Places<'a> {
    /// The places of the tree at `root` with these curated files.
    pub fn of(root: &'a Path, curated: &'a [TreePath]) -> Self {
        let (files, folders) = (HashSet::new(), HashSet::new());
        let (by_name, alike, moved) = (HashMap::new(), OnceLock::new(), HashMap::new());
        let mut places =
            Self { root, others: None, archives: None, present: None, files, folders, by_name, alike, moved };
        places.extend(curated);
        places
    }

    /// The places of the tree at `root` with the files that are known, without `gone`.
    pub(super) fn within(root: &'a Path, present: &'a PresentFiles, gone: Option<&'a TreePath>) -> Self {
        Self { present: Some((present, gone)), ..Self::of(root, &[]) }
    }

    /// The places of the tree being read, with these curated files.
    pub fn in_reading(reading: &'a Reading, curated: &'a [TreePath]) -> Self {
        Self::of(reading.root(), curated)
            .with_others(Box::new(|path, kind| reading.has(path, kind)))
            .with_archives(Lookup::of(reading))
    }

    /// The same, with curated files that are kept off this disk: they are there, too.
    pub fn with_absent(mut self, absent: &'a [TreePath]) -> Self {
        self.extend(absent);
        self
    }

    fn extend(&mut self, curated: &'a [TreePath]) {
        for path in curated {
            self.files.insert(path.as_str());
            let mut folder = path.folder();
            while !folder.is_empty() && self.folders.insert(folder) {
                folder = folder.rsplit_once('/').map_or("", |(above, _)| above);
            }
            if path.kind() == PathKind::Entry {
                self.by_name.entry(path.file_name()).or_default().push(path.as_str());
            }
        }
    }

    /// The same; links to archived entries lead to them.
    pub fn with_archives(self, archives: Lookup<'a>) -> Self {
        Self { archives: Some(archives), ..self }
    }

    /// The same, without a look at the disk.
    pub fn with_others(self, others: Others<'a>) -> Self {
        Self { others: Some(others), ..self }
    }

    /// The places after a move, while the disk still has the files at their old paths.
    pub fn with_moved(
        mut self,
        gone: impl Iterator<Item = &'a TreePath>,
        come: impl Iterator<Item = &'a TreePath>,
    ) -> Self {
        self.moved.extend(gone.map(|path| (path.as_str(), false)));
        self.moved.extend(come.map(|path| (path.as_str(), true)));
        self
    }

    /// The links of the document at `path`, in document order.
    pub fn references(&self, path: &TreePath, document: &Document) -> Result<Vec<Reference>, fs::Error> {
        let links = document.links().into_iter();
        links
            .map(|link| {
                Ok(Reference {
                    target: self.target(path, link.kind, &link.target)?,
                    kind: link.kind,
                    line: link.span.map(|span| document.line_of_body(span.start)),
                    written: link.target,
                })
            })
            .collect()
    }

    /// The folders that only one of both has.
    pub fn folders_unlike<'b>(&'b self, other: &'b Places<'_>) -> BTreeSet<&'b BStr> {
        self.folders.symmetric_difference(&other.folders).map(|folder| folder.as_bytes().as_bstr()).collect()
    }

    /// What a broken link is likely to mean, at most 3: a path that differs only in case, `-` and `_`, entries elsewhere
    /// with the name of its target, which may have moved, else entries elsewhere with such a name.
    pub fn likely(&self, target: &LinkTarget) -> Vec<String> {
        let LinkTarget::Missing(path) = target else { return Vec::new() };
        let path = path.strip_suffix(".md").unwrap_or(path);
        let name = path.rsplit('/').next().unwrap_or(path);
        let alike = self.alike.get_or_init(|| self.folded()).get(&folded(name));
        let alike = alike.into_iter().flatten().map(String::as_str);
        let whole = folded(path);
        let is_whole = |other: &&str| folded(other.strip_suffix(".md").unwrap_or(other)) == whole;
        let mut found: Vec<&str> = alike.clone().filter(is_whole).collect();
        found.extend(self.by_name.get(format!("{name}.md").as_str()).into_iter().flatten());
        if found.is_empty() {
            found.extend(alike.filter(|other| !self.folders.contains(other)));
        }
        let mut seen = HashSet::new();
        let found = found.into_iter().filter(|other| seen.insert(*other));
        found.take(3).map(str::to_owned).collect()
    }

    /// What a broken link whose target has no likely one is written most like, at most 3: files and folders beside it, else
    /// anywhere. Every name of the tree is compared.
    pub fn mistyped(&self, target: &LinkTarget) -> Vec<String> {
        let LinkTarget::Missing(path) = target else { return Vec::new() };
        let (folder, name) = parts(path);
        let all: BTreeSet<&str> = self.files.iter().chain(&self.folders).copied().collect();
        let all: Vec<(&str, (&str, &str))> = all.into_iter().map(|path| (path, parts(path))).collect();
        let names = |of: Option<&str>| {
            let own = all.iter().map(|(_, parts)| *parts);
            nearest(name, own.filter(|(other, _)| of.is_none_or(|of| of == *other)).map(|(_, name)| name))
        };
        let beside = names(Some(folder)).map(|name| (Some(folder), name));
        let Some((of, name)) = beside.or_else(|| Some((None, names(None)?))) else { return Vec::new() };
        let is_meant = |(folder, other): (&str, &str)| other == name && of.is_none_or(|of| of == folder);
        let found = all.iter().filter(|(_, parts)| is_meant(*parts));
        found.take(3).map(|(path, _)| (*path).to_owned()).collect()
    }

    /// Entries and folders by the folded form of their names.
    fn folded(&self) -> HashMap<String, Vec<String>> {
        let mut paths: Vec<&str> = self.by_name.values().flatten().chain(&self.folders).copied().collect();
        paths.sort_unstable();
        let mut alike: HashMap<String, Vec<String>> = HashMap::new();
        for path in paths {
            let name = path.rsplit('/').next().unwrap_or(path);
            let key = folded(name.strip_suffix(".md").unwrap_or(name));
            alike.entry(key).or_default().push(path.to_owned());
        }
        alike
    }

    /// What a path of [`Self::likely`] is.
    pub fn at(&self, path: &str) -> LinkTarget {
        match self.folders.contains(path) {
            true => LinkTarget::Folder(path.to_owned()),
            false => LinkTarget::Entry(path.to_owned()),
        }
    }

    pub fn target(&self, from: &TreePath, kind: LinkKind, written: &str) -> Result<LinkTarget, fs::Error> {
        let decoded = if kind == LinkKind::Markdown { percent_decoded(written) } else { None };
        let mut first = None;
        for written in [Some(written), decoded.as_deref()].into_iter().flatten() {
            let Some(path) = link_target(from.folder(), kind, written) else {
                return Ok(LinkTarget::Outside);
            };
            if let Some(named) = resolve::at_by(&path, &|path, kind| self.is(path, kind))? {
                return Ok(named.into());
            }
            first.get_or_insert(path);
        }
        let Some(path) = first else { return Ok(LinkTarget::Outside) };
        let archived = self.archives.as_ref().and_then(|archives| archives.archived(&path));
        Ok(archived.map_or(LinkTarget::Missing(path), |archived| LinkTarget::Archived(archived.to_string())))
    }

    fn is(&self, path: &TreePath, kind: FileKind) -> Result<bool, fs::Error> {
        let known = match kind {
            _ if self.present.is_some_and(|(present, gone)| present.has(path, kind, gone)) => true,
            FileKind::Folder => self.folders.contains(path.as_str()),
            _ => self.files.contains(path.as_str()),
        };
        // a folder without entries does not count; a file may be support
        if known || kind == FileKind::Folder || path.kind().is_curated() {
            return Ok(known);
        }
        if let Some(will_be) = self.moved.get(path.as_str()) {
            return Ok(*will_be);
        }
        if let Some(others) = &self.others {
            return others(path, kind);
        }
        let file = path.on_disk(self.root);
        Ok(fs::is_reached_by_folders(self.root, &file)?
            && fs::stat(&file)?.is_some_and(|stat| stat.kind == kind))
    }
}

/// The folder of a path, and its name without the extension.
fn parts(path: &str) -> (&str, &str) {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    (folder, name.strip_suffix(".md").unwrap_or(name))
}

/// A path without what is easily written otherwise: case, `-` and `_`.
fn folded(path: &str) -> String {
    path.chars().filter(|c| !matches!(c, '-' | '_')).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(paths: &[&str]) -> Vec<TreePath> {
        paths.iter().map(|path| TreePath::parse(path.as_bytes()).unwrap()).collect()
    }

    #[test]
    fn every_way_to_point_leads_to_the_same_place() {
        let root = tempfile::tempdir().unwrap();
        fs::replace(&root.path().join("LICENSE.md"), b"x", fs::Durability::Later).unwrap();
        let curated = paths(&["a/b/my note.md", "a/b/c.md", "a/context.md", "c.md", "d/c.md"]);
        let places = Places::of(root.path(), &curated);
        let from = &curated[1];
        let target = |kind, written| places.target(from, kind, written).unwrap();
        let entry = |path: &str| LinkTarget::Entry(path.to_owned());
        let folder = |path: &str| LinkTarget::Folder(path.to_owned());
        for (kind, written, expected) in [
            (LinkKind::Related, "a/b/c", entry("a/b/c.md")),
            (LinkKind::Related, "a/b", folder("a/b")),
            (LinkKind::Related, "a/context.md", folder("a")),
            (LinkKind::Relation, "c.md", entry("c.md")),
            (LinkKind::Markdown, "c.md", entry("a/b/c.md")),
            (LinkKind::Markdown, "../../c.md", entry("c.md")),
            (LinkKind::Markdown, "/c.md", entry("c.md")),
            (LinkKind::Markdown, "my%20note.md", entry("a/b/my note.md")),
            (LinkKind::Markdown, "../../LICENSE.md", LinkTarget::Other("LICENSE.md".into())),
            (LinkKind::Markdown, "_index.md", folder("a/b")),
            (LinkKind::Markdown, "c.abstract.md", LinkTarget::Derived(Box::new(entry("a/b/c.md")))),
            (LinkKind::Markdown, "../../../x.md", LinkTarget::Outside),
            (LinkKind::Related, "a/x", LinkTarget::Missing("a/x".into())),
        ] {
            assert_eq!(target(kind, written), expected, "{kind:?} {written}");
        }
        assert_eq!(places.likely(&LinkTarget::Missing("x/c".into())), ["a/b/c.md", "c.md", "d/c.md"]);
    }

    #[test]
    fn a_path_in_another_spelling_is_the_likely_one() {
        let root = tempfile::tempdir().unwrap();
        let curated =
            paths(&["auth/jwt_tokens.md", "auth/JWT-keys.md", "web/Rate-Limits/a.md", "web/jwt-keys.md"]);
        let places = Places::of(root.path(), &curated);
        let likely = |path: &str| places.likely(&LinkTarget::Missing(path.to_owned()));
        assert_eq!(likely("auth/jwt-tokens"), ["auth/jwt_tokens.md"]);
        assert_eq!(likely("Auth/JwtTokens.md"), ["auth/jwt_tokens.md"]);
        assert_eq!(likely("auth/jwt-keys.md"), ["auth/JWT-keys.md", "web/jwt-keys.md"]);
        assert_eq!(likely("db/jwt-tokens"), ["auth/jwt_tokens.md"]);
        assert_eq!(likely("web/rate_limits"), ["web/Rate-Limits"]);
        assert_eq!(likely("auth/tokens"), [""; 0]);
        let mistyped = |path: &str| places.mistyped(&LinkTarget::Missing(path.to_owned()));
        assert_eq!(mistyped("auth/jwt_tokesn.md"), ["auth/jwt_tokens.md"]);
        assert_eq!(mistyped("web/jtw-keys"), ["web/jwt-keys.md"], "beside it, not `auth/JWT-keys`");
        assert_eq!(mistyped("db/jwt_tokns"), ["auth/jwt_tokens.md"]);
        assert_eq!(mistyped("web/Rate-Limts"), ["web/Rate-Limits"]);
        assert_eq!(
            mistyped("auth/passwords.md"),
            [""; 0],
            "as long a path in the same folder is not a reason"
        );
        assert_eq!(places.at("web/Rate-Limits"), LinkTarget::Folder("web/Rate-Limits".into()));
    }
}
