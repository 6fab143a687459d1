//! Draws changed words and lines on the HTML page.

use crate::say::page::elide::{self, Piece, beginning, pieces};
use crate::say::page::phrases::without_bullet;
use crate::say::sheet::Sheet;
use brv_text::diff::knowledge::{BlockChange, BlockKind, How};
use brv_text::diff::{Hunk, LineKind, Word};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MarkFilter {
    Both,
    /// Words of this side and common words.
    Of(LineKind),
}

/// Draw a text with its changed words marked.
pub(super) fn words(sheet: &mut Sheet, words: &[Word], shown: MarkFilter) {
    shown_pieces(sheet, &pieces(words), shown);
}

fn shown_pieces(sheet: &mut Sheet, pieces: &[Piece<'_>], shown: MarkFilter) {
    for piece in pieces {
        match *piece {
            Piece::Gap => {
                sheet.own(GAP);
            }
            Piece::Text(LineKind::Context, text) => {
                sheet.value(text);
            }
            Piece::Text(kind, _) if ![MarkFilter::Both, MarkFilter::Of(kind)].contains(&shown) => {}
            Piece::Text(LineKind::Removed, text) => {
                sheet.own("<del>").value(text).own("</del>");
            }
            Piece::Text(LineKind::Added, text) => {
                sheet.own("<ins>").value(text).own("</ins>");
            }
        }
    }
}

const GAP: &str = " <span class=\"gap\">⋯<span class=\"sr\"> unchanged text </span></span> ";

/// Draw changed lines with a few unchanged lines around them; hunks are separated by a rule.
pub(super) fn lines(sheet: &mut Sheet, hunks: &[Hunk]) {
    sheet.own("<div class=\"lines\" dir=\"ltr\">");
    for (number, hunk) in hunks.iter().enumerate() {
        if number > 0 {
            sheet.own("<div class=\"rule\"></div>");
        }
        for (number, line) in hunk.lines.iter().enumerate() {
            let (open, close) = match line.kind {
                LineKind::Context => ("<div class=\"l\">", "</div>"),
                LineKind::Removed => ("<del class=\"l\">", "</del>"),
                LineKind::Added => ("<ins class=\"l\">", "</ins>"),
            };
            sheet.own(open);
            for piece in elide::line(hunk, number) {
                match piece {
                    Piece::Gap => sheet.own(GAP),
                    Piece::Text(LineKind::Context, text) => sheet.value(text),
                    Piece::Text(_, text) => sheet.own("<mark>").value(text).own("</mark>"),
                };
            }
            sheet.own(close);
        }
    }
    sheet.own("</div>\n");
}

/// Draw what differs inside a block.
pub(super) fn inside(sheet: &mut Sheet, block: &BlockChange) {
    if !block.words.is_empty() {
        let has_lines = block.words.iter().any(|word| word.text.contains(&b'\n'));
        sheet.own(if has_lines { KEEPING_LINES } else { opening(block.kind) });
        let mut pieces = pieces(&block.words);
        if let (BlockKind::Item, Some(Piece::Text(LineKind::Context, text))) =
            (block.kind, pieces.first_mut())
        {
            *text = without_bullet(text).into();
        }
        shown_pieces(sheet, &pieces, MarkFilter::Both);
        sheet.own("</p>\n");
    }
    for column in &block.columns {
        let (open, close) = match column.change {
            How::Removed => ("<del>", "</del>: "),
            _ => ("<ins>", "</ins>: "),
        };
        sheet.own("<p dir=\"auto\">column ").own(open).value(&column.name).own(close);
        sheet.value(column.cells.join(", ").as_str()).own("</p>\n");
    }
    if !block.lines.is_empty() {
        lines(sheet, &block.lines);
    }
}

/// How much of a text is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextExtent {
    Whole,
    /// Only the beginning, because it did not change.
    Beginning,
}

/// Draw the text of a block that only one side has.
pub(super) fn text(sheet: &mut Sheet, kind: BlockKind, text: &str, extent: TextExtent) {
    let (text, is_cut) = if extent == TextExtent::Beginning { beginning(text) } else { (text, false) };
    let is_code = matches!(kind, BlockKind::Code | BlockKind::Table | BlockKind::Html);
    let breaks = text.contains("  \n") || text.contains("\\\n");
    let (open, close) = match kind {
        _ if is_code => ("<pre dir=\"ltr\">", "</pre>\n"),
        _ if breaks => (KEEPING_LINES, "</p>\n"),
        kind => (opening(kind), "</p>\n"),
    };
    // browsers drop the first line feed in a `pre`
    let text = if kind == BlockKind::Item { without_bullet(text.as_bytes()) } else { text.as_bytes() };
    sheet.own(open).own(if is_code && text.starts_with(b"\n") { "\n" } else { "" }).value(text);
    if is_cut {
        sheet.own(GAP);
    }
    sheet.own(close);
}

const KEEPING_LINES: &str = "<p class=\"w\" dir=\"auto\">";

/// The opening tag: lines of a paragraph may be joined, those of other text are kept.
const fn opening(kind: BlockKind) -> &'static str {
    match kind {
        BlockKind::Paragraph => "<p dir=\"auto\">",
        _ => KEEPING_LINES,
    }
}
