//! When entries were last committed, for those that tell no time: kept for one `HEAD`, since only a walk of the history
//! finds it out.
//!
//! One file, which may be lost at any time. Its lines are in the order of paths, and are searched as they are:
//!
//! ```text
//! brv recent 1
//! H <commit> <seconds since 1970 of the oldest commit that counts; - if there are no older ones> <CRC-32 of what follows>
//! <path> <seconds since 1970>
//! ```

use super::folder;
use crate::open::context::Opened;
use crate::read::history::last_changes;
use brv_base::fs::{self, Durability, Form};
use brv_base::path::{PathKind, TreePath};
use brv_git::CommitId;
use bstr::ByteSlice as _;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// How many commits are looked at.
const COMMITS: usize = 500;

const HEADER: &str = "brv recent 1\n";

/// The times of the last commits of entries.
#[derive(Debug, Default, PartialEq)]
pub struct Recent {
    lines: String,
    before: Option<i64>,
}

impl Recent {
    /// The last changes at `HEAD`. If they cannot be read, no entry is in any commit.
    pub fn read(opened: &Opened) -> Self {
        let Some(head) = opened.scope.head().ok().and_then(|head| head.commit()) else {
            return Self::default();
        };
        let file = folder(opened).join("recent");
        let kept = fs::read_shipped(&file, Form::Table)
            .ok()
            .flatten()
            .and_then(|bytes| String::from_utf8(bytes).ok());
        if let Some(recent) = kept.and_then(|text| Self::parse(&text, head)) {
            return recent;
        }
        let Ok(found) = last_changes::recent(&opened.scope, head, COMMITS) else { return Self::default() };
        let entry = |(path, time): (bstr::BString, i64)| {
            let path = TreePath::parse(&path).ok().filter(|path| path.kind() == PathKind::Entry)?;
            Some((path.as_str().to_owned(), time))
        };
        let times: BTreeMap<String, i64> = found.times.into_iter().filter_map(entry).collect();
        let mut lines = String::new();
        for (path, time) in times {
            let _ = writeln!(lines, "{path}\t{time}");
        }
        let recent = Self { lines, before: found.before };
        let _ = fs::replace(&file, recent.text(head).as_bytes(), Durability::Later);
        recent
    }

    /// The time of the last commit that changed an entry; of one that changed earlier than all that was looked at, the
    /// time of the oldest of these. `None` if no commit has it.
    pub fn of(&self, path: &TreePath) -> Option<i64> {
        self.find(path.as_str()).or(self.before)
    }

    fn find(&self, path: &str) -> Option<i64> {
        let (lines, mut low, mut high) = (self.lines.as_bytes(), 0, self.lines.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            let start = lines[low..middle].rfind_byte(b'\n').map_or(low, |end| low + end + 1);
            let end = start + lines[start..high].find_byte(b'\n')?;
            let (own, time) = self.lines[start..end].split_once('\t')?;
            match own.cmp(path) {
                std::cmp::Ordering::Less => low = end + 1,
                std::cmp::Ordering::Greater => high = start,
                std::cmp::Ordering::Equal => return time.parse().ok(),
            }
        }
        None
    }

    fn text(&self, head: CommitId) -> String {
        let before = self.before.map_or_else(|| "-".to_owned(), |time| time.to_string());
        let sum = crc32fast::hash(self.lines.as_bytes());
        format!("{HEADER}H\t{head}\t{before}\t{sum:08x}\n{}", self.lines)
    }

    fn parse(text: &str, head: CommitId) -> Option<Self> {
        let (first, lines) = text.strip_prefix(HEADER)?.split_once('\n')?;
        let (before, sum) = first.strip_prefix(&format!("H\t{head}\t"))?.split_once('\t')?;
        let before = if before == "-" { None } else { Some(before.parse().ok()?) };
        let is_whole = u32::from_str_radix(sum, 16) == Ok(crc32fast::hash(lines.as_bytes()));
        is_whole.then(|| Self { lines: lines.to_owned(), before })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_is_found_and_a_damaged_file_is_not_read() {
        let paths = ["a.md", "a/b.md", "a/b/c.md", "z/long_name.md"];
        let lines: String = paths.iter().zip(10..).map(|(path, time)| format!("{path}\t{time}\n")).collect();
        let recent = Recent { lines, before: None };
        let of = |path: &str| recent.of(&TreePath::parse(path.as_bytes()).unwrap());
        assert_eq!(paths.map(of), [10, 11, 12, 13].map(Some));
        assert_eq!(["A.md", "a/a.md", "zz.md"].map(of), [None; 3]);
        let head = CommitId::from_hex(&"1".repeat(40)).unwrap();
        let text = recent.text(head);
        assert_eq!(Recent::parse(&text, head).as_ref(), Some(&recent));
        assert!(Recent::parse(&text.replace("\t11\n", "\t12\n"), head).is_none());
        assert!(Recent::parse(&text, CommitId::from_hex(&"2".repeat(40)).unwrap()).is_none());
        let old = Recent { before: Some(5), ..recent };
        assert_eq!(old.of(&TreePath::parse(b"old.md").unwrap()), Some(5));
        assert_eq!(Recent::parse(&old.text(head), head), Some(old));
    }
}
