//! Find the markdown headings that label hunks.
//!
//! Knows ATX headings, code fences and frontmatter, and no more of markdown.

use bstr::{BStr, ByteSlice};

/// The number of each line that is a heading: `# ` to `###### ` outside fences and frontmatter.
pub(super) fn headings(lines: &[&BStr]) -> Vec<usize> {
    let mut fence: Option<(u8, usize)> = None;
    let mut found = Vec::new();
    for (number, line) in lines.iter().enumerate().skip(frontmatter(lines)) {
        let indent = line.iter().take_while(|byte| **byte == b' ').count();
        let text = line[indent..].as_bstr();
        match (fence, fence_run(text)) {
            _ if indent > 3 => {}
            (None, Some(opening)) => fence = Some(opening),
            (Some((mark, length)), Some(run)) if run.0 == mark && run.1 >= length && closes(text, mark) => {
                fence = None;
            }
            (None, None) if is_heading(text) => found.push(number),
            _ => {}
        }
    }
    found
}

/// The number of frontmatter lines, including its two `---`.
fn frontmatter(lines: &[&BStr]) -> usize {
    let is_rule = |line: &BStr| line.trim_end() == b"---";
    if !lines.first().is_some_and(|line| is_rule(line)) {
        return 0;
    }
    lines.iter().skip(1).position(|line| is_rule(line)).map_or(0, |closing| closing + 2)
}

fn fence_run(text: &BStr) -> Option<(u8, usize)> {
    let mark = *text.first()?;
    let length = text.iter().take_while(|byte| **byte == mark).count();
    (matches!(mark, b'`' | b'~') && length >= 3).then_some((mark, length))
}

fn closes(text: &BStr, mark: u8) -> bool {
    text.trim_end().iter().all(|byte| *byte == mark)
}

fn is_heading(text: &BStr) -> bool {
    let level = text.iter().take_while(|byte| **byte == b'#').count();
    (1..=6).contains(&level) && matches!(text.get(level), Some(b' ' | b'\t'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(text: &str) -> Vec<usize> {
        let lines: Vec<&BStr> = text.as_bytes().lines_with_terminator().map(BStr::new).collect();
        headings(&lines)
    }

    #[test]
    fn headings_in_fences_and_frontmatter_do_not_count() {
        let text = "---\n# a comment\ntitle: x\n---\n# One\n```sh\n# not one\n``\n~~~\n```\n## Two\n####### seven\n#tag\n";
        assert_eq!(numbers(text), [4, 10]);
    }

    #[test]
    fn an_unclosed_frontmatter_is_no_frontmatter() {
        assert_eq!(numbers("---\n# One\n"), [1]);
    }
}
