//! What a single line of a message is: a fence, a heading, a quote, a row of a table, an image, a list item.
//!
//! Does not know the lines around, except for [`Fence`].

use crate::commits::patterns;

/// The fence that is open, if one is.
#[derive(Debug, Default)]
pub(crate) struct Fence(Option<(char, usize)>);

impl Fence {
    /// Take the next line: whether it is in a fence, or opens or closes one.
    pub(crate) fn holds(&mut self, line: &str) -> bool {
        let bare = line.trim();
        match self.0 {
            Some((mark, width)) => {
                if bare.len() >= width && bare.chars().all(|c| c == mark) {
                    self.0 = None;
                }
                true
            }
            None => {
                self.0 = opening(bare);
                self.0.is_some()
            }
        }
    }
}

fn opening(bare: &str) -> Option<(char, usize)> {
    let mark = bare.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let width = bare.len() - bare.trim_start_matches(mark).len();
    let is_code_span = mark == '`' && bare[width..].contains('`');
    (width >= 3 && !is_code_span).then_some((mark, width))
}

/// The level and the title of a heading with `#`, or of a bold line alone.
pub(super) fn heading(bare: &str) -> Option<(usize, &str)> {
    let level = bare.len() - bare.trim_start_matches('#').len();
    if (1..=6).contains(&level) && bare[level..].starts_with([' ', '\t']) {
        return Some((level, bare[level..].trim().trim_end_matches('#').trim_end()));
    }
    let bold = bare.strip_suffix(':').unwrap_or(bare);
    let title = bold.strip_prefix("**")?.strip_suffix("**")?;
    let is_title = (2..=60).contains(&title.chars().count()) && !title.contains('*');
    is_title.then(|| (3, title.trim_end_matches([':', ' '])))
}

/// Whether the line below a title makes it a heading.
pub(super) fn is_underline(bare: &str) -> bool {
    bare.len() >= 3 && ['=', '-'].iter().any(|mark| bare.chars().all(|c| c == *mark))
}

/// A line of marks only.
pub(super) fn is_ruler(bare: &str) -> bool {
    bare.len() >= 3 && bare.chars().all(|c| "-=_*".contains(c))
}

pub(crate) fn is_quote(bare: &str) -> bool {
    bare.starts_with(['>', '\u{203a}', '\u{276f}', '\u{2502}'])
}

/// A row of a table: it begins with a bar, or has three outside code.
pub(super) fn is_row(bare: &str) -> bool {
    let outside = bare.split('`').step_by(2);
    bare.starts_with('|') || outside.map(|part| part.matches('|').count()).sum::<usize>() >= 3
}

/// An image, a badge, or the target of a link: `[1]: https://…`.
pub(super) fn is_image_or_target(bare: &str) -> bool {
    let is_target = || {
        let (label, target) = bare.strip_prefix('[')?.split_once("]:")?;
        Some(!label.is_empty() && !label.contains(']') && !target.trim().is_empty())
    };
    ["![", "[![", "<img", "<a "].iter().any(|start| bare.starts_with(start)) || is_target().unwrap_or(false)
}

/// A box to tick.
pub(super) fn is_box(bare: &str) -> bool {
    let item = ["- ", "* ", "+ "].iter().find_map(|mark| bare.strip_prefix(mark)).unwrap_or_default();
    ["[ ]", "[x]", "[X]"].iter().any(|mark| item.starts_with(mark))
}

/// A header of a patch.
pub(super) fn is_patch(bare: &str) -> bool {
    let is_index = || {
        let (before, _) = bare.strip_prefix("index ")?.split_once("..")?;
        Some(!before.is_empty() && before.bytes().all(|byte| byte.is_ascii_hexdigit()))
    };
    ["+++ ", "--- ", "@@ "].iter().any(|start| bare.starts_with(start)) || is_index().unwrap_or(false)
}

/// From this line on a message is not text: a patch, or what git cuts off.
pub(super) fn is_end(bare: &str) -> bool {
    let is_scissors = || {
        let rest = bare.strip_prefix("# -")?.trim_start_matches('-');
        rest.strip_prefix(" >8 -").map(|rest| !rest.is_empty())
    };
    bare.starts_with("diff --git ") || is_scissors().unwrap_or(false)
}

/// The text of a list item after its marker.
pub(super) fn item(line: &str) -> Option<&str> {
    let bare = line.trim_start();
    let digits = bare.len() - bare.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let rest = match digits {
        0 => bare.strip_prefix(['-', '*', '+', '\u{2022}'])?,
        1 | 2 => bare[digits..].strip_prefix(['.', ')'])?,
        _ => return None,
    };
    (line.len() - bare.len() <= 8 && rest.starts_with([' ', '\t'])).then(|| rest.trim())
}

/// Whether a line is indented as code is.
pub(crate) fn is_indented(line: &str) -> bool {
    line.starts_with("    ") || line.starts_with('\t')
}

/// What a program printed.
pub(super) fn is_output(bare: &str) -> bool {
    patterns::OUTPUT.is_match(bare)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_closes_with_its_own_mark() {
        let held = |text: &str| {
            let mut fence = Fence::default();
            text.lines().map(|line| if fence.holds(line) { 'c' } else { '.' }).collect::<String>()
        };
        assert_eq!(held("a\n```rust\nb\n```\nc"), ".ccc.");
        assert_eq!(held("~~~\n```\n~~~~\nc"), "ccc.");
        assert_eq!(held("````\n```\n````\nc"), "ccc.");
        assert_eq!(held("```a``` b\nc"), "..");
        assert_eq!(held("```\nb"), "cc");
    }

    #[test]
    fn lines_are_told_apart_by_how_they_begin() {
        assert_eq!(heading("## A b ##"), Some((2, "A b")));
        assert_eq!(heading("**Why:**"), Some((3, "Why")));
        assert_eq!(heading("**Why**:"), Some((3, "Why")));
        assert_eq!((heading("#12 is"), heading("**a** b **c**"), heading("a")), (None, None, None));
        assert!(is_row("| a |") && is_row("a | b | c | d") && !is_row("a `|| ||` b || c"));
        assert!(is_image_or_target("[1]: https://a") && is_image_or_target("![x](y)"));
        assert!(!is_image_or_target("[1] says: a") && !is_image_or_target("[1]:"));
        assert!(is_box("- [x] a") && is_box("* [ ] a") && !is_box("- a [x]"));
        assert!(is_patch("@@ -1 +1 @@") && is_patch("index 12ab..34 100644") && !is_patch("index of a..b"));
        assert!(is_end("diff --git a/x b/x") && is_end("# ---- >8 ----") && !is_end("# >8"));
        assert_eq!(
            (item("  1. a"), item("* b"), item("-c"), item("123. d")),
            (Some("a"), Some("b"), None, None)
        );
        assert_eq!(item("         - deep"), None);
        assert!(is_output("warning: unused") && is_output("$ ls") && !is_output("errors are"));
        assert!(is_ruler("-----") && !is_ruler("--") && is_underline("===") && !is_underline("=-="));
        assert!(is_quote("> a") && is_quote("\u{203a} a") && !is_quote("a > b"));
    }
}
