//! Names by kind, where a project usually chooses one: databases, formats, hash functions. Two names of one kind answer
//! the same question about a subject, names of two kinds do not.
//!
//! Well-known names only: an unknown one is of no kind.

use brv_base::english::list;

/// Each kind with its names, in the words of a statement: `sha 256`.
static KINDS: list::Groups = list::Groups::of(include_str!("lists/kinds.txt"));

/// Other spellings of names above, each with the one that counts.
static SPELLINGS: list::Rows<2> = list::Rows::of(include_str!("lists/spellings.txt"));

fn spelt(name: &'static str) -> &'static str {
    SPELLINGS.iter().find(|[other, _]| *other == name).map_or(name, |[_, counts]| counts)
}

/// All spellings of a name.
pub(super) fn spellings(name: &'static str) -> impl Iterator<Item = &'static str> {
    let others = SPELLINGS.iter().filter(move |[_, counts]| *counts == name).map(|[other, _]| other);
    std::iter::once(name).chain(others)
}

/// The kinds that a text of words has names of, each with the names.
pub(super) fn of(words: &str) -> Vec<(usize, Vec<&'static str>)> {
    let has = |name: &&'static str| {
        words.match_indices(*name).any(|(at, _)| {
            let is_edge = |c: Option<char>| c.is_none_or(|c| c == ' ');
            is_edge(words[..at].chars().next_back()) && is_edge(words[at + name.len()..].chars().next())
        })
    };
    let kinds = KINDS.iter().enumerate();
    let named = kinds.map(|(kind, names)| {
        let mut names: Vec<_> = names.iter().copied().filter(has).map(spelt).collect();
        names.dedup();
        (kind, names)
    });
    named.filter(|(_, names)| !names.is_empty()).collect()
}
