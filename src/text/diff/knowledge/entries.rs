//! Compare the entries of a change set: each one on its own, then across entries.
//!
//! Knows paths and bytes of both sides; [`super::kinship`] finds renames, merges and splits.

use super::{ByLine, Content, DiffPlace, Entry, How, What, compare::compare_documents};
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
        merged_into: None,
        sources: Vec::new(),
        content: Content::Lines(ByLine::NotADocument),
    };
    let are_documents = before.is_some() == old.is_some() && after.is_some() == new.is_some();
    if are_documents {
        let none = Document::parse("");
        entry.content = compare_documents(old.unwrap_or(&none), new.unwrap_or(&none));
    }
    if let (Content::Knowledge(knowledge), Some(after), Some(new)) = (&mut entry.content, after, new) {
        knowledge.dangling = dangling(after, new, gone);
    }
    entry
}

fn place(version: Version<'_>, document: Option<&Document>) -> DiffPlace {
    DiffPlace { path: version.path.to_owned(), title: document.and_then(Document::title) }
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
enum MovableContent {
    Fact(Option<String>, String),
    Block(String),
}

/// Set the target entry of each removed fact and block, and the source entry of each added one.
pub fn trace(entries: &mut [Entry]) {
    let mut waiting: HashMap<MovableContent, VecDeque<usize>> = HashMap::new();
    for (place, entry) in entries.iter_mut().enumerate() {
        each(entry, |said, how, _| {
            if how == How::Removed {
                waiting.entry(said).or_default().push_back(place);
            }
        });
    }
    let paths = |side: fn(&Entry) -> Option<&DiffPlace>| -> Vec<BString> {
        entries.iter().map(|entry| side(entry).map(|place| place.path.clone()).unwrap_or_default()).collect()
    };
    let (before, after) = (paths(|entry| entry.before.as_ref()), paths(|entry| entry.after.as_ref()));
    let mut arrived: HashMap<(MovableContent, usize), VecDeque<usize>> = HashMap::new();
    for (place, entry) in entries.iter_mut().enumerate() {
        each(entry, |said, how, from| {
            if how != How::Added {
                return;
            }
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
        each(entry, |said, how, to| {
            if how == How::Removed {
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
        let (How::Removed, Some(claim), None) = (fact.change, &fact.before, &fact.elsewhere) else {
            continue;
        };
        let held = held.get_or_insert_with(|| Document::parse(bytes).facts());
        let is_same = |fact: &Fact| match (&fact.subject, &claim.subject) {
            (Some(one), Some(other)) => {
                is_same_subject(one, other) && normal(&fact.statement) == normal(&claim.statement)
            }
            (None, None) => normal(&fact.statement) == normal(&claim.statement),
            _ => false,
        };
        if held.iter().any(is_same) {
            fact.elsewhere = Some(target.clone());
        }
    }
}

/// Call `visit` for each added or removed fact and block that has enough content to be recognised, with the entry it
/// moved from or to.
fn each(entry: &mut Entry, mut visit: impl FnMut(MovableContent, How, &mut Option<BString>)) {
    let Content::Knowledge(knowledge) = &mut entry.content else { return };
    let is_one_sided = |how: How| matches!(how, How::Added | How::Removed);
    for fact in knowledge.facts.iter_mut().filter(|fact| is_one_sided(fact.change)) {
        let Some(claim) = fact.after.as_ref().or(fact.before.as_ref()) else { continue };
        if claim.subject.is_some() || claim.statement.split(' ').count() >= FEW_WORDS {
            visit(
                MovableContent::Fact(claim.subject.clone(), claim.statement.clone()),
                fact.change,
                &mut fact.elsewhere,
            );
        }
    }
    let blocks = knowledge.sections.iter_mut().flat_map(|section| &mut section.blocks);
    for block in blocks.filter(|block| is_one_sided(block.change)) {
        let text = block.text.as_deref().unwrap_or_default();
        let words: Vec<&str> =
            text.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).collect();
        if words.len() >= FEW_WORDS {
            visit(MovableContent::Block(words.join(" ")), block.change, &mut block.elsewhere);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Knowledge;
    use super::*;

    fn version<'a>(path: &'a str, text: &'a str) -> Option<Version<'a>> {
        Some(Version { path: path.into(), bytes: text.as_bytes() })
    }

    fn document(entry: &Entry) -> &Knowledge {
        match &entry.content {
            Content::Knowledge(knowledge) => knowledge,
            Content::Lines(_) => panic!("a document"),
        }
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
        let moved = |entry: &Entry| {
            let fact = &document(entry).facts[0];
            (fact.change, fact.elsewhere.clone())
        };
        assert_eq!(moved(&entries[0]), (How::Removed, Some("b.md".into())));
        assert_eq!(moved(&entries[1]), (How::Added, Some("a.md".into())));
    }

    #[test]
    fn a_relation_to_what_is_gone_dangles() {
        let gone = Gone::new([&"a/b/c.md".into(), &"d.md".into(), &"e.md".into()], [&"e.md".into()]);
        let text = "---\nrelated: [a/b/c]\n---\n[d](../../d.md) [e](/e.md)\n";
        let entry = entry(None, version("a/x/y.md", text), &gone);
        assert_eq!(document(&entry).dangling, ["a/b/c.md", "d.md"]);
    }

    #[test]
    fn what_is_no_markdown_is_told_by_line() {
        let found = entry(version("a.txt", "x"), version("a.txt", "y"), &Gone::default());
        assert_eq!((found.what, found.content), (What::Modified, Content::Lines(ByLine::NotADocument)));
    }
}
