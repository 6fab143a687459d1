//! Rewrite links in documents when entries and folders move, so that every link keeps its target.
//!
//! Decides by the target of a link before and after, never by its text alone: a link that still resolves to its target
//! is not changed. Writes nothing.

use super::pointing::{LinkPattern, each};
use super::references::{LinkTarget, Places};
use super::{Link, LinkTargetState};
use crate::Stop;
use crate::read::history::source::Reading;
use brv_base::content::ContentId;
use brv_base::fs;
use brv_base::path::{PathKind, TreePath};
use brv_text::doc::link_target;
use brv_text::doc::{Document, LinkKind, may_link, may_show};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// With this many moved paths every document with a link is parsed: searching for each name costs more.
const SOUGHT: usize = 8;

/// The moves: which paths go where.
#[derive(Debug, Clone, Default)]
pub struct PathMoves {
    /// Files, old to new.
    pub files: BTreeMap<TreePath, TreePath>,
    /// Folders that move as a whole, old to new.
    pub folders: Vec<(String, String)>,
}

impl PathMoves {
    fn file<'a>(&'a self, path: &'a str) -> &'a str {
        self.files.get(path).map_or(path, TreePath::as_str)
    }

    fn folder(&self, path: &str) -> Option<String> {
        self.folders.iter().find_map(|(old, new)| {
            let rest = path.strip_prefix(old.as_str())?;
            (rest.is_empty() || rest.starts_with('/')).then(|| format!("{new}{rest}"))
        })
    }

    fn after(&self, curated: &[TreePath]) -> Vec<TreePath> {
        let after: BTreeSet<TreePath> =
            curated.iter().map(|path| self.files.get(path).unwrap_or(path).clone()).collect();
        after.into_iter().filter(|path| path.kind().is_curated()).collect()
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repointed {
    pub path: TreePath,
    pub source: ContentId,
    /// The bytes with the new links; `None` if no link could be rewritten.
    pub bytes: Option<Vec<u8>>,
    /// The changed links, in document order.
    pub links: Vec<RepointedLink>,
}

/// A link to update.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
#[schemars(rename = "Link")]
pub struct RepointedLink {
    /// `related` in frontmatter, `@path` under `Relations`, or a markdown link.
    #[serde(rename = "form")]
    pub kind: LinkKind,
    /// Its line, from 1; `null` in frontmatter.
    pub line: Option<usize>,
    /// The old target as written.
    pub from: String,
    /// The new target; `null` if it cannot be written, so that the link is broken or points elsewhere.
    pub to: Option<String>,
}

/// The documents in which links change, in the order of their paths.
pub fn repointed(reading: &Reading, curated: &[TreePath], moves: &PathMoves) -> Result<Vec<Repointed>, Stop> {
    let root = reading.root();
    let after = moves.after(curated);
    let (gone, come) = (moves.files.keys(), moves.files.values());
    let places = Turning {
        before: Places::of(root, curated),
        after: Places::of(root, &after).with_moved(gone, come),
        moves,
    };
    let sought = link_patterns(&subjects(curated, &after, moves));
    each(reading, curated, |path, bytes| {
        let is_concerned = match &sought {
            Some(sought) => {
                moves.files.contains_key(path) || sought.iter().any(|sought| sought.may_be_in(bytes))
            }
            None => true,
        };
        let may_lead = may_link(bytes) || places.asks_for_other_files(path) && may_show(bytes);
        if !is_concerned || !may_lead {
            return Ok(Vec::new());
        }
        Ok(places.turn(path, bytes)?.into_iter().collect())
    })
}

/// The links that resolve before `gone` is removed and are broken after it.
pub fn dangling(root: &Path, curated: &[TreePath], gone: &BTreeSet<TreePath>) -> Result<Vec<Link>, Stop> {
    let after: Vec<TreePath> = curated.iter().filter(|path| !gone.contains(*path)).cloned().collect();
    let places = Places::of(root, curated);
    let places_after = Places::of(root, &after).with_moved(gone.iter(), std::iter::empty());
    let mut subjects: BTreeSet<LinkTarget> = gone.iter().map(target_of).collect();
    let (with, without) = (folders(curated), folders(&after));
    subjects.extend(with.difference(&without).map(|folder| LinkTarget::Folder((*folder).to_owned())));
    let sought = link_patterns(&subjects);
    each(&Reading::on_disk(root.to_owned()), &after, |path, bytes| {
        let is_concerned =
            sought.as_ref().is_none_or(|sought| sought.iter().any(|sought| sought.may_be_in(bytes)));
        if !is_concerned || !may_link(bytes) {
            return Ok(Vec::new());
        }
        let document = Document::parse(bytes);
        let before = places.references(path, &document)?;
        let after = places_after.references(path, &document)?;
        let pairs = before.into_iter().zip(after);
        let broken = pairs.filter(|(was, now)| now.target.is_broken() && !was.target.is_broken());
        let link = |reference| Link { state: LinkTargetState::Missing, ..Link::new(path, reference) };
        Ok(broken.map(|(reference, _)| link(reference)).collect())
    })
}

/// A document whose broken links were turned, as far as they could be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MendedDocument {
    pub bytes: Vec<u8>,
    /// How many links have one likely target and could not be turned to it.
    pub left: usize,
}

/// Turn each broken link to the only entry or folder that it is likely to mean.
pub fn mended(places: &Places<'_>, path: &TreePath, bytes: &[u8]) -> Result<MendedDocument, fs::Error> {
    let mut document = Document::parse(bytes);
    let mut left = 0;
    for (position, pointer) in document.pointers().into_iter().enumerate() {
        let (kind, written) = (pointer.kind, pointer.target.as_str());
        if names_other_file(kind, written) {
            continue;
        }
        let target = places.target(path, kind, written)?;
        let likely = places.likely(&target);
        let [only] = likely.as_slice() else { continue };
        let wanted = places.at(only);
        let bare = only.strip_suffix(".md").filter(|_| !written.ends_with(".md"));
        left += 1;
        for candidate in bare.into_iter().chain([only.as_str()]) {
            let mut copy = document.clone();
            if copy.turn(position, &in_style(path, kind, written, candidate)).is_err() {
                continue;
            }
            let now = copy.pointers().swap_remove(position).target;
            if places.target(path, kind, &now)? == wanted {
                (document, left) = (copy, left - 1);
                break;
            }
        }
    }
    Ok(MendedDocument { bytes: document.into_bytes(), left })
}

/// `None` where parsing every document is cheaper.
fn link_patterns(subjects: &BTreeSet<LinkTarget>) -> Option<Vec<LinkPattern>> {
    (subjects.len() <= SOUGHT).then(|| subjects.iter().map(LinkPattern::of).collect())
}

/// The targets that are no longer at their path, or that a new path hides.
fn subjects(curated: &[TreePath], after: &[TreePath], moves: &PathMoves) -> BTreeSet<LinkTarget> {
    let mut subjects: BTreeSet<LinkTarget> = moves.files.keys().map(target_of).collect();
    let (before, after) = (folders(curated), folders(after));
    subjects.extend(before.difference(&after).map(|folder| LinkTarget::Folder((*folder).to_owned())));
    for path in moves.files.values() {
        let name = path.as_str().strip_suffix(".md").unwrap_or_default();
        let hidden = before.get(name).map(|folder| LinkTarget::Folder((*folder).to_owned()));
        subjects.extend(hidden);
    }
    subjects
}

fn folders(paths: &[TreePath]) -> BTreeSet<&str> {
    let mut folders = BTreeSet::new();
    for path in paths {
        let mut folder = path.folder();
        while !folder.is_empty() && folders.insert(folder) {
            folder = folder.rsplit_once('/').map_or("", |(above, _)| above);
        }
    }
    folders
}

fn target_of(path: &TreePath) -> LinkTarget {
    match path.kind() {
        PathKind::Entry => LinkTarget::Entry(path.to_string()),
        PathKind::NodeOverview => LinkTarget::Folder(path.folder().to_owned()),
        _ => LinkTarget::Other(path.to_string()),
    }
}

/// The tree before and after the moves.
pub(super) struct Turning<'a> {
    pub before: Places<'a>,
    pub after: Places<'a>,
    pub moves: &'a PathMoves,
}

impl Turning<'_> {
    /// Whether links to non-markdown files in a document may have to be rewritten.
    fn asks_for_other_files(&self, path: &TreePath) -> bool {
        self.moves.files.contains_key(path)
            || self.moves.files.keys().any(|path| names_other_file(LinkKind::Markdown, path.as_str()))
    }

    /// The document with its links updated; `None` if no link has to change.
    pub fn turn(&self, path: &TreePath, bytes: &[u8]) -> Result<Option<Repointed>, fs::Error> {
        let at = self.moves.files.get(path).unwrap_or(path);
        let mut document = Document::parse(bytes);
        let mut links = Vec::new();
        let asks_for_other_files = self.asks_for_other_files(path);
        for (position, pointer) in document.pointers().into_iter().enumerate() {
            let (kind, written) = (pointer.kind, pointer.target.as_str());
            if names_other_file(kind, written) && !asks_for_other_files {
                continue;
            }
            let before = self.before.target(path, kind, written)?;
            let Some(wanted) = self.wanted(path, kind, written, before, at)? else { continue };
            let leads_out = wanted.target == LinkTarget::Outside;
            let stays = !leads_out || climbing(path, written) == climbing(at, written);
            if stays && self.after.target(at, kind, written)? == wanted.target {
                continue;
            }
            let mut turned = None;
            for candidate in wanted.paths {
                let candidate = in_style(at, kind, written, &candidate);
                let mut copy = document.clone();
                if copy.turn(position, &candidate).is_err() {
                    continue;
                }
                let now = copy.pointers().swap_remove(position).target;
                if self.after.target(at, kind, &now)? == wanted.target {
                    (document, turned) = (copy, Some(now));
                    break;
                }
            }
            links.push(RepointedLink { kind, line: pointer.line, from: pointer.target, to: turned });
        }
        if links.is_empty() {
            return Ok(None);
        }
        let is_turned = links.iter().any(|link| link.to.is_some());
        let bytes_after = is_turned.then(|| document.into_bytes());
        let source = ContentId::of(bytes);
        Ok(Some(Repointed { path: path.clone(), source, bytes: bytes_after, links }))
    }

    /// The target that a link must have, and the ways to write it; `None` where the link needs no change.
    fn wanted(
        &self,
        path: &TreePath,
        kind: LinkKind,
        written: &str,
        before: LinkTarget,
        at: &TreePath,
    ) -> Result<Option<RepointTarget>, fs::Error> {
        let decoded = percent_decoded_of(kind, written);
        let literal = link_target(path.folder(), kind, &decoded).unwrap_or_default();
        // a relative link from a moved file must still name the same place; any other is as broken as before
        let is_relative = kind == LinkKind::Markdown && !written.starts_with('/');
        let has_moved = is_relative && path.folder() != at.folder();
        // what resolves to no file may be anything, also a word in brackets
        if names_other_file(kind, written) && !matches!(before, LinkTarget::Other(_) | LinkTarget::Outside) {
            return Ok(None);
        }
        Ok(match before {
            LinkTarget::Outside => has_moved
                .then(|| RepointTarget { paths: vec![climbing(path, written)], target: LinkTarget::Outside }),
            LinkTarget::Missing(missing) | LinkTarget::Archived(missing) => has_moved.then(|| {
                RepointTarget { paths: vec![missing.clone()], target: LinkTarget::Missing(missing) }
            }),
            LinkTarget::Entry(old) => {
                let new = self.moves.file(&old);
                let bare = new.strip_suffix(".md").filter(|_| !literal.ends_with(".md"));
                let paths = bare.into_iter().chain([new]).map(str::to_owned).collect();
                Some(RepointTarget { paths, target: self.after_move(new) })
            }
            LinkTarget::Other(old) => {
                let new = self.moves.file(&old);
                Some(RepointTarget { paths: vec![new.to_owned()], target: self.after_move(new) })
            }
            LinkTarget::Folder(old) => Some(self.wanted_folder(&old, &literal)),
            LinkTarget::Derived(source) => match *source {
                LinkTarget::Entry(old) => {
                    let new = self.moves.file(&old);
                    let stem = new.strip_suffix(".md").unwrap_or(new);
                    let own = old.strip_suffix(".md").unwrap_or(&old);
                    let suffix = literal.strip_prefix(own).unwrap_or_default();
                    let target = LinkTarget::Derived(Box::new(self.after_move(new)));
                    Some(RepointTarget { paths: vec![format!("{stem}{suffix}")], target })
                }
                _ => None,
            },
        })
    }

    /// A folder may be named by its path, its `context.md` or its `_index.md`.
    fn wanted_folder(&self, old: &str, literal: &str) -> RepointTarget {
        let own = literal.strip_prefix(old).unwrap_or(literal).trim_start_matches('/');
        let inside = |folder: &str, name: &str| match folder {
            "" => name.to_owned(),
            folder => format!("{folder}/{name}"),
        };
        let context = inside(old, "context.md");
        let is_context = matches!(own, "context" | "context.md");
        let moved = self.moves.files.get(context.as_str()).filter(|_| is_context);
        if let Some(new) = moved {
            let bare = new.as_str().strip_suffix(".md").filter(|_| own == "context");
            let paths = bare.into_iter().chain([new.as_str()]).map(str::to_owned).collect();
            return RepointTarget { paths, target: target_of(new) };
        }
        let new = self.moves.folder(old).unwrap_or_else(|| old.to_owned());
        let paths = match own {
            "" => vec![new.clone(), inside(&new, "context.md"), inside(&new, "_index.md")],
            own => vec![inside(&new, own)],
        };
        RepointTarget { paths, target: LinkTarget::Folder(new) }
    }

    /// What a file is at its new path, which may be of another kind.
    fn after_move(&self, path: &str) -> LinkTarget {
        TreePath::parse(path.as_bytes())
            .map_or_else(|_| LinkTarget::Other(path.to_owned()), |path| target_of(&path))
    }
}

/// Whether a link points to a non-markdown file: an image, a table, code.
fn names_other_file(kind: LinkKind, written: &str) -> bool {
    kind == LinkKind::Markdown && !written.ends_with(".md")
}

struct RepointTarget {
    target: LinkTarget,
    /// Paths from the root that name the target, the most faithful first.
    paths: Vec<String>,
}

fn percent_decoded_of(kind: LinkKind, written: &str) -> String {
    let decoded = (kind == LinkKind::Markdown).then(|| brv_text::doc::percent_decoded(written)).flatten();
    decoded.unwrap_or_else(|| written.to_owned())
}

/// A path from the root, written in the style of this link: relations from the root, markdown links from the folder
/// unless they begin with `/`.
fn in_style(at: &TreePath, kind: LinkKind, written: &str, path: &str) -> String {
    if kind != LinkKind::Markdown {
        return path.to_owned();
    }
    if written.starts_with('/') {
        return format!("/{path}");
    }
    let relative = relative(at.folder(), path);
    if written.starts_with("./") && !relative.starts_with("../") { format!("./{relative}") } else { relative }
}

/// The path from the root of a relative link, which may begin with `..`.
fn climbing(from: &TreePath, written: &str) -> String {
    let mut parts: Vec<&str> = from.folder().split('/').filter(|part| !part.is_empty()).collect();
    for part in written.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

fn relative(folder: &str, path: &str) -> String {
    let own: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    let parts: Vec<&str> = path.split('/').collect();
    let most = own.len().min(parts.len() - 1);
    let shared = (0..most).take_while(|at| own[*at] == parts[*at]).count();
    let up = std::iter::repeat_n("..", own.len() - shared);
    up.chain(parts[shared..].iter().copied()).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(path: &str) -> TreePath {
        TreePath::parse(path.as_bytes()).unwrap()
    }

    /// The tree after the moves, with the bytes that changed.
    fn after(
        files: &[(&str, &str)],
        moved: &[(&str, &str)],
        folders: &[(&str, &str)],
    ) -> Vec<(String, String)> {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in files {
            fs::replace(&root.path().join(path), text.as_bytes(), fs::Durability::Later).unwrap();
        }
        let mut curated: Vec<TreePath> =
            files.iter().map(|(name, _)| path(name)).filter(|path| path.kind().is_curated()).collect();
        curated.sort();
        let mut moves = PathMoves::default();
        moves.files.extend(moved.iter().map(|(old, new)| (path(old), path(new))));
        for (old, new) in folders {
            let inside = curated.iter().filter(|path| path.as_str().starts_with(&format!("{old}/")));
            let to = |at: &TreePath| (at.clone(), path(&at.as_str().replacen(old, new, 1)));
            moves.files.extend(inside.map(to));
            moves.folders.push(((*old).to_owned(), (*new).to_owned()));
        }
        let found =
            repointed(&Reading::on_disk(root.path().to_owned()), &curated, &moves).unwrap().into_iter();
        let text = |bytes: Option<Vec<u8>>| String::from_utf8(bytes.unwrap_or_default()).unwrap();
        found.map(|one| (one.path.to_string(), text(one.bytes))).collect()
    }

    fn changed(path: &str, text: &str) -> (String, String) {
        (path.to_owned(), text.to_owned())
    }

    #[test]
    fn links_follow_a_file_and_links_in_it_stay_true() {
        let files = [
            ("a/b/c.md", "[d](d.md) [e](../e.md) [gone](gone.md) [self](c.md#x) [out](../../../o.md)\n"),
            ("a/b/d.md", "---\nrelated: [a/b/c, '@a/b/c.md#f', a/b]\n---\n[c](./c.md) [c](/a/b/c.md)\n"),
            ("a/e.md", "## Relations\n@a/b/c.md why\n\n[c](b/c.md) [c](b/c.abstract.md)\n"),
            ("z.md", "a/b/c is only a word here, [e](a/e.md)\n"),
        ];
        let expected = [
            changed(
                "a/b/c.md",
                "[d](../a/b/d.md) [e](../a/e.md) [gone](../a/b/gone.md) [self](n.md#x) [out](../../o.md)\n",
            ),
            changed(
                "a/b/d.md",
                "---\nrelated: [x/n, '@x/n.md#f', a/b]\n---\n[c](../../x/n.md) [c](/x/n.md)\n",
            ),
            changed("a/e.md", "## Relations\n@x/n.md why\n\n[c](../x/n.md) [c](../x/n.abstract.md)\n"),
        ];
        assert_eq!(after(&files, &[("a/b/c.md", "x/n.md")], &[]), expected);
    }

    #[test]
    fn links_to_other_files_and_images_of_a_moved_entry_stay_true() {
        let text = |image: &str, table: &str, code: &str| {
            format!(
                "![i]({image}) [t]({table}#r) [gone](gone.png) [w](word) [u](https://x/y.png) [m]({code})\n\n\
                 ![r][i] <img src=\"i.png\">\n\n[i]: {image} 'why'\n"
            )
        };
        let before = text("i.png", "my%20data.csv", "../../../src/m.rs");
        let files = [
            ("a/b/c.md", before.as_str()),
            ("a/b/i.png", "x"),
            ("a/b/my data.csv", "x"),
            ("z.md", "![i](a/b/i.png)\n"),
        ];
        let expected = [changed("a/b/c.md", &text("../a/b/i.png", "../a/b/my%20data.csv", "../../src/m.rs"))];
        assert_eq!(after(&files, &[("a/b/c.md", "x/n.md")], &[]), expected);
    }

    #[test]
    fn links_follow_a_moved_file_that_is_no_markdown() {
        let files = [
            (".github/x.yml", "x\n"),
            ("a/b.md", "[x](../.github/x.yml) [y](../.github/y.yml)\n"),
            ("c.md", "no link to .github/x.yml\n"),
        ];
        let expected = [changed("a/b.md", "[x](../.github/z.yml) [y](../.github/y.yml)\n")];
        assert_eq!(after(&files, &[(".github/x.yml", ".github/z.yml")], &[]), expected);
    }

    #[test]
    fn links_follow_a_folder_and_those_within_it_keep_their_bytes() {
        let files = [
            ("a/b/c.md", "[d](d.md) [e](../e.md) [i](_index.md)\n"),
            ("a/b/context.md", "---\nrelated: [a/b/c]\n---\n"),
            ("a/b/d.md", "[c](c.md)\n"),
            ("a/e.md", "---\nrelated: [a/b, a/b/context.md]\n---\n[f](b/context.md) [f](b/_index.md)\n"),
        ];
        let expected = [
            changed("a/b/c.md", "[d](d.md) [e](../../a/e.md) [i](_index.md)\n"),
            changed("a/b/context.md", "---\nrelated: [x/y/c]\n---\n"),
            changed(
                "a/e.md",
                "---\nrelated: [x/y, x/y/context.md]\n---\n[f](../x/y/context.md) [f](../x/y/_index.md)\n",
            ),
        ];
        assert_eq!(after(&files, &[], &[("a/b", "x/y")]), expected);
    }

    #[test]
    fn a_name_that_would_be_hidden_is_said_in_full() {
        let files = [("a/c.md", "x\n"), ("b.md", "---\nrelated: [a]\n---\n"), ("n.md", "x\n")];
        let expected = [changed("b.md", "---\nrelated: [a/_index.md]\n---\n")];
        assert_eq!(after(&files, &[("n.md", "a.md")], &[]), expected);
    }

    #[test]
    fn a_context_that_becomes_an_entry_is_followed_and_the_folder_is_not() {
        let files =
            [("a/c.md", "x\n"), ("a/context.md", "x\n"), ("b.md", "[t](a/context.md) [i](a/_index.md)\n")];
        let expected = [changed("b.md", "[t](n.md) [i](a/_index.md)\n")];
        assert_eq!(after(&files, &[("a/context.md", "n.md")], &[]), expected);
    }

    #[test]
    fn many_moves_at_once_are_found_as_well_as_one() {
        let names: Vec<String> = (0..20).map(|n| format!("a/e{n}.md")).collect();
        let links: String = names.iter().map(|name| format!("[t]({name})\n")).collect();
        let mut files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "x\n")).collect();
        files.push(("z.md", &links));
        let expected = [changed("z.md", &links.replace("a/e", "b/e"))];
        assert_eq!(after(&files, &[], &[("a", "b")]), expected);
    }

    #[test]
    fn what_leads_nowhere_afterwards_is_named_and_what_did_before_is_not() {
        let root = tempfile::tempdir().unwrap();
        let files = [
            ("a/b.md", "[c](c.md) [x](x.md)\n"),
            ("a/c.md", "[b](b.md)\n"),
            ("d.md", "---\nrelated: [a/c, a, a/b, LICENSE]\n---\n[l](LICENSE.md)\n"),
            ("LICENSE.md", "x\n"),
        ];
        for (path, text) in files {
            fs::replace(&root.path().join(path), text.as_bytes(), fs::Durability::Later).unwrap();
        }
        let curated = ["a/b.md", "a/c.md", "d.md"].map(path);
        let named = |gone: &[&str]| -> Vec<String> {
            let gone = gone.iter().map(|name| path(name)).collect();
            let found = dangling(root.path(), &curated, &gone).unwrap().into_iter();
            found.map(|one| format!("{} {}", one.from, one.written)).collect()
        };
        assert_eq!(named(&["a/c.md"]), ["a/b.md c.md", "d.md a/c"]);
        assert_eq!(named(&["a/b.md", "a/c.md"]), ["d.md a/c", "d.md a", "d.md a/b"]);
        assert_eq!(named(&["LICENSE.md"]), ["d.md LICENSE", "d.md LICENSE.md"]);
        assert_eq!(named(&["d.md"]), [""; 0]);
    }

    #[test]
    fn paths_are_relative_to_a_folder() {
        for (folder, path, expected) in [
            ("", "a.md", "a.md"),
            ("", "a/b.md", "a/b.md"),
            ("a", "a/b.md", "b.md"),
            ("a", "b.md", "../b.md"),
            ("a/b", "a/c/d.md", "../c/d.md"),
            ("a/b", "ab/c.md", "../../ab/c.md"),
        ] {
            assert_eq!(relative(folder, path), expected, "{folder} {path}");
        }
    }
}
