//! Words of the trade that mean the same: `db` and `database`.
//!
//! A group is here because questions on technical text ask with one of its words for what is written with another, or because
//! English is spelled in two ways. General words are none, and neither are groups that changed no answer of the development
//! questions (`async`, `lib`, `max`) or that made more worse than better (`option setting flag`, `find search lookup`): each
//! adds entries that have none of the words asked. English only; forms with one stem need no entry.

use std::collections::HashMap;
use std::sync::OnceLock;

use brv_base::english::list;
use brv_text::words::stems::{Language, Stems};

/// The groups.
static GROUPS: list::Groups = list::Groups::of(include_str!("lists/synonyms.txt"));

/// The stems of the other words that mean what a word with this English stem means.
pub fn of(stem: &str) -> &'static [String] {
    static OTHERS: OnceLock<HashMap<String, Vec<String>>> = OnceLock::new();
    let others = OTHERS.get_or_init(|| {
        let mut stems = Stems::default();
        let mut others: HashMap<String, Vec<String>> = HashMap::new();
        for group in GROUPS.iter() {
            let mut group: Vec<String> =
                group.iter().map(|word| stems.of(word, Language::English).to_owned()).collect();
            group.dedup();
            for word in &group {
                others
                    .entry(word.clone())
                    .or_default()
                    .extend(group.iter().filter(|other| *other != word).cloned());
            }
        }
        others
    });
    others.get(stem).map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_stands_in_one_group() {
        let mut words: Vec<&str> = GROUPS.iter().flatten().copied().collect();
        let count = words.len();
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), count);
        assert!(GROUPS.iter().is_sorted());
        for (group, word) in GROUPS.iter().flat_map(|group| group.iter().map(move |word| (group, word))) {
            let stem = brv_text::words::stems::stem(word);
            assert!(!of(&stem).is_empty() && !of(&stem).contains(&stem), "{group:?}: {word}");
        }
    }

    #[test]
    fn synonyms_go_both_ways() {
        assert_eq!(of("db"), ["databas"]);
        assert_eq!(of("databas"), ["db"]);
        assert!(of("token").is_empty());
    }
}
