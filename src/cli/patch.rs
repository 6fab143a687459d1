//! Prints file diffs, as a unified patch or by words.
//!
//! Knows [`FileDiff`] and paths, not where the two sides come from.

use super::ui::{Screen, Style};
use brv_base::content::ContentId;
use brv_base::escape::quote_path;
use brv_commands::vc::diff::FileChange;
use brv_text::diff::{FileDiff, Hunk, LineKind, LinePair, Stat};
use bstr::{BStr, ByteSlice};

/// One file of a diff, ready to print. A side is `None` if the file does not exist there.
#[derive(Debug, Clone, Copy)]
pub struct File<'a> {
    pub before: Option<PatchSide<'a>>,
    pub after: Option<PatchSide<'a>>,
    /// Similarity in percent, if it was renamed.
    pub similarity: Option<u8>,
    pub diff: &'a FileDiff,
    /// Number of changed lines.
    pub stat: Stat,
}

#[derive(Debug, Clone, Copy)]
pub struct PatchSide<'a> {
    pub path: &'a [u8],
    /// The mode in git's notation: `100644`.
    pub mode: &'static str,
    pub id: ContentId,
}

/// Number of digits of a content id in a patch.
const ID_DIGITS: usize = 7;

static NOTHING: FileDiff = FileDiff::Text(Vec::new());

impl<'a> From<&'a FileChange> for File<'a> {
    fn from(change: &'a FileChange) -> Self {
        let old_path = change.renamed_from.as_ref().unwrap_or(&change.path);
        Self {
            before: change.before.map(|version| PatchSide {
                path: old_path,
                mode: version.mode.octal(),
                id: version.id,
            }),
            after: change.after.map(|version| PatchSide {
                path: &change.path,
                mode: version.mode.octal(),
                id: version.id,
            }),
            similarity: change.similarity,
            diff: change.diff.as_ref().unwrap_or(&NOTHING),
            stat: change.stat.unwrap_or_default(),
        }
    }
}

impl<'a> File<'a> {
    /// The path before, or the only one.
    pub fn before_path(&self) -> &'a [u8] {
        self.before.as_ref().or(self.after.as_ref()).map_or(b"", |side| side.path)
    }

    /// The path after, or the only one.
    pub fn after_path(&self) -> &'a [u8] {
        self.after.as_ref().or(self.before.as_ref()).map_or(b"", |side| side.path)
    }
}

/// Print the whole file diff as git does; on a pipe, byte for byte what `git apply` reads.
pub fn unified(screen: &mut Screen, file: &File<'_>) {
    header(screen, file);
    hunks(screen, file);
}

/// Print the hunks, without the header lines that name the file.
pub fn content(screen: &mut Screen, file: &File<'_>) {
    match file.diff {
        FileDiff::Binary(_) => {
            screen.line("Binary files differ");
        }
        FileDiff::Text(_) => hunks(screen, file),
    }
}

fn hunks(screen: &mut Screen, file: &File<'_>) {
    for hunk in file.diff.hunks() {
        place(screen, hunk);
        for (number, line) in hunk.lines.iter().enumerate() {
            let (style, strong) = styles(line.kind);
            screen.bytes(style, line.kind.sign().to_string());
            match hunk.pair_of(number) {
                Some(pair) => side_of(screen, pair, line.kind, style, strong),
                None => {
                    screen.bytes(style, line.text.trim_end_with(|char| char == '\n'));
                }
            }
            screen.end();
            no_newline(screen, &line.text);
        }
    }
}

/// Print the hunks with changed words marked inside their lines, `[-gone-]` and `{+new+}`, as in git's word diff.
pub fn by_words(screen: &mut Screen, file: &File<'_>) {
    header(screen, file);
    for hunk in file.diff.hunks() {
        place(screen, hunk);
        let mut pairs = hunk.pairs.iter().peekable();
        let mut number = 0;
        while number < hunk.lines.len() {
            number = block(screen, hunk, number, &mut pairs);
        }
    }
}

/// Print the run of changed lines that starts at `start`; returns the number of the line after it.
fn block<'a>(
    screen: &mut Screen,
    hunk: &Hunk,
    start: usize,
    pairs: &mut std::iter::Peekable<impl Iterator<Item = &'a LinePair>>,
) -> usize {
    if hunk.lines[start].kind == LineKind::Context {
        screen.bytes(Style::Plain, chomp(&hunk.lines[start].text)).end();
        return start + 1;
    }
    let run =
        |from: usize, kind| from + hunk.lines[from..].iter().take_while(|line| line.kind == kind).count();
    let added = run(start, LineKind::Removed);
    let end = run(added, LineKind::Added);
    let (mut before, mut after) = (start, added);
    while let Some(pair) = pairs.next_if(|pair| pair.after < end) {
        whole(screen, hunk, before..pair.before);
        whole(screen, hunk, after..pair.after);
        for word in &pair.words {
            marked(screen, word.kind, chomp(&word.text));
        }
        screen.end();
        (before, after) = (pair.before + 1, pair.after + 1);
    }
    whole(screen, hunk, before..added);
    whole(screen, hunk, after..end);
    end
}

fn whole(screen: &mut Screen, hunk: &Hunk, lines: std::ops::Range<usize>) {
    for line in &hunk.lines[lines] {
        marked(screen, line.kind, chomp(&line.text));
        screen.end();
    }
}

fn marked(screen: &mut Screen, kind: LineKind, text: &BStr) {
    let (opening, closing) = match kind {
        LineKind::Context => ("", ""),
        LineKind::Removed => ("[-", "-]"),
        LineKind::Added => ("{+", "+}"),
    };
    if kind != LineKind::Context && text.is_empty() {
        return;
    }
    let (style, _) = styles(kind);
    screen.bytes(style, opening).bytes(style, text).bytes(style, closing);
}

fn chomp(text: &[u8]) -> &BStr {
    text.strip_suffix(b"\n").unwrap_or(text).as_bstr()
}

fn side_of(screen: &mut Screen, pair: &LinePair, kind: LineKind, style: Style, strong: Style) {
    for word in &pair.words {
        let text = word.text.trim_end_with(|char| char == '\n');
        if word.kind == LineKind::Context {
            screen.bytes(style, text);
        } else if word.kind == kind {
            screen.bytes(strong, text);
        }
    }
}

const fn styles(kind: LineKind) -> (Style, Style) {
    match kind {
        LineKind::Context => (Style::Plain, Style::Plain),
        LineKind::Removed => (Style::Bad, Style::BadWord),
        LineKind::Added => (Style::Good, Style::GoodWord),
    }
}

fn place(screen: &mut Screen, hunk: &Hunk) {
    screen.text(Style::Place, hunk.header());
    if let Some(heading) = &hunk.heading {
        screen.plain(" ").bytes(Style::Plain, heading);
    }
    screen.end();
}

fn no_newline(screen: &mut Screen, text: &[u8]) {
    if !text.ends_with(b"\n") {
        screen.text(Style::Dim, "\\ No newline at end of file").end();
    }
}

/// Print the header lines that name the file, as git does.
fn header(screen: &mut Screen, file: &File<'_>) {
    let strong = |screen: &mut Screen, line: String| {
        screen.text(Style::Strong, line).end();
    };
    let name = |side: &str, path: &[u8]| quote_path(&[side.as_bytes(), path].concat()).into_owned();
    let (old, new) = (name("a/", file.before_path()), name("b/", file.after_path()));
    strong(screen, format!("diff --git {old} {new}"));
    match (&file.before, &file.after) {
        (None, Some(after)) => strong(screen, format!("new file mode {}", after.mode)),
        (Some(before), None) => strong(screen, format!("deleted file mode {}", before.mode)),
        (Some(before), Some(after)) if before.mode != after.mode => {
            strong(screen, format!("old mode {}", before.mode));
            strong(screen, format!("new mode {}", after.mode));
        }
        _ => {}
    }
    if file.before_path() != file.after_path() {
        if let Some(similarity) = file.similarity {
            strong(screen, format!("similarity index {similarity}%"));
        }
        strong(screen, format!("rename from {}", quote_path(file.before_path())));
        strong(screen, format!("rename to {}", quote_path(file.after_path())));
    }
    if file.diff.is_empty() && file.before.is_some() && file.after.is_some() {
        return;
    }
    let id = |side: Option<PatchSide<'_>>| match side {
        Some(side) => side.id.to_string()[..ID_DIGITS].to_string(),
        None => "0".repeat(ID_DIGITS),
    };
    let mode = match (&file.before, &file.after) {
        (Some(before), Some(after)) if before.mode == after.mode => format!(" {}", after.mode),
        _ => String::new(),
    };
    let (before, after) = (id(file.before), id(file.after));
    strong(screen, format!("index {before}..{after}{mode}"));
    let old = if file.before.is_some() { old } else { "/dev/null".into() };
    let new = if file.after.is_some() { new } else { "/dev/null".into() };
    match file.diff {
        FileDiff::Binary(_) => {
            screen.line(format!("Binary files {old} and {new} differ"));
        }
        FileDiff::Text(hunks) if !hunks.is_empty() => {
            strong(screen, format!("--- {old}{}", tab_after(&old)));
            strong(screen, format!("+++ {new}{}", tab_after(&new)));
        }
        FileDiff::Text(_) => {}
    }
}

/// A tab after a name with a space, so that `patch` finds the end of the name.
fn tab_after(name: &str) -> &'static str {
    if name.contains(' ') && !name.starts_with('"') { "\t" } else { "" }
}

#[cfg(test)]
mod tests {
    use super::super::ui::{Colour, ScreenKind, drawn};
    use super::*;
    use brv_text::diff;

    fn side<'a>(path: &'a str, content: &str) -> Option<PatchSide<'a>> {
        Some(PatchSide { path: path.as_bytes(), mode: "100644", id: ContentId::of(content.as_bytes()) })
    }

    fn compared(before: &str, after: &str) -> FileDiff {
        let mut found = diff::compare(before.as_bytes(), after.as_bytes(), 3);
        if let FileDiff::Text(hunks) = &mut found {
            diff::mark(hunks);
        }
        found
    }

    fn shown(draw: impl FnOnce(&mut Screen)) -> String {
        drawn(ScreenKind::Pipe, Colour::Off, draw)
    }

    #[test]
    fn a_changed_file_has_gits_form() {
        let diff = compared("# T\n\nttl 24 h\n", "# T\n\nttl 12 h");
        let file = File {
            before: side("a b.md", "1"),
            after: side("a b.md", "2"),
            similarity: None,
            diff: &diff,
            stat: Stat::default(),
        };
        assert_eq!(
            shown(|screen| unified(screen, &file)),
            "diff --git a/a b.md b/a b.md\nindex 56a6051..d8263ee 100644\n--- a/a b.md\t\n+++ b/a b.md\t\n\
             @@ -1,3 +1,3 @@\n # T\n \n-ttl 24 h\n+ttl 12 h\n\\ No newline at end of file\n"
        );
    }

    #[test]
    fn new_deleted_and_renamed_files_name_what_happened() {
        let diff = compared("", "a\n");
        let file = File {
            before: None,
            after: side("a.md", "2"),
            similarity: None,
            diff: &diff,
            stat: Stat::default(),
        };
        assert_eq!(
            shown(|screen| unified(screen, &file)),
            "diff --git a/a.md b/a.md\nnew file mode 100644\nindex 0000000..d8263ee\n--- /dev/null\n+++ b/a.md\n\
             @@ -0,0 +1 @@\n+a\n"
        );
        let same = compared("a\n", "a\n");
        let file = File {
            before: side("a.md", "1"),
            after: side("b/a.md", "1"),
            similarity: Some(100),
            diff: &same,
            stat: Stat::default(),
        };
        assert_eq!(
            shown(|screen| unified(screen, &file)),
            "diff --git a/a.md b/b/a.md\nsimilarity index 100%\nrename from a.md\nrename to b/a.md\n"
        );
    }

    #[test]
    fn words_are_marked_inside_lines_that_stayed() {
        let diff = compared("keep\nttl is 24 hours\ngone\n", "keep\nttl is 12 hours\nquite new\nmore\n");
        let file = File {
            before: side("a.md", "1"),
            after: side("a.md", "2"),
            similarity: None,
            diff: &diff,
            stat: Stat::default(),
        };
        let text = shown(|screen| by_words(screen, &file));
        let body = text.split_once("@@\n").unwrap().1;
        assert_eq!(body, "keep\nttl is [-24-]{+12+} hours\n[-gone-]\n{+quite new+}\n{+more+}\n");
    }

    #[test]
    fn a_hostile_line_cannot_reach_the_terminal() {
        let diff = compared("a\n", "\x1b]0;owned\x07\u{202e}\n");
        let file = File {
            before: side("a\x1b.md", "1"),
            after: side("a\x1b.md", "2"),
            similarity: None,
            diff: &diff,
            stat: Stat::default(),
        };
        let text = drawn(ScreenKind::Terminal, Colour::Off, |screen| unified(screen, &file));
        assert!(!text.contains(['\x1b', '\x07', '\u{202e}']), "{text:?}");
    }
}
