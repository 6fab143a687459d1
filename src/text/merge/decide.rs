//! List the conflict markers left in a file, and replace them with choices.
//!
//! Only the markers and the text between them are replaced: whatever was fixed by hand stays, byte for byte. Knows one
//! file, but no index and no versions.

use super::{Format, MergePlace, Reason, Texts};
use crate::doc::{BlockKind, Conflict, Document};
use serde::Serialize;
use std::ops::Range;

/// A conflict in a file, between markers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marked {
    /// The markers with everything between them, in bytes of the file.
    pub span: Range<usize>,
    /// The 1-based line of the first marker.
    pub line: usize,
    /// Its place in the file, with ours replacing all markers.
    pub place: MergePlace,
    /// The kind of block in conflict.
    pub reason: Reason,
    /// The texts between the markers; the base may be missing.
    pub texts: Texts,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Choice {
    Ours,
    Theirs,
    /// Ours, then theirs; the heading above is listed in `disputed`.
    Both,
    Base,
}

/// Why a choice cannot be applied; the conflict stays open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Unfit {
    #[error("its markers do not show the base")]
    NoBase,
    #[error("cannot keep both versions")]
    OnlyOne,
    /// Both versions one after the other would each bring their frontmatter.
    #[error("the result would have two frontmatters")]
    TwoFrontmatters,
    /// One side deleted the file, or it is not text.
    #[error("there are no two versions to merge")]
    NothingToMerge,
}

brv_base::json_text!(Unfit);

/// A file with choices applied in place of markers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettledFile {
    pub bytes: Vec<u8>,
    /// Choices that could not be applied, by the number of the conflict, counted from 0.
    pub unfit: Vec<(usize, Unfit)>,
    /// Headings added to `disputed`, since both versions below them are kept.
    pub disputed: Vec<String>,
}

/// The conflicts in a file, in order.
pub fn marked(bytes: &[u8], format: Format) -> Vec<Marked> {
    let document = Document::parse(bytes);
    let conflicts = document.conflicts();
    if conflicts.is_empty() {
        return Vec::new();
    }
    let sides = OursVersion::of(&document, &conflicts);
    let text = |range: &Range<usize>| Some(String::from_utf8_lossy(&bytes[range.clone()]).into_owned());
    conflicts
        .iter()
        .enumerate()
        .map(|(number, conflict)| {
            let texts = Texts {
                base: conflict.base.as_ref().and_then(text),
                ours: text(&conflict.ours),
                theirs: text(&conflict.theirs),
            };
            let (place, reason) = sides.place(number, &texts, format);
            Marked { span: conflict.span.clone(), line: conflict.line, place, reason, texts }
        })
        .collect()
}

/// Replace markers with choices; `choose` returns the choice for a conflict by its number, counted from 0.
pub fn decide(bytes: &[u8], format: Format, choose: &dyn Fn(usize) -> Option<Choice>) -> SettledFile {
    let document = Document::parse(bytes);
    let mut decided =
        SettledFile { bytes: Vec::with_capacity(bytes.len()), unfit: Vec::new(), disputed: Vec::new() };
    let mut at = 0;
    for (number, open) in marked(bytes, format).iter().enumerate() {
        decided.bytes.extend_from_slice(&bytes[at..open.span.start]);
        at = open.span.end;
        let is_in_frontmatter = open.span.start < document.body_start();
        let chosen =
            choose(number).map(|choice| open.text(choice, format, &decided.bytes, is_in_frontmatter));
        match chosen {
            Some(Ok(text)) => decided.bytes.extend_from_slice(text.as_bytes()),
            Some(Err(unfit)) => {
                decided.unfit.push((number, unfit));
                decided.bytes.extend_from_slice(&bytes[open.span.clone()]);
            }
            None => decided.bytes.extend_from_slice(&bytes[open.span.clone()]),
        }
        if choose(number) == Some(Choice::Both)
            && let Some(heading) = open.heading().filter(|_| format == Format::Document)
            && !decided.disputed.contains(heading)
        {
            decided.disputed.push(heading.clone());
        }
    }
    decided.bytes.extend_from_slice(&bytes[at..]);
    decided.list_disputed();
    decided
}

impl SettledFile {
    /// List the headings in `disputed`. Frontmatter that cannot be edited keeps its bytes; then nothing is listed.
    fn list_disputed(&mut self) {
        if self.disputed.is_empty() {
            return;
        }
        let mut document = Document::parse(std::mem::take(&mut self.bytes));
        self.disputed.retain(|heading| document.add_to_list("disputed", heading).is_ok());
        self.bytes = document.into_bytes();
    }
}

impl Marked {
    fn heading(&self) -> Option<&String> {
        match &self.place {
            MergePlace::Block { headings, .. } => headings.last(),
            _ => None,
        }
    }

    fn text(
        &self,
        choice: Choice,
        format: Format,
        before: &[u8],
        is_in_frontmatter: bool,
    ) -> Result<String, Unfit> {
        let Texts { base, ours, theirs } = &self.texts;
        let (ours, theirs) = (ours.as_deref().unwrap_or_default(), theirs.as_deref().unwrap_or_default());
        match choice {
            Choice::Ours => Ok(ours.to_owned()),
            Choice::Theirs => Ok(theirs.to_owned()),
            Choice::Base => base.clone().ok_or(Unfit::NoBase),
            Choice::Both if is_in_frontmatter => Err(Unfit::OnlyOne),
            Choice::Both if format == Format::Document && before.is_empty() && has_frontmatter(theirs) => {
                Err(Unfit::TwoFrontmatters)
            }
            Choice::Both => {
                // lines of code follow one another directly; two fences are blocks
                let is_code = self.reason == Reason::Fence && !ours.trim_start().starts_with(['`', '~']);
                let is_prose = format == Format::Document && !is_code;
                let between = if is_prose { between(before, ours, theirs) } else { "" };
                Ok([ours, between, theirs].concat())
            }
        }
    }
}

/// Whether a text begins with frontmatter, or with a part of it.
fn has_frontmatter(text: &str) -> bool {
    Document::parse(text).body_start() > 0
}

/// A blank line where two blocks would run together; items of one list and rows of one table do not need it.
fn between<'a>(before: &[u8], ours: &'a str, theirs: &str) -> &'a str {
    let is_blank = |line: Option<&str>| line.is_none_or(|line| line.trim().is_empty());
    if is_blank(ours.lines().next_back()) || is_blank(theirs.lines().next()) {
        return "";
    }
    let (one, other) = (Document::parse(ours), Document::parse(theirs));
    let is_list = match (one.blocks().last().map(|b| &b.kind), other.blocks().first().map(|b| &b.kind)) {
        (Some(BlockKind::Item { ordered: one, .. }), Some(BlockKind::Item { ordered: other, .. })) => {
            one.is_some() == other.is_some()
        }
        _ => false,
    };
    let is_row = |line: &[u8]| line.trim_ascii_start().starts_with(b"|");
    let last = before.strip_suffix(b"\n").unwrap_or(before).rsplit(|byte| *byte == b'\n').next();
    let is_inside_table = last.is_some_and(is_row) && theirs.lines().all(|line| is_row(line.as_bytes()));
    match (is_list || is_inside_table, ours.ends_with("\r\n")) {
        (true, _) => "",
        (false, true) => "\r\n",
        (false, false) => "\n",
    }
}

/// The file with ours replacing all markers: readable markdown, unlike the file with markers.
struct OursVersion {
    document: Document,
    /// Where each conflict's part starts in it.
    starts: Vec<usize>,
}

impl OursVersion {
    fn of(document: &Document, conflicts: &[Conflict]) -> Self {
        let (bytes, mut text, mut at) = (document.as_bytes(), Vec::new(), 0);
        let mut starts = Vec::with_capacity(conflicts.len());
        for conflict in conflicts {
            text.extend_from_slice(&bytes[at..conflict.span.start]);
            starts.push(text.len());
            text.extend_from_slice(&bytes[conflict.ours.clone()]);
            at = conflict.span.end;
        }
        text.extend_from_slice(&bytes[at..]);
        Self { document: Document::parse(text), starts }
    }

    fn place(&self, number: usize, texts: &Texts, format: Format) -> (MergePlace, Reason) {
        if format == Format::Lines {
            return (MergePlace::Whole, Reason::Lines);
        }
        let Some(at) = self.starts[number].checked_sub(self.document.body_start()) else {
            let field = [&texts.ours, &texts.theirs].into_iter().flatten().find_map(|text| {
                let (key, _) = text.lines().next()?.split_once(':')?;
                Some(key.trim().to_owned())
            });
            return (field.map_or(MergePlace::Whole, |field| MergePlace::Field { field }), Reason::Lines);
        };
        let outline = self.document.outline();
        let above =
            outline.sections().iter().rposition(|section| section.level > 0 && section.heading.start < at);
        let headings = above
            .map_or_else(Vec::new, |section| outline.path(section).iter().map(ToString::to_string).collect());
        let said = [&texts.ours, &texts.theirs, &texts.base].into_iter().flatten();
        let first = said.filter_map(|text| text.lines().map(str::trim).find(|line| !line.is_empty())).next();
        let starts = first.unwrap_or_default().chars().take(60).collect();
        (MergePlace::Block { headings, starts }, self.reason(at, texts))
    }

    fn reason(&self, at: usize, texts: &Texts) -> Reason {
        let own = texts.ours.as_deref().filter(|ours| !ours.trim().is_empty());
        let theirs = texts.theirs.as_deref().map(Document::parse);
        let block = match own {
            Some(_) => self.document.blocks().iter().find(|block| block.span.contains(&at)),
            None => theirs.as_ref().and_then(|theirs| theirs.blocks().first()),
        };
        match block.map(|block| &block.kind) {
            Some(BlockKind::Heading { .. }) => Reason::Heading,
            Some(BlockKind::Fence { .. }) => Reason::Fence,
            Some(BlockKind::Table) => Reason::Table,
            Some(BlockKind::Item { ordered: Some(_), .. }) => Reason::NumberedList,
            _ => Reason::Prose,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "---\ntitle: t\n---\n# A\n\nhand edited\n\n<<<<<<< HEAD\nOne.\n||||||| base\nZero.\n=======\nTwo.\n>>>>>>> x\n\n## B\n\n<<<<<<< HEAD\n- a\n=======\n- b\n>>>>>>> x\n\nend";

    fn with(choices: &[(usize, Choice)]) -> SettledFile {
        let choose = |number| choices.iter().find(|(at, _)| *at == number).map(|(_, choice)| *choice);
        decide(FILE.as_bytes(), Format::Document, &choose)
    }

    fn text(decided: &SettledFile) -> String {
        String::from_utf8(decided.bytes.clone()).unwrap()
    }

    #[test]
    fn what_is_open_is_told_with_its_place_and_texts() {
        let open = marked(FILE.as_bytes(), Format::Document);
        assert_eq!(open.len(), 2);
        let place = |headings: &[&str], starts: &str| MergePlace::Block {
            headings: headings.iter().map(ToString::to_string).collect(),
            starts: starts.into(),
        };
        assert_eq!(
            (&open[0].place, open[0].reason, open[0].line),
            (&place(&["A"], "One."), Reason::Prose, 8)
        );
        assert_eq!((&open[1].place, open[1].line), (&place(&["A", "B"], "- a"), 18));
        assert_eq!(open[0].texts.base.as_deref(), Some("Zero.\n"));
        assert_eq!(open[1].texts.base, None);
        assert_eq!(&FILE[open[1].span.clone()], "<<<<<<< HEAD\n- a\n=======\n- b\n>>>>>>> x\n");
    }

    #[test]
    fn only_the_markers_give_way() {
        let ours =
            FILE.replace("<<<<<<< HEAD\nOne.\n||||||| base\nZero.\n=======\nTwo.\n>>>>>>> x\n", "One.\n");
        assert_eq!(text(&with(&[(0, Choice::Ours)])), ours);
        let all = text(&with(&[(0, Choice::Theirs), (1, Choice::Ours)]));
        assert_eq!(all, "---\ntitle: t\n---\n# A\n\nhand edited\n\nTwo.\n\n## B\n\n- a\n\nend");
        assert!(text(&with(&[(0, Choice::Base)])).contains("edited\n\nZero.\n\n## B"));
        assert_eq!(text(&with(&[])), FILE);
    }

    #[test]
    fn both_stand_apart_where_they_must_and_their_heading_is_listed() {
        let both = with(&[(0, Choice::Both), (1, Choice::Both)]);
        assert_eq!(
            text(&both),
            "---\ntitle: t\ndisputed: [A, B]\n---\n# A\n\nhand edited\n\nOne.\n\nTwo.\n\n## B\n\n- a\n- b\n\nend"
        );
        assert_eq!(both.disputed, ["A", "B"]);
    }

    #[test]
    fn a_choice_that_cannot_be_made_leaves_the_decision_open() {
        let decided = with(&[(1, Choice::Base)]);
        assert_eq!((decided.unfit.as_slice(), text(&decided).as_str()), (&[(1, Unfit::NoBase)][..], FILE));
        let fields = "---\n<<<<<<< a\ntitle: x\n=======\ntitle: y\n>>>>>>> b\n---\n";
        let decided = decide(fields.as_bytes(), Format::Document, &|_| Some(Choice::Both));
        assert_eq!((decided.unfit.len(), decided.bytes.as_slice()), (1, fields.as_bytes()));
        let place = &marked(fields.as_bytes(), Format::Document)[0].place;
        assert_eq!(*place, MergePlace::Field { field: "title".into() });
    }

    #[test]
    fn two_versions_with_a_frontmatter_each_are_not_put_one_behind_the_other() {
        for (ours, theirs) in [
            ("---\ntitle: a\n---\nOne.\n", "---\ntitle: b\n---\nTwo.\n"),
            ("---\ntitle: a\n", "---\ntitle: b\n"),
            ("One.\n", "---\ntitle: b\n---\nTwo.\n"),
        ] {
            let file = format!("<<<<<<< a\n{ours}=======\n{theirs}>>>>>>> b\n");
            let decided = decide(file.as_bytes(), Format::Document, &|_| Some(Choice::Both));
            assert_eq!(decided.unfit, [(0, Unfit::TwoFrontmatters)], "{file}");
            assert_eq!(decided.bytes, file.as_bytes());
            assert!(decided.disputed.is_empty());
        }
    }

    #[test]
    fn rows_of_one_table_and_lines_of_other_files_are_not_torn_apart() {
        let table = "| h |\n|---|\n<<<<<<< a\n| 1 |\n=======\n| 2 |\n>>>>>>> b\n";
        let decided = decide(table.as_bytes(), Format::Document, &|_| Some(Choice::Both));
        assert_eq!(decided.bytes, b"| h |\n|---|\n| 1 |\n| 2 |\n");
        let lines = "<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n";
        assert_eq!(decide(lines.as_bytes(), Format::Lines, &|_| Some(Choice::Both)).bytes, b"x\ny\n");
    }

    #[test]
    fn a_heading_in_conflict_and_a_numbered_list_are_named_as_such() {
        let reason = |ours: &str, theirs: &str| {
            let file = format!("<<<<<<< a\n{ours}=======\n{theirs}>>>>>>> b\n");
            marked(file.as_bytes(), Format::Document)[0].reason
        };
        assert_eq!(reason("## A\n", "## B\n"), Reason::Heading);
        assert_eq!(reason("1. a\n", "1. b\n"), Reason::NumberedList);
        assert_eq!(reason("", "```\nx\n```\n"), Reason::Fence);
        assert_eq!(reason("| a |\n|---|\n", "x\n"), Reason::Table);
    }
}
