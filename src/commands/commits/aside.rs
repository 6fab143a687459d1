//! Entries that are filed anew from the commits that they came from: until they go, nothing is filed in them or compared with
//! them, and one whose place a new entry takes makes way for it.

use brv_base::content::ContentId;
use brv_base::path::TreePath;
use brv_text::curate::{CurateKind, Operation, OperationInput, Read};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// Why such an entry goes, for the history.
pub const REASON: &str = "earlier rules wrote it; its commits were filed anew";

/// The entries, each as it stood at first.
#[derive(Debug, Default)]
pub struct Aside {
    standing: RefCell<BTreeMap<TreePath, ContentId>>,
    all: BTreeSet<TreePath>,
}

impl Aside {
    pub fn of(entries: BTreeMap<TreePath, ContentId>) -> Self {
        Self { all: entries.keys().cloned().collect(), standing: RefCell::new(entries) }
    }

    /// The version of an entry that stands aside; `None` where a new one has its place, too.
    pub fn blob(&self, path: &TreePath) -> Option<ContentId> {
        self.standing.borrow().get(path).copied()
    }

    /// All of them, with those that made way.
    pub fn paths(&self) -> BTreeSet<TreePath> {
        self.all.clone()
    }

    /// Note that new entries were written.
    pub fn wrote(&self, paths: &[TreePath]) {
        self.standing.borrow_mut().retain(|path, _| !paths.contains(path));
    }

    /// The operations, with the removal of an entry before the one that takes its place.
    pub fn making_way(&self, operations: Vec<Read>) -> Vec<Read> {
        let mut all: Vec<Read> = Vec::new();
        for one in operations {
            let path = one.path.as_deref().and_then(|path| TreePath::parse(path.as_bytes()).ok());
            let is_first = all.iter().all(|other| other.path != one.path);
            if let Some(path) = path.filter(|_| is_first)
                && let Some(blob) = self.blob(&path)
            {
                all.push(removal((&path, blob), REASON));
            }
            all.push(one);
        }
        all
    }
}

/// The removal of a file that is still this version.
pub fn removal((path, blob): (&TreePath, ContentId), reason: &str) -> Read {
    let written = OperationInput::new(CurateKind::Delete, path.to_string(), reason.to_owned());
    let kind = Some(written.kind.as_str().to_owned());
    let operation = Operation::of(written).map(|operation| Operation { base: Some(blob), ..operation });
    Read { kind, path: Some(path.to_string()), operation }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> TreePath {
        TreePath::parse(text.as_bytes()).unwrap()
    }

    fn add(path: &str) -> Read {
        let written = OperationInput::new(CurateKind::Upsert, path.to_owned(), "why".to_owned());
        Read { kind: None, path: Some(path.to_owned()), operation: Operation::of(written) }
    }

    #[test]
    fn an_entry_makes_way_once_for_the_one_that_takes_its_place() {
        let aside = Aside::of([(path("a/b.md"), ContentId::of(b"old"))].into());
        let kinds = |all: &[Read]| all.iter().map(|one| one.kind.clone()).collect::<Vec<_>>();
        let made = aside.making_way(vec![add("a/c.md"), add("a/b.md"), add("a/b.md")]);
        assert_eq!(kinds(&made), [None, Some("DELETE".to_owned()), None, None]);
        assert_eq!(made[1].operation.as_ref().unwrap().base, Some(ContentId::of(b"old")));
        aside.wrote(&[path("a/b.md")]);
        assert_eq!(kinds(&aside.making_way(vec![add("a/b.md")])), [None]);
        assert_eq!(aside.paths(), [path("a/b.md")].into(), "nobody has to look at what goes of it");
    }
}
