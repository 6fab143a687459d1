//! What commits did to files, kept between calls: the logs of `HEAD` and the journal lose old lines, and to compare
//! trees takes time. That the file is lost costs time, and what git and brv forgot. It stands in the folder of the repository,
//! which no clone brings.
//!
//! ```text
//! brv made 1
//! c <commit>
//! m <version that it made> <version before>…
//! w <version that it made, and that waits for a person> <version before>…
//! t <version in a parent>…
//! r <version that it removed>…
//! ```

use super::sources::{Act, LocalCommit, LocalFileChange};
use crate::open::context::Opened;
use brv_base::content::{ContentId, fnv};
use brv_base::fs::{self, Durability};
use brv_git::CommitId;
use std::fmt::Write as _;
use std::path::PathBuf;

const HEADER: &str = "brv made 1\n";

/// A repository may have several trees.
fn file(opened: &Opened) -> PathBuf {
    let prefix = opened.scope.prefix();
    let name =
        if prefix.is_empty() { "made".to_owned() } else { format!("made-{:016x}", fnv(prefix.bytes())) };
    opened.scope.common_dir().join("brv").join(name)
}

pub(super) fn read(opened: &Opened) -> Option<Vec<LocalCommit>> {
    let bytes = fs::read_if_there(&file(opened)).ok()??;
    parse(std::str::from_utf8(&bytes).ok()?)
}

/// Keep them. That they cannot be written only costs time.
pub(super) fn write(opened: &Opened, sources: &[LocalCommit]) {
    let _ = fs::replace(&file(opened), text(sources).as_bytes(), Durability::Later);
}

fn text(sources: &[LocalCommit]) -> String {
    let mut text = HEADER.to_owned();
    for source in sources {
        let _ = writeln!(text, "c {}", source.commit);
        for row in &source.rows {
            let _ = match row.act {
                Act::Made(blob) => write!(text, "m {blob}"),
                Act::Waits(blob) => write!(text, "w {blob}"),
                Act::Taken => write!(text, "t"),
                Act::Removed => write!(text, "r"),
            };
            for blob in &row.before {
                let _ = write!(text, " {blob}");
            }
            text.push('\n');
        }
    }
    text
}

/// `None` if it is not as it was written.
fn parse(text: &str) -> Option<Vec<LocalCommit>> {
    let mut sources: Vec<LocalCommit> = Vec::new();
    for line in text.strip_prefix(HEADER)?.lines() {
        let (kind, rest) = line.split_at_checked(1)?;
        let mut ids = rest.split_ascii_whitespace();
        let act = match kind {
            "c" => {
                sources.push(LocalCommit { commit: CommitId::from_hex(ids.next()?)?, rows: Vec::new() });
                continue;
            }
            "m" => Act::Made(ContentId::from_hex(ids.next()?)?),
            "w" => Act::Waits(ContentId::from_hex(ids.next()?)?),
            "t" => Act::Taken,
            "r" => Act::Removed,
            _ => return None,
        };
        let before: Option<Vec<ContentId>> = ids.map(ContentId::from_hex).collect();
        sources.last_mut()?.rows.push(LocalFileChange { act, before: before? });
    }
    Some(sources)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_a_damaged_file_is_not() {
        let id = |text: &str| ContentId::of(text.as_bytes());
        let rows = vec![
            LocalFileChange { act: Act::Made(id("a")), before: vec![id("b"), id("c")] },
            LocalFileChange { act: Act::Waits(id("w")), before: vec![id("a")] },
            LocalFileChange { act: Act::Taken, before: vec![id("d")] },
            LocalFileChange { act: Act::Removed, before: Vec::new() },
        ];
        let commit = |digit: &str| CommitId::from_hex(&digit.repeat(40)).unwrap();
        let sources = vec![
            LocalCommit { commit: commit("1"), rows },
            LocalCommit { commit: commit("2"), rows: Vec::new() },
        ];
        assert_eq!(parse(&text(&sources)), Some(sources));
        for damaged in ["", "brv made 2\n", "brv made 1\nm 12\n", "brv made 1\nc 12\n", "brv made 1\nx\n"] {
            assert_eq!(parse(damaged), None, "{damaged:?}");
        }
    }
}
