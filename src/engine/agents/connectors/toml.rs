//! The TOML of codex: a table for each server, appended at the end of the file.

use super::Unreadable;
use super::splice::Splice;
use super::wanted::{NAME, Piece};
use serde_json::{Map, Value};
use std::ops::Range;
use toml_edit::{Document, Item, Table, TableLike, Value as Scalar};

const BOM: &str = "\u{feff}";

/// A text with the places of its values.
#[derive(Debug)]
pub struct Toml<'a> {
    text: &'a str,
    document: Document<String>,
}

/// Parse a text; a key that is there twice is an error.
pub fn parse(bytes: &[u8]) -> Result<Toml<'_>, Unreadable> {
    let text = std::str::from_utf8(bytes).map_err(|_| Unreadable("is not UTF-8".into()))?;
    // blanks instead of the mark keep all positions
    let bom = if text.starts_with(BOM) { BOM.len() } else { 0 };
    let blank = " ".repeat(bom) + &text[bom..];
    let document = Document::parse(blank)
        .map_err(|error| Unreadable(format!("is not TOML: {}", error.message().trim())))?;
    Ok(Toml { text, document })
}

/// All of a text as one value.
pub fn value_of(bytes: &[u8]) -> Option<Value> {
    Some(value(parse(bytes).ok()?.document.as_item()))
}

impl Toml<'_> {
    /// The table of brv, if there is one.
    pub fn find(&self, piece: &Piece) -> Result<Option<Value>, Unreadable> {
        Ok(self.servers(piece)?.and_then(|servers| servers.get(NAME)).map(value))
    }

    fn servers(&self, piece: &Piece) -> Result<Option<&dyn TableLike>, Unreadable> {
        let key = piece.path[0];
        match self.document.get(key) {
            None => Ok(None),
            Some(servers) => match servers.as_table_like() {
                Some(table) => Ok(Some(table)),
                None => Err(Unreadable(format!("has something else than a table as `{key}`"))),
            },
        }
    }

    /// Append the table.
    pub fn add(&self, piece: &Piece) -> Result<Splice, Unreadable> {
        let key = piece.path[0];
        if self.document.get(key).is_some_and(Item::is_inline_table) {
            return Err(Unreadable(format!("has `{key}` on one line, to which no table can be added")));
        }
        let newline = self.newline();
        let lines = lines(piece);
        let block = lines.join(newline);
        let rest = self.text.trim_start_matches('\u{feff}');
        let text = match () {
            () if rest.is_empty() => format!("{block}{newline}"),
            () if rest.ends_with('\n') => format!("{newline}{block}{newline}"),
            // a file without a line end keeps to it
            () => format!("{newline}{newline}{block}"),
        };
        Ok(Splice::insert(self.text.len(), text))
    }

    /// Replace or add the value of a key of brv's table.
    pub fn set(&self, piece: &Piece, key: &str, wanted: &Value) -> Result<Splice, Unreadable> {
        let table = self.servers(piece)?.and_then(|servers| servers.get(NAME));
        let place = table.and_then(|table| table.as_table_like()?.get(key)?.span());
        if let Some(at) = place {
            return Ok(Splice { at, text: draw(wanted) });
        }
        match table.and_then(Item::as_table).filter(|table| !table.is_dotted()).and_then(Table::span) {
            Some(header) => {
                let text = format!("{}{key} = {}", self.newline(), draw(wanted));
                Ok(Splice::insert(self.line_end(header.end), text))
            }
            None => Err(Unreadable(format!("has `{NAME}` on one line, without `{key}`"))),
        }
    }

    /// Take brv's table out, with all in it.
    pub fn remove(&self, piece: &Piece) -> Result<Vec<Splice>, Unreadable> {
        let servers = self.document.get(piece.path[0]);
        if servers.is_some_and(Item::is_inline_table) {
            return Err(Unreadable(format!("has `{}` on one line; remove `{NAME}` by hand", piece.path[0])));
        }
        let mut cuts: Vec<Range<usize>> = Vec::new();
        for line in self.lines_of_entry(piece) {
            match cuts.last_mut() {
                Some(last) if last.end >= line.start => last.end = line.end.max(last.end),
                _ => cuts.push(line),
            }
        }
        Ok(cuts.into_iter().map(|cut| Splice::cut(self.with_gap(cut))).collect())
    }

    /// From the first to the last line of brv's table.
    pub fn extent(&self, piece: &Piece) -> Option<Range<usize>> {
        let lines = self.lines_of_entry(piece);
        let end = lines.iter().map(|line| line.end).max()?;
        Some(lines.first()?.start..end)
    }

    /// The lines of brv's table and of all in it, in order.
    fn lines_of_entry(&self, piece: &Piece) -> Vec<Range<usize>> {
        let mut lines = Vec::new();
        let servers = self.document.get(piece.path[0]).and_then(Item::as_table_like);
        if let Some((key, item)) = servers.and_then(|servers| servers.get_key_value(NAME)) {
            self.lines_of(key.span(), item, &mut lines);
        }
        brv_base::sorting::sort_by_key(&mut lines, |line| line.start);
        lines.dedup();
        lines
    }

    /// The lines of a value and of all in it.
    fn lines_of(&self, key: Option<Range<usize>>, item: &Item, lines: &mut Vec<Range<usize>>) {
        let mut add = |from: usize, to: usize| {
            let start = self.text[..from].rfind('\n').map_or(0, |at| at + 1);
            lines.push(start..self.next_line(to));
        };
        let tables: Vec<&Table> = match item {
            Item::Value(scalar) => {
                if let (Some(key), Some(at)) = (key, scalar.span()) {
                    add(key.start, at.end);
                }
                return;
            }
            Item::Table(table) => vec![table],
            Item::ArrayOfTables(tables) => tables.iter().collect(),
            Item::None => return,
        };
        for table in tables {
            if let Some(header) = table.span().filter(|_| !table.is_dotted() && !table.is_implicit()) {
                add(header.start, header.end);
            }
        }
        let tables: Vec<&Table> = match item {
            Item::Table(table) => vec![table],
            Item::ArrayOfTables(tables) => tables.iter().collect(),
            _ => Vec::new(),
        };
        for table in tables {
            for (name, inner) in table.iter() {
                let key = table.key(name).and_then(toml_edit::Key::span);
                self.lines_of(key, inner, lines);
            }
        }
    }

    /// A cut with the empty line that parted it from the text above.
    fn with_gap(&self, cut: Range<usize>) -> Range<usize> {
        let newline = self.newline();
        let before = &self.text[..cut.start];
        let strip = |text: &str| text.strip_suffix(newline).map(str::len);
        let Some(above) = strip(before) else { return cut };
        let is_empty_line = above == 0 || before[..above].ends_with('\n');
        let ends_open = cut.end == self.text.len() && !self.text.ends_with('\n');
        match strip(&before[..above]) {
            Some(start) if is_empty_line && ends_open => start..cut.end,
            _ if is_empty_line => above..cut.end,
            _ => cut,
        }
    }

    fn newline(&self) -> &'static str {
        match self.text.find('\n') {
            Some(at) if at > 0 && self.text.as_bytes()[at - 1] == b'\r' => "\r\n",
            _ => "\n",
        }
    }

    /// Where the line of this position ends, before its line end.
    fn line_end(&self, at: usize) -> usize {
        let end = self.text[at..].find('\n').map_or(self.text.len(), |end| at + end);
        if self.text[..end].ends_with('\r') { end - 1 } else { end }
    }

    fn next_line(&self, at: usize) -> usize {
        self.text[at..].find('\n').map_or(self.text.len(), |end| at + end + 1)
    }
}

/// The lines of brv's table.
pub fn lines(piece: &Piece) -> Vec<String> {
    let header = format!("[{}.{NAME}]", piece.path.join("."));
    let members = piece.item.value().as_object().into_iter().flatten();
    let member = |(key, value): (&String, &Value)| format!("{key} = {}", draw(value));
    std::iter::once(header).chain(members.map(member)).collect()
}

fn draw(value: &Value) -> String {
    match value {
        Value::Array(all) => format!("[{}]", all.iter().map(draw).collect::<Vec<_>>().join(", ")),
        // a basic string of TOML has the escapes of JSON
        value => value.to_string(),
    }
}

fn value(item: &Item) -> Value {
    match item {
        Item::Value(scalar) => value_of_scalar(scalar),
        Item::Table(table) => of_table(table),
        Item::ArrayOfTables(tables) => Value::Array(tables.iter().map(|table| of_table(table)).collect()),
        Item::None => Value::Null,
    }
}

fn of_table(table: &dyn TableLike) -> Value {
    Value::Object(table.iter().map(|(key, item)| (key.to_owned(), value(item))).collect::<Map<_, _>>())
}

fn value_of_scalar(scalar: &Scalar) -> Value {
    match scalar {
        Scalar::String(text) => Value::String(text.value().clone()),
        Scalar::Integer(number) => Value::from(*number.value()),
        Scalar::Float(number) => Value::from(*number.value()),
        Scalar::Boolean(word) => Value::Bool(*word.value()),
        Scalar::Datetime(time) => Value::String(time.value().to_string()),
        Scalar::Array(all) => Value::Array(all.iter().map(value_of_scalar).collect()),
        Scalar::InlineTable(table) => of_table(table),
    }
}
