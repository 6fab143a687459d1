//! The figures of a collection of files, of which a view may have a part only.

use std::collections::HashMap;

/// What is counted of one file and its highlights together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FileFigures {
    /// The file, and each of its highlights.
    pub items: u32,
    pub pieces: u32,
    pub body_words: u32,
    pub title_words: u32,
    pub meta_words: u32,
}

/// What is counted of all files of a collection.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Collection {
    pub items: u64,
    pub pieces: u64,
    /// The folders with files of their own.
    pub folders: u64,
    /// The words of titles, bodies and meta fields.
    pub words: [u64; 3],
    /// The languages of the items, as bits by number.
    pub languages: u8,
    /// How many files have a term, in any field: of each of [`super::Probe::terms`]. One that is not in it counts as often
    /// as it is found.
    pub frequency: HashMap<String, u64>,
}

impl Collection {
    pub fn frequency(&self, term: &str) -> u64 {
        self.frequency.get(term).copied().unwrap_or(0)
    }

    /// Count a file. Folders and frequencies are for the caller to count.
    pub fn add(&mut self, file: &FileFigures, languages: u8) {
        self.items += u64::from(file.items);
        self.pieces += u64::from(file.pieces);
        for (sum, words) in self.words.iter_mut().zip([file.title_words, file.body_words, file.meta_words]) {
            *sum += u64::from(words);
        }
        self.languages |= languages;
    }
}

/// What was counted in `files` files that were found, in all `of` that there are: at least what was counted.
pub fn extended(counted: usize, files: usize, of: u64) -> usize {
    let of = of as usize;
    match files {
        _ if of <= files => counted,
        0 => of,
        _ => (counted as f64 * of as f64 / files as f64).round() as usize,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_counted_is_the_least() {
        for (counted, files, of, all) in
            [(3, 2, 2, 3), (3, 2, 0, 3), (3, 2, 20, 30), (0, 0, 7, 7), (0, 0, 0, 0)]
        {
            assert_eq!(extended(counted, files, of), all, "{counted} in {files} of {of}");
        }
    }
}
