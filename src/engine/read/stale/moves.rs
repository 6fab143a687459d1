//! Where a name went that is gone from a file: the one file that introduces it since, among those that the commits between
//! then and now changed.

use super::code::{ChangedCodeFile, CodeLines, CodeTree};
use brv_base::content::{ContentId, fnv};
use brv_git::CommitId;
use brv_text::stale::{Text, is_prose};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// Nothing is looked for in more changed files, and in as many where the caller does not wait.
const MOST_FILES: usize = 500;
const MOST_AT_ONCE: usize = 100;

/// From how many commits the changed files are looked for.
const MOST_BASES: usize = 50;

#[derive(Default)]
pub struct NameMoves {
    /// The files that differ from a commit, where they are not too many.
    changed: HashMap<CommitId, Rc<Vec<ChangedCodeFile>>>,
    /// The hashes of the words of versions.
    words: HashMap<ContentId, Rc<HashSet<u64>>>,
    known: HashMap<(CommitId, String), Option<String>>,
}

impl NameMoves {
    /// The file that introduces a name since a commit; `None` if there is none, or more than one.
    pub fn of(&mut self, code: &mut CodeTree<'_>, base: CommitId, name: &str) -> Option<String> {
        let key = (base, name.to_owned());
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let found = self.look(code, base, name);
        self.known.insert(key, found.clone());
        found
    }

    fn look(&mut self, code: &mut CodeTree<'_>, base: CommitId, name: &str) -> Option<String> {
        let is_word = |char: char| char.is_alphanumeric() || char == '_';
        if !name.chars().all(is_word) {
            return None;
        }
        if !self.changed.contains_key(&base) {
            let most = if code.is_hurried() { MOST_AT_ONCE } else { MOST_FILES };
            let files = if self.changed.len() < MOST_BASES { code.changed_since(base, most) } else { None };
            self.changed.insert(base, Rc::new(files.unwrap_or_default()));
        }
        let files = Rc::clone(&self.changed[&base]);
        let hash = fnv(name.bytes());
        let mut found = None;
        for file in files.iter().filter(|file| !is_prose(&file.path)) {
            if !self.words(code, file.after).contains(&hash) {
                continue;
            }
            let declares = |code: &mut CodeTree<'_>, id| matches!(code.text(id), CodeLines::Text(text) if text.declares(name));
            let is_new =
                declares(code, file.after) && !file.before.is_some_and(|before| declares(code, before));
            if is_new && found.replace(&file.path).is_some() {
                return None;
            }
        }
        found.cloned()
    }

    fn words(&mut self, code: &mut CodeTree<'_>, id: ContentId) -> Rc<HashSet<u64>> {
        let words = self.words.entry(id).or_insert_with(|| match code.text(id) {
            CodeLines::Text(text) => Rc::new(hashes(&text)),
            CodeLines::Binary | CodeLines::Large => Rc::default(),
        });
        Rc::clone(words)
    }
}

fn hashes(text: &Text) -> HashSet<u64> {
    let words = text.lines().flat_map(|line| line.split(|char: char| !char.is_alphanumeric() && char != '_'));
    words.filter(|word| !word.is_empty()).map(|word| fnv(word.bytes())).collect()
}
