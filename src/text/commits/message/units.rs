//! Read one message: its trailers, and its units of prose.

use super::lines::{self, Fence};
use super::trailers::{self, Trailer};
use crate::commits::patterns;
use crate::doc::single_spaced;
use crate::judge::lists::is_form;

/// A paragraph or a list item, on one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MessageUnit {
    pub text: String,
    /// Whether it stands below `BREAKING CHANGE:`.
    pub is_breaking: bool,
    is_item: bool,
}

/// What the next line continues, if it continues anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Open {
    Nothing,
    Unit,
    /// The value of a trailer of brv.
    Value,
    /// The value of another key, in a paragraph of trailers: to the next key.
    Other,
    /// A trailer or a box outside such a paragraph: as long as lines are indented.
    Dropped,
}

pub(super) struct UnitReader<'a> {
    lines: &'a [&'a str],
    /// The first line of git's last block.
    last_block: usize,
    /// The first line of the block that only footers follow.
    above_footers: usize,
    units: Vec<MessageUnit>,
    trailers: Vec<Trailer>,
    open: Open,
    /// Whether the next line is the first of its paragraph.
    is_first: bool,
    /// Whether the paragraph begins with a key and has one of brv.
    is_keyed: bool,
    /// The level of the heading of the form that is open.
    form: Option<usize>,
    /// Whether what follows a `BREAKING CHANGE:` without text is still to come.
    breaks: bool,
    fence: Fence,
}

/// The units and the trailers of a message without comments.
pub(super) fn read(text: &str) -> (Vec<MessageUnit>, Vec<Trailer>) {
    let mut lines: Vec<&str> = text.split('\n').map(str::trim_end).collect();
    let mut fence = Fence::default();
    let end = lines.iter().position(|line| !fence.holds(line) && lines::is_end(line.trim_start()));
    lines.truncate(end.unwrap_or(lines.len()));
    let mut reader = UnitReader {
        last_block: trailers::last_block(&lines),
        above_footers: trailers::above_footers(&lines),
        lines: &lines,
        units: Vec::new(),
        trailers: Vec::new(),
        open: Open::Nothing,
        is_first: true,
        is_keyed: false,
        form: None,
        breaks: false,
        fence: Fence::default(),
    };
    let mut at = 0;
    while at < lines.len() {
        at += reader.take(at);
    }
    let (mut units, mut trailers) = (reader.units, reader.trailers);
    units.iter_mut().for_each(|unit| unit.text = plain(&unit.text));
    units.retain(|unit| !unit.text.is_empty());
    trailers.iter_mut().for_each(|trailer| trailer.value = single_spaced(&trailer.value));
    (units, trailers)
}

/// The text of a unit without images and the targets of links.
fn plain(text: &str) -> String {
    if !text.contains('[') {
        return single_spaced(text);
    }
    let text = patterns::IMAGE.replace_all(text, "");
    single_spaced(&patterns::LINK.replace_all(&text, "$1"))
}

impl<'a> UnitReader<'a> {
    /// Take a line; how many lines were taken.
    fn take(&mut self, at: usize) -> usize {
        let line = self.lines[at];
        let bare = line.trim();
        if self.fence.holds(line) {
            (self.open, self.is_first) = (Open::Nothing, true);
            return 1;
        }
        if bare.is_empty() {
            (self.open, self.is_first, self.is_keyed) = (Open::Nothing, true, false);
            return 1;
        }
        if self.is_first {
            self.is_keyed = self.begins_trailers(at);
        }
        if self.takes_trailer(at) || self.takes_footer(bare) || self.continues_value(at) {
            self.is_first = false;
            return 1;
        }
        if let Some((level, title, taken)) = self.heading(at) {
            self.open_section(level, title);
            return taken;
        }
        if lines::is_ruler(bare) {
            (self.open, self.is_first) = (Open::Nothing, true);
            return 1;
        }
        self.is_first = false;
        self.take_text(line, bare);
        1
    }

    fn in_last_block(&self, at: usize) -> bool {
        at >= self.last_block
    }

    /// Whether a paragraph begins with a key, and has one of brv. Where only footers follow, as those that a host adds, the
    /// first key may be in lower case.
    fn begins_trailers(&self, at: usize) -> bool {
        let is_last = self.in_last_block(at);
        let is_lowest = is_last || at >= self.above_footers;
        let is_inside = |line: &&&str| {
            let bare = line.trim();
            !bare.is_empty()
                && !lines::is_ruler(bare)
                && lines::heading(bare).is_none()
                && !bare.starts_with("```")
        };
        let has_own = |line: &&str| trailers::own(line).is_some() && trailers::is_key(line, is_last);
        let begins = |line: &str| trailers::is_key(line, is_lowest) || trailers::breaking(line).is_some();
        begins(self.lines[at]) && self.lines[at..].iter().take_while(is_inside).any(has_own)
    }

    /// Take a trailer: of brv, of another in a paragraph of trailers, or one that is known everywhere.
    fn takes_trailer(&mut self, at: usize) -> bool {
        let (line, is_last) = (self.lines[at], self.in_last_block(at));
        let is_in_block = is_last || self.is_keyed || self.open == Open::Value;
        if let Some((key, value)) = trailers::own(line)
            && is_in_block
            && trailers::is_key(line, is_last)
        {
            self.trailers.push(Trailer { key: key.to_owned(), value: value.to_owned() });
            self.open = Open::Value;
            return true;
        }
        let bare = line.trim();
        if let Some(text) = trailers::breaking(bare) {
            self.open = Open::Nothing;
            self.breaks = true;
            if !text.is_empty() {
                self.add_unit(text, false);
            }
            return true;
        }
        let is_other = (self.is_keyed || matches!(self.open, Open::Value | Open::Other))
            && trailers::is_key(line, is_last);
        if !is_other && !trailers::is_known(bare) {
            return false;
        }
        self.open = if is_other { Open::Other } else { Open::Dropped };
        true
    }

    /// Take what a host or git writes below a message; a reason behind `This reverts commit …` is text.
    fn takes_footer(&mut self, bare: &str) -> bool {
        if let Some(found) = patterns::REVERTS.find(bare) {
            self.open = Open::Nothing;
            if !bare[found.end()..].is_empty() {
                self.add_unit(&bare[found.end()..], false);
            }
            return true;
        }
        let is_footer = patterns::FOOTER.is_match(bare);
        if is_footer {
            self.open = Open::Nothing;
        }
        is_footer
    }

    /// Continue the value of a trailer, or what is dropped.
    fn continues_value(&mut self, at: usize) -> bool {
        let (line, bare) = (self.lines[at], self.lines[at].trim());
        let is_border = || lines::heading(bare).is_some() || lines::is_ruler(bare) || lines::is_quote(bare);
        match self.open {
            Open::Value | Open::Other if patterns::REFERENCE.is_match(bare) => self.open = Open::Nothing,
            Open::Value | Open::Other if is_border() => return false,
            Open::Value => {
                let Some(last) = self.trailers.last_mut() else { return false };
                last.value.push(' ');
                last.value.push_str(bare);
            }
            Open::Other => {}
            Open::Dropped if line.starts_with([' ', '\t']) => {}
            _ => return false,
        }
        true
    }

    /// The heading that a line is: its level, its title, and how many lines it has.
    fn heading(&self, at: usize) -> Option<(usize, &'a str, usize)> {
        let bare = self.lines[at].trim();
        if let Some((level, title)) = lines::heading(bare) {
            return Some((level, title, 1));
        }
        let is_alone = at == 0 || self.lines[at - 1].trim().is_empty();
        let is_underlined = || self.lines.get(at + 1).is_some_and(|next| lines::is_underline(next.trim()));
        if self.is_first && is_alone && bare.len() < 70 && is_underlined() {
            return Some((2, bare, 2));
        }
        let label = bare.trim_end_matches(':');
        (patterns::LABEL.is_match(bare) && is_form(label)).then_some((3, label, 1))
    }

    fn open_section(&mut self, level: usize, title: &str) {
        let begins_form = is_form(title.trim_matches([' ', '*', ':']));
        if begins_form {
            self.form = Some(self.form.map_or(level, |open| open.min(level)));
        } else if self.form.is_some_and(|open| level <= open) {
            self.form = None;
        }
        (self.open, self.is_first, self.is_keyed, self.breaks) = (Open::Nothing, true, false, false);
    }

    /// Take a line that is neither a trailer nor a border.
    fn take_text(&mut self, line: &str, bare: &str) {
        let is_dropped = lines::is_quote(bare)
            || lines::is_row(bare)
            || lines::is_image_or_target(bare)
            || lines::is_patch(bare);
        let in_item = self.open == Open::Unit && self.units.last().is_some_and(|unit| unit.is_item);
        if lines::is_box(bare) {
            self.open = Open::Dropped;
        } else if is_dropped {
            self.open = Open::Nothing;
        } else if let Some(item) = lines::item(line) {
            self.add_unit(item, true);
        } else if lines::is_indented(line) && !in_item || self.open != Open::Unit && lines::is_output(bare) {
            self.open = Open::Nothing;
        } else if self.open != Open::Unit {
            self.add_unit(bare, false);
        } else if self.form.is_none()
            && let Some(unit) = self.units.last_mut()
        {
            unit.text.push(' ');
            unit.text.push_str(bare);
        }
    }

    fn add_unit(&mut self, text: &str, is_item: bool) {
        self.open = Open::Unit;
        if self.form.is_none() {
            let is_breaking = std::mem::take(&mut self.breaks);
            self.units.push(MessageUnit { text: text.to_owned(), is_breaking, is_item });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn units(text: &str) -> Vec<String> {
        read(text).0.into_iter().map(|unit| unit.text).collect()
    }

    fn values(text: &str) -> Vec<(String, String)> {
        read(text).1.into_iter().map(|one| (one.key, one.value)).collect()
    }

    fn one(key: &str, value: &str) -> (String, String) {
        (key.to_owned(), value.to_owned())
    }

    #[test]
    fn paragraphs_and_list_items_are_units() {
        assert_eq!(units("a\nb\n\nc\n- d\n  e\n    f\n1. g\n  * h"), ["a b", "c", "d e f", "g", "h"]);
        assert_eq!(units("## Summary\na\n## Why\nb"), ["a", "b"]);
        assert_eq!(units("Title\n=====\na\n-----\nb"), ["a", "b"]);
        assert_eq!(units("see [a b](https://c) and ![d](e) [f][g]"), ["see a b and f"]);
    }

    #[test]
    fn code_quotes_tables_images_boxes_and_patches_are_none() {
        for text in [
            "```\nb\n```",
            "    b",
            "\tb",
            "> b",
            "\u{203a} b",
            "| b | c |",
            "![b](c)",
            "[1]: https://b",
            "- [ ] b\n  c",
            "+++ b/x",
            "warning: b",
            "$ b",
            "Generated with [b](c)",
            "(cherry picked from commit 1234567)",
            "This reverts commit 1234567.",
            "Closes #1",
            "Signed-off-by: b\n  c",
            "diff --git a/x b/x\n\nb",
            "# ---- >8 ----\n\nb",
            "---",
        ] {
            assert_eq!(
                units(&format!("a\n\n{text}")).join("|").replace("Closes #1", ""),
                "a".to_owned() + if text.starts_with("Closes") { "|" } else { "" },
                "{text}"
            );
        }
        assert_eq!(units("```\ndiff --git a b\n```\nc"), ["c"]);
        assert_eq!(units("This reverts commit 1234567. It broke b.\nc"), ["It broke b. c"]);
    }

    #[test]
    fn sections_that_are_forms_are_dropped_to_the_next_heading_of_their_level() {
        let text =
            "a\n\n## Test plan\nb\n### Deep\nc\n## Why\nd\n\n**Checklist**\ne\n\n**Note**\nf\n\nTesting:\ng";
        assert_eq!(units(text), ["a", "d", "f"]);
        assert_eq!(values("## Test plan\nb\n\nFact: a: b"), [one("Fact", "a: b")]);
    }

    #[test]
    fn what_stands_below_a_breaking_change_is_marked() {
        let marked = |text: &str| read(text).0.into_iter().map(|unit| unit.is_breaking).collect::<Vec<_>>();
        assert_eq!(marked("a\n\nBREAKING CHANGE: b\nc\n\nd"), [false, true, false]);
        assert_eq!(marked("BREAKING CHANGE:\n\nb\n\nc"), [true, false]);
        assert_eq!(units("BREAKING CHANGE: b\nc"), ["b c"]);
    }

    #[test]
    fn a_trailer_is_the_first_line_of_its_paragraph_or_follows_only_keys() {
        assert_eq!(values("Text.\n\nDecision: a: b\n\nMore."), [one("Decision", "a: b")]);
        assert_eq!(values("Tested: yes\nmore\nDecision: a: b"), [one("Decision", "a: b")]);
        assert_eq!(
            values("Scope-risk: low\nDecision: a: b\nWarn: c"),
            [one("Decision", "a: b"), one("Warn", "c")]
        );
        assert_eq!(values("## Notes\nDecision: a: b"), [one("Decision", "a: b")]);
        let (text, expected) = ("BREAKING CHANGE: gone\n  now\nDecision: a: b", [one("Decision", "a: b")]);
        assert_eq!((units(text), values(text)), (vec!["gone now".to_owned()], expected.to_vec()));
        for text in [
            "Text.\nDecision: a: b",
            "- c\nDecision: a: b",
            "> Decision: a: b",
            "    Decision: a: b",
            "```\nDecision: a: b\n```",
            "warning: unused\n\nText.",
            "  Decision: a: b",
        ] {
            assert_eq!(values(text), [], "{text}");
        }
        assert!(units("Scope-risk: low\nmore\nDecision: a: b").is_empty());
        assert_eq!(units("Note: it must stay.\nmore"), ["Note: it must stay. more"]);
    }

    #[test]
    fn a_key_in_lower_case_counts_in_gits_last_block_only() {
        assert_eq!(values("Text.\n\ndecision: a: b\nsigned-off-by: c"), [one("decision", "a: b")]);
        assert_eq!(values("decision: a: b\n\nText."), []);
        assert_eq!(values("decision: a: b\n\nSigned-off-by: c"), []);
        let both = [one("Decision", "a: b"), one("Fact", "c")];
        for end in ["", "\n\n---------\n\nCo-authored-by: A <a@b>", "\n\nFixes #1"] {
            assert_eq!(values(&format!("Text.\n\nnote: x\nDecision: a: b\nFact: c{end}")), both, "{end}");
        }
        assert_eq!(values("note: x\nFact: c\n\nText."), []);
        assert_eq!(values("error: x\nWarning: c\n\nCo-authored-by: A <a@b>"), []);
        assert_eq!(values("note: x\nfree\nFact: c\n\nCo-authored-by: A <a@b>"), []);
        assert_eq!(values("Text.\n\nfact: a\nfree\nSigned-off-by: c"), [one("fact", "a free")]);
    }

    #[test]
    fn a_value_ends_at_a_blank_line_a_key_a_reference_or_a_footer() {
        let value = [one("Limit", "a: b c")];
        for end in [
            "",
            "\nText.",
            "Tested: yes\n  by hand",
            "Co-Authored-By: A <a@b>",
            "Fixes #15",
            "(#15)",
            "\u{1f916} Generated with [x](y)",
            "(cherry picked from commit 1234567)",
            "https://a.b/c",
            "BREAKING CHANGE: x",
            "# Heading",
            "```\nx\n```",
            "---",
        ] {
            assert_eq!(values(&format!("Limit: a: b\nc\n{end}")), value, "{end}");
        }
        assert_eq!(values("Limit: a: b\n  c"), value);
        assert_eq!(values("Limit:\n  a: b\n\tc"), value);
        assert_eq!(values("Limit: a: b so\nit is: c\nd"), [one("Limit", "a: b so it is: c d")]);
        assert_eq!(values("x: y\nlimit: a: b\nz: c"), [one("limit", "a: b")]);
        assert_eq!(values("Limit: a\nFixes #15\nLimit: b"), [one("Limit", "a"), one("Limit", "b")]);
    }
}
