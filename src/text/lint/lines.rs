//! Lines and columns of places in a text, looked up more or less in order.

/// Where the lines of a text begin.
pub(super) struct Lines<'a> {
    text: &'a str,
    starts: Option<Vec<usize>>,
}

impl<'a> Lines<'a> {
    pub(super) const fn of(text: &'a str) -> Self {
        Self { text, starts: None }
    }

    /// The 1-based line and column, in characters, of a byte offset.
    pub(super) fn place(&mut self, offset: usize) -> (usize, usize) {
        let (line, start) = self.start(offset);
        let before = self.text[start..offset].trim_start_matches('\u{feff}');
        (line, before.chars().count() + 1)
    }

    /// The line with this offset, without its ending.
    pub(super) fn line(&mut self, offset: usize) -> &'a str {
        let (_, start) = self.start(offset);
        let rest = &self.text[start..];
        rest.lines().next().unwrap_or_default()
    }

    fn start(&mut self, offset: usize) -> (usize, usize) {
        let text = self.text;
        let starts = self.starts.get_or_insert_with(|| {
            let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
            std::iter::once(0).chain(ends).collect()
        });
        let line = starts.partition_point(|start| *start <= offset);
        (line, starts[line - 1])
    }
}
