//! Compare the entries of a change set: each one on its own, then across entries.
//!
//! Knows paths and bytes of both sides; [`super::kinship`] finds renames, merges and splits.

use super::{
    BlockEdit, ByLine, Content, Entry, FactEdit, HeadingEdit, Place, What, compare::compare_documents,
};
use crate::doc::{self, Document, Fact, is_same_subject, normal};
use bstr::{BStr, BString, ByteSlice as _};
use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};

/// Blocks with fewer words are not searched for in other entries: a match would be chance.
const FEW_WORDS: usize = 4;

/// How many entries that lost the same thing are searched for one other than the entry that has it now.
const NEAR: usize = 16;

#[derive(Debug, Clone, Copy)]
pub struct Version<'a> {
    pub path: &'a BStr,
    pub bytes: &'a [u8],
}

/// The paths that a change set removes.
#[derive(Debug, Clone, Default)]
pub struct Gone(HashSet<BString>);

impl Gone {
    /// The paths that are in `before` but not in `after`.
    pub fn new<'a>(
        before: impl IntoIterator<Item = &'a BString>,
        after: impl IntoIterator<Item = &'a BString>,
    ) -> Gone {
        let mut gone: HashSet<BString> = before.into_iter().cloned().collect();
        after.into_iter().for_each(|path| {
            gone.remove(path);
        });
        Gone(gone)
    }
}

/// Whether the file at this path is read as a document.
pub fn is_document(path: &BStr) -> bool {
    path.ends_with(b".md")
}

/// Compare one entry. A side is `None` if the entry does not exist there.
pub fn entry(before: Option<Version<'_>>, after: Option<Version<'_>>, gone: &Gone) -> Entry {
    let what = match (before, after) {
        (None, _) => What::Added,
        (_, None) => What::Deleted,
        (Some(before), Some(after)) if before.path != after.path => What::Renamed,
        _ => What::Modified,
    };
    // each side is parsed once, for its title, its content and its links
    let read = [before, after].map(|version| {
        version.filter(|version| is_document(version.path)).map(|version| Document::parse(version.bytes))
    });
    let [old, new] = read.each_ref().map(Option::as_ref);
    let mut entry = Entry {
        what,
        before: before.map(|version| place(version, old)),
        after: after.map(|version| place(version, new)),
        sources: Vec::new(),
        content: Content::Lines(ByLine::NotADocument),
        dangling: Vec::new(),
    };
    let are_documents = before.is_some() == old.is_some() && after.is_some() == new.is_some();
    if are_documents {
        let none = Document::parse("");
        entry.content = compare_documents(old.unwrap_or(&none), new.unwrap_or(&none));
    }
    if let (Content::Knowledge(_), Some(after), Some(new)) = (&entry.content, after, new) {
        entry.dangling = dangling(after, new, gone);
    }
    entry
}

fn place(version: Version<'_>, document: Option<&Document>) -> Place {
    Place { path: version.path.to_owned(), title: document.and_then(Document::title) }
}

/// The link targets of the document that are gone.
fn dangling(version: Version<'_>, document: &Document, gone: &Gone) -> Vec<String> {
    if gone.0.is_empty() || !doc::may_link(version.bytes) {
        return Vec::new();
    }
    let targets = document.links().into_iter().filter_map(|link| {
        let path = match link.kind {
            doc::LinkKind::Markdown => beside(version.path, &link.target)?,
            doc::LinkKind::Related | doc::LinkKind::Relation => link.target,
        };
        let with_ending = format!("{path}.md");
        [path, with_ending].into_iter().find(|path| gone.0.contains(path.as_bytes().as_bstr()))
    });
    targets.collect::<BTreeSet<String>>().into_iter().collect()
}

/// A markdown link as a path from the root of the tree; `None` if it points outside.
fn beside(path: &BStr, target: &str) -> Option<String> {
    let target = target.replace("%20", " ");
    let mut parts: Vec<&str> = Vec::new();
    let path = path.to_str().ok()?;
    if !target.starts_with('/') {
        parts.extend(path.split('/').take(path.matches('/').count()));
    }
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// The content of a fact or a block, as searched for in other entries.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Said {
    Fact(Option<String>, String),
    Block(String),
}

/// Set the target entry of each removed fact and block, and the source entry of each added one.
pub fn trace(entries: &mut [Entry]) {
    let mut waiting: HashMap<Said, VecDeque<usize>> = HashMap::new();
    for (place, entry) in entries.iter_mut().enumerate() {
        each(entry, |said, end| {
            if let End::Removed(_) = end {
                waiting.entry(said).or_default().push_back(place);
            }
        });
    }
    let paths = |side: fn(&Entry) -> Option<&Place>| -> Vec<BString> {
        entries.iter().map(|entry| side(entry).map(|place| place.path.clone()).unwrap_or_default()).collect()
    };
    let (before, after) = (paths(|entry| entry.before.as_ref()), paths(|entry| entry.after.as_ref()));
    let mut arrived: HashMap<(Said, usize), VecDeque<usize>> = HashMap::new();
    for (place, entry) in entries.iter_mut().enumerate() {
        each(entry, |said, end| {
            let End::Added(from) = end else { return };
            let Some(source) = waiting.get_mut(&said).and_then(|places| {
                places.iter().take(NEAR).position(|source| *source != place).and_then(|at| places.remove(at))
            }) else {
                return;
            };
            *from = Some(before[source].clone());
            arrived.entry((said, source)).or_default().push_back(place);
        });
    }
    for (place, entry) in entries.iter_mut().enumerate() {
        each(entry, |said, end| {
            if let End::Removed(to) = end {
                *to = arrived
                    .get_mut(&(said, place))
                    .and_then(|places| places.pop_front())
                    .map(|target| after[target].clone());
            }
        });
    }
}

/// Facts of an entry that went into `target` are there, if `target` holds them already.
pub fn keep_held(entry: &mut Entry, target: &BString, bytes: &[u8]) {
    let Content::Knowledge(knowledge) = &mut entry.content else { return };
    let mut held: Option<Vec<Fact>> = None;
    for fact in &mut knowledge.facts {
        let FactEdit::Removed { claim, to: to @ None } = &mut fact.edit else { continue };
        let held = held.get_or_insert_with(|| Document::parse(bytes).facts());
        let is_same = |fact: &Fact| match (&fact.subject, &claim.subject) {
            (Some(one), Some(other)) => {
                is_same_subject(one, other) && normal(&fact.statement) == normal(&claim.statement)
            }
            (None, None) => normal(&fact.statement) == normal(&claim.statement),
            _ => false,
        };
        if held.iter().any(is_same) {
            *to = Some(target.clone());
        }
    }
}

/// One end of a move between entries.
enum End<'a> {
    Removed(&'a mut Option<BString>),
    Added(&'a mut Option<BString>),
}

/// Call `visit` for each added or removed fact and block that has enough content to be recognised.
fn each(entry: &mut Entry, mut visit: impl FnMut(Said, End<'_>)) {
    let Content::Knowledge(knowledge) = &mut entry.content else { return };
    for fact in &mut knowledge.facts {
        let (claim, end) = match &mut fact.edit {
            FactEdit::Added { claim, from } => (claim, End::Added(from)),
            FactEdit::Removed { claim, to } => (claim, End::Removed(to)),
            FactEdit::Changed { .. } | FactEdit::Moved { .. } => continue,
        };
        if claim.subject.is_some() || claim.statement.split(' ').count() >= FEW_WORDS {
            visit(Said::Fact(claim.subject.clone(), claim.statement.clone()), end);
        }
    }
    for block in knowledge.sections.iter_mut().flat_map(|section| &mut section.blocks) {
        let (text, end) = match &mut block.edit {
            BlockEdit::Added { text, from } => (text, End::Added(from)),
            BlockEdit::Removed { text, to } => (text, End::Removed(to)),
            BlockEdit::Edited(_) | BlockEdit::Moved { .. } => continue,
        };
        let words: Vec<&str> =
            text.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).collect();
        if words.len() >= FEW_WORDS {
            visit(Said::Block(words.join(" ")), end);
        }
    }
}

/// How much of an entry changed, for summaries.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    pub facts: Count,
    /// Sections whose heading was added, removed or changed.
    pub sections: Count,
    pub blocks: Count,
    /// Fields other than times.
    pub fields: Count,
}

/// The counts for one kind of element.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Count {
    /// Only on the side after.
    pub added: usize,
    /// Only on the side before.
    pub removed: usize,
    pub changed: usize,
    pub moved: usize,
}

impl std::ops::AddAssign for Count {
    fn add_assign(&mut self, other: Count) {
        self.added += other.added;
        self.removed += other.removed;
        self.changed += other.changed;
        self.moved += other.moved;
    }
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        self.facts += other.facts;
        self.sections += other.sections;
        self.blocks += other.blocks;
        self.fields += other.fields;
    }
}

impl Count {
    pub fn is_empty(self) -> bool {
        self == Count::default()
    }
}

impl super::Knowledge {
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for field in self.telling_fields() {
            match field.edit {
                super::FieldEdit::Added(_) => counts.fields.added += 1,
                super::FieldEdit::Removed(_) => counts.fields.removed += 1,
                _ => counts.fields.changed += 1,
            }
        }
        for fact in &self.facts {
            match fact.edit {
                // what another entry has now, or had before, is neither lost nor new
                FactEdit::Added { from: Some(_), .. } | FactEdit::Removed { to: Some(_), .. } => {}
                FactEdit::Added { from: None, .. } => counts.facts.added += 1,
                FactEdit::Removed { to: None, .. } => counts.facts.removed += 1,
                FactEdit::Changed { .. } => counts.facts.changed += 1,
                FactEdit::Moved { .. } => counts.facts.moved += 1,
            }
        }
        for section in &self.sections {
            match section.heading {
                HeadingEdit::Kept => {}
                HeadingEdit::Added => counts.sections.added += 1,
                HeadingEdit::Removed => counts.sections.removed += 1,
                HeadingEdit::Renamed { .. } => counts.sections.changed += 1,
                HeadingEdit::Moved { .. } => counts.sections.moved += 1,
            }
            for block in &section.blocks {
                match block.edit {
                    BlockEdit::Added { .. } => counts.blocks.added += 1,
                    BlockEdit::Removed { .. } => counts.blocks.removed += 1,
                    BlockEdit::Edited(_) => counts.blocks.changed += 1,
                    BlockEdit::Moved { .. } => counts.blocks.moved += 1,
                }
            }
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version<'a>(path: &'a str, text: &'a str) -> Option<Version<'a>> {
        Some(Version { path: path.into(), bytes: text.as_bytes() })
    }

    #[test]
    fn a_fact_that_went_to_another_entry_names_it() {
        let gone = Gone::default();
        let mut entries = [
            entry(
                version("a.md", "## Facts\n- **ttl**: 24 hours\n- x\n"),
                version("a.md", "## Facts\n- x\n"),
                &gone,
            ),
            entry(version("b.md", "## Facts\n"), version("b.md", "## Facts\n- **ttl**: 24 hours\n"), &gone),
        ];
        trace(&mut entries);
        let edit = |entry: &Entry| match &entry.content {
            Content::Knowledge(knowledge) => knowledge.facts[0].edit.clone(),
            Content::Lines(_) => panic!("a document"),
        };
        assert!(matches!(edit(&entries[0]), FactEdit::Removed { to: Some(path), .. } if path == "b.md"));
        assert!(matches!(edit(&entries[1]), FactEdit::Added { from: Some(path), .. } if path == "a.md"));
    }

    #[test]
    fn a_relation_to_what_is_gone_dangles() {
        let gone = Gone::new([&"a/b/c.md".into(), &"d.md".into(), &"e.md".into()], [&"e.md".into()]);
        let text = "---\nrelated: [a/b/c]\n---\n[d](../../d.md) [e](/e.md)\n";
        assert_eq!(entry(None, version("a/x/y.md", text), &gone).dangling, ["a/b/c.md", "d.md"]);
    }

    #[test]
    fn what_is_no_markdown_is_told_by_line() {
        let found = entry(version("a.txt", "x"), version("a.txt", "y"), &Gone::default());
        assert_eq!((found.what, found.content), (What::Modified, Content::Lines(ByLine::NotADocument)));
    }
}
