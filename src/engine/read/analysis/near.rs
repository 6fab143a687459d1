//! What a text links to and makes claims about, as hashes: which texts may concern another one is told without reading them.

use crate::read::links::link_graph::{end, ends_of};
use brv_base::content::fnv;
use brv_base::path::TreePath;
use brv_text::doc::{Document, may_link};
use brv_text::lint::Claims;
use bstr::ByteSlice as _;
use std::collections::{BTreeSet, HashSet};

/// The hashes of a text. A hash in common may be chance; without one there is nothing in common.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Near {
    /// Of the paths that its links may mean, without `.md`.
    leads: BTreeSet<u32>,
    /// Of the subjects of its claims, in the form in which they are compared.
    claims: BTreeSet<u32>,
}

/// What stands for any link: no path of a tree.
const SOME_LINK: &str = "/";

/// What is sought.
#[derive(Debug, Default)]
pub struct NearSet {
    leads: HashSet<u32>,
    claims: HashSet<u32>,
    /// Whether any link counts.
    any_link: bool,
}

impl Near {
    /// Of the text at a path.
    pub fn of(path: &TreePath, bytes: &[u8]) -> Self {
        let (links, claims) = (may_link(bytes), bytes.contains_str("**"));
        let mut near = Self::default();
        if links || claims {
            let document = Document::parse(bytes);
            near.leads.extend(links.then(|| ends_of(path, &document)).iter().flatten().map(|end| hash(end)));
            // one that leads out of the tree means no path of it
            near.leads.extend((links && !document.links().is_empty()).then(|| hash(SOME_LINK)));
            near.claims
                .extend(claims.then(|| Claims::of(&document)).iter().flat_map(Claims::subjects).map(hash));
        }
        near
    }

    /// The number of the hashes of links in four bytes, then all hashes, those of links first; little-endian.
    pub fn to_bytes(&self) -> Vec<u8> {
        let count = u32::try_from(self.leads.len()).unwrap_or(u32::MAX);
        let all = [count].into_iter().chain(self.leads.iter().chain(&self.claims).copied());
        all.flat_map(u32::to_le_bytes).collect()
    }
}

impl NearSet {
    /// Look for links to an entry, a folder or another file, by its path.
    pub fn seek_path(&mut self, path: &str) {
        let bare = end(path);
        self.leads.extend([hash(bare), hash(path)]);
    }

    /// Look for links to a folder, also by the files that stand for it.
    pub fn seek_folder(&mut self, folder: &str) {
        self.leads.insert(hash(folder));
        for name in ["context", "_index"] {
            let path = if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
            self.leads.insert(hash(&path));
        }
    }

    /// Look for any link.
    pub const fn seek_links(&mut self) {
        self.any_link = true;
    }

    /// Look for claims about a subject, in the form in which subjects are compared.
    pub fn seek_subject(&mut self, subject: &str) {
        self.claims.insert(hash(subject));
    }

    /// Whether a text may have some of what is sought; `bytes` is what [`Near::to_bytes`] made of it. Of other bytes anything is
    /// possible.
    pub fn may_concern(&self, bytes: &[u8]) -> bool {
        let Some((count, hashes)) = bytes.split_first_chunk::<4>() else { return true };
        let (hashes, rest) = hashes.as_chunks::<4>();
        let count = u32::from_le_bytes(*count) as usize;
        let Some((leads, claims)) = hashes.split_at_checked(count).filter(|_| rest.is_empty()) else {
            return true;
        };
        let has = |sought: &HashSet<u32>, all: &[[u8; 4]]| {
            !sought.is_empty() && all.iter().any(|hash| sought.contains(&u32::from_le_bytes(*hash)))
        };
        (self.any_link && count > 0) || has(&self.leads, leads) || has(&self.claims, claims)
    }
}

fn hash(text: &str) -> u32 {
    u32::try_from(fnv(text.bytes()) >> 32).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::links::references::{LinkTarget, Places};
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(crate::cases::held_to(256))]

        #[test]
        fn no_link_is_passed_over(
            at in 0..6_usize,
            parts in prop::collection::vec(prop::sample::select(vec![
                "a", "b", "my note", "my_note", "my\\_note", "my%20note", "c", "/", "../", "./", "\\", "@", ".md", ".abstract.md",
                "context.md", "_index.md", "context", "a/b", "a/b/my_note", "a/b/my note.md", "LICENSE", "b.md/", "#top",
            ]), 1..5),
            form in 0..5_usize,
        ) {
            let curated = ["a/b/c.md", "a/b/my note.md", "a/b/my_note.md", "a/context.md", "b.md", "a/b.md"];
            let curated = curated.map(|path| TreePath::parse(path.as_bytes()).unwrap());
            let target = parts.concat();
            let text = match form {
                0 => format!("---\nrelated: [{target}]\n---\n"),
                1 => format!("---\nrelated: [\"{}\"]\n---\n", target.replace('\\', "\\\\")),
                2 => format!("## Relations\n@{target}\n"),
                3 => format!("![t](<{target}>)\n"),
                _ => format!("[t](<{target}>)\n"),
            };
            let root = tempfile::tempdir().unwrap();
            let places = Places::of(root.path(), &curated);
            let near = Near::of(&curated[at], text.as_bytes()).to_bytes();
            for reference in places.references(&curated[at], &Document::parse(text.clone())).unwrap() {
                let mut sought = NearSet::default();
                match reference.target.subject() {
                    LinkTarget::Outside => sought.seek_links(),
                    LinkTarget::Folder(path) => sought.seek_folder(path),
                    other => sought.seek_path(other.path().unwrap_or_default()),
                }
                prop_assert!(sought.may_concern(&near), "{:?} {:?}", reference, text);
            }
        }

        #[test]
        fn of_any_bytes_something_is_said(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            let mut sought = NearSet::default();
            sought.seek_subject("x");
            let _ = sought.may_concern(&bytes);
        }
    }

    #[test]
    fn a_claim_is_found_by_its_subject_however_it_is_set() {
        let path = TreePath::parse(b"a/b.md").unwrap();
        let mut sought = NearSet::default();
        for subject in Claims::of(&Document::parse("## Facts\n\n- **Token lifetime**: 12 hours\n")).subjects()
        {
            sought.seek_subject(subject);
        }
        for (text, expected) in [
            ("## Facts\n\n- **token  LIFETIME**: 1 hour\n", true),
            ("## Facts\n\n- **x**: y\n- **Token\n  lifetime:** 1 hour\n", true),
            ("## Facts\n\n- **token**: lifetime\n", false),
            ("[x](c.md)\n", false),
        ] {
            assert_eq!(sought.may_concern(&Near::of(&path, text.as_bytes()).to_bytes()), expected, "{text}");
        }
    }
}
