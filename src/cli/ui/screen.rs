//! Prints data to standard output, or to a pager.
//!
//! Escapes everything that comes from a repository, a remote or a file (see [`escape`]). Knows no command.

use super::style::Style;
use brv_base::escape::{escape, escape_line};
use std::borrow::Cow;
use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;

/// The data stream. After a write error the rest is dropped; [`Screen::finish`] returns the error, unless the reader
/// has closed the stream.
pub struct Screen {
    sink: Box<dyn Write>,
    colour: Colour,
    kind: ScreenKind,
    failure: Option<io::Error>,
    /// The text at the start of every line.
    margin: Option<Margin>,
    is_line_empty: bool,
}

/// The starts of lines: of the first, of the second, and of those after these.
#[derive(Debug)]
pub struct Margin {
    first: Option<String>,
    second: Option<String>,
    rest: String,
}

impl Margin {
    /// A margin of `first`, of `second` if there is one, then of `rest` for every other line.
    pub const fn new(first: String, second: Option<String>, rest: String) -> Self {
        Self { first: Some(first), second, rest }
    }

    fn next(&mut self) -> Cow<'_, str> {
        self.first.take().or_else(|| self.second.take()).map_or(Cow::Borrowed(&self.rest), Cow::Owned)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    On,
    Off,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScreenKind {
    /// A person, at a terminal or a pager.
    Terminal,
    Pipe,
}

#[derive(Debug, Clone, Default)]
pub struct Memory(Rc<RefCell<Vec<u8>>>);

impl Memory {
    /// A screen that writes to this memory, as it would to a file.
    pub fn screen(&self) -> Screen {
        Screen::new(Box::new(self.clone()), ScreenKind::Pipe, Colour::Off)
    }

    pub fn take(&self) -> Vec<u8> {
        self.0.take()
    }
}

impl Write for Memory {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Screen {
    /// A screen that writes to `sink`.
    pub fn new(sink: Box<dyn Write>, kind: ScreenKind, colour: Colour) -> Self {
        Self { sink, colour, kind, failure: None, margin: None, is_line_empty: true }
    }

    /// Begin every line from here on with `margin`; `None` ends that.
    pub fn set_margin(&mut self, margin: Option<Margin>) -> &mut Self {
        self.margin = margin;
        self
    }

    /// End the line if the margin still has a start for a second one.
    pub fn finish_margin(&mut self) -> &mut Self {
        if self.margin.as_ref().is_some_and(|margin| margin.second.is_some()) { self.end() } else { self }
    }

    /// Turn colours off from here on.
    pub const fn without_colours(&mut self) -> &mut Self {
        self.colour = Colour::Off;
        self
    }

    pub const fn colour(&self) -> Colour {
        self.colour
    }

    /// Whether a person reads it.
    pub const fn is_terminal(&self) -> bool {
        matches!(self.kind, ScreenKind::Terminal)
    }

    /// Print text, escaped, and coloured if colours are on.
    pub fn text(&mut self, style: Style, text: impl AsRef<[u8]>) -> &mut Self {
        let text = escape(text.as_ref());
        self.paint(style, text.as_bytes())
    }

    /// Print text as [`Screen::text`] does, in the ordinary style.
    pub fn plain(&mut self, text: impl AsRef<[u8]>) -> &mut Self {
        self.text(Style::Plain, text)
    }

    /// Print untrusted text that must stay on one line: line feeds are escaped, too.
    pub fn word(&mut self, style: Style, text: impl AsRef<[u8]>) -> &mut Self {
        let text = escape_line(text.as_ref());
        self.paint(style, text.as_bytes())
    }

    /// Print bytes of a file: exact for programs, escaped for people.
    pub fn bytes(&mut self, style: Style, bytes: impl AsRef<[u8]>) -> &mut Self {
        match self.kind {
            ScreenKind::Pipe => self.paint(style, bytes.as_ref()),
            ScreenKind::Terminal => self.text(style, bytes),
        }
    }

    /// Print brv's own text that has its own colours, such as help: given without and with them.
    pub fn ours(&mut self, plain: &str, coloured: &str) -> &mut Self {
        self.write(if self.colour == Colour::On { coloured } else { plain }.as_bytes())
    }

    pub fn end(&mut self) -> &mut Self {
        self.write(b"\n")
    }

    /// Print a whole line in the ordinary style, escaped.
    pub fn line(&mut self, text: impl AsRef<[u8]>) -> &mut Self {
        self.plain(text).end()
    }

    /// Print in a style. Colours never cross a line end, so that pagers and `grep` show them correctly.
    fn paint(&mut self, style: Style, text: &[u8]) -> &mut Self {
        if self.colour == Colour::Off || style == Style::Plain {
            return self.write(text);
        }
        let mut painted = Vec::with_capacity(text.len() + 16);
        for (number, line) in text.split(|byte| *byte == b'\n').enumerate() {
            if number > 0 {
                painted.push(b'\n');
            }
            style.paint(&mut painted, line);
        }
        self.write(&painted)
    }

    fn write(&mut self, bytes: &[u8]) -> &mut Self {
        let Some(mut margin) = self.margin.take() else { return self.put(bytes) };
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            if self.is_line_empty {
                let start = margin.next();
                self.put(if line == b"\n" { start.trim_end() } else { &start }.as_bytes());
            }
            self.put(line);
        }
        self.margin = Some(margin);
        self
    }

    fn put(&mut self, bytes: &[u8]) -> &mut Self {
        if let Some(last) = bytes.last() {
            self.is_line_empty = *last == b'\n';
        }
        if self.failure.is_none()
            && let Err(error) = self.sink.write_all(bytes)
        {
            self.failure = Some(error);
        }
        self
    }

    /// Flush the stream.
    ///
    /// # Errors
    /// The first write error, unless the reader has closed the stream.
    pub fn finish(mut self) -> io::Result<()> {
        let result = match self.failure.take() {
            Some(error) => Err(error),
            None => self.sink.flush(),
        };
        match result {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            other => other,
        }
    }
}

#[cfg(test)]
pub(in crate::cli) mod tests {
    use super::*;

    /// What `draw` puts on a screen.
    pub fn drawn(kind: ScreenKind, colour: Colour, draw: impl FnOnce(&mut Screen)) -> String {
        let memory = Memory::default();
        let mut screen = Screen::new(Box::new(memory.clone()), kind, colour);
        draw(&mut screen);
        screen.finish().unwrap();
        String::from_utf8(memory.take()).unwrap()
    }

    #[test]
    fn colours_end_with_the_line() {
        let text = drawn(ScreenKind::Terminal, Colour::On, |screen| {
            screen.text(Style::Good, "a\nb\n");
        });
        assert_eq!(text, "\x1b[32ma\x1b[m\n\x1b[32mb\x1b[m\n");
    }

    #[test]
    fn file_bytes_are_exact_for_programs_and_escaped_for_people() {
        let draw = |screen: &mut Screen| {
            screen.bytes(Style::Plain, b"a\x1b[2J\r\n");
        };
        assert_eq!(drawn(ScreenKind::Pipe, Colour::Off, draw), "a\x1b[2J\r\n");
        assert_eq!(drawn(ScreenKind::Terminal, Colour::Off, draw), "a\\x1b[2J\\r\n");
    }

    #[test]
    fn a_word_stays_on_its_line() {
        let text = drawn(ScreenKind::Pipe, Colour::Off, |screen| {
            screen.word(Style::Name, "a\nb").end();
        });
        assert_eq!(text, "a\\nb\n");
    }

    struct ClosedWriter;

    impl Write for ClosedWriter {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Err(io::ErrorKind::BrokenPipe.into())
        }
    }

    #[test]
    fn a_reader_that_went_away_is_no_error() {
        let mut screen = Screen::new(Box::new(ClosedWriter), ScreenKind::Pipe, Colour::Off);
        screen.line("a").line("b");
        screen.finish().unwrap();
    }
}
