//! Markdown as plain text within 80 columns, for a terminal.
//!
//! Knows the markdown that the topics are written in: headings, paragraphs, lists of one level, tables, code and links.
//! Backquotes stay, except in tables.

/// How wide a line may be.
const WIDTH: usize = 80;
/// What stands before the text below a heading.
const INDENT: &str = "  ";
/// What stands before code, and before what a row of two columns says.
const DEEP: &str = "      ";
/// What stands between two columns.
const GAP: &str = "  ";
/// In place of a space that no line may end at.
const GLUE: char = '\u{a0}';

/// The text of a page, ending with one line feed.
#[must_use]
pub fn plain(markdown: &str) -> String {
    let mut text = String::new();
    let mut lines = markdown.lines().peekable();
    while let Some(line) = lines.next() {
        if line.starts_with('#') {
            text.push_str(line.trim_start_matches('#').trim_start());
        } else if line.starts_with("```") {
            let code = lines.by_ref().take_while(|line| *line != "```");
            text.push_str(&code.map(code_line).collect::<Vec<_>>().join("\n"));
        } else if line.starts_with('|') {
            let mut rows = vec![cells(line)];
            rows.extend(std::iter::from_fn(|| lines.next_if(|line| line.starts_with('|')).map(cells)));
            // below the head stand dashes only
            rows.remove(1);
            text.push_str(&table(&rows));
        } else if !line.is_empty() {
            let mut words = line.to_owned();
            while let Some(line) = lines.next_if(|line| !line.is_empty() && !line.starts_with("- ")) {
                words = format!("{words} {}", line.trim_start());
            }
            let rest = if line.starts_with("- ") { "    " } else { INDENT };
            text.push_str(&filled(&inline(&words), INDENT, rest, &[' ']));
        }
        text.push('\n');
    }
    text.replace(GLUE, " ")
}

/// A line of code, which breaks only where it does not fit.
fn code_line(line: &str) -> String {
    filled(line, DEEP, &DEEP.repeat(2), &[' ', ','])
}

/// Lines of at most [`WIDTH`] that break behind `breaks`, the first with `first` before it, the others with `rest`.
fn filled(text: &str, first: &str, rest: &str, breaks: &[char]) -> String {
    let mut lines = vec![first.to_owned()];
    for piece in text.split_inclusive(breaks) {
        let line = lines.last_mut().expect("there is a first line");
        if length(line) + length(piece.trim_end_matches(' ')) <= WIDTH || line.trim().is_empty() {
            line.push_str(piece);
        } else {
            lines.push(format!("{rest}{piece}"));
        }
    }
    lines.iter().map(|line| line.trim_end_matches(' ')).collect::<Vec<_>>().join("\n")
}

fn length(text: &str) -> usize {
    text.chars().count()
}

/// Links as their labels, and code in one piece.
fn inline(text: &str) -> String {
    let mut shown = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("](") {
        let (lead, label) = before.rsplit_once('[').unwrap_or(("", before));
        shown.push_str(lead);
        shown.push_str(label);
        rest = after.split_once(')').map_or("", |(_, rest)| rest);
    }
    shown.push_str(rest);
    let parts = shown.split('`').enumerate();
    let glued = parts.map(|(at, part)| if at % 2 == 1 { part.replace(' ', "\u{a0}") } else { part.into() });
    glued.collect::<Vec<_>>().join("`")
}

fn cells(row: &str) -> Vec<String> {
    row.trim_matches('|').split(" | ").map(|cell| inline(cell.trim()).replace('`', "")).collect()
}

/// Columns where they fit; else a row of two is a name with its text below, and longer rows wrap in their columns.
fn table(rows: &[Vec<String>]) -> String {
    let widths = widths(rows);
    if widths.len() == 2
        && rows.iter().any(|row| row.iter().zip(&widths).any(|(cell, width)| length(cell) > *width))
    {
        let named =
            |row: &Vec<String>| format!("{INDENT}{}\n{}", row[0], filled(&row[1], DEEP, DEEP, &[' ']));
        return rows[1..].iter().map(named).collect::<Vec<_>>().join("\n");
    }
    let mut shown: Vec<String> = rows.iter().map(|row| columns(row, &widths)).collect();
    let rule: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
    shown.insert(1, columns(&rule, &widths));
    shown.join("\n")
}

/// How wide each column is: as its longest cell, less where the row would be too long, but no less than its longest word.
fn widths(rows: &[Vec<String>]) -> Vec<usize> {
    let longest = |at: usize, of: fn(&str) -> usize| rows.iter().map(|row| of(&row[at])).max().unwrap_or(0);
    let word = |cell: &str| cell.split([' ', GLUE]).map(length).max().unwrap_or(0);
    let mut widths: Vec<(usize, usize)> =
        (0..rows[0].len()).map(|at| (longest(at, length), longest(at, word))).collect();
    let room = WIDTH - INDENT.len() - GAP.len() * (widths.len() - 1);
    while widths.iter().map(|(width, _)| width).sum::<usize>() > room {
        match widths.iter_mut().filter(|(width, least)| width > least).max() {
            Some((width, _)) => *width -= 1,
            None => break,
        }
    }
    widths.into_iter().map(|(width, _)| width).collect()
}

/// A row, each cell wrapped to its width.
fn columns(row: &[String], widths: &[usize]) -> String {
    let wrapped: Vec<Vec<String>> =
        row.iter().zip(widths).map(|(cell, width)| wrapped(cell, *width)).collect();
    let height = wrapped.iter().map(Vec::len).max().unwrap_or(0);
    let line = |at: usize| {
        let parts = wrapped.iter().zip(widths).map(|(cell, width)| {
            let part = cell.get(at).map_or("", String::as_str);
            format!("{part}{}", " ".repeat(width.saturating_sub(length(part))))
        });
        format!("{INDENT}{}", parts.collect::<Vec<_>>().join(GAP)).trim_end_matches(' ').to_owned()
    };
    (0..height).map(line).collect::<Vec<_>>().join("\n")
}

/// `text` cut at spaces into lines of at most `width`.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split([' ', GLUE]) {
        match lines.last_mut() {
            Some(line) if length(line) + 1 + length(word) <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_lose_their_marks_and_text_is_indented_and_filled() {
        let text = plain("# Title\n\nOne\ntwo.\n\n## Next\n\n- an item\n  goes on\n- another\n");
        assert_eq!(text, "Title\n\n  One two.\n\nNext\n\n  - an item goes on\n  - another\n");
        let long = plain(&"word ".repeat(40));
        assert!(long.lines().count() == 3 && long.lines().all(|line| length(line) <= WIDTH));
    }

    #[test]
    fn code_in_a_line_is_never_cut_and_links_are_their_labels() {
        let text =
            plain(&format!("{}`brv vc pull --ff-only` and [`brv help json`](json.md).", "word ".repeat(13)));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[1], "  `brv vc pull --ff-only` and `brv help json`.");
    }

    #[test]
    fn code_stays_as_it_is_where_it_fits() {
        assert_eq!(plain("```sh\na  b  # c\n```\n\nend\n"), "      a  b  # c\n\n  end\n");
    }

    #[test]
    fn a_table_has_columns_that_fit() {
        let text = plain("| a | `b` |\n|---|---|\n| long | c |\n");
        assert_eq!(text, "  a     b\n  ----  -\n  long  c\n");
        let wide = "word ".repeat(30);
        let text = plain(&format!("| a | b | c |\n|---|---|---|\n| {wide} | {wide} | x |\n"));
        assert!(text.lines().all(|line| length(line) <= WIDTH), "{text}");
    }

    #[test]
    fn a_wide_table_of_two_columns_is_names_with_their_texts() {
        let wide = "word ".repeat(17);
        let text = plain(&format!("| name | what |\n|---|---|\n| `x` | {wide} |\n"));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!((lines[0], lines[2]), ("  x", "      word word"));
    }
}
