//! Links of a changed tree: those that lead to no entry (BRV004), and what the change does to the links around it.

use super::changed::ChangedPaths;
use super::entries::{Entry, Link};
use crate::Stop;
use crate::read::links::references::{LinkTarget, Places};
use crate::vc::check::finding::CheckFinding;
use brv_base::path::TreePath;
use brv_text::lint::secrets::masked;
use brv_text::lint::{Fault, Rule};
use bstr::{BString, ByteSlice as _};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// For how many findings the whole tree is searched for similar names.
const GUESSES: usize = 20;

/// What a change does to the entries around it.
#[derive(Debug, Clone, Default, JsonSchema, Serialize, Deserialize)]
pub struct Consequences {
    /// Links that the change breaks.
    pub broken: Vec<BrokenLink>,
    /// Links that were broken and lead to an entry now.
    pub mended: Vec<BrokenLink>,
    /// Changed entries that unchanged entries link to.
    pub cited: Vec<Cited>,
}

/// A link from one entry to another.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct BrokenLink {
    /// The entry with the link.
    pub path: String,
    /// The target, as a path of the tree.
    pub target: String,
}

/// A changed entry that other entries link to.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct Cited {
    /// The changed entry.
    pub path: String,
    /// The entries that link to it and did not change.
    pub by: Vec<String>,
}

/// Both sides of a change, as far as links need them.
pub struct LinkSides<'s> {
    /// Every entry after, with the links that [`concerns`] tells.
    pub entries: &'s [Entry],
    pub places: &'s Places<'s>,
    /// The changed entries as they were before, with their missing links, at their paths after.
    pub before: &'s BTreeMap<BString, Entry>,
    pub places_before: &'s Places<'s>,
    pub changed: &'s ChangedPaths,
}

/// Whether the change may break or mend the link of an entry after it, or the link shows what the change concerns.
pub fn concerns(changed: &ChangedPaths, path: &TreePath, link: &Link) -> bool {
    let leads_to_edited = || match link.reference.target.subject() {
        LinkTarget::Entry(target) => changed.edited(target.as_bytes().as_bstr()),
        _ => false,
    };
    link.is_missing()
        || (changed.moves_files() || leads_to_edited()) && !changed.wrote(path.as_bytes().as_bstr())
}

impl LinkSides<'_> {
    /// The broken links with at least one touched side.
    pub fn findings(&self) -> Result<Vec<CheckFinding>, Stop> {
        let mut found = Vec::new();
        for entry in self.entries {
            let is_touched = self.changed.has(entry.bstr());
            for link in entry.links.iter().filter(|link| link.is_missing()) {
                if is_touched || self.was_whole(entry, link)? {
                    found.push(self.finding(entry, link, found.len() < GUESSES));
                }
            }
        }
        Ok(found)
    }

    pub fn consequences(&self) -> Result<Consequences, Stop> {
        let (mut broken, mut repaired) = (BTreeSet::new(), BTreeSet::new());
        let mut cited: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for entry in self.entries {
            let wrote = self.changed.wrote(entry.bstr());
            for link in &entry.links {
                let pair = || (entry.path.to_string(), link.path().to_owned());
                if link.is_missing() {
                    if self.was_whole(entry, link)? {
                        broken.insert(pair());
                    }
                } else if !wrote && self.was_missing(entry, link)? {
                    repaired.insert(pair());
                }
                if let LinkTarget::Entry(target) = link.reference.target.subject()
                    && !wrote
                    && self.changed.edited(target.as_bytes().as_bstr())
                {
                    cited.entry(target.clone()).or_default().insert(entry.path.to_string());
                }
            }
            if let Some(before) = self.before.get(entry.bstr()) {
                repaired.extend(mended(before, entry));
            }
        }
        let cited = cited.into_iter().map(|(path, by)| Cited {
            path: masked(&path).into_owned(),
            by: by.iter().map(|path| masked(path).into_owned()).collect(),
        });
        Ok(Consequences { broken: links(broken), mended: links(repaired), cited: cited.collect() })
    }

    /// Whether the link would have led somewhere before the change.
    fn was_whole(&self, entry: &Entry, link: &Link) -> Result<bool, Stop> {
        Ok(self.changed.moves_files() && !self.target_before(entry, link)?.is_broken())
    }

    fn was_missing(&self, entry: &Entry, link: &Link) -> Result<bool, Stop> {
        Ok(self.changed.moves_files() && matches!(self.target_before(entry, link)?, LinkTarget::Missing(_)))
    }

    fn target_before(&self, entry: &Entry, link: &Link) -> Result<LinkTarget, Stop> {
        Ok(self.places_before.target(&entry.path, link.reference.kind, &link.reference.written)?)
    }

    fn finding(&self, entry: &Entry, link: &Link, is_guessed: bool) -> CheckFinding {
        let written = &link.reference.written;
        let likely = self.places.likely(&link.reference.target);
        // a name that is only written alike is for people to decide about
        let guessed = match likely.is_empty() && is_guessed {
            true => self.places.mistyped(&link.reference.target),
            false => Vec::new(),
        };
        let hint = match [likely.as_slice(), &guessed].concat().as_slice() {
            [] => String::new(),
            meant => format!("; is it `{}`?", meant.join("` or `")),
        };
        let message = format!("links to `{written}`, which does not exist{hint}");
        let fix = match likely.as_slice() {
            [only] => Some(format!("link to `{only}`")),
            _ => None,
        };
        let fault = Fault::about_subject(Rule::BrokenLink, link.place, message, written).fixed_by(fix);
        CheckFinding::present(fault.at(entry.bstr()))
    }
}

fn links(found: BTreeSet<(String, String)>) -> Vec<BrokenLink> {
    let link = |(path, target): (String, String)| BrokenLink {
        path: masked(&path).into_owned(),
        target: masked(&target).into_owned(),
    };
    found.into_iter().map(link).collect()
}

/// The missing targets of an entry that it no longer links to in vain.
fn mended(before: &Entry, after: &Entry) -> impl Iterator<Item = (String, String)> {
    let missing = |entry: &Entry| -> BTreeSet<String> {
        let missing = entry.links.iter().filter(|link| link.is_missing());
        missing.map(|link| link.path().to_owned()).collect()
    };
    let still = missing(after);
    let path = after.path.to_string();
    missing(before)
        .into_iter()
        .filter(move |target| !still.contains(target))
        .map(move |target| (path.clone(), target))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::links::references::Reference;
    use brv_base::content::ContentId;
    use brv_git::trees::Change;
    use brv_git::{FileMode, Version};
    use brv_text::doc::LinkKind;

    /// Whether the change concerns a link of `a/from.md` that leads there.
    fn is_concerned(changes: &[Change], target: LinkTarget) -> bool {
        let written = "x".to_owned();
        let reference = Reference { kind: LinkKind::Markdown, written, line: Some(1), target };
        let from = TreePath::parse(b"a/from.md").unwrap();
        concerns(&ChangedPaths::of(changes), &from, &Link { reference, place: (1, 1) })
    }

    fn change(path: &str, [before, after]: [bool; 2]) -> Change {
        let version = Version { mode: FileMode::Regular, id: ContentId::of(b"") };
        let side = |exists: bool| exists.then_some(version);
        Change { path: path.into(), renamed_from: None, before: side(before), after: side(after) }
    }

    #[test]
    fn a_link_that_the_change_cannot_break_mend_or_show_is_not_kept() {
        const ADDED: [bool; 2] = [false, true];
        const DELETED: [bool; 2] = [true, false];
        const EDITED: [bool; 2] = [true, true];
        let entry = || LinkTarget::Entry("a/to.md".to_owned());
        let derived = || LinkTarget::Derived(Box::new(entry()));
        let folder = || LinkTarget::Folder("a".to_owned());
        let missing = || LinkTarget::Missing("a/no.md".to_owned());
        for (changes, target, expected) in [
            (vec![], missing(), true),
            (vec![], entry(), false),
            (vec![change("a/to.md", EDITED)], entry(), true),
            (vec![change("a/to.md", EDITED)], derived(), true),
            (vec![change("a/to.md", EDITED)], folder(), false),
            (vec![change("a/other.md", EDITED)], entry(), false),
            (vec![change("a/to.md", EDITED), change("a/from.md", EDITED)], entry(), false),
            // where files come and go, each link may have led elsewhere
            (vec![change("b/new.md", ADDED)], entry(), true),
            (vec![change("b/new.md", ADDED)], folder(), true),
            (vec![change("b/old.md", DELETED)], folder(), true),
            (vec![change("b/old.md", DELETED), change("a/from.md", EDITED)], folder(), false),
            (vec![change("a/from.md", ADDED)], missing(), true),
        ] {
            assert_eq!(is_concerned(&changes, target.clone()), expected, "{changes:?} {target:?}");
        }
    }
}
