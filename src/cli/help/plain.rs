//! Markdown as plain text within 80 columns, for a terminal.
//!
//! Shows the markdown that the topics are written in: headings, paragraphs, tight lists of one level, tables, code and
//! links. Backquotes stay, except in tables.

use crate::cli::ui::width as columns;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use std::mem::take;

/// How wide a line may be.
const WIDTH: usize = 80;
/// The indent of text below a heading.
const INDENT: &str = "  ";
/// The indent of code, and of the text of a row with two columns.
const DEEP: &str = "      ";
/// In place of a space that no line may end at.
const GLUE: &str = "\u{a0}";

/// The text of a page, ending with one line feed.
pub fn plain(markdown: &str) -> String {
    let (mut blocks, mut items, mut rows) = (Vec::new(), Vec::new(), Vec::<Vec<String>>::new());
    let mut words = String::new();
    for event in Parser::new_ext(markdown, Options::ENABLE_TABLES) {
        match event {
            Event::Code(code) if rows.is_empty() => words += &format!("`{}`", code.replace(' ', GLUE)),
            Event::Text(text) | Event::Code(text) => words += &text,
            Event::Start(Tag::Emphasis) | Event::End(TagEnd::Emphasis) => words += "*",
            Event::SoftBreak => words += " ",
            Event::Start(Tag::TableHead | Tag::TableRow) => rows.push(Vec::new()),
            Event::End(TagEnd::TableCell) => rows.last_mut().expect("a row began").push(take(&mut words)),
            Event::End(TagEnd::Table) => blocks.push(table(&take(&mut rows))),
            Event::End(TagEnd::Heading(_)) => blocks.push(take(&mut words)),
            Event::End(TagEnd::Paragraph) => blocks.push(wrapped(&take(&mut words), INDENT, INDENT)),
            Event::End(TagEnd::Item) => items.push(wrapped(&take(&mut words), "  - ", "    ")),
            Event::End(TagEnd::List(_)) => blocks.push(take(&mut items).join("\n")),
            Event::End(TagEnd::CodeBlock) => blocks.push(code(&take(&mut words))),
            _ => {}
        }
    }
    blocks.join("\n\n").replace(GLUE, " ") + "\n"
}

/// Pieces of a text in lines of at most `width`, the first with `first` before it, the others with `rest`. A piece that
/// is longer has a line of its own.
fn lines<'a>(pieces: impl Iterator<Item = &'a str>, first: &str, rest: &str, width: usize) -> Vec<String> {
    let mut lines = vec![first.to_owned()];
    for piece in pieces {
        let line = lines.last_mut().expect("there is a first line");
        if columns(line) + columns(piece.trim_end()) <= width || line.trim().is_empty() {
            line.push_str(piece);
        } else {
            lines.push(format!("{rest}{piece}"));
        }
    }
    lines.iter().map(|line| line.trim_end().to_owned()).collect()
}

fn wrapped(text: &str, first: &str, rest: &str) -> String {
    lines(text.split_inclusive(' '), first, rest, WIDTH).join("\n")
}

fn code(text: &str) -> String {
    let cut = |line: &str| lines(line.split_inclusive([' ', ',']), DEEP, &DEEP.repeat(2), WIDTH);
    text.lines().flat_map(cut).collect::<Vec<_>>().join("\n")
}

/// Columns where they fit; else a row of two is a name with its text below, and the widest columns of others wrap.
fn table(rows: &[Vec<String>]) -> String {
    let cut = |cell: &String, most: usize| lines(cell.split_inclusive(' '), "", "", most);
    let within = |most: usize| {
        let width =
            |at: usize| rows.iter().flat_map(|row| cut(&row[at], most)).map(|line| columns(&line)).max();
        let widths: Vec<usize> = (0..rows[0].len()).filter_map(width).collect();
        let total: usize = widths.iter().map(|width| INDENT.len() + width).sum();
        (total <= WIDTH).then_some(widths)
    };
    if rows[0].len() == 2 && within(WIDTH).is_none() {
        let named = |row: &Vec<String>| format!("{INDENT}{}\n{}", row[0], wrapped(&row[1], DEEP, DEEP));
        return rows[1..].iter().map(named).collect::<Vec<_>>().join("\n");
    }
    let fitting = (0..=WIDTH).rev().find_map(within);
    let widths = fitting.expect("the longest words of a row fit: a test shows all topics");
    let wrap = |row: &Vec<String>| row.iter().zip(&widths).map(|(cell, width)| cut(cell, *width)).collect();
    let mut rows: Vec<Vec<Vec<String>>> = rows.iter().map(wrap).collect();
    rows.insert(1, widths.iter().map(|width| vec!["-".repeat(*width)]).collect());
    let line = |row: &Vec<Vec<String>>, at: usize| {
        let part = |(cell, width): (&Vec<String>, &usize)| {
            format!("{INDENT}{:width$}", cell.get(at).map_or("", String::as_str))
        };
        row.iter().zip(&widths).map(part).collect::<String>().trim_end().to_owned()
    };
    let height = |row: &Vec<Vec<String>>| row.iter().map(Vec::len).max().unwrap_or(0);
    rows.iter().flat_map(|row| (0..height(row)).map(|at| line(row, at))).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_lose_their_marks_and_text_is_indented_and_filled() {
        let text = plain("# Title\n\nOne\ntwo.\n\n## Next\n\n- an item\n  goes on\n- another\n");
        assert_eq!(text, "Title\n\n  One two.\n\nNext\n\n  - an item goes on\n  - another\n");
        let long = plain(&"word ".repeat(40));
        assert!(long.lines().count() == 3 && long.lines().all(|line| columns(line) <= WIDTH));
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
        assert!(text.lines().all(|line| columns(line) <= WIDTH), "{text}");
    }

    #[test]
    fn a_wide_table_of_two_columns_is_names_with_their_texts() {
        let wide = "word ".repeat(17);
        let text = plain(&format!("| name | what |\n|---|---|\n| `x` | {wide} |\n"));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!((lines[0], lines[2]), ("  x", "      word word"));
    }
}
