//! `--stat`: a line for each changed file with its counts, and the totals.
//!
//! [`super::patch`] prints the lines themselves.

use super::patch::File;
use super::ui::{Screen, Style, keep_end, width};
use brv_base::escape::quote_path;
use brv_text::diff::{FileDiff, Stat};

/// The width of the output when the terminal's is not known.
const COLUMNS: usize = 80;

/// A line for each file with its changed lines as a bar, and the sums. `files` is run through several times, so that no list of
/// lines is held.
pub fn counts<'a>(
    screen: &mut Screen,
    files: impl Iterator<Item = File<'a>> + Clone,
    columns: Option<usize>,
) {
    let columns = columns.unwrap_or(COLUMNS).max(20);
    let is_binary = |file: &File<'_>| matches!(file.diff, FileDiff::Binary(_));
    let (mut most, mut longest, mut bins) = (0, 0, false);
    for file in files.clone() {
        most = most.max(file.stat.added + file.stat.removed);
        longest = longest.max(width(&rename_name(&file)));
        bins |= is_binary(&file);
    }
    let digits = most.to_string().len().max(if bins { 3 } else { 0 });
    let fixed = digits + " |  ".len() + 1;
    let wanted = longest.min(columns.saturating_sub(fixed + most.min(columns * 3 / 8)));
    let room = columns.saturating_sub(fixed + wanted).max(1);
    for file in files.clone() {
        let name = rename_name(&file);
        let name = keep_end(&name, wanted);
        screen.plain(format!(" {name}{} | ", " ".repeat(wanted - width(&name).min(wanted))));
        if is_binary(&file) {
            screen.line(format!("{:>digits$}", "Bin"));
            continue;
        }
        let total = file.stat.added + file.stat.removed;
        screen.plain(format!("{total:>digits$}"));
        let (plus, minus) = scale(file.stat, most, room);
        if plus + minus > 0 {
            screen.plain(" ").text(Style::Good, "+".repeat(plus)).text(Style::Bad, "-".repeat(minus));
        }
        screen.end();
    }
    sums(screen, files);
}

/// The lengths of the two parts of a bar. If the longest bar does not fit, all are scaled down, but no part to nothing;
/// the longer part gets what the shorter one leaves.
fn scale(stat: Stat, most: usize, room: usize) -> (usize, usize) {
    let Stat { added, removed } = stat;
    if most <= room {
        return (added, removed);
    }
    let shortened = |lines: usize| lines.min(1) + lines * (room - 1) / most;
    let whole = shortened(added + removed).max(added.min(1) + removed.min(1));
    let shorter = shortened(added.min(removed));
    if added < removed { (shorter, whole - shorter) } else { (whole - shorter, shorter) }
}

/// ` 2 files changed, 3 insertions(+), 1 deletion(-)`
pub fn sums<'a>(screen: &mut Screen, files: impl Iterator<Item = File<'a>>) {
    let (mut all, mut count) = (Stat::default(), 0);
    files.for_each(|file| {
        all += file.stat;
        count += 1;
    });
    if count > 0 {
        screen.line(format!(" {}", sum_line(count, all)));
    }
}

/// `2 files changed, 3 insertions(+), 1 deletion(-)`, as git words it.
pub fn sum_line(files: usize, stat: Stat) -> String {
    let many =
        |count: usize, one: &str, more: &str| format!("{count} {}", if count == 1 { one } else { more });
    let mut line = format!("{} changed", many(files, "file", "files"));
    if stat.added > 0 || stat.removed == 0 {
        line += &format!(", {}", many(stat.added, "insertion(+)", "insertions(+)"));
    }
    if stat.removed > 0 || stat.added == 0 {
        line += &format!(", {}", many(stat.removed, "deletion(-)", "deletions(-)"));
    }
    line
}

/// `auth/{old => new}/a.md` for a renamed file, shortened as git does, else the path.
fn rename_name(file: &File<'_>) -> String {
    let (before, after) = (quote_path(file.before_path()), quote_path(file.after_path()));
    if before == after {
        return after.into_owned();
    }
    let (old, new): (Vec<&str>, Vec<&str>) = (before.split('/').collect(), after.split('/').collect());
    let folders = old.len().min(new.len()) - 1;
    let is_quoted = before.starts_with('"') || after.starts_with('"');
    let same = |(one, other): &(&&str, &&str)| one == other;
    let first = old.iter().zip(&new).take(folders).take_while(same).count();
    let most = (folders + 1 - first).min(folders);
    let last = old.iter().rev().zip(new.iter().rev()).take(most).take_while(same).count();
    if is_quoted || first + last == 0 {
        return format!("{before} => {after}");
    }
    let middle = |parts: &[&str]| parts[first..parts.len() - last].join("/");
    let changed = format!("{{{} => {}}}", middle(&old), middle(&new));
    [&old[..first], &[changed.as_str()], &old[old.len() - last..]].concat().join("/")
}

#[cfg(test)]
mod tests {
    use super::super::patch::PatchSide;
    use super::super::ui::{Colour, ScreenKind, drawn};
    use super::*;
    use brv_base::content::ContentId;
    use brv_text::diff;

    fn side<'a>(path: &'a str, content: &str) -> Option<PatchSide<'a>> {
        Some(PatchSide { path: path.as_bytes(), mode: "100644", id: ContentId::of(content.as_bytes()) })
    }

    fn compared(before: &str, after: &str) -> FileDiff {
        diff::compare(before.as_bytes(), after.as_bytes(), 3)
    }

    fn shown(draw: impl FnOnce(&mut Screen)) -> String {
        drawn(ScreenKind::Pipe, Colour::Off, draw)
    }

    #[test]
    fn counts_have_gits_form() {
        let (one, two) = (compared("a\n", "b\nc\n"), compared("x\n", "x\n"));
        let files = [
            File {
                before: side("auth/jwt.md", "1"),
                after: side("auth/jwt.md", "2"),
                similarity: None,
                diff: &one,
                stat: diff::stat(&one),
            },
            File {
                before: side("old/a.md", "1"),
                after: side("new/a.md", "1"),
                similarity: None,
                diff: &two,
                stat: diff::stat(&two),
            },
        ];
        assert_eq!(
            shown(|screen| counts(screen, files.iter().copied(), None)),
            " auth/jwt.md       | 3 ++-\n {old => new}/a.md | 0\n 2 files changed, 2 insertions(+), 1 deletion(-)\n"
        );
    }

    #[test]
    fn long_bars_and_names_are_cut_to_the_width() {
        let diff = compared(&"a\n".repeat(300), &"b\n".repeat(700));
        let name = "folder/".repeat(20);
        let files = [File {
            before: side(&name, "1"),
            after: side(&name, "2"),
            similarity: None,
            diff: &diff,
            stat: diff::stat(&diff),
        }];
        let text = shown(|screen| counts(screen, files.iter().copied(), Some(60)));
        let first = text.lines().next().unwrap();
        assert!(width(first) <= 60, "{first}");
        assert!(first.starts_with(" ...") && first.contains("1000 +"), "{first}");
    }

    #[test]
    fn bars_are_shortened_as_gits_are() {
        let bar = |added, removed| scale(Stat { added, removed }, 4001, 29);
        assert_eq!((bar(2001, 2000), bar(1, 1), bar(1, 2)), ((15, 14), (1, 1), (1, 1)));
        assert_eq!((bar(0, 3), bar(0, 0), bar(600, 3)), ((0, 1), (0, 0), (4, 1)));
        assert_eq!(scale(Stat { added: 3, removed: 4 }, 7, 7), (3, 4));
    }

    #[test]
    fn renames_name_the_common_folders_once() {
        let none = compared("", "");
        let name = |before, after| {
            rename_name(&File {
                before: side(before, "1"),
                after: side(after, "1"),
                similarity: None,
                diff: &none,
                stat: diff::stat(&none),
            })
        };
        assert_eq!(name("a/b/c.md", "a/x/c.md"), "a/{b => x}/c.md");
        assert_eq!(name("a.md", "b.md"), "a.md => b.md");
        assert_eq!(name("a/c.md", "a/b/c.md"), "a/{ => b}/c.md");
        assert_eq!(name("a/b.md", "a/c.md"), "a/{b.md => c.md}");
        assert_eq!(name("b/c.md", "c.md"), "b/c.md => c.md");
        assert_eq!(name("a/b/b/c.md", "a/b/c.md"), "a/b/{b => }/c.md");
        assert_eq!(name("a/b/a/b/c", "a/b/c"), "a/b/{a/b => }/c");
        assert_eq!(name("z/a/c", "a/c"), "{z/a => a}/c");
        assert_eq!(name("a/1/2/3/c", "a/1/9/3/c"), "a/1/{2 => 9}/3/c");
        assert_eq!(name("a/\t/c", "a/x/c"), "\"a/\\t/c\" => a/x/c");
    }
}
