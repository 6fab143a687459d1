//! The entries and questions of `brv index check`: made of invented words that are as rare and as frequent as those of
//! texts (Zipf's law), always the same ones.

use brv_base::path::TreePath;
use brv_engine::query::index::remote_list::RemoteTree;

/// How many trees there are, and entries of each.
const TREES: usize = 6;
const ENTRIES: usize = 100;

/// How many words there are.
const WORDS: usize = 2_000;

/// How many questions there are.
pub(super) const QUESTIONS: usize = 24;

/// An entry of a tree.
pub(super) struct SampleEntry {
    pub tree: usize,
    pub path: TreePath,
    pub text: String,
}

/// Numbers that look like chance: the generator of D. Lehmer with the constants of S. Park and K. Miller (1988).
struct Chance(u64);

impl Chance {
    fn next(&mut self, below: usize) -> usize {
        self.0 = self.0 * 48_271 % 2_147_483_647;
        (self.0 % below as u64) as usize
    }

    /// A number below [`WORDS`], of which each is about as likely as its reciprocal.
    fn zipf(&mut self) -> usize {
        let share = self.next(1_000_000) as f64 / 1e6;
        ((WORDS as f64).powf(share) as usize).min(WORDS) - 1
    }
}

/// A word of two to four syllables.
fn word(number: usize) -> String {
    const BEGINNINGS: [&str; 14] = ["b", "d", "f", "g", "k", "l", "m", "n", "p", "r", "t", "v", "z", "st"];
    const ENDINGS: [&str; 12] = ["a", "e", "i", "o", "u", "an", "or", "il", "um", "ek", "os", "in"];
    let (mut rest, mut word) = (number + 20, String::new());
    while rest > 0 {
        word.push_str(BEGINNINGS[rest % BEGINNINGS.len()]);
        rest /= BEGINNINGS.len();
        word.push_str(ENDINGS[rest % ENDINGS.len()]);
        rest /= ENDINGS.len();
    }
    word
}

/// The trees.
pub(super) fn trees() -> Vec<RemoteTree> {
    let tree = |number| RemoteTree {
        name: format!("check.invalid/team-{number}/notes"),
        remote: format!("https://check.invalid/team-{number}/notes"),
        branch: "main".into(),
        prefix: String::new(),
    };
    (0..TREES).map(tree).collect()
}

/// The entries, in the order of trees and paths.
pub(super) fn entries() -> Vec<SampleEntry> {
    let mut chance = Chance(20_260_101);
    let mut entries = Vec::with_capacity(TREES * ENTRIES);
    for tree in 0..TREES {
        for number in 0..ENTRIES {
            let path = format!("{}/{}/entry_{number:03}.md", word(number / 50), word(number / 10));
            let mut say =
                |count: usize| (0..count).map(|_| word(chance.zipf())).collect::<Vec<_>>().join(" ");
            let (title, lead) = (say(3), say(40));
            let facts: Vec<String> = (0..4).map(|_| format!("- **{}**: {}", say(1), say(12))).collect();
            let text = format!("---\ntitle: {title}\n---\n{lead}\n\n## Facts\n{}\n", facts.join("\n"));
            let path = TreePath::parse(path.as_bytes()).expect("words are names of files");
            entries.push(SampleEntry { tree, path, text });
        }
    }
    entries
}

/// Questions of two to four words.
pub(super) fn questions() -> Vec<String> {
    let mut chance = Chance(20_261_231);
    let mut question = |number: usize| {
        let words = (0..2 + number % 3).map(|_| word(chance.zipf()));
        words.collect::<Vec<_>>().join(" ")
    };
    (0..QUESTIONS).map(&mut question).collect()
}
