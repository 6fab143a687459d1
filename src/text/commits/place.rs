//! Choose the folder for a new entry, by the entries that are found for it.
//!
//! An entry speaks for its folder by how well it fits the words of the commit, and by how near the files that it names are
//! to those that the commit changes. A folder is chosen only if it stands out; else the entry goes to [`GENERAL`].

use std::collections::BTreeMap;

/// The folder for what fits nowhere else.
pub const GENERAL: &str = "general";

/// How many of the best entries of a folder speak for it, with this share each.
const SHARES: [f64; 3] = [1.0, 0.5, 0.25];

/// What the nearness of files counts beside the relevance of words, which is from 0 to 1.
const FILES: f64 = 0.6;

/// The least that must speak for a folder. This and the figures above are a first choice that was measured and kept:
/// `tests/it/commits/measure.rs`.
const ENOUGH: f64 = 0.45;

/// An entry that was found for a commit.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The folder of the entry.
    pub folder: String,
    /// How well the entry fits the words of the commit, 0 to 1.
    pub likeness: f64,
    /// How near its files are to those of the commit, 0 to 1: [`nearness`].
    pub nearness: f64,
}

/// The folder that these entries speak for; `None` if none of them stands out.
pub fn choose(candidates: &[Candidate]) -> Option<String> {
    let mut voices: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for one in candidates.iter().filter(|one| !one.folder.is_empty()) {
        voices.entry(&one.folder).or_default().push(one.likeness + FILES * one.nearness);
    }
    let weight = |mut all: Vec<f64>| {
        all.sort_by(|one, other| other.total_cmp(one));
        all.iter().zip(SHARES).map(|(voice, share)| voice * share).sum::<f64>()
    };
    let weighed = voices.into_iter().map(|(folder, all)| (folder, weight(all)));
    let best = weighed
        .max_by(|(one, of_one), (other, of_other)| of_one.total_cmp(of_other).then_with(|| other.cmp(one)))?;
    (best.1 >= ENOUGH).then(|| best.0.to_owned())
}

/// How well the entry that fits best fits a text of so many words, from 0 to 1, by its share of the best possible score. A long
/// text shares little with any entry, and little is much then. The figures are those of the measure above.
pub fn fit(share: f64, words: usize) -> f64 {
    let evidence = 14.0 * share + (0.6 * words as f64).max(1.0).ln() - 3.45;
    if share <= 0.0 {
        0.0
    } else if evidence < 0.0 {
        0.6 * (evidence / 2.0).exp()
    } else {
        (0.6 + evidence).min(0.9)
    }
}

/// How near the files that an entry names are to those that a commit changes, from 0 to 1: the mean over the changed files of
/// the share of leading folders and name that the nearest named file has in common.
pub fn nearness(named: &[String], changed: &[&str]) -> f64 {
    if named.is_empty() || changed.is_empty() {
        return 0.0;
    }
    let named: Vec<Vec<&str>> = named.iter().map(|path| parts(path)).collect();
    let nearest = |path: &&str| {
        let own = parts(path);
        named.iter().map(|other| alike(&own, other)).fold(0.0, f64::max)
    };
    changed.iter().map(nearest).sum::<f64>() / changed.len() as f64
}

fn parts(path: &str) -> Vec<&str> {
    let path = path.trim().trim_start_matches('-').trim().trim_matches('`');
    path.split('/').filter(|part| !part.is_empty() && *part != ".").collect()
}

/// The share of leading parts that two paths have in common.
fn alike(one: &[&str], other: &[&str]) -> f64 {
    let common = one.iter().zip(other).take_while(|(one, other)| one == other).count();
    common as f64 / one.len().max(other.len()).max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(folder: &str, likeness: f64, nearness: f64) -> Candidate {
        Candidate { folder: folder.into(), likeness, nearness }
    }

    #[test]
    fn the_folder_that_stands_out_is_chosen_and_a_weak_one_is_not() {
        let chosen = |all: &[Candidate]| choose(all);
        assert_eq!(chosen(&[candidate("a/b", 0.6, 0.0), candidate("c/d", 0.4, 0.0)]).as_deref(), Some("a/b"));
        let several = [candidate("a/b", 0.5, 0.0), candidate("c/d", 0.4, 0.0), candidate("c/d", 0.4, 0.0)];
        assert_eq!(chosen(&several).as_deref(), Some("c/d"));
        assert_eq!(chosen(&[candidate("a/b", 0.4, 0.0), candidate("c/d", 0.3, 1.0)]).as_deref(), Some("c/d"));
        assert_eq!(chosen(&[candidate("a/b", 0.1, 0.1)]), None);
        assert_eq!(chosen(&[candidate("", 0.9, 1.0)]), None);
        assert_eq!(chosen(&[]), None);
    }

    #[test]
    fn files_are_near_by_the_folders_that_they_share() {
        let named = ["src/auth/jwt.rs".to_owned(), "- docs/auth.md".to_owned()];
        assert!((nearness(&named, &["src/auth/jwt.rs"]) - 1.0).abs() < 1e-9);
        assert!(nearness(&named, &["src/auth/keys.rs"]) > nearness(&named, &["src/net/tcp.rs"]));
        assert!(nearness(&named, &["tests/x.rs"]).abs() < 1e-9);
        assert!(nearness(&[], &["x"]).abs() < 1e-9);
    }
}
