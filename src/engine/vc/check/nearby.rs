//! Which entries that a change does not touch may concern it, told from their bytes: what says nothing about a subject of
//! a touched entry and names no touched path need not be parsed.
//!
//! "No" is certain, but for texts that nobody writes: a name spelt in YAML's escapes over several lines, a subject with
//! hundreds of blanks.

use aho_corasick::AhoCorasick;
use brv_base::path::{PathKind, TreePath};
use brv_git::trees::Change;
use brv_text::doc::{self, Document};
use brv_text::lint::Claims;
use bstr::{BStr, ByteSlice as _};
use std::collections::{BTreeSet, HashSet};

/// With more touched paths than this, or longer subjects in bytes, all entries are parsed.
const MOST: usize = 1_000;

/// What the touched entries speak of, and what may lead to them.
pub struct Nearby {
    subjects: Option<HashSet<String>>,
    /// The longest of the subjects, in bytes.
    longest: usize,
    names: Option<AhoCorasick>,
}

impl Nearby {
    /// What the touched entries claim, and the names of the changed paths, of `folders` too: those that came or went.
    /// `archives`: whether the change may archive or restore something, which no name of a path tells.
    pub fn of<'a>(
        touched: impl Iterator<Item = &'a Claims>,
        changes: &[Change],
        folders: &BTreeSet<&BStr>,
        archives: bool,
    ) -> Self {
        let subjects: HashSet<String> = touched.flat_map(|claims| claims.subjects().map(bare)).collect();
        let longest = subjects.iter().map(String::len).max().unwrap_or_default();
        let names = if archives { None } else { names(changes, folders) };
        Self { subjects: (longest <= MOST).then_some(subjects), longest, names }
    }

    /// Whether the document at this path may state something about one of the subjects.
    pub fn may_claim(&self, document: &Document) -> bool {
        let Some(subjects) = &self.subjects else { return true };
        // a subject is set in bold; in another alphabet it may take more bytes than in normal form
        let most = self.longest * 4 + 64;
        let mut between = document.body().split("**").filter(|text| text.len() <= most);
        between.any(|text| subjects.contains(&bare(text)))
    }

    /// Whether the document may link to one of the paths.
    pub fn may_lead(&self, document: &Document) -> bool {
        let Some(names) = &self.names else { return true };
        let (fields, body) = document.text().split_at(document.body_start());
        let is_named = |text: &str| names.is_match(text);
        if is_named(fields) || fields.contains('\\') {
            return true;
        }
        // a destination of markdown may be written with escapes
        let has_destination = body.contains(".md") && body.contains(['%', '&', '\\']);
        let has_link = body.contains(".md") || body.contains('@');
        has_destination || (has_link && is_named(body))
    }
}

/// A subject without what may stand around it, in the form in which subjects are compared.
fn bare(subject: &str) -> String {
    doc::normal(subject.trim_matches(|c: char| c.is_whitespace() || matches!(c, '*' | ':' | '\u{ff1a}')))
}

/// Finds a part of the name of each path; `None` if links may lead elsewhere without one being named.
fn names(changes: &[Change], folders: &BTreeSet<&BStr>) -> Option<AhoCorasick> {
    let mut names = BTreeSet::new();
    for change in changes {
        for path in [Some(&change.path), change.renamed_from.as_ref()].into_iter().flatten() {
            let kind = TreePath::parse(path).ok()?.kind();
            let is_plain = matches!(kind, PathKind::Entry | PathKind::NodeOverview | PathKind::Support);
            names.insert(is_plain.then(|| part(path.as_ref()))??);
        }
    }
    for folder in folders {
        names.insert(part(folder)?);
    }
    (names.len() <= MOST).then(|| AhoCorasick::new(names).ok()).flatten()
}

/// The part of the last name of a path that is written the same wherever it stands: its longest run of ASCII letters and
/// digits.
fn part(path: &BStr) -> Option<&[u8]> {
    let name = path.rsplit(|byte| *byte == b'/').next()?;
    let end = name.find_byte(b'.').filter(|end| *end > 0).unwrap_or(name.len());
    let runs = name[..end].split(|byte| !(byte.is_ascii_alphanumeric() || *byte == b'-'));
    runs.max_by_key(|run| run.len()).filter(|run| !run.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use brv_base::content::ContentId;
    use brv_git::{FileMode, Version};

    fn changed(path: &str) -> Change {
        let version = Some(Version { mode: FileMode::Regular, id: ContentId::of(b"") });
        Change { path: path.into(), renamed_from: None, before: version, after: version }
    }

    fn nearby(subjects: &[&str], paths: &[&str]) -> Nearby {
        let changes: Vec<Change> = paths.iter().map(|path| changed(path)).collect();
        let near = Nearby::of(std::iter::empty(), &changes, &BTreeSet::new(), false);
        let subjects: HashSet<String> = subjects.iter().map(|subject| bare(subject)).collect();
        let longest = subjects.iter().map(String::len).max().unwrap_or_default();
        Nearby { subjects: Some(subjects), longest, ..near }
    }

    #[test]
    fn a_subject_is_found_however_it_is_set() {
        let near = nearby(&["Token lifetime", "有效期"], &[]);
        for (text, expected) in [
            ("## Facts\n\n- **token  LIFETIME**: 12 hours\n", true),
            ("## Facts\n\n- **x**: y\n- **Token\n  lifetime:** 12 hours\n", true),
            ("## Facts\n\n* ***Token lifetime**: 12 hours\n", true),
            ("## Facts\n\n- **有效期**：30 天\n", true),
            ("## Facts\n\n- **token**: lifetime\n", false),
            ("## Facts\n\n- token lifetime: 12 hours\n", false),
        ] {
            assert_eq!(near.may_claim(&Document::parse(text)), expected, "{text}");
        }
    }

    #[test]
    fn a_link_to_a_touched_path_is_found_however_it_is_written() {
        let near = nearby(&[], &["auth/my note.md", "auth/tokens_2.md"]);
        for (text, expected) in [
            ("---\nrelated: [auth/tokens_2]\n---\n", true),
            ("---\nrelated:\n  - \"auth/my\n    note\"\n---\n", true),
            ("---\nrelated: [\"auth/\\x74okens_2\"]\n---\n", true),
            ("See [it](my%20note.md).\n", true),
            ("See [it](../auth/tok\\ens_2.md).\n", true),
            ("See [it](tokens&#95;2.md).\n", true),
            ("## Relations\n@auth/tokens_2\n", true),
            ("---\nrelated: [auth/keys]\n---\n\nOf tokens, without a link.\n", false),
            ("See [it](keys.md).\n", false),
        ] {
            assert_eq!(near.may_lead(&Document::parse(text)), expected, "{text}");
        }
        let archives = Nearby::of(std::iter::empty(), &[changed("auth/context.md")], &BTreeSet::new(), true);
        assert!(archives.may_lead(&Document::parse("x")), "what is archived has another name");
        assert!(nearby(&[], &["auth/観測.md"]).may_lead(&Document::parse("x")), "no ASCII in its name");
    }
}
