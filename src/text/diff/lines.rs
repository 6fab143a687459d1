//! Compute hunks: the changed lines of a file with some unchanged lines around them.

use super::edits::{DiffRange, changes};
use super::heading::headings;
use super::{DiffLine, Equality, FileDiff, Hunk, LineKind};
use bstr::{BStr, BString, ByteSlice};

/// The default number of unchanged lines around a change, as in git.
pub const CONTEXT: usize = 3;

/// Compare two versions of a file, with `context` unchanged lines around each change.
///
/// A NUL byte on either side makes the file binary. Changes whose contexts touch share a hunk.
pub fn compare(before: &[u8], after: &[u8], context: usize) -> FileDiff {
    if let Some(equality) = binary(before, after) {
        return FileDiff::Binary(equality);
    }
    let (before, after) = (lines(before), lines(after));
    let changes = changes(&before, &after);
    let headings = if changes.is_empty() { Vec::new() } else { headings(&before) };
    let mut hunks: Vec<Hunk> = Vec::new();
    for group in groups(&changes, context) {
        let mut hunk = hunk(group, &before, &after, context);
        let above = headings.partition_point(|number| *number < hunk.before.start);
        hunk.heading = above.checked_sub(1).map(|last| label(before[headings[last]]));
        hunks.push(hunk);
    }
    FileDiff::Text(hunks)
}

/// Whether two versions are equal, if a side has a NUL byte; else `None`: both are text.
pub(super) fn binary(before: &[u8], after: &[u8]) -> Option<Equality> {
    let is_binary = before.contains(&0) || after.contains(&0);
    is_binary.then(|| if before == after { Equality::Same } else { Equality::Different })
}

/// The lines with their endings.
pub(super) fn lines(text: &[u8]) -> Vec<&BStr> {
    text.lines_with_terminator().map(BStr::new).collect()
}

/// Runs of changes that are at most `2 * context` lines apart.
fn groups(changes: &[DiffRange], context: usize) -> impl Iterator<Item = &[DiffRange]> {
    let reach = context.saturating_mul(2);
    changes.chunk_by(move |left, right| right.before.start - left.before.end <= reach)
}

fn hunk(group: &[DiffRange], before: &[&BStr], after: &[&BStr], context: usize) -> Hunk {
    let (first, last) = (&group[0], &group[group.len() - 1]);
    let lead = context.min(first.before.start);
    let trail = context.min(before.len() - last.before.end);
    let mut lines = Vec::new();
    let mut next = first.before.start - lead;
    let mut push = |kind, texts: &[&BStr]| {
        lines.extend(texts.iter().map(|text| DiffLine { kind, text: BString::from(text.as_bytes()) }));
    };
    for change in group {
        push(LineKind::Context, &before[next..change.before.start]);
        push(LineKind::Removed, &before[change.before.clone()]);
        push(LineKind::Added, &after[change.after.clone()]);
        next = change.before.end;
    }
    push(LineKind::Context, &before[next..last.before.end + trail]);
    Hunk {
        before: first.before.start - lead..last.before.end + trail,
        after: first.after.start - lead..last.after.end + trail,
        heading: None,
        lines,
        pairs: Vec::new(),
    }
}

fn label(line: &BStr) -> BString {
    BString::from(line.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hunks(before: &str, after: &str, context: usize) -> Vec<Hunk> {
        match compare(before.as_bytes(), after.as_bytes(), context) {
            FileDiff::Text(hunks) => hunks,
            FileDiff::Binary(_) => panic!("text"),
        }
    }

    fn shown(hunk: &Hunk) -> Vec<String> {
        hunk.lines.iter().map(|line| format!("{}{}", line.kind.sign(), line.text)).collect()
    }

    #[test]
    fn a_hunk_holds_the_change_and_its_context() {
        let found = hunks("1\n2\n3\n4\n5\n", "1\n2\nx\n4\n5\n", 1);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].before.clone(), found[0].after.clone()), (1..4, 1..4));
        assert_eq!(shown(&found[0]), [" 2\n", "-3\n", "+x\n", " 4\n"]);
    }

    #[test]
    fn changes_share_a_hunk_when_their_contexts_touch() {
        let before = "1\n2\n3\n4\n5\n6\n7\n";
        assert_eq!(hunks(before, "x\n2\n3\ny\n5\n6\n7\n", 1).len(), 1);
        assert_eq!(hunks(before, "x\n2\n3\n4\ny\n6\n7\n", 1).len(), 2);
        assert_eq!(hunks(before, "x\n2\n3\n4\ny\n6\n7\n", usize::MAX).len(), 1);
    }

    #[test]
    fn the_label_is_the_heading_above_the_hunk() {
        let before = "# Title\n\n## Facts\n1\n2\n3\n4\n5\n6\n";
        let found = hunks(before, "# Title\n\n## Facts\n1\n2\n3\n4\n5\nsix\n", 3);
        assert_eq!(found[0].heading.as_ref().unwrap(), "## Facts");
        assert_eq!(hunks(before, "# T\n\n## Facts\n1\n2\n3\n4\n5\n6\n", 3)[0].heading, None);
    }

    #[test]
    fn a_missing_final_newline_is_a_difference() {
        let found = hunks("a\nb", "a\nb\n", 3);
        assert_eq!(shown(&found[0]), [" a\n", "-b", "+b\n"]);
    }

    #[test]
    fn a_nul_byte_makes_the_file_binary() {
        assert_eq!(compare(b"a\0", b"b", 3), FileDiff::Binary(Equality::Different));
        assert!(compare(b"a\0", b"a\0", 3).is_empty());
    }
}
