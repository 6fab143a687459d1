//! Makes trees like those that teams have: entries of 1 to 4 KB in domains, topics and subtopics.
//!
//! The same number of entries always gives the same bytes, on every machine. Knows nothing of brv or git.

use crate::words::{CLAUSES, DOMAINS, KINDS, NOUNS, SYLLABLES, VERBS};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

/// Files in one folder, on average.
const PER_FOLDER: usize = 11;
/// The last word of a fact.
const CATEGORIES: [&str; 6] = ["convention", "project", "team", "environment", "preference", "other"];

/// A stream of numbers from a seed (SplitMix64; Steele, Lea, Flood 2014).
pub struct Numbers(u64);

impl Numbers {
    /// The stream of a seed.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }

    /// A number below `end`.
    pub const fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// One of the words, the first ones much more often than the last: words in real text are not spread evenly.
    fn pick_uneven(&mut self, from: &[&'static str]) -> &'static str {
        let at = self.below(from.len());
        from[self.below(at + 1)]
    }
}

/// A file of a tree.
pub struct File {
    /// Relative, with `/`.
    pub path: String,
    /// Its bytes.
    pub text: String,
}

struct Folder {
    path: String,
    /// Names that only this folder's files use.
    names: Vec<String>,
}

/// Exactly `count` files: a node overview in each folder, entries for the rest.
pub fn files(count: usize) -> Vec<File> {
    let mut files = Vec::with_capacity(count);
    each(count, |file| files.push(file));
    files
}

/// The same files one by one, for trees that memory does not hold.
pub fn each(count: usize, mut take: impl FnMut(File)) {
    let mut numbers = Numbers::new(23_867);
    let folders = folders(count, &mut numbers);
    for folder in folders.iter().take(count) {
        take(File { path: format!("{}/context.md", folder.path), text: overview(folder, &mut numbers) });
    }
    let mut taken = BTreeSet::new();
    let mut known: Vec<String> = Vec::new();
    while folders.len() + known.len() < count {
        let folder = &folders[numbers.below(folders.len())];
        let title = [
            numbers.pick(&KINDS),
            numbers.pick_uneven(&NOUNS),
            numbers.pick(&folder.names.iter().map(String::as_str).collect::<Vec<_>>()),
        ]
        .join(" ");
        let path = format!("{}/{}.md", folder.path, title.replace(' ', "_"));
        if taken.insert(path.clone()) {
            take(File { text: entry(folder, &title, &known, &mut numbers), path: path.clone() });
            known.push(path);
        }
    }
}

fn folders(count: usize, numbers: &mut Numbers) -> Vec<Folder> {
    let wanted = (count / PER_FOLDER).max(3);
    let domains = (wanted / 12).clamp(3, DOMAINS.len());
    let mut paths: Vec<String> = DOMAINS[..domains].iter().map(|name| (*name).to_owned()).collect();
    let mut topics: Vec<String> = Vec::new();
    let mut taken: BTreeSet<String> = paths.iter().cloned().collect();
    while paths.len() < wanted {
        let name = format!("{}_{}", numbers.pick(&NOUNS), numbers.pick(&NOUNS));
        let is_subtopic = !topics.is_empty() && numbers.below(10) < 3;
        let parent = if is_subtopic {
            topics[numbers.below(topics.len())].clone()
        } else {
            numbers.pick(&DOMAINS[..domains]).into()
        };
        let path = format!("{parent}/{name}");
        if taken.insert(path.clone()) {
            if !is_subtopic {
                topics.push(path.clone());
            }
            paths.push(path);
        }
    }
    paths.into_iter().map(|path| Folder { path, names: (0..24).map(|_| name(numbers)).collect() }).collect()
}

fn name(numbers: &mut Numbers) -> String {
    (0..2 + numbers.below(2)).map(|_| numbers.pick(&SYLLABLES)).collect()
}

fn subject(folder: &Folder, numbers: &mut Numbers) -> String {
    let noun = numbers.pick_uneven(&NOUNS);
    match numbers.below(4) {
        0 => format!("{} {noun}", folder.names[numbers.below(folder.names.len())]),
        1 => format!("{} {noun}", numbers.pick_uneven(&KINDS)),
        _ => noun.to_owned(),
    }
}

fn sentence(folder: &Folder, numbers: &mut Numbers) -> String {
    let (what, verb) = (subject(folder, numbers), numbers.pick_uneven(&VERBS));
    let mut text = format!("The {what} {verb} ");
    match numbers.below(5) {
        0 => {
            let _ = write!(text, "{} {}s", 2 + numbers.below(900), numbers.pick_uneven(&NOUNS));
        }
        1 => {
            let _ = write!(text, "every {}", subject(folder, numbers));
        }
        2 => {
            let _ = write!(text, "the {} and the {}", subject(folder, numbers), subject(folder, numbers));
        }
        _ => {
            let _ = write!(text, "the {}", subject(folder, numbers));
        }
    }
    if numbers.below(3) > 0 {
        let _ = write!(text, " {}", numbers.pick(&CLAUSES));
    }
    text.push('.');
    text
}

fn paragraph(folder: &Folder, sentences: usize, numbers: &mut Numbers) -> String {
    (0..sentences).map(|_| sentence(folder, numbers)).collect::<Vec<_>>().join(" ")
}

fn overview(folder: &Folder, numbers: &mut Numbers) -> String {
    let name = folder.path.rsplit('/').next().unwrap_or_default();
    let (first, second) = (paragraph(folder, 3, numbers), paragraph(folder, 1, numbers));
    match folder.path.matches('/').count() {
        0 => format!(
            "# Domain: {name}\n\n## Purpose\n{first}\n\n## Scope\nIncluded in this domain:\n- {second}\n\n## Ownership\nThe \
             {name} team\n\n## Usage\nRead it before you change {name}.\n"
        ),
        1 => format!(
            "# Topic: {name}\n\n## Overview\n{first}\n\n## Key Concepts\n- {second}\n\n## Related Topics\n"
        ),
        _ => format!("# Subtopic: {name}\n\n## Focus\n{first}\n\n## Parent Relation\n{second}\n"),
    }
}

fn entry(folder: &Folder, title: &str, known: &[String], numbers: &mut Numbers) -> String {
    let tags = [numbers.pick_uneven(&NOUNS), numbers.pick(&KINDS)].join(", ");
    let keywords: Vec<_> = (0..6).map(|_| folder.names[numbers.below(folder.names.len())].as_str()).collect();
    let related: Vec<_> = (0..numbers.below(4))
        .filter_map(|_| known.get(numbers.below(known.len().max(1))).map(String::as_str))
        .collect();
    let (created, updated) = (day(numbers), day(numbers));
    let mut text = format!(
        "---\ntitle: {title}\nsummary: {}\ntags: [{tags}]\nkeywords: [{}]\nrelated: [{}]\ncreatedAt: '{}'\nupdatedAt: \
         '{}'\n---\n",
        sentence(folder, numbers),
        keywords.join(", "),
        related.join(", "),
        created.clone().min(updated.clone()),
        created.max(updated),
    );
    let _ = write!(
        text,
        "\n## Raw Concept\n\n**Task:**\n{}\n\n**Files:**\n- src/{}/{}.rs\n\n**Flow:**\n{} -> {} -> {}\n",
        sentence(folder, numbers),
        folder.path,
        keywords[0],
        numbers.pick(&NOUNS),
        numbers.pick(&NOUNS),
        numbers.pick(&NOUNS),
    );
    text.push_str("\n## Narrative\n\n### Structure\n");
    for _ in 0..2 + numbers.below(4) {
        let sentences = 3 + numbers.below(4);
        let _ = write!(text, "{}\n\n", paragraph(folder, sentences, numbers));
    }
    text.push_str("### Rules\n");
    for _ in 0..1 + numbers.below(5) {
        let _ = writeln!(text, "- {}", sentence(folder, numbers));
    }
    if numbers.below(4) == 0 {
        let _ = write!(
            text,
            "\n### Examples\n```bash\n{} --{} {}\n```\n",
            keywords[1],
            keywords[2],
            numbers.below(9000)
        );
    }
    text.push_str("\n## Facts\n");
    for _ in 0..2 + numbers.below(6) {
        let (about, category) = (subject(folder, numbers), numbers.pick(&CATEGORIES));
        let _ = writeln!(text, "- **{about}**: {} [{category}]", sentence(folder, numbers));
    }
    text
}

fn day(numbers: &mut Numbers) -> String {
    format!(
        "2025-{:02}-{:02}T{:02}:{:02}:00.000Z",
        1 + numbers.below(12),
        1 + numbers.below(28),
        numbers.below(24),
        numbers.below(60)
    )
}

/// A text after an edit: one more fact, which names its number.
pub fn edited(text: &[u8], number: usize) -> Vec<u8> {
    let mut edited = text.to_vec();
    let mut numbers = Numbers::new(number as u64);
    let (noun, verb) = (numbers.pick(&NOUNS), numbers.pick(&VERBS));
    let fact = format!("- **edit {number}**: The {noun} {verb} the {} [project]\n", numbers.pick(&NOUNS));
    edited.extend_from_slice(fact.as_bytes());
    edited
}

/// Write files below a folder.
pub fn write(files: &[File], root: &Path) -> std::io::Result<()> {
    files.iter().try_for_each(|file| write_one(file, root))
}

/// Write a file below a folder.
pub fn write_one(file: &File, root: &Path) -> std::io::Result<()> {
    let path = root.join(&file.path);
    std::fs::create_dir_all(path.parent().expect("it is below the root"))?;
    std::fs::write(path, &file.text)
}
