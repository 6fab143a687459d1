//! Edit one field of the frontmatter.
//!
//! An edit splices the text and keeps every other byte. The result is parsed again: unless exactly the named field
//! changed, to exactly the wanted value, the edit fails and changes nothing. Does not know the body, nor what a field
//! means.

mod splice;

pub(crate) use splice::ORDER;

use std::ops::Range;

use super::frontmatter::{self, Frontmatter, Opaque};
use super::layout::{Layout, ValueLayout};
use super::scalar::{self, Context, Style};
use super::{Document, DocumentBytes, Value, envelope};
use splice::{Editor, FieldSplice, spliced};

/// Why an edit failed; the document is unchanged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    #[error("cannot change `{key}`: the frontmatter {why}")]
    Opaque { key: String, why: Opaque },
    /// The name is not a plain word, so it cannot be a new field.
    #[error("cannot add a field named `{key}`: a name has letters, digits, `_` and `-` only")]
    Key { key: String },
    #[error("cannot set `{key}`: it holds a list or a mapping, not a single value")]
    NotAScalar { key: String },
    /// The field is a single value or a mapping, or has items that are.
    #[error("cannot change the items of `{key}`: it is not a list of texts")]
    NotAList { key: String },
    /// The new body would be read as frontmatter, or change what frontmatter is.
    #[error("cannot replace the body: it would be read as frontmatter")]
    Body,
    /// The edit would have changed something else, or set a wrong value.
    #[error("cannot change `{key}` without changing other text")]
    NotFaithful { key: String },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    Changed,
    /// The field already had the wanted value.
    Unchanged,
}

/// A single value to set.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scalar<'a> {
    /// Text, quoted as far as needed to stay text.
    Text(&'a str),
    /// `true` or `false`.
    Bool(bool),
    Number(f64),
}

impl<'a> From<&'a str> for Scalar<'a> {
    fn from(text: &'a str) -> Scalar<'a> {
        Scalar::Text(text)
    }
}

impl From<bool> for Scalar<'_> {
    fn from(value: bool) -> Self {
        Scalar::Bool(value)
    }
}

impl From<f64> for Scalar<'_> {
    fn from(value: f64) -> Self {
        Scalar::Number(value)
    }
}

/// The value that the named field must have after the edit.
enum ExpectedValue {
    Absent,
    /// A value as YAML resolves it: a text must not become a number.
    Typed(serde_yaml::Value),
    /// Items by their text: a tag written `1.10` is the tag `1.10`.
    List(Vec<String>),
}

impl Document {
    /// Set a field that holds a single value, or add it at its place in the canonical order. Quoting, comments and
    /// everything else are kept. A document without frontmatter gets one.
    pub fn set_scalar<'v>(&mut self, key: &str, value: impl Into<Scalar<'v>>) -> Result<Effect, Error> {
        let value = value.into();
        let expected = match value {
            Scalar::Text(text) => serde_yaml::Value::from(text),
            Scalar::Bool(value) => serde_yaml::Value::from(value),
            Scalar::Number(value) => serde_yaml::Value::from(value),
        };
        self.edit(key, ExpectedValue::Typed(expected), |editor| {
            let write = |style, fallback| match value {
                Scalar::Text(text) => scalar::write(text, style, fallback, Context::Block),
                Scalar::Bool(value) => value.to_string(),
                Scalar::Number(value) => format!("{value:?}"),
            };
            match editor.entry().map(|entry| (entry, &entry.value)) {
                None => editor.new_line(&write(editor.text_style(), editor.quoting())),
                Some((entry, ValueLayout::Empty)) => {
                    let written = write(editor.text_style(), editor.quoting());
                    Ok(vec![(entry.after_colon..entry.after_colon, format!(" {written}"))])
                }
                Some((_, ValueLayout::Scalar(range))) => {
                    let style = Style::of(&editor.text[range.clone()]);
                    Ok(vec![(range.clone(), write(style, editor.quoting()))])
                }
                Some((_, ValueLayout::Flow { .. } | ValueLayout::Block { .. } | ValueLayout::Mapping)) => {
                    Err(Error::NotAScalar { key: editor.key.to_owned() })
                }
            }
        })
    }

    /// Append an item to a list, in the style of the list, unless it is already there. A missing or empty field becomes
    /// a list in brackets.
    pub fn add_to_list(&mut self, key: &str, item: &str) -> Result<Effect, Error> {
        let mut items = self.list(key)?;
        if items.iter().any(|known| known == item) {
            return Ok(Effect::Unchanged);
        }
        let at = items.len();
        items.push(item.to_owned());
        self.edit(key, ExpectedValue::List(items.clone()), |editor| editor.insert(at, item))
    }

    /// Replace the text of one list item, in its style.
    pub fn replace_in_list(&mut self, key: &str, at: usize, item: &str) -> Result<Effect, Error> {
        let mut items = self.list(key)?;
        let place = items.get_mut(at).ok_or_else(|| Error::NotAList { key: key.to_owned() })?;
        item.clone_into(place);
        self.edit(key, ExpectedValue::List(items), |editor| editor.replace(at, item))
    }

    /// Remove every occurrence of an item from a list.
    pub fn remove_from_list(&mut self, key: &str, item: &str) -> Result<Effect, Error> {
        let mut items = self.list(key)?;
        let mut edited = self.clone();
        let mut effect = Effect::Unchanged;
        while let Some(at) = items.iter().position(|known| known == item) {
            items.remove(at);
            effect = edited.edit(key, ExpectedValue::List(items.clone()), |editor| editor.remove(at))?;
        }
        *self = edited;
        Ok(effect)
    }

    /// Make a list hold exactly `wanted`, in this order. Items that stay keep their bytes, unless their order changes:
    /// then the list is rewritten.
    pub fn set_list<T: AsRef<str>>(&mut self, key: &str, wanted: &[T]) -> Result<Effect, Error> {
        let wanted: Vec<String> = wanted.iter().map(|item| item.as_ref().to_owned()).collect();
        let mut items = self.list(key)?;
        let mut edited = self.clone();
        for at in (0..items.len()).rev().filter(|&at| !wanted.contains(&items[at])).collect::<Vec<_>>() {
            items.remove(at);
            let _ = edited.edit(key, ExpectedValue::List(items.clone()), |editor| editor.remove(at))?;
        }
        let stays = wanted.iter().filter(|item| items.contains(item)).eq(items.iter());
        if stays {
            for (at, item) in wanted.iter().enumerate() {
                if items.get(at) != Some(item) {
                    items.insert(at, item.clone());
                    let _ = edited
                        .edit(key, ExpectedValue::List(items.clone()), |editor| editor.insert(at, item))?;
                }
            }
        }
        // a different order, or a missing field where an empty list is wanted
        let _ = edited.edit(key, ExpectedValue::List(wanted.clone()), |editor| editor.rewrite(&wanted))?;
        let effect = if edited == *self { Effect::Unchanged } else { Effect::Changed };
        *self = edited;
        Ok(effect)
    }

    pub fn remove_field(&mut self, key: &str) -> Result<Effect, Error> {
        self.edit(key, ExpectedValue::Absent, |editor| {
            Ok(editor.entry().map(|entry| (entry.lines.clone(), String::new())).into_iter().collect())
        })
    }

    /// Copy a field from `other`, byte for byte except for line endings, or remove it if `other` does not have it.
    pub fn copy_field(&mut self, key: &str, other: &Document) -> Result<Effect, Error> {
        let Some(lines) = other.field_lines(key)? else { return self.remove_field(key) };
        let expected = other.typed(key).ok_or_else(|| Error::NotFaithful { key: key.to_owned() })?;
        self.edit(key, ExpectedValue::Typed(expected), |editor| {
            let lines = lines.replace("\r\n", "\n").replace('\n', editor.newline);
            Ok(vec![match editor.entry() {
                Some(entry) => (entry.lines.clone(), lines),
                None => (editor.place_for_new(), lines),
            }])
        })
    }

    /// Replace everything after the frontmatter; the frontmatter keeps its bytes.
    pub fn replace_body(&mut self, body: impl AsRef<[u8]>) -> Result<Effect, Error> {
        let body = body.as_ref();
        if body == self.body_bytes() {
            return Ok(Effect::Unchanged);
        }
        let head = &self.as_bytes()[..self.envelope.body_start];
        // a closing fence at the end of the file may have no line ending yet
        let unended = self.envelope.frontmatter.is_some() && !head.ends_with(b"\n") && !body.is_empty();
        let newline = if unended { self.attributes().line_ending.as_str() } else { "" };
        let after = Document::parse([head, newline.as_bytes(), body].concat());
        let start = self.envelope.body_start + newline.len();
        let same_envelope = after.envelope.frontmatter.is_some() == self.envelope.frontmatter.is_some();
        if !(same_envelope && after.envelope.body_start == start) {
            return Err(Error::Body);
        }
        *self = after;
        Ok(Effect::Changed)
    }

    /// The lines of a field as written; `None` if it is missing. An error if the frontmatter is opaque.
    pub fn field_lines(&self, key: &str) -> Result<Option<&str>, Error> {
        let Some(fenced) = &self.envelope.frontmatter else { return Ok(None) };
        let layout = self.layout().map_err(|why| Error::Opaque { key: key.to_owned(), why })?;
        let at = self.reading().fields.iter().position(|(name, _)| name.as_str() == Some(key));
        Ok(at.map(|at| &self.text()[fenced.text.clone()][layout.entries[at].lines.clone()]))
    }

    /// The items of a list field; none if it is empty or missing.
    fn list(&self, key: &str) -> Result<Vec<String>, Error> {
        let not_a_list = || Error::NotAList { key: key.to_owned() };
        match self.frontmatter() {
            Frontmatter::Absent => Ok(Vec::new()),
            Frontmatter::Opaque { why, .. } => Err(Error::Opaque { key: key.to_owned(), why }),
            Frontmatter::Fields(_) => match self.field(key) {
                None | Some(Value::Null) => Ok(Vec::new()),
                Some(Value::List(items)) => {
                    let texts = items.iter().map(|item| item.as_str().map(str::to_owned));
                    texts.collect::<Option<Vec<_>>>().ok_or_else(not_a_list)
                }
                Some(Value::Scalar(_) | Value::Map(_)) => Err(not_a_list()),
            },
        }
    }

    fn typed(&self, key: &str) -> Option<serde_yaml::Value> {
        let fenced = self.envelope.frontmatter.as_ref()?;
        let all: serde_yaml::Value = serde_yaml::from_str(&self.text()[fenced.text.clone()]).ok()?;
        all.get(key).cloned()
    }

    fn layout(&self) -> Result<&Layout, Opaque> {
        frontmatter::layout(self)
    }

    /// Make one edit and keep it only if it changed the named field to the expected value, and nothing else.
    fn edit<F>(&mut self, key: &str, expected: ExpectedValue, splices: F) -> Result<Effect, Error>
    where
        F: FnOnce(&Editor<'_>) -> Result<Vec<FieldSplice>, Error>,
    {
        let layout = self.layout().map_err(|why| Error::Opaque { key: key.to_owned(), why })?;
        if expected.holds(self, key) {
            return Ok(Effect::Unchanged);
        }
        let fields = &self.reading().fields;
        let mut after = match &self.envelope.frontmatter {
            None => {
                let newline = self.attributes().line_ending.as_str();
                let new = spliced("", splices(&Editor { key, text: "", fields, layout, newline })?);
                let start = self.envelope.body_start;
                self.with(start..start, &format!("---{newline}{new}---{newline}"))
            }
            Some(fenced) => {
                let text = &self.text()[fenced.text.clone()];
                let newline = envelope::attributes(&self.text()[fenced.open.clone()]).line_ending.as_str();
                let new = spliced(text, splices(&Editor { key, text, fields, layout, newline })?);
                self.with(fenced.text.clone(), &new)
            }
        };
        if !(expected.holds(&after, key) && self.differs_only_in(key, &after)) {
            return Err(Error::NotFaithful { key: key.to_owned() });
        }
        after.outline = std::mem::take(&mut self.outline);
        *self = after;
        Ok(Effect::Changed)
    }

    /// A copy with `range` replaced.
    pub(super) fn with(&self, range: Range<usize>, text: &str) -> Document {
        let bytes = self.as_bytes();
        let joined = [&bytes[..range.start], text.as_bytes(), &bytes[range.end..]].concat();
        Document::from_source(DocumentBytes::new(joined))
    }

    /// True if `after` has the same body, and the same fields but for `key`, in the same order.
    fn differs_only_in(&self, key: &str, after: &Document) -> bool {
        let others = |document: &Document| {
            let fields = document.reading().fields.iter();
            fields.filter(|(name, _)| name.as_str() != Some(key)).cloned().collect::<Vec<_>>()
        };
        let readable = after.layout().is_ok();
        readable && self.body_bytes() == after.body_bytes() && others(self) == others(after)
    }
}

impl ExpectedValue {
    fn holds(&self, document: &Document, key: &str) -> bool {
        match self {
            ExpectedValue::Absent => document.field(key).is_none(),
            ExpectedValue::Typed(wanted) => document.typed(key).as_ref() == Some(wanted),
            ExpectedValue::List(wanted) => match document.field(key) {
                Some(Value::List(items)) => {
                    items.len() == wanted.len()
                        && items.iter().zip(wanted).all(|(a, b)| a.as_str() == Some(b))
                }
                _ => false,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edited<F>(text: &str, edit: F) -> String
    where
        F: FnOnce(&mut Document) -> Result<Effect, Error>,
    {
        let mut document = Document::parse(text);
        assert_eq!(edit(&mut document), Ok(Effect::Changed), "{text:?}");
        String::from_utf8(document.into_bytes()).unwrap()
    }

    /// The edited frontmatter of `before`, without fences.
    fn fields<F>(before: &str, edit: F) -> String
    where
        F: FnOnce(&mut Document) -> Result<Effect, Error>,
    {
        let after = edited(&format!("---\n{before}---\nbody\n"), edit);
        after.strip_prefix("---\n").unwrap().strip_suffix("---\nbody\n").unwrap().to_owned()
    }

    #[test]
    fn a_value_changes_in_place_with_its_quoting_and_comment() {
        let set = |before: &str| fields(before, |d| d.set_scalar("title", "New: it's"));
        assert_eq!(set("# top\ntitle: 'old' # why\nx:   y\n"), "# top\ntitle: 'New: it''s' # why\nx:   y\n");
        assert_eq!(set("title:   \"old\"\n"), "title:   \"New: it's\"\n");
        assert_eq!(set("title: old\nsummary: 's'\n"), "title: 'New: it''s'\nsummary: 's'\n");
        assert_eq!(set("title:\ntags: []\n"), "title: \"New: it's\"\ntags: []\n");
        assert_eq!(set("title: # c\n"), "title: \"New: it's\" # c\n");
        assert_eq!(set("title: |-\n  two\n  lines\n\n# c\nz: 1\n"), "title: \"New: it's\"\n\n# c\nz: 1\n");
        assert_eq!(set("title: old\n  more\nz: 1\n"), "title: \"New: it's\"\nz: 1\n");
        assert_eq!(set("\"title\": ~\n"), "\"title\": \"New: it's\"\n");
    }

    #[test]
    fn a_new_field_has_its_canonical_place() {
        let peer = "title: a\ntags: []\nrelated: []\nkeywords: []\ncreatedAt: '1'\n";
        let after = fields(peer, |d| d.set_scalar("updatedAt", "2025-01-01T00:00:00Z"));
        assert_eq!(after, format!("{peer}updatedAt: '2025-01-01T00:00:00Z'\n"));
        let after = fields("title: a\nx: 1\ntags: []\n# end\n", |d| d.set_scalar("summary", "s"));
        assert_eq!(after, "title: a\nsummary: s\nx: 1\ntags: []\n# end\n");
        assert_eq!(fields("# c\ntags: []\n", |d| d.set_scalar("title", "t")), "# c\ntitle: t\ntags: []\n");
        assert_eq!(
            fields("a: |\n  b\n\n# end\n", |d| d.set_scalar("own", true)),
            "a: |\n  b\n\n# end\nown: true\n"
        );
    }

    #[test]
    fn a_document_without_frontmatter_gets_one() {
        assert_eq!(edited("# A\n", |d| d.set_scalar("title", "A")), "---\ntitle: A\n---\n# A\n");
        assert_eq!(
            edited("\u{feff}x\r\n", |d| d.add_to_list("tags", "t")),
            "\u{feff}---\r\ntags: [t]\r\n---\r\nx\r\n"
        );
        assert_eq!(
            edited("---\n\nprose\n", |d| d.set_scalar("title", "A")),
            "---\ntitle: A\n---\n---\n\nprose\n"
        );
        assert_eq!(edited("---\n---\nx", |d| d.set_scalar("title", "A")), "---\ntitle: A\n---\nx");
    }

    #[test]
    fn an_item_is_added_in_the_style_of_its_list() {
        let add = |before: &str| fields(before, |d| d.add_to_list("tags", "new"));
        assert_eq!(add("tags: [a, b] # c\n"), "tags: [a, b, new] # c\n");
        assert_eq!(add("tags: [\"a\"]\n"), "tags: [\"a\", \"new\"]\n");
        assert_eq!(add("tags: [ a, b, ]\n"), "tags: [ a, b, new, ]\n");
        assert_eq!(add("tags: [\n  a,\n  b\n]\n"), "tags: [\n  a,\n  b,\n  new\n]\n");
        assert_eq!(add("tags: [a, # one\n  b] # two\n"), "tags: [a, # one\n  b, new] # two\n");
        assert_eq!(add("tags: [ ]\nx: 1\n"), "tags: [new]\nx: 1\n");
        assert_eq!(add("tags:\nx: 1\n"), "tags: [new]\nx: 1\n");
        assert_eq!(add("tags: null\n"), "tags: [new]\n");
        assert_eq!(
            add("tags:\n- a # x\n- 'b' # y\n\n# z\nx: 1\n"),
            "tags:\n- a # x\n- 'b' # y\n- 'new'\n\n# z\nx: 1\n"
        );
        assert_eq!(add("tags:\n  -   a\nx: 1\n"), "tags:\n  -   a\n  -   new\nx: 1\n");
        assert_eq!(add("x: \"1\"\n"), "x: \"1\"\ntags: [\"new\"]\n");
    }

    #[test]
    fn carriage_returns_stay() {
        let before = "---\r\ntags:\r\n- a\r\n---\r\nb\r\n";
        let after = edited(before, |d| d.add_to_list("tags", "new"));
        assert_eq!(after, "---\r\ntags:\r\n- a\r\n- new\r\n---\r\nb\r\n");
        assert_eq!(edited(&after, |d| d.remove_from_list("tags", "new")), before);
        assert_eq!(
            edited(before, |d| d.set_scalar("title", "t")),
            "---\r\ntitle: t\r\ntags:\r\n- a\r\n---\r\nb\r\n"
        );
    }

    #[test]
    fn an_item_is_removed_with_its_separator_only() {
        let remove = |before: &str| fields(before, |d| d.remove_from_list("tags", "b"));
        assert_eq!(remove("tags: [a, b, c]\n"), "tags: [a, c]\n");
        assert_eq!(remove("tags: [a, \"b\"]\n"), "tags: [a]\n");
        assert_eq!(remove("tags: [b]\n"), "tags: []\n");
        assert_eq!(remove("tags: [b, a, b]\n"), "tags: [a]\n");
        assert_eq!(remove("tags: [a, # one\n  b] # two\n"), "tags: [a, # one\n  ] # two\n");
        assert_eq!(remove("tags: [a,\n  b, # one\n  c]\n"), "tags: [a,\n   # one\n  c]\n");
        assert_eq!(
            remove("tags:\n  - a\n  - b # gone\n  # stays\n  - c\n"),
            "tags:\n  - a\n  # stays\n  - c\n"
        );
        assert_eq!(remove("tags: # c\n  - b\nx: 1\n"), "tags: [] # c\nx: 1\n");
    }

    #[test]
    fn a_list_is_set_with_as_few_changes_as_possible() {
        let set = |before: &str, items: &[&str]| fields(before, |d| d.set_list("tags", items));
        assert_eq!(
            set("tags: [\"a\", b, c] # x\n", &["n", "a", "c", "m"]),
            "tags: [\"n\", \"a\", c, m] # x\n"
        );
        assert_eq!(set("tags:\n- a # x\n- b\n", &["b", "c"]), "tags:\n- b\n- c\n");
        assert_eq!(set("tags: ['a', 'b']\n", &["b", "a"]), "tags: ['b', 'a']\n");
        assert_eq!(set("tags:\n- a\n- b\n", &["b", "a"]), "tags:\n- b\n- a\n");
        assert_eq!(set("title: t\n", &[]), "title: t\ntags: []\n");
        assert_eq!(set("tags: [a]\n", &[]), "tags: []\n");
        assert_eq!(set("tags: [1.10, x]\n", &["1.10"]), "tags: [1.10]\n");
    }

    #[test]
    fn a_field_is_copied_as_the_other_writes_it() {
        let other = Document::parse("---\r\nx:\r\n  - a # c\r\ntitle: 'o'\r\n---\r\n");
        assert_eq!(fields("x: 1\ny: 2\n", |d| d.copy_field("x", &other)), "x:\n  - a # c\ny: 2\n");
        assert_eq!(fields("summary: s\n", |d| d.copy_field("title", &other)), "title: 'o'\nsummary: s\n");
        assert_eq!(fields("x: 1\ny: 2\n", |d| d.copy_field("y", &other)), "x: 1\n");
        assert_eq!(fields("x: 1 # c\ny: 2\n", |d| d.remove_field("x")), "y: 2\n");
    }

    #[test]
    fn what_cannot_be_done_leaves_the_document_as_it_was() {
        let refused = |text: &str| {
            let mut document = Document::parse(text);
            let error = document.add_to_list("tags", "x").unwrap_err();
            assert_eq!(document.as_bytes(), text.as_bytes());
            error.to_string()
        };
        assert_eq!(
            refused("---\ntags: a\n---\n"),
            "cannot change the items of `tags`: it is not a list of texts"
        );
        assert_eq!(
            refused("---\na: 1\na: 2\n---\n"),
            "cannot change `tags`: the frontmatter has a duplicate key"
        );
        assert_eq!(
            refused("---\na: &x 1\n---\n"),
            "cannot change `tags`: the frontmatter uses anchors, aliases, tags, explicit keys or braces"
        );
        assert_eq!(refused("---\na: 1\n"), "cannot change `tags`: the frontmatter is never closed");
        let mut document = Document::parse("a");
        assert_eq!(document.set_scalar("a b", "c"), Err(Error::Key { key: "a b".into() }));
        assert_eq!(document.remove_field("a"), Ok(Effect::Unchanged));
    }

    #[test]
    fn a_body_is_replaced_under_its_frontmatter() {
        let with_body = |text: &str, body: &str| {
            let mut document = Document::parse(text);
            document.replace_body(body).map(|_| document.text().to_owned())
        };
        assert_eq!(with_body("---\na: 1 # c\n---\nold", "new\n").as_deref(), Ok("---\na: 1 # c\n---\nnew\n"));
        assert_eq!(with_body("---\r\na: 1\r\n---", "b").as_deref(), Ok("---\r\na: 1\r\n---\r\nb"));
        assert_eq!(with_body("\u{feff}old", "").as_deref(), Ok("\u{feff}"));
        assert_eq!(with_body("old", "---\na: 1\n---\n"), Err(Error::Body));
        assert_eq!(with_body("---\na: 1\n\nold", "b: 2\n"), Err(Error::Body));
    }

    #[test]
    fn what_already_holds_changes_nothing() {
        let mut document = Document::parse("---\ntags: [ 'a' ]\npinned: true\ntitle: \"t\"\n---\n");
        assert_eq!(document.add_to_list("tags", "a"), Ok(Effect::Unchanged));
        assert_eq!(document.remove_from_list("tags", "z"), Ok(Effect::Unchanged));
        assert_eq!(document.set_scalar("pinned", true), Ok(Effect::Unchanged));
        assert_eq!(document.set_scalar("title", "t"), Ok(Effect::Unchanged));
        assert_eq!(document.set_list("tags", &["a"]), Ok(Effect::Unchanged));
        assert_eq!(document.set_scalar("confidence", 0.7), Ok(Effect::Changed));
        assert_eq!(document.meta().confidence, Some(0.7));
    }
}
