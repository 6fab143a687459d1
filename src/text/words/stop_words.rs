//! Function words, which do not show what a text is about.
//!
//! English, German, French, Spanish, Portuguese, Italian, Dutch and Russian in one list; other languages need none,
//! since words that occur everywhere weigh little by their frequency anyway. Search has lists of its own, one per
//! language and with the words of questions: one list for both would change results.

use std::sync::LazyLock;

use brv_base::content::fnv;
use brv_base::english::list;

/// The slots of the table of hashes: three times as many as words, so that most searches end at the first slot.
const SLOTS: usize = 2048;

/// Whether a word (in lower case, given by its hash) is a function word.
pub(super) fn contains(word: u64) -> bool {
    static HASHES: LazyLock<Box<[u64; SLOTS]>> = LazyLock::new(|| {
        let mut slots = Box::new([0; SLOTS]);
        for hash in STOP_WORDS.iter().map(|word| fnv(word.bytes())) {
            let free = slots_from(hash).find(|at| slots[*at] == 0).expect("there are more slots than words");
            slots[free] = hash;
        }
        slots
    });
    let hashes = &**HASHES;
    // a third of the slots is free, so that it ends
    let mut at = word as usize % SLOTS;
    while hashes[at] != 0 && hashes[at] != word {
        at = (at + 1) % SLOTS;
    }
    word != 0 && hashes[at] == word
}

/// All slots, beginning with the one where the search for a hash begins.
fn slots_from(hash: u64) -> impl Iterator<Item = usize> {
    let first = hash as usize % SLOTS;
    (first..SLOTS).chain(0..first)
}

static STOP_WORDS: list::Set = list::Set::of_words(include_str!("lists/stop_words.txt"));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn function_words_of_several_languages_are_known_and_others_not() {
        let is_one = |word: &str| contains(fnv(word.bytes()));
        assert!(STOP_WORDS.iter().all(is_one));
        assert!(is_one("the") && is_one("für") && is_one("чтобы") && !is_one("token"));
    }
}
