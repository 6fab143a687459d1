//! Sort the lines of a message body: prose, bullets, code, and what is no part of the text.
//!
//! Patches, conflict markers, comments, checklists, rulers and lines of references are dropped. Headings lose their
//! marks. Code, quotes, logs and traces are kept, but are no prose. Does not judge what the prose says.

/// What a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Blank,
    Prose,
    /// The first line of a list item.
    Bullet,
    /// Code, a quote, a log, a trace, a table: kept, and no prose.
    Code,
    /// Part of a form that people fill in: dropped.
    Form,
    /// Dropped.
    Dropped,
}

/// A line of a body, as it is written to an entry.
#[derive(Debug, Clone)]
pub(super) struct Line {
    pub kind: Kind,
    pub text: String,
}

/// The lines of a body.
pub(super) fn lines(body: &str) -> Vec<Line> {
    let body = printable(body);
    let (body, had_comment) = without_comments(&body);
    let mut reader = Reader { before: Kind::Blank, fence: None, hunk: None, header: false };
    let mut lines: Vec<Line> = body.lines().map(|line| reader.read(line)).collect();
    if had_comment {
        lines.push(Line { kind: Kind::Form, text: String::new() });
    }
    lines
}

/// The text with `\n` for every line ending and without other control characters.
fn printable(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    text.chars().filter(|c| matches!(c, '\n' | '\t') || !c.is_control()).collect()
}

/// The text without complete HTML comments, and whether there were any.
fn without_comments(text: &str) -> (String, bool) {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, comment)) = rest.split_once("<!--")
        && let Some((_, after)) = comment.split_once("-->")
    {
        out.push_str(before);
        rest = after;
    }
    let had_comment = rest.len() < text.len();
    out.push_str(rest);
    (out, had_comment)
}

struct Reader {
    before: Kind,
    /// The mark of the open fence, and whether a patch is in it.
    fence: Option<(String, bool)>,
    /// The lines of the open hunk that are still to come, before and after; and its indentation.
    hunk: Option<(usize, usize, usize)>,
    /// Whether the line before is a header of a patch.
    header: bool,
}

impl Reader {
    fn read(&mut self, line: &str) -> Line {
        let line = line.trim_end();
        let (kind, text) = self.sorted(line);
        // what is dropped is no border of a paragraph, and an indented line below a bullet belongs to it
        if !matches!(kind, Kind::Dropped | Kind::Form) {
            self.before = kind;
        }
        Line { kind, text }
    }

    fn sorted(&mut self, line: &str) -> (Kind, String) {
        let bare = line.trim_start();
        let indent = line.len() - bare.len();
        if self.is_patch(line, bare, indent) || is_marker(line) {
            return (Kind::Dropped, String::new());
        }
        if let Some((mark, is_patch)) = &self.fence {
            let is_patch = *is_patch;
            if bare.starts_with(mark.as_str()) && bare.trim_start_matches(&mark[..1]).is_empty() {
                self.fence = None;
            }
            return (if is_patch { Kind::Dropped } else { Kind::Code }, line.to_owned());
        }
        if let Some(mark) = ["```", "~~~"].into_iter().find(|mark| bare.starts_with(mark)) {
            let width = bare.len() - bare.trim_start_matches(&mark[..1]).len();
            let is_patch = matches!(bare[width..].trim(), "diff" | "patch");
            self.fence = Some((bare[..width].to_owned(), is_patch));
            return (if is_patch { Kind::Dropped } else { Kind::Code }, line.to_owned());
        }
        (self.kind(bare, indent), line_text(line, bare))
    }

    fn kind(&self, bare: &str, indent: usize) -> Kind {
        let in_text = matches!(self.before, Kind::Prose | Kind::Bullet);
        match bare {
            "" => Kind::Blank,
            _ if is_ruler(bare) || is_reference(bare) => Kind::Dropped,
            _ if is_form(bare) => Kind::Form,
            _ if bullet(bare).is_some() && (indent < 4 || in_text) => Kind::Bullet,
            _ if indent >= 4 && !in_text => Kind::Code,
            _ if is_output(bare) => Kind::Code,
            _ => Kind::Prose,
        }
    }

    /// Whether the line is part of a unified diff. The header of a hunk says how many lines it has.
    fn is_patch(&mut self, line: &str, bare: &str, indent: usize) -> bool {
        if let Some((before, after, margin)) = self.hunk.filter(|(before, after, _)| before + after > 0) {
            let left = match line.get(margin.min(indent)..).and_then(|line| line.chars().next()) {
                None | Some(' ') => Some((before.saturating_sub(1), after.saturating_sub(1))),
                Some('-') => Some((before.saturating_sub(1), after)),
                Some('+') => Some((before, after.saturating_sub(1))),
                Some('\\') => Some((before, after)),
                _ => None,
            };
            self.hunk = left.map(|(before, after)| (before, after, margin));
            if left.is_some() {
                return true;
            }
        }
        if let Some((before, after)) = hunk_size(bare) {
            self.hunk = Some((before, after, indent));
            return true;
        }
        let starts = |marks: &[&str]| marks.iter().any(|mark| bare.starts_with(mark));
        let goes_on = self.header && starts(&["index ", "new file", "deleted file", "old mode", "new mode"]);
        let moved = self.header && starts(&["similarity ", "rename ", "copy ", "Binary files "]);
        self.header =
            starts(&["diff --git ", "--- a/", "+++ b/", "--- /dev/", "+++ /dev/"]) || goes_on || moved;
        self.header
    }
}

/// The lines before and after of `@@ -1,2 +1,3 @@`.
fn hunk_size(line: &str) -> Option<(usize, usize)> {
    let (before, rest) = line.strip_prefix("@@ -")?.split_once(" +")?;
    let (after, _) = rest.split_once(" @@")?;
    let size = |range: &str| match range.split_once(',') {
        Some((_, size)) => size.parse().ok(),
        None => range.parse::<usize>().ok().map(|_| 1),
    };
    Some((size(before)?, size(after)?))
}

/// A line of a conflict as git writes it. Without its first and last line it is none.
fn is_marker(line: &str) -> bool {
    ["<<<<<<<", ">>>>>>>", "|||||||"].iter().any(|mark| line.starts_with(mark))
}

/// Only `-`, `=`, `_`, `*`, `.`: a ruler, an underline of a heading, a fence of frontmatter.
fn is_ruler(line: &str) -> bool {
    line.len() >= 3 && line.chars().all(|c| "-=_*. ".contains(c))
}

/// Issue numbers, addresses and their words only: `Closes #1, Fixes #2`, `[1]: https://…`, `This reverts commit …`.
fn is_reference(line: &str) -> bool {
    const WORDS: [&str; 22] = [
        "a", "and", "also", "close", "closes", "closed", "fix", "fixes", "fixed", "issue", "issues", "link",
        "pr", "ref", "refs", "related", "relates", "resolve", "resolves", "see", "this", "to",
    ];
    const REVERTS: [&str; 4] = ["reverts", "commit", "commits", "reverted"];
    let mut has_target = false;
    line.split_whitespace().all(|word| {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '#' && c != '/');
        let is_target = bare.contains("://")
            || bare.contains('#') && bare.ends_with(|c: char| c.is_ascii_digit())
            || (word.starts_with('[') && word.ends_with("]:"))
            || (bare.len() >= 7 && bare.bytes().all(|byte| byte.is_ascii_hexdigit()));
        has_target |= is_target;
        let lower = bare.to_ascii_lowercase();
        is_target || bare.is_empty() || WORDS.contains(&&*lower) || REVERTS.contains(&&*lower)
    }) && has_target
}

/// A box to tick, or a line that git writes into the file of a message.
fn is_form(line: &str) -> bool {
    let item = bullet(line).unwrap_or_default();
    ["[ ]", "[x]", "[X]"].iter().any(|mark| item.starts_with(mark))
        || line.starts_with("# Please enter the commit message")
        || line.starts_with("# Conflicts:")
}

/// What a program printed, what was typed into one, a quote, a table.
fn is_output(line: &str) -> bool {
    let first = line.split_whitespace().next().unwrap_or_default();
    let is_stamp = first.len() >= 8
        && first.starts_with(|c: char| c.is_ascii_digit() || c == '[')
        && first.bytes().filter(u8::is_ascii_digit).count() >= 4
        && first.contains([':', '-']);
    let is_frame = (first == "at" && (line.contains('(') || line.contains(".rs:")))
        || (first == "File" && line.starts_with("File \""))
        || first.starts_with('#') && first.len() > 1 && line.contains(" 0x");
    let starts = ["$ ", "> ", "| ", "|-", "Traceback (", "thread '", "error[", "error: ", "warning: "];
    is_stamp || is_frame || starts.iter().any(|start| line.starts_with(start)) || first.contains("://")
}

/// The text of a list item after its marker.
pub(super) fn bullet(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let rest = match digits {
        0 => line.strip_prefix(['-', '*', '+', '•'])?,
        1..=3 => line[digits..].strip_prefix(['.', ')'])?,
        _ => return None,
    };
    rest.starts_with([' ', '\t']).then(|| rest.trim())
}

/// The line as it stands in an entry: a heading without its marks, and no HTML at its start.
fn line_text(line: &str, bare: &str) -> String {
    let level = bare.len() - bare.trim_start_matches('#').len();
    if (1..=6).contains(&level) && bare[level..].starts_with([' ', '\t']) {
        return bare[level..].trim().trim_end_matches('#').trim_end().to_owned();
    }
    if bare.starts_with('<') && !bare.starts_with("<http") {
        return format!("{}\\{bare}", &line[..line.len() - bare.len()]);
    }
    line.to_owned()
}
