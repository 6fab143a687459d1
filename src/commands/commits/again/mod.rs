//! Which entries of earlier rules are filed anew, and from which commits of the code: the others stay, with what they come from.
//!
//! An entry goes only if all that it comes from is filed anew, and a commit is filed anew only if nothing of it stays.

mod old;
mod restored;

pub use old::{KeptEntryReason, Old, folders};

use brv_base::content::ContentId;
use brv_base::path::{PathKind, TreePath};
use brv_engine::Stop;
use brv_engine::jobs::Store;
use brv_engine::open::context::Opened;
use brv_engine::open::hosting::Host;
use brv_engine::read::history::learned::filings::Filings;
use brv_engine::read::history::learned::sources::{Recorded, standings_of};
use brv_git::{CommitId, revision};
use brv_text::commits::RULES_VERSION;
use old::FiledCommit;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, HashMap, HashSet};

/// An entry that stays.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "AgainKept")]
pub struct Stays {
    /// Its path, relative to the tree.
    pub path: String,
    /// Why it stays.
    pub why: KeptEntryReason,
}

/// What is filed anew.
#[derive(Debug, Default)]
pub struct Anew {
    /// The entries that go, each with the commits of the code that are filed before.
    pub goes: BTreeMap<TreePath, (ContentId, HashSet<CommitId>)>,
    /// Overviews that nobody edited: one goes where its folder is empty.
    pub overviews: BTreeMap<TreePath, ContentId>,
    pub kept: Vec<Stays>,
    /// The commits of the code to take in.
    pub takes: HashSet<CommitId>,
    /// Those that entries which stay come from.
    pub stays: HashSet<CommitId>,
    /// Those that these rules have filed.
    pub filed: HashSet<CommitId>,
}

impl Anew {
    /// Find it out. `range`: only these commits of the code are taken in.
    ///
    /// # Errors
    /// A history that cannot be read.
    pub fn of(
        (opened, store, host): (&Opened, &Store, &Host),
        range: Option<&HashSet<CommitId>>,
    ) -> Result<Self, Stop> {
        let filings = Filings::of(&opened.scope)?;
        let (overviews, entries): (Vec<Old>, Vec<Old>) = old::find(opened, &filings)?
            .into_iter()
            .partition(|old| old.path.kind() == PathKind::NodeOverview);
        let by_rules = filings.standing().filter(|one| one.rules >= RULES_VERSION);
        let mut anew = Self { filed: by_rules.map(|one| one.source.commit).collect(), ..Self::default() };
        let unedited = overviews.into_iter().filter(|old| old.stays.is_none());
        anew.overviews = unedited.map(|old| (old.path, old.blob)).collect();
        let all = entries.iter().flat_map(|old| old.sources.iter().chain(&old.earlier)).copied();
        let today = resolved((opened, store, host), all.collect())?;
        anew.divide(entries, &today, range);
        Ok(anew)
    }

    /// Divide the entries into those that go and those that stay, which may make others stay.
    fn divide(
        &mut self,
        entries: Vec<Old>,
        today: &HashMap<CommitId, CommitId>,
        range: Option<&HashSet<CommitId>>,
    ) {
        let targets = |sources: &[FiledCommit]| -> HashSet<CommitId> {
            sources.iter().filter_map(|(source, _)| today.get(&source.commit).copied()).collect()
        };
        let mut open = entries;
        loop {
            let mut left = Vec::new();
            let before = open.len();
            for old in open {
                let own = targets(&old.sources);
                let is_unknown = old.sources.iter().any(|(source, _)| !today.contains_key(&source.commit));
                let is_outside = range.is_some_and(|range| !own.is_subset(range));
                let why = old
                    .stays
                    .or(is_unknown.then_some(KeptEntryReason::SourceNotHere))
                    .or(is_outside.then_some(KeptEntryReason::SourceNotInRange))
                    .or((!own.is_disjoint(&self.stays)).then_some(KeptEntryReason::SharesSource));
                let Some(why) = why else {
                    left.push(old);
                    continue;
                };
                self.kept.push(Stays { path: old.path.to_string(), why });
                self.stays.extend(own);
            }
            open = left;
            if open.len() == before {
                break;
            }
        }
        for old in open {
            let own = targets(&old.sources);
            self.takes.extend(own.iter().copied().chain(targets(&old.earlier)));
            self.goes.insert(old.path, (old.blob, own));
        }
        let is_inside = |commit: &CommitId| range.is_none_or(|range| range.contains(commit));
        self.takes.retain(|commit| !self.stays.contains(commit) && is_inside(commit));
        self.kept.sort_by(|one, other| one.path.cmp(&other.path));
    }
}

/// The commit of the code that stands today for each of these; those that nothing stands for are left out.
fn resolved(
    (opened, store, host): (&Opened, &Store, &Host),
    sources: Vec<FiledCommit>,
) -> Result<HashMap<CommitId, CommitId>, Stop> {
    let commits: Vec<CommitId> = sources.iter().map(|(source, _)| source.commit).collect();
    let all: Vec<Recorded> = sources.iter().map(|(source, since)| Recorded::of(*source, *since)).collect();
    let mut found = HashMap::new();
    for (commit, standing) in commits.into_iter().zip(standings_of(opened, host, &all)?) {
        let Some(now) = standing.commit else { continue };
        // it may still be there beside what it was rewritten into
        let last = store.read(|state| state.rewritten(&now.to_string()))?.pop();
        let now = last.and_then(|last| CommitId::from_hex(&last)).unwrap_or(now);
        if revision::is_commit(&host.scope, now)? {
            found.insert(commit, now);
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use brv_engine::journal::SourceCommit;

    fn commit(digit: char) -> CommitId {
        CommitId::from_hex(&digit.to_string().repeat(40)).unwrap()
    }

    fn old(path: &str, stays: Option<KeptEntryReason>, sources: &[char]) -> Old {
        let source = |digit: &char| (SourceCommit { commit: commit(*digit), patch: None }, 0);
        Old {
            path: TreePath::parse(path.as_bytes()).unwrap(),
            blob: ContentId::of(b""),
            stays,
            sources: sources.iter().map(source).collect(),
            earlier: Vec::new(),
        }
    }

    fn divided(
        entries: Vec<Old>,
        known: &[char],
        range: Option<&[char]>,
    ) -> (Vec<String>, Vec<(String, KeptEntryReason)>) {
        let today = known.iter().map(|digit| (commit(*digit), commit(*digit))).collect();
        let range = range.map(|range| range.iter().map(|digit| commit(*digit)).collect::<HashSet<_>>());
        let mut anew = Anew::default();
        anew.divide(entries, &today, range.as_ref());
        assert!(anew.takes.is_disjoint(&anew.stays));
        let kept = anew.kept.into_iter().map(|kept| (kept.path, kept.why)).collect();
        (anew.goes.keys().map(ToString::to_string).collect(), kept)
    }

    #[test]
    fn what_shares_a_source_with_an_entry_that_stays_stays_too() {
        let entries = || {
            vec![
                old("g/a.md", None, &['1', '2']),
                old("g/b.md", None, &['2', '3']),
                old("g/c.md", Some(KeptEntryReason::Edited), &['3']),
                old("g/d.md", None, &['4']),
                old("g/e.md", None, &['5', '6']),
            ]
        };
        let kept = |all: &[(&str, KeptEntryReason)]| -> Vec<(String, KeptEntryReason)> {
            all.iter().map(|(path, why)| ((*path).to_owned(), *why)).collect()
        };
        let shared = [
            ("g/a.md", KeptEntryReason::SharesSource),
            ("g/b.md", KeptEntryReason::SharesSource),
            ("g/c.md", KeptEntryReason::Edited),
        ];
        let (goes, stays) = divided(entries(), &['1', '2', '3', '4', '5'], None);
        assert_eq!(goes, ["g/d.md"]);
        assert_eq!(stays, kept(&[&shared[..], &[("g/e.md", KeptEntryReason::SourceNotHere)]].concat()));
        let (goes, stays) = divided(entries(), &['1', '2', '3', '4', '5', '6'], Some(&['5', '6']));
        assert_eq!(goes, ["g/e.md"]);
        assert_eq!(stays.iter().filter(|(_, why)| *why == KeptEntryReason::SourceNotInRange).count(), 3);
    }
}
