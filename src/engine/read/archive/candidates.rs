//! Which entries are archived by their importance.

use super::committed::{Committed, Why};
use crate::Stop;
use brv_base::path::TreePath;
use brv_base::sorting;
use brv_git::{Scope, trees};
use brv_text::doc::Document;
use brv_text::lifecycle::YOUTH;

/// An entry with less importance than this may be archived.
pub const BELOW: f64 = 35.0;
/// The most entries that one run archives by importance.
pub const MOST: usize = 20;

/// What this machine's signals say about an entry.
#[derive(Debug, Clone, PartialEq)]
pub struct ArchiveCandidate {
    pub path: TreePath,
    /// Its importance now, 0 to 100.
    pub importance: f64,
    pub is_draft: bool,
    /// For how long this machine has known it, in seconds.
    pub known_for: i64,
}

/// The entries to archive, the least important first, and what holds back others that are not important enough.
#[derive(Debug, Default)]
pub struct ArchiveChoice {
    /// The entries, each with its importance.
    pub entries: Vec<(TreePath, f64)>,
    /// Entries that something else holds back.
    pub held_back: Vec<(TreePath, Why)>,
}

/// Choose among the entries that are not important enough.
pub fn choose(
    scope: &Scope,
    committed: &Committed,
    mut candidates: Vec<ArchiveCandidate>,
) -> Result<ArchiveChoice, Stop> {
    candidates.retain(|candidate| candidate.importance < BELOW);
    sorting::sort_by(&mut candidates, |one, other| {
        one.importance.total_cmp(&other.importance).then_with(|| one.path.cmp(&other.path))
    });
    let mut chosen = ArchiveChoice::default();
    for candidate in candidates {
        let why = match held_back(scope, committed, &candidate)? {
            None if chosen.entries.len() == MOST => Some(Why::Limit),
            why => why,
        };
        match why {
            Some(why) => chosen.held_back.push((candidate.path, why)),
            None => chosen.entries.push((candidate.path, candidate.importance)),
        }
    }
    Ok(chosen)
}

fn held_back(
    scope: &Scope,
    committed: &Committed,
    candidate: &ArchiveCandidate,
) -> Result<Option<Why>, Stop> {
    if !candidate.is_draft {
        return Ok(Some(Why::Maturity));
    }
    if candidate.known_for < YOUTH {
        return Ok(Some(Why::YoungSignals));
    }
    if let Some(why) = committed.hinders(&candidate.path) {
        return Ok(Some(why));
    }
    if let Some(id) = committed.version(&candidate.path)
        && Document::parse(trees::blob(scope, id)?).meta().pinned
    {
        return Ok(Some(Why::Pinned));
    }
    Ok(committed.is_unpublished(&candidate.path).then_some(Why::Unpublished))
}

#[cfg(test)]
mod tests {
    use super::*;
    use brv_base::environment::Environment;
    use brv_git::store;
    use std::collections::HashSet;

    fn path(path: &str) -> TreePath {
        TreePath::parse(path.as_bytes()).unwrap()
    }

    fn candidate(name: &str, importance: f64) -> ArchiveCandidate {
        ArchiveCandidate { path: path(name), importance, is_draft: true, known_for: YOUTH }
    }

    /// What is chosen and held back among these candidates, all of them committed.
    fn choose_among(
        candidates: Vec<ArchiveCandidate>,
        set: impl Fn(&mut Committed),
    ) -> (Vec<String>, Vec<(String, Why)>) {
        let folder = tempfile::tempdir().unwrap();
        let scope = brv_git::init(folder.path(), "main", &Environment::default()).unwrap();
        let blobs = [b"# Plain\n".to_vec(), b"---\npinned: true\n---\n".to_vec()];
        let ids = store::write_blobs(&scope, &blobs).unwrap();
        let id = |path: &TreePath| ids[usize::from(path.as_str().contains("pinned"))];
        let files = candidates.iter().map(|one| (one.path.as_str().into(), id(&one.path))).collect();
        let mut committed = Committed {
            root: folder.path().to_path_buf(),
            files,
            dirty: HashSet::new(),
            absent: HashSet::new(),
            published: None,
        };
        set(&mut committed);
        let chosen = choose(&scope, &committed, candidates).unwrap();
        let entries = chosen.entries.into_iter().map(|(path, _)| path.to_string()).collect();
        (entries, chosen.held_back.into_iter().map(|(path, why)| (path.to_string(), why)).collect())
    }

    #[test]
    fn only_drafts_below_the_limit_that_are_known_for_long_go_the_least_important_first() {
        let candidates = vec![
            candidate("a/low.md", 20.0),
            candidate("a/lower.md", 10.0),
            candidate("a/high.md", 35.0),
            ArchiveCandidate { is_draft: false, ..candidate("a/core.md", 5.0) },
            ArchiveCandidate { known_for: YOUTH - 1, ..candidate("a/new.md", 5.0) },
            candidate("a/pinned.md", 5.0),
            candidate("a/dirty.md", 5.0),
            candidate("b/overview_is_dirty.md", 5.0),
            candidate("a/gone.md", 5.0),
        ];
        let (chosen, held_back) = choose_among(candidates, |committed| {
            committed.dirty.extend(["a/dirty.md".into(), "b/context.md".into()]);
            committed.files.remove(bstr::BStr::new("a/gone.md"));
        });
        assert_eq!(chosen, ["a/lower.md", "a/low.md"]);
        let expected = [
            ("a/core.md", Why::Maturity),
            ("a/dirty.md", Why::Dirty),
            ("a/gone.md", Why::NotCommitted),
            ("a/new.md", Why::YoungSignals),
            ("a/pinned.md", Why::Pinned),
            ("b/overview_is_dirty.md", Why::Dirty),
        ];
        assert_eq!(held_back, expected.map(|(path, why)| (path.to_owned(), why)));
    }

    #[test]
    fn no_more_than_twenty_go_and_nothing_that_the_upstream_lacks() {
        let many =
            || (0..25).map(|at| candidate(&format!("a/{at:02}.md"), f64::from(at))).collect::<Vec<_>>();
        let (chosen, held_back) = choose_among(many(), |_| {});
        assert_eq!((chosen.len(), held_back.len()), (20, 5));
        assert!(held_back.iter().all(|(_, why)| *why == Why::Limit));
        let (chosen, held_back) =
            choose_among(many(), |committed| committed.published = Some(HashSet::new()));
        assert!(chosen.is_empty() && held_back.iter().all(|(_, why)| *why == Why::Unpublished));
    }
}
