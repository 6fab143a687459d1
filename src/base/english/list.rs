//! Lists that stand in text files beside the code, in folders called `lists`: words, phrases, rows and groups.
//!
//! The first line of a file is a comment, which says what the list has and where that comes from; so is every other line
//! that begins with `#`. Words are separated by blanks or stand one a line, phrases stand one a line, and columns are
//! separated by two blanks or more. A list is read when it is first asked for, and once. A mistake in one (an item twice,
//! a row without its columns) stops a debug build, so that a test finds it; a release leaves the row out.

use std::sync::OnceLock;

/// The lines of a list, without its comments and the blank ones.
pub fn lines(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// The columns of a line, which two blanks or more separate.
pub fn cells(line: &'static str) -> impl Iterator<Item = &'static str> {
    line.split("  ").map(str::trim).filter(|cell| !cell.is_empty())
}

/// A list of words or of phrases.
pub struct Set {
    text: &'static str,
    items: fn(&'static str) -> Vec<&'static str>,
    read: OnceLock<ParsedWordList>,
}

struct ParsedWordList {
    /// In the order of the file.
    all: Vec<&'static str>,
    sorted: Vec<&'static str>,
}

impl Set {
    /// A set of words that blanks or ends of lines separate.
    pub const fn of_words(text: &'static str) -> Self {
        let items = |text| lines(text).flat_map(str::split_whitespace).collect();
        Self { text, items, read: OnceLock::new() }
    }

    /// A set of phrases, one a line.
    pub const fn of_lines(text: &'static str) -> Self {
        Self { text, items: |text| lines(text).collect(), read: OnceLock::new() }
    }

    pub fn contains(&self, item: &str) -> bool {
        self.sorted().binary_search(&item).is_ok()
    }

    /// All items, in the order of the file.
    pub fn iter(&self) -> impl Iterator<Item = &'static str> {
        self.read().all.iter().copied()
    }

    pub fn sorted(&self) -> &[&'static str] {
        &self.read().sorted
    }

    fn read(&self) -> &ParsedWordList {
        self.read.get_or_init(|| {
            let all = (self.items)(self.text);
            let mut sorted = all.clone();
            sorted.sort_unstable();
            let twice = sorted.windows(2).find(|pair| pair[0] == pair[1]);
            debug_assert!(twice.is_none(), "twice in a list: {twice:?}");
            ParsedWordList { all, sorted }
        })
    }
}

/// A list of rows of `N` columns. The last column goes to the end of the line.
pub struct Rows<const N: usize> {
    text: &'static str,
    read: OnceLock<Vec<[&'static str; N]>>,
}

impl<const N: usize> Rows<N> {
    pub const fn of(text: &'static str) -> Self {
        Self { text, read: OnceLock::new() }
    }

    /// All rows, in the order of the file.
    pub fn iter(&self) -> impl Iterator<Item = [&'static str; N]> {
        self.read.get_or_init(|| lines(self.text).filter_map(row).collect()).iter().copied()
    }
}

fn row<const N: usize>(line: &'static str) -> Option<[&'static str; N]> {
    let mut row = [""; N];
    let mut rest = line;
    for (at, cell) in row.iter_mut().enumerate() {
        let (own, behind) = if at + 1 < N { rest.split_once("  ").unwrap_or((rest, "")) } else { (rest, "") };
        *cell = own;
        rest = behind.trim_start();
    }
    let is_whole = row.iter().all(|cell| !cell.is_empty());
    debug_assert!(is_whole, "a row of a list has not {N} columns: {line}");
    is_whole.then_some(row)
}

/// A list of groups, one a line: what stands in a group belongs together.
pub struct Groups {
    text: &'static str,
    read: OnceLock<Vec<Vec<&'static str>>>,
}

impl Groups {
    pub const fn of(text: &'static str) -> Self {
        Self { text, read: OnceLock::new() }
    }

    /// All groups, in the order of the file.
    pub fn iter(&self) -> impl Iterator<Item = &[&'static str]> {
        let read = || lines(self.text).map(|line| cells(line).collect()).collect();
        self.read.get_or_init(read).iter().map(Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::{Path, PathBuf};

    #[test]
    fn words_phrases_rows_and_groups_are_read_in_order() {
        static WORDS: Set = Set::of_words("# of ours\nto be\n\nor\n");
        static PHRASES: Set = Set::of_lines("# of ours\nto be\nor not\n");
        static ROWS: Rows<2> = Rows::of("# of ours\none  1\nper cent    a  b\n");
        static GROUPS: Groups = Groups::of("# of ours\nred  dark red\nup\n");
        assert_eq!(WORDS.iter().collect::<Vec<_>>(), ["to", "be", "or"]);
        assert_eq!(WORDS.sorted(), ["be", "or", "to"]);
        assert!(WORDS.contains("be") && !WORDS.contains("to be") && !WORDS.contains("#"));
        assert!(PHRASES.contains("to be") && !PHRASES.contains("to"));
        assert_eq!(ROWS.iter().collect::<Vec<_>>(), [["one", "1"], ["per cent", "a  b"]]);
        assert_eq!(GROUPS.iter().collect::<Vec<_>>(), [&["red", "dark red"][..], &["up"]]);
    }

    #[test]
    #[should_panic(expected = "twice in a list")]
    fn a_word_that_stands_twice_is_a_mistake() {
        Set::of_words("a b\na\n").contains("a");
    }

    #[test]
    #[should_panic(expected = "has not 2 columns: one")]
    fn a_row_without_its_columns_is_a_mistake() {
        Rows::<2>::of("two  2\none 1\n").iter().count();
    }

    /// The files of all crates whose names end so.
    fn files(folder: &Path, end: &str) -> Vec<PathBuf> {
        let all = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let (folders, own): (Vec<_>, Vec<_>) = all.partition(|path| path.is_dir());
        let has_end = |path: &PathBuf| path.extension().is_some_and(|own| own == end);
        let below = folders.iter().flat_map(|folder| files(folder, end));
        own.into_iter().filter(has_end).chain(below).collect()
    }

    /// What is wrong in a list, as far as any list can be.
    fn mistakes(text: &str) -> Vec<String> {
        let mut seen = BTreeSet::new();
        let twice = text.lines().filter(|line| !line.is_empty() && !seen.insert(*line));
        let mut mistakes: Vec<String> = twice.map(|line| format!("twice: {line}")).collect();
        let comment: Vec<&str> = text.lines().map_while(|line| line.strip_prefix("# ")).collect();
        let comment = comment.join(" ").to_lowercase();
        if !["our own choice", "source: "].iter().any(|source| comment.contains(source)) {
            mistakes.push("no comment says what it is and where it comes from".to_owned());
        }
        if !text.ends_with('\n') || text.contains(['\r', '\t']) {
            mistakes.push("a tab, a carriage return, or no end of line".to_owned());
        }
        mistakes
    }

    #[test]
    fn every_list_is_used_and_says_what_it_is_and_has_no_line_twice() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let code: String = files(&root, "rs").iter().map(|file| fs::read_to_string(file).unwrap()).collect();
        let mut lists = files(&root, "txt");
        lists.retain(|file| file.parent().unwrap().ends_with("lists"));
        assert!(lists.len() > 35, "{}", lists.len());
        for file in lists {
            let name = file.file_name().unwrap().to_str().unwrap();
            assert!(code.contains(&format!("{name}\")")), "{}", file.display());
            assert_eq!(mistakes(&fs::read_to_string(&file).unwrap()), [""; 0], "{}", file.display());
        }
        assert_eq!(mistakes("a\tb\na\nb\nb").len(), 3);
        assert_eq!(mistakes("# Words of a list.\na\n").len(), 1, "no source");
    }
}
