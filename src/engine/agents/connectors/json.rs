//! JSON as hosts read it: which of the usual liberties they allow, where each value stands, and splices that add a member or
//! take one out.
//!
//! A member of an object goes in as the first, so that no comma of others moves. An element of an array goes in as the last,
//! since hosts name elements by their number.

use super::Unreadable;
use super::splice::Splice;
use jsonc_parser::ast;
use jsonc_parser::common::Ranged as _;
use jsonc_parser::tokens::Token;
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};
use serde_json::{Map, Value};
use std::ops::Range;

/// What a host reads beyond plain JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dialect {
    pub comments: bool,
    pub trailing_commas: bool,
    pub bom: bool,
    /// An empty file is an empty object.
    pub empty: bool,
}

impl Dialect {
    pub const PLAIN: Self = Self { comments: false, trailing_commas: false, bom: true, empty: false };
    pub const COMMENTS: Self = Self { comments: true, trailing_commas: false, bom: false, empty: false };
    pub const LOOSE: Self = Self { comments: true, trailing_commas: true, bom: true, empty: false };
    pub const LOOSE_OR_EMPTY: Self = Self { empty: true, ..Self::LOOSE };
}

/// A text with the places of its values.
#[derive(Debug)]
pub struct JsonText<'a> {
    text: &'a str,
    /// `None` for an empty text.
    pub root: Option<JsonNode>,
    commas: Vec<usize>,
    comments: Vec<Range<usize>>,
}

/// A value and where it stands.
#[derive(Debug)]
pub struct JsonNode {
    pub at: Range<usize>,
    pub content: JsonContent,
}

#[derive(Debug)]
pub enum JsonContent {
    Object(Vec<Member>),
    Array(Vec<JsonNode>),
    Scalar(Value),
}

#[derive(Debug)]
pub struct Member {
    pub key: String,
    /// From its key to the end of its value.
    pub at: Range<usize>,
    pub value: JsonNode,
}

const BOM: &str = "\u{feff}";

/// Parse what a host with this dialect could read.
pub fn parse(bytes: &[u8], dialect: Dialect) -> Result<JsonText<'_>, Unreadable> {
    let text = std::str::from_utf8(bytes).map_err(|_| Unreadable("is not UTF-8".into()))?;
    let bom = if text.starts_with(BOM) { BOM.len() } else { 0 };
    if bom > 0 && !dialect.bom {
        return Err(Unreadable("begins with a byte order mark, which this host cannot read".into()));
    }
    // blanks instead of the mark keep all positions
    let blank = " ".repeat(bom) + &text[bom..];
    let collect = CollectOptions { comments: CommentCollectionStrategy::AsTokens, tokens: true };
    let parsed = parse_to_ast(&blank, &collect, &options(dialect))
        .map_err(|error| Unreadable(format!("is not JSON that this host could read: {error}")))?;
    let root = parsed.value.as_ref().map(node);
    let (mut commas, mut comments) = (Vec::new(), Vec::new());
    for token in parsed.tokens.unwrap_or_default() {
        match token.token {
            Token::Comma => commas.push(token.range.start),
            Token::CommentLine(_) | Token::CommentBlock(_) => {
                comments.push(token.range.start..token.range.end);
            }
            _ => {}
        }
    }
    match &root {
        None if !dialect.empty || !comments.is_empty() => return Err(Unreadable("is empty".into())),
        // control characters in strings, odd escapes: what the scanner lets pass
        Some(_) if !dialect.comments => {
            serde_json::from_str::<serde::de::IgnoredAny>(&text[bom..])
                .map_err(|error| Unreadable(format!("is not JSON: {error}")))?;
        }
        _ => {}
    }
    Ok(JsonText { text, root, commas, comments })
}

const fn options(dialect: Dialect) -> ParseOptions {
    ParseOptions {
        allow_comments: dialect.comments,
        allow_loose_object_property_names: false,
        allow_trailing_commas: dialect.trailing_commas,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

fn node(value: &ast::Value<'_>) -> JsonNode {
    let range = value.range();
    let content = match value {
        ast::Value::Object(object) => JsonContent::Object(
            object
                .properties
                .iter()
                .map(|one| Member {
                    key: one.name.clone().into_string(),
                    at: one.range.start..one.range.end,
                    value: node(&one.value),
                })
                .collect(),
        ),
        ast::Value::Array(array) => JsonContent::Array(array.elements.iter().map(node).collect()),
        ast::Value::StringLit(text) => JsonContent::Scalar(Value::String(text.value.to_string())),
        ast::Value::BooleanLit(word) => JsonContent::Scalar(Value::Bool(word.value)),
        ast::Value::NullKeyword(_) => JsonContent::Scalar(Value::Null),
        ast::Value::NumberLit(number) => {
            JsonContent::Scalar(serde_json::from_str(number.value).unwrap_or(Value::Null))
        }
    };
    JsonNode { at: range.start..range.end, content }
}

impl JsonNode {
    /// The value of a key. One that is there twice has none that is safe to change.
    pub fn get(&self, key: &str) -> Result<Option<&Member>, Unreadable> {
        let JsonContent::Object(members) = &self.content else { return Ok(None) };
        let mut found = members.iter().filter(|member| member.key == key);
        match (found.next(), found.next()) {
            (_, Some(_)) => Err(Unreadable(format!("has the key `{key}` twice"))),
            (found, None) => Ok(found),
        }
    }

    pub const fn is_object(&self) -> bool {
        matches!(self.content, JsonContent::Object(_))
    }

    pub const fn elements(&self) -> Option<&Vec<Self>> {
        match &self.content {
            JsonContent::Array(elements) => Some(elements),
            _ => None,
        }
    }

    /// The value itself.
    pub fn value(&self) -> Value {
        match &self.content {
            JsonContent::Object(members) => {
                let member = |member: &Member| (member.key.clone(), member.value.value());
                Value::Object(members.iter().map(member).collect::<Map<_, _>>())
            }
            JsonContent::Array(elements) => Value::Array(elements.iter().map(Self::value).collect()),
            JsonContent::Scalar(value) => value.clone(),
        }
    }

    pub fn number_of_children(&self) -> usize {
        match &self.content {
            JsonContent::Object(members) => members.len(),
            JsonContent::Array(elements) => elements.len(),
            JsonContent::Scalar(_) => 0,
        }
    }

    /// Where its members or elements stand.
    fn children(&self) -> Vec<Range<usize>> {
        match &self.content {
            JsonContent::Object(members) => members.iter().map(|member| member.at.clone()).collect(),
            JsonContent::Array(elements) => elements.iter().map(|element| element.at.clone()).collect(),
            JsonContent::Scalar(_) => Vec::new(),
        }
    }
}

/// What is added: an element, or a member with its key.
pub struct Addition<'a> {
    pub key: Option<&'a str>,
    pub value: &'a Value,
}

impl JsonText<'_> {
    /// The object that an empty text gets.
    pub fn whole(&self, key: &str, value: &Value) -> Splice {
        let style = self.style();
        let object = Value::Object([(key.to_owned(), value.clone())].into_iter().collect());
        Splice::insert(self.text.len(), style.draw(&object, "", false) + style.newline)
    }

    /// Add to an object or array of this text.
    pub fn add(&self, to: &JsonNode, addition: &Addition<'_>) -> Splice {
        let style = self.style();
        let children = to.children();
        let outer = self.indent_of(to.at.start);
        let (open, last) = (to.at.start + 1, children.last().cloned());
        let indent = match children.iter().find(|child| self.begins_line(child.start)) {
            Some(child) => self.indent_of(child.start).to_owned(),
            None => format!("{outer}{}", style.unit),
        };
        let draw = |is_inline| {
            let value = style.draw(addition.value, &indent, is_inline);
            match addition.key {
                Some(key) => format!("{}: {value}", Value::from(key)),
                None => value,
            }
        };
        let newline = style.newline;
        let Some(last) = last else {
            let (at, next) = self.line_rest(open);
            return match self.text.as_bytes().get(next) {
                Some(b'\r' | b'\n') => Splice::insert(at, format!("{newline}{indent}{}", draw(false))),
                _ if self.is_one_line() => Splice::insert(open, draw(true)),
                _ => Splice::insert(at, format!("{newline}{indent}{}{newline}{outer}", draw(false))),
            };
        };
        if addition.key.is_none() {
            let is_inline = !self.begins_line(last.start);
            let gap = if is_inline { " ".to_owned() } else { format!("{newline}{indent}") };
            let item = draw(is_inline);
            return match self.comma_after(last.end) {
                Some(comma) => Splice::insert(comma + 1, format!("{gap}{item},")),
                None => Splice::insert(last.end, format!(",{gap}{item}")),
            };
        }
        let (at, next) = self.line_rest(open);
        if matches!(self.text.as_bytes().get(next), Some(b'\r' | b'\n')) {
            return Splice::insert(at, format!("{newline}{indent}{},", draw(false)));
        }
        let first = children[0].start;
        let gap = &self.text[self.blanks_before(first)..first];
        Splice::insert(first, format!("{},{gap}", draw(true)))
    }

    /// Replace a value.
    pub fn replace(&self, old: &JsonNode, value: &Value) -> Splice {
        let is_inline = self.is_one_line() || !self.text[old.at.clone()].contains('\n');
        let text = self.style().draw(value, self.indent_of(old.at.start), is_inline);
        Splice { at: old.at.clone(), text }
    }

    /// Take a child of an object or array out, with the comma and the line that are its own.
    pub fn remove(&self, from: &JsonNode, child: &Range<usize>) -> Vec<Splice> {
        let children = from.children();
        let bytes = self.text.as_bytes();
        let space = self.space_before(child.start);
        // of the space before it, the last line end and what follows are its own
        let own = match self.text[space..child.start].rfind('\n') {
            Some(at) if at > 0 && bytes[space + at - 1] == b'\r' => space + at - 1,
            Some(at) => space + at,
            None => child.start,
        };
        let comma = self.comma_after(child.end);
        if children.len() == 1 {
            let inside = from.at.start + 1..from.at.end - 1;
            let end = comma.map_or(child.end, |comma| comma + 1);
            let is_blank = |range: Range<usize>| self.text[range].trim().is_empty();
            if is_blank(inside.start..child.start)
                && is_blank(child.end..comma.unwrap_or(child.end))
                && is_blank(end..inside.end)
            {
                return vec![Splice::cut(inside)];
            }
        }
        if let Some(comma) = comma {
            let mut cuts = vec![Splice::cut(own..child.end)];
            let end = if own < child.start { comma + 1 } else { self.line_rest_blanks(comma + 1) };
            cuts.push(Splice::cut(comma..end));
            return cuts;
        }
        let before = children.iter().filter(|other| other.end <= child.start).map(|other| other.end).max();
        match before.and_then(|end| self.comma_after(end)) {
            Some(comma) if self.text[comma + 1..child.start].trim().is_empty() => {
                vec![Splice::cut(comma..child.end)]
            }
            Some(comma) => vec![Splice::cut(comma..comma + 1), Splice::cut(own..child.end)],
            None => vec![Splice::cut(own..child.end)],
        }
    }

    pub const fn has_comments(&self) -> bool {
        !self.comments.is_empty()
    }

    /// Whether there is a line end inside the outermost braces.
    fn is_one_line(&self) -> bool {
        let inside = self.root.as_ref().map_or("", |root| &self.text[root.at.clone()]);
        !inside.contains('\n') && inside.len() > 2
    }

    fn style(&self) -> JsonStyle {
        let newline = match self.text.find('\n') {
            Some(at) if at > 0 && self.text.as_bytes()[at - 1] == b'\r' => "\r\n",
            _ => "\n",
        };
        let children = self.root.as_ref().map(JsonNode::children).unwrap_or_default();
        let first = children.iter().find(|child| self.begins_line(child.start));
        let unit = first.map_or("", |child| self.indent_of(child.start));
        JsonStyle { newline, unit: if unit.is_empty() { "  ".to_owned() } else { unit.to_owned() } }
    }

    /// The blanks that the line of this position begins with.
    fn indent_of(&self, at: usize) -> &str {
        let line = self.text[..at].rfind('\n').map_or(0, |at| at + 1);
        let rest = &self.text[line..at];
        &rest[..rest.len() - rest.trim_start_matches([' ', '\t']).len()]
    }

    /// Whether there are only blanks before this position on its line, which is not the first.
    fn begins_line(&self, at: usize) -> bool {
        let before = self.blanks_before(at);
        before > 0 && self.text.as_bytes()[before - 1] == b'\n'
    }

    fn blanks_before(&self, at: usize) -> usize {
        self.text[..at].trim_end_matches([' ', '\t']).len()
    }

    fn space_before(&self, at: usize) -> usize {
        self.text[..at].trim_end_matches([' ', '\t', '\r', '\n']).len()
    }

    fn line_rest_blanks(&self, at: usize) -> usize {
        let rest = &self.text[at..];
        at + rest.len() - rest.trim_start_matches([' ', '\t']).len()
    }

    /// The end of the comments on the line after this position, and where the next other character stands.
    fn line_rest(&self, at: usize) -> (usize, usize) {
        let mut end = at;
        loop {
            let next = self.line_rest_blanks(end);
            match self.comments.iter().find(|comment| comment.start == next) {
                Some(comment) => end = comment.end,
                None => return (end, next),
            }
        }
    }

    /// The comma after a child, if one follows.
    fn comma_after(&self, end: usize) -> Option<usize> {
        let mut at = end;
        loop {
            let rest = &self.text[at..];
            let next = at + rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
            if self.commas.binary_search(&next).is_ok() {
                return Some(next);
            }
            at = self.comments.iter().find(|comment| comment.start == next)?.end;
        }
    }
}

/// How a text is laid out.
struct JsonStyle {
    newline: &'static str,
    /// One step of indentation.
    unit: String,
}

impl JsonStyle {
    fn draw(&self, value: &Value, indent: &str, is_inline: bool) -> String {
        let inner = format!("{indent}{}", self.unit);
        let parts = |open: &str, parts: Vec<String>, close: &str| {
            if is_inline {
                return format!("{open}{}{close}", parts.join(", "));
            }
            let gap = format!("{}{inner}", self.newline);
            let parts = parts.join(&format!(",{gap}"));
            format!("{open}{gap}{parts}{}{indent}{close}", self.newline)
        };
        match value {
            Value::Object(members) if !members.is_empty() => {
                let member = |(key, value): (&String, &Value)| {
                    format!("{}: {}", Value::from(key.as_str()), self.draw(value, &inner, is_inline))
                };
                parts("{", members.iter().map(member).collect(), "}")
            }
            Value::Array(elements) if elements.iter().any(|one| one.is_object() || one.is_array()) => {
                parts("[", elements.iter().map(|one| self.draw(one, &inner, is_inline)).collect(), "]")
            }
            Value::Array(elements) => {
                let all: Vec<String> = elements.iter().map(Value::to_string).collect();
                format!("[{}]", all.join(", "))
            }
            value => value.to_string(),
        }
    }
}
