//! What people stated and took back, kept by the test alone; and what a clone still has of it.

use brv_base::path::{PathKind, TreePath};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Subject and statement. No two that people state are the same.
pub type Fact = (String, String);

/// The facts of a tree, each with the entries that hold it.
pub type Standing = BTreeMap<Fact, BTreeSet<String>>;

#[derive(Default)]
pub struct Ledger {
    pub stated: BTreeSet<Fact>,
    /// Removed or replaced by somebody.
    pub gone: BTreeSet<Fact>,
    numbers: usize,
}

impl Ledger {
    /// A statement that nobody made yet, about this subject or a new one.
    pub fn state(&mut self, subject: Option<&str>) -> Fact {
        self.numbers += 1;
        let number = self.numbers;
        let subject = subject.map_or_else(|| format!("limit {number}"), str::to_owned);
        let fact = (subject, format!("{number} units since 3.{number}, not {}", number + 5000));
        self.stated.insert(fact.clone());
        fact
    }
}

/// The facts of all entries of a tree.
pub fn standing(root: &Path) -> Standing {
    let mut standing = Standing::new();
    for (path, file) in crate::lab::picture(root, &|path| path == ".git") {
        if TreePath::parse(path.as_bytes()).is_ok_and(|path| path.kind() == PathKind::Entry) {
            for fact in facts(&String::from_utf8_lossy(&file)) {
                standing.entry(fact).or_default().insert(path.clone());
            }
        }
    }
    standing
}

/// The facts of a text, by line: `- **subject**: statement [category]`.
pub fn facts(text: &str) -> Vec<Fact> {
    let fact = |line: &str| {
        let (subject, statement) = line.strip_prefix("- **")?.split_once("**: ")?;
        let statement = statement.split(" [").next()?.trim_end();
        Some((subject.to_owned(), statement.to_owned()))
    };
    text.lines().filter_map(fact).collect()
}
