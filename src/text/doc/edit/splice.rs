//! Plan the splices of the frontmatter text for an edit of one field.
//!
//! Only plans; the caller makes the splices and checks the result.

use std::ops::Range;

use super::Error;
use crate::doc::layout::{FieldLayout, Layout, ValueLayout};
use crate::doc::scalar::{self, Context, Style};
use crate::doc::{Value, envelope};

/// The fields in canonical order: synthesis first, then those every entry has, then the optional ones.
pub(crate) const ORDER: [&str; 18] = [
    "confidence",
    "sources",
    "synthesized_at",
    "type",
    "title",
    "summary",
    "tags",
    "keywords",
    "related",
    "createdAt",
    "updatedAt",
    "status",
    "pinned",
    "disputed",
    "archived",
    "consolidated_at",
    "consolidated_from",
    "verified",
];

/// A replacement of a range of the frontmatter text.
pub(super) type FieldSplice = (Range<usize>, String);

/// The frontmatter text with the context needed to edit it.
pub(super) struct Editor<'a> {
    pub key: &'a str,
    pub text: &'a str,
    pub fields: &'a [(Value, Value)],
    pub layout: &'a Layout,
    /// The line ending for a new line.
    pub newline: &'static str,
}

impl Editor<'_> {
    /// The place of the field, if it exists.
    pub fn entry(&self) -> Option<&FieldLayout> {
        let at = self.fields.iter().position(|(name, _)| name.as_str() == Some(self.key))?;
        self.layout.entries.get(at)
    }

    /// The quotes in use: double if any scalar has them, else single if any has those, else double.
    pub fn quoting(&self) -> Style {
        let styles: Vec<Style> = self.scalars().map(|range| Style::of(&self.text[range])).collect();
        let single = !styles.contains(&Style::Double) && styles.contains(&Style::Single);
        if single { Style::Single } else { Style::Double }
    }

    /// The style for a new scalar: quoted if the others are in double quotes, else plain if possible.
    pub fn text_style(&self) -> Style {
        let double = self.scalars().any(|range| self.text[range].starts_with('"'));
        if double { Style::Double } else { Style::Plain }
    }

    fn scalars(&self) -> impl Iterator<Item = Range<usize>> {
        self.layout.entries.iter().flat_map(|entry| match &entry.value {
            ValueLayout::Scalar(range) => vec![range.clone()],
            ValueLayout::Flow { items, .. } | ValueLayout::Block { items, .. } => items.clone(),
            ValueLayout::Empty | ValueLayout::Mapping => Vec::new(),
        })
    }

    /// `value` in a new line for the key.
    pub fn new_line(&self, value: &str) -> Result<Vec<FieldSplice>, Error> {
        let word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
        let fits =
            self.key.bytes().all(word) && self.key.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        if !fits {
            return Err(Error::Key { key: self.key.to_owned() });
        }
        Ok(vec![(self.place_for_new(), format!("{}: {value}{}", self.key, self.newline))])
    }

    /// After the last field that precedes this one in the canonical order, else before the first that follows it; an
    /// unknown field goes at the end.
    pub fn place_for_new(&self) -> Range<usize> {
        let rank = |key: &str| ORDER.iter().position(|name| *name == key);
        let Some(own) = rank(self.key) else { return self.text.len()..self.text.len() };
        let ranks = self.fields.iter().map(|(name, _)| name.as_str().and_then(rank));
        let mut before = None;
        let mut after = None;
        for (entry, rank) in self.layout.entries.iter().zip(ranks) {
            match rank {
                Some(rank) if rank < own => before = Some(entry.lines.end),
                Some(_) if after.is_none() => after = Some(entry.lines.start),
                Some(_) | None => {}
            }
        }
        let at = before.or(after).unwrap_or(self.text.len());
        at..at
    }

    fn not_a_list(&self) -> Error {
        Error::NotAList { key: self.key.to_owned() }
    }

    /// Insert an item before the one at `at`, or at the end.
    pub fn insert(&self, at: usize, item: &str) -> Result<Vec<FieldSplice>, Error> {
        let style = |items: &[Range<usize>]| match items.get(at.saturating_sub(1)) {
            Some(neighbour) => Style::of(&self.text[neighbour.clone()]),
            None => self.text_style(),
        };
        let flow = |items: &[Range<usize>]| scalar::write(item, style(items), self.quoting(), Context::Flow);
        match self.entry().map(|entry| (entry, &entry.value)) {
            None => self.new_line(&format!("[{}]", flow(&[]))),
            Some((entry, ValueLayout::Empty)) => {
                Ok(vec![(entry.after_colon..entry.after_colon, format!(" [{}]", flow(&[])))])
            }
            // an explicit null
            Some((_, ValueLayout::Scalar(range))) => Ok(vec![(range.clone(), format!("[{}]", flow(&[])))]),
            Some((_, ValueLayout::Flow { range, items })) => {
                Ok(vec![self.insert_flow(range, items, at, &flow(items))])
            }
            Some((_, ValueLayout::Block { items, .. })) => {
                let written = scalar::write(item, style(items), self.quoting(), Context::Block);
                self.insert_block(items, at, &written)
            }
            Some((_, ValueLayout::Mapping)) => Err(self.not_a_list()),
        }
    }

    fn insert_flow(
        &self,
        range: &Range<usize>,
        items: &[Range<usize>],
        at: usize,
        written: &str,
    ) -> FieldSplice {
        if let Some(next) = items.get(at) {
            let gap = items.get(at + 1).map_or(", ", |after| self.gap(next.end, after.start));
            return (next.start..next.start, format!("{written}{gap}"));
        }
        match items {
            [] => {
                let inside = range.start + 1..range.end - 1;
                let blank = self.text[inside.clone()].trim().is_empty();
                (if blank { inside } else { inside.start..inside.start }, written.to_owned())
            }
            [.., last] => {
                let before = if let [.., before, _] = items { before.end } else { range.start + 1 };
                let gap = self.gap(before, last.start);
                (last.end..last.end, format!("{}{written}", if gap.contains('\n') { gap } else { ", " }))
            }
        }
    }

    /// The text between two items, if it is a comma with white space.
    fn gap(&self, from: usize, to: usize) -> &str {
        let gap = &self.text[from..to];
        let plain = gap.starts_with(',') && gap[1..].trim().is_empty() && gap.len() > 1;
        if plain { gap } else { ", " }
    }

    fn insert_block(
        &self,
        items: &[Range<usize>],
        at: usize,
        written: &str,
    ) -> Result<Vec<FieldSplice>, Error> {
        let last = items.last().ok_or_else(|| self.not_a_list())?;
        let neighbour = items.get(at).unwrap_or(last);
        let start = self.text[..neighbour.start].rfind('\n').map_or(0, |end| end + 1);
        let dash = &self.text[start..neighbour.start];
        let place = if at < items.len() { start } else { envelope::line_end(self.text, last.end) };
        Ok(vec![(place..place, format!("{dash}{written}{}", self.newline))])
    }

    /// Replace the text of the item at `at`, in its style.
    pub fn replace(&self, at: usize, item: &str) -> Result<Vec<FieldSplice>, Error> {
        let (items, context) = match self.entry().map(|entry| &entry.value) {
            Some(ValueLayout::Flow { items, .. }) => (items, Context::Flow),
            Some(ValueLayout::Block { items, .. }) => (items, Context::Block),
            _ => return Err(self.not_a_list()),
        };
        let range = items.get(at).ok_or_else(|| self.not_a_list())?.clone();
        let written = scalar::write(item, Style::of(&self.text[range.clone()]), self.quoting(), context);
        Ok(vec![(range, written)])
    }

    /// Remove the item at `at`.
    pub fn remove(&self, at: usize) -> Result<Vec<FieldSplice>, Error> {
        match self.entry().map(|entry| (entry, &entry.value)) {
            Some((_, ValueLayout::Flow { range, items })) => {
                Ok(vec![(self.flow_item(range, items, at), String::new())])
            }
            Some((entry, ValueLayout::Block { items, .. })) => {
                let item = items.get(at).ok_or_else(|| self.not_a_list())?;
                let start = self.text[..item.start].rfind('\n').map_or(0, |end| end + 1);
                let lines = (start..envelope::line_end(self.text, item.end), String::new());
                let empty = (entry.after_colon..entry.after_colon, " []".to_owned());
                Ok(if items.len() == 1 { vec![empty, lines] } else { vec![lines] })
            }
            _ => Err(self.not_a_list()),
        }
    }

    /// The range of an item in brackets with its comma. Comments stay.
    fn flow_item(&self, range: &Range<usize>, items: &[Range<usize>], at: usize) -> Range<usize> {
        let item = items[at].clone();
        let comments = |gap: Range<usize>| self.text[gap].contains('#');
        let previous = at.checked_sub(1).map(|before| &items[before]);
        match (previous, items.get(at + 1)) {
            (_, Some(next)) if !comments(item.end..next.start) => item.start..next.start,
            (Some(before), None) if !comments(before.end..item.start) => before.end..item.end,
            (None, None) if !comments(range.clone()) => range.start + 1..range.end - 1,
            _ => {
                let comma = self.text[item.end..].trim_start().starts_with(',');
                let end =
                    item.end + if comma { self.text[item.end..].find(',').map_or(0, |at| at + 1) } else { 0 };
                item.start..end
            }
        }
    }

    /// Rewrite the whole list in its style.
    pub fn rewrite(&self, wanted: &[String]) -> Result<Vec<FieldSplice>, Error> {
        let style = |items: &[Range<usize>]| {
            items.first().map_or_else(|| self.text_style(), |item| Style::of(&self.text[item.clone()]))
        };
        let flow = |items: &[Range<usize>]| {
            let style = style(items);
            let written = wanted.iter().map(|item| scalar::write(item, style, self.quoting(), Context::Flow));
            format!("[{}]", written.collect::<Vec<_>>().join(", "))
        };
        match self.entry().map(|entry| (entry, &entry.value)) {
            None => self.new_line(&flow(&[])),
            Some((entry, ValueLayout::Empty)) => {
                Ok(vec![(entry.after_colon..entry.after_colon, format!(" {}", flow(&[])))])
            }
            Some((_, ValueLayout::Scalar(range))) => Ok(vec![(range.clone(), flow(&[]))]),
            Some((_, ValueLayout::Flow { range, items })) => Ok(vec![(range.clone(), flow(items))]),
            Some((_, ValueLayout::Block { items, .. })) => {
                let (Some(first), Some(last)) = (items.first(), items.last()) else {
                    return Err(self.not_a_list());
                };
                let start = self.text[..first.start].rfind('\n').map_or(0, |end| end + 1);
                let dash = &self.text[start..first.start];
                let line = |item: &String| {
                    let written = scalar::write(item, style(items), self.quoting(), Context::Block);
                    format!("{dash}{written}{}", self.newline)
                };
                let lines = wanted.iter().map(line).collect();
                Ok(vec![(start..envelope::line_end(self.text, last.end), lines)])
            }
            Some((_, ValueLayout::Mapping)) => Err(self.not_a_list()),
        }
    }
}

/// The text with the splices made; they are in order and do not overlap.
pub(super) fn spliced(text: &str, splices: Vec<FieldSplice>) -> String {
    let mut out = String::with_capacity(text.len() + 64);
    let mut at = 0;
    for (range, replacement) in splices {
        out.push_str(&text[at..range.start]);
        out.push_str(&replacement);
        at = range.end;
    }
    out.push_str(&text[at..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_new_fields_keeps_the_canonical_one() {
        let canonical = ORDER.iter().filter(|name| crate::doc::CANONICAL_FIELDS.contains(name));
        assert!(canonical.eq(&crate::doc::CANONICAL_FIELDS));
    }
}
