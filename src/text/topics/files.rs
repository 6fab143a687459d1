//! The files of an entry: which it names, which commits are its own by them, and the words by which it is found.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};

use super::role::is_code_path;
use super::scope::read;
use crate::judge::lists::is_generic;

/// How many files an entry names, and how many keywords it has.
const MOST: usize = 8;

/// The code paths that an entry names: those of the greatest sum over its commits of 1/(number of files of the commit). Of
/// equals the first by name.
pub fn files<'a>(commits: impl IntoIterator<Item = &'a [&'a str]>) -> Vec<String> {
    let mut sums: BTreeMap<&str, f64> = BTreeMap::new();
    for files in commits {
        let distinct: HashSet<&str> = files.iter().copied().collect();
        let share = 1.0 / distinct.len().max(1) as f64;
        for path in distinct {
            *sums.entry(path).or_default() += share;
        }
    }
    let mut named: Vec<(&str, f64)> = sums.into_iter().filter(|(path, _)| is_code_path(path)).collect();
    named.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(other.0)));
    named.into_iter().take(MOST).map(|(path, _)| path.to_owned()).collect()
}

/// The entry that owns the code files of a commit: each gives equal shares to the entries that name it, and an entry that gets
/// half of all, or more, owns them. Of equals the first by path.
pub fn owner<'a>(changed: &[&str], entries: &'a [(&'a str, &'a [String])]) -> Option<&'a str> {
    let code: HashSet<&str> = changed.iter().copied().filter(|path| is_code_path(path)).collect();
    let mut naming: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (entry, named) in entries {
        let own: HashSet<&str> =
            named.iter().map(String::as_str).filter(|path| code.contains(path)).collect();
        own.into_iter().for_each(|path| naming.entry(path).or_default().push(entry));
    }
    let mut shares: BTreeMap<&str, f64> = BTreeMap::new();
    for named in naming.values() {
        for entry in named {
            *shares.entry(entry).or_default() += 1.0 / named.len() as f64;
        }
    }
    let best = shares.into_iter().min_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(other.0)))?;
    // three thirds are a little less than one
    (best.1 * 2.0 + 1e-9 >= code.len() as f64).then_some(best.0)
}

/// The keywords of an entry: the scopes of its subjects as they are written, the commonest first, then the stems of the
/// files that it names.
pub fn keywords<'a>(subjects: impl IntoIterator<Item = &'a str>, files: &[String]) -> Vec<String> {
    let mut scopes: BTreeMap<&str, usize> = BTreeMap::new();
    for subject in subjects {
        let scope = read(subject).scope.map(|(name, inner)| [Some(name), inner]);
        for name in scope.into_iter().flatten().flatten() {
            *scopes.entry(name.trim()).or_default() += 1;
        }
    }
    let mut ordered: Vec<(&str, usize)> = scopes.into_iter().collect();
    ordered.sort_by_key(|(_, count)| Reverse(*count));
    let stems = files.iter().filter_map(|path| stem_of(path));
    let mut seen = HashSet::new();
    let words = ordered.into_iter().map(|(scope, _)| scope).chain(stems);
    words
        .filter(|word| !word.is_empty() && seen.insert(word.to_lowercase()))
        .take(MOST)
        .map(str::to_owned)
        .collect()
}

/// The name of a file without its extension, unless it says nothing.
fn stem_of(path: &str) -> Option<&str> {
    let name = path.rsplit('/').next()?;
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    (!is_generic(&stem.to_lowercase())).then_some(stem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_names_the_eight_files_of_most_weight_and_no_side_files() {
        let commits: [&[&str]; 3] = [
            &["a.rs"],
            &["b.rs", "a.rs", "Cargo.lock"],
            &["c.rs", "d.rs", "e.rs", "f.rs", "g.rs", "h.rs", "i.rs"],
        ];
        assert_eq!(files(commits), ["a.rs", "b.rs", "c.rs", "d.rs", "e.rs", "f.rs", "g.rs", "h.rs"]);
        assert!(files([["Cargo.lock"].as_slice(), &[]]).is_empty());
    }

    #[test]
    fn the_entry_with_half_of_the_files_owns_a_commit() {
        let named = |files: &str| files.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let (x, y, z) = (named("a.rs b.rs"), named("b.rs c.rs"), named("c.rs d.rs e.rs"));
        let entries = [("x/x.md", x.as_slice()), ("y/y.md", &y), ("z/z.md", &z)];
        assert_eq!(owner(&["a.rs"], &entries), Some("x/x.md"));
        assert_eq!(owner(&["a.rs", "b.rs"], &entries), Some("x/x.md"));
        assert_eq!(owner(&["b.rs"], &entries), Some("x/x.md"), "equal: the first by path");
        assert_eq!(owner(&["a.rs", "q.rs", "Cargo.lock"], &entries), Some("x/x.md"), "just half");
        assert_eq!(owner(&["a.rs", "q.rs", "r.rs"], &entries), None);
        assert_eq!(owner(&["b.rs", "c.rs"], &entries), Some("y/y.md"), "two halves are more than one");
        assert_eq!(owner(&["Cargo.lock"], &entries), None);
        assert_eq!(owner(&[], &entries), None);
    }

    #[test]
    fn keywords_are_scopes_then_stems_each_once() {
        let files = ["src/walk.rs", "src/mod.rs", "src/a.test.ts"].map(str::to_owned);
        let subjects = ["feat(Dir): x", "gix-ref(Store): x", "fix(Dir): y", "plain"];
        assert_eq!(keywords(subjects, &files), ["Dir", "Store", "gix-ref", "walk", "a.test"]);
        assert_eq!(keywords(["walk: x"], &files), ["walk", "a.test"]);
        let many: Vec<String> = (0..20).map(|at| format!("f{at}.rs")).collect();
        assert_eq!(keywords([], &many).len(), 8);
    }
}
