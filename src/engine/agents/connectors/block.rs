//! A text of brv's in somebody's file, between two markers.
//!
//! Only what is between the markers changes. Markers in code are text about them. A block that brv appends stands at the end of the file, after an empty line;
//! whether the file ended with a line end, and whether it was there at all, is seen by what is around the block.

use brv_text::doc::Document;
use bstr::ByteSlice as _;
use std::ops::Range;

/// The lines before and after a block.
#[derive(Debug, Clone, Copy)]
pub struct Markers {
    pub start: &'static str,
    pub end: &'static str,
}

impl Markers {
    pub const fn new(start: &'static str, end: &'static str) -> Self {
        Self { start, end }
    }

    /// The bytes from the first marker to the end of the second one.
    ///
    /// # Errors
    /// Why the markers do not belong together.
    pub fn find(self, bytes: &[u8]) -> Result<Option<Range<usize>>, &'static str> {
        let is_there = |marker: &str| bytes.contains_str(marker);
        let code = if is_there(self.start) || is_there(self.end) { code(bytes) } else { Vec::new() };
        let is_text = |at: &usize| !code.iter().any(|code| code.contains(at));
        let find = |marker: &str| bytes.find_iter(marker).filter(is_text).collect::<Vec<usize>>();
        match (&find(self.start)[..], &find(self.end)[..]) {
            ([], []) => Ok(None),
            ([start], [end]) if start < end => Ok(Some(*start..end + self.end.len())),
            ([_], [_]) => Err("has the marker of the end before that of the start"),
            ([], _) => Err("has a marker of the end without one of the start"),
            (_, []) => Err("has a marker of the start without one of the end"),
            _ => Err("has more than one pair of markers"),
        }
    }

    /// The text between the markers.
    pub fn wrapped(self, text: &str) -> String {
        // a text cannot end the block that it is in
        let text = text.replace("<!--", "&lt;!--");
        format!("{}\n{}\n{}", self.start, text.trim_end(), self.end)
    }

    /// The file with this text between the markers.
    pub fn written(self, before: Option<&[u8]>, block: Option<Range<usize>>, text: &str) -> Vec<u8> {
        let bytes = before.unwrap_or_default();
        let end = self.line_end(bytes, block.as_ref());
        let own = self.wrapped(text).replace('\n', end);
        let Some(block) = block else {
            let appended = match before {
                None => format!("{own}{end}"),
                Some(bytes) if bytes.is_empty() || bytes.ends_with(b"\n") => format!("{end}{own}{end}"),
                // without a line end after it, it takes none away
                Some(_) => format!("{end}{own}"),
            };
            return [bytes, appended.as_bytes()].concat();
        };
        [&bytes[..block.start], own.as_bytes(), &bytes[block.end..]].concat()
    }

    /// The file without the block; `None` if nothing else was in it, not even an empty line.
    pub fn without(self, bytes: &[u8], block: Range<usize>) -> Option<Vec<u8>> {
        let end = self.line_end(bytes, Some(&block)).as_bytes();
        let (before, after) = (&bytes[..block.start], &bytes[block.end..]);
        let below = after.strip_prefix(end).unwrap_or(after);
        if before.is_empty() && below.is_empty() {
            return None;
        }
        // at the end of the file, what parts it from the text above came with it
        let above = if below.is_empty() { before.strip_suffix(end).unwrap_or(before) } else { before };
        Some([above, below].concat())
    }

    /// The line end behind the marker of the start, else that of the first line; that of git if there is none. The text
    /// before does not show what brv appended: that may end in a lone `\r`, which looks like the half of a line
    /// end then.
    fn line_end(self, bytes: &[u8], block: Option<&Range<usize>>) -> &'static str {
        let inside = block.map(|block| &bytes[block.start + self.start.len()..block.end]);
        match (inside, bytes.find_byte(b'\n')) {
            (Some(inside), _) if inside.starts_with(b"\n") => "\n",
            (Some(inside), _) if inside.starts_with(b"\r\n") => "\r\n",
            (_, Some(at)) if at > 0 && bytes[at - 1] == b'\r' => "\r\n",
            _ => "\n",
        }
    }
}

/// Where a file has code: spans, indented blocks and closed fences.
pub(super) fn code(bytes: &[u8]) -> Vec<Range<usize>> {
    let document = Document::parse(bytes);
    let from = document.body_start();
    document.code().into_iter().map(|range| range.start + from..range.end + from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const M: Markers = Markers::new("<!-- brv:brain -->", "<!-- /brv:brain -->");
    const START: &str = M.start;
    const END: &str = M.end;

    fn block(bytes: &[u8]) -> Result<Option<Range<usize>>, &'static str> {
        M.find(bytes)
    }

    fn round(before: Option<&[u8]>) -> Vec<u8> {
        let found = before.and_then(|bytes| block(bytes).unwrap());
        let after = M.written(before, found, "# B\n\none\n");
        let found = block(&after).unwrap().unwrap();
        assert_eq!(M.written(Some(&after), Some(found.clone()), "# B\n\none\n"), after, "again");
        let other = M.written(Some(&after), Some(found), "two\n");
        assert_eq!(M.without(&other, block(&other).unwrap().unwrap()).as_deref(), before);
        after
    }

    #[test]
    fn the_bytes_around_the_block_are_those_of_before() {
        for before in ["", "text", "text\n", "text\n\n", "a\r\nb\r\n", "a\r\nb", "\n", "é\u{0}\n"] {
            round(Some(before.as_bytes()));
        }
        round(Some(b"\xff\xfe\n"));
        round(None);
        assert_eq!(round(None), format!("{START}\n# B\n\none\n{END}\n").into_bytes());
        let dos = round(Some(b"a\r\n"));
        assert!(dos.ends_with(format!("\r\n{START}\r\n# B\r\n\r\none\r\n{END}\r\n").as_bytes()));
    }

    #[test]
    fn every_small_file_comes_back() {
        let mut files = vec![Vec::new()];
        for at in 0.. {
            let Some(file) = files.get(at).cloned() else { break };
            round(Some(&file));
            if file.len() < 6 {
                files.extend(b"a\r\n".iter().map(|byte| [&file[..], &[*byte]].concat()));
            }
        }
        assert_eq!(files.len(), 1_093);
    }

    #[test]
    fn a_block_that_somebody_placed_is_filled_and_goes_with_its_line() {
        let before = format!("a\n\n{START}\n{END}\nb\n");
        let after = M.written(Some(before.as_bytes()), block(before.as_bytes()).unwrap(), "x\n");
        assert_eq!(after, format!("a\n\n{START}\nx\n{END}\nb\n").into_bytes());
        assert_eq!(M.without(&after, block(&after).unwrap().unwrap()).unwrap(), b"a\n\nb\n");
    }

    #[test]
    fn markers_that_do_not_belong_together_are_refused() {
        for text in [
            START.to_owned(),
            END.to_owned(),
            format!("{END}\n{START}"),
            format!("{START}{END}{START}{END}"),
            format!("{START}{START}{END}"),
        ] {
            assert!(block(text.as_bytes()).is_err(), "{text}");
        }
    }

    #[test]
    fn markers_in_code_are_text() {
        let shown = [
            format!("```markdown\n{START}\nhere\n{END}\n```\n"),
            format!("> ~~~\n> {START}\n> ~~~\n\n- a\n\n  ```\n  {END}\n  ```\n"),
            format!("---\ntitle: é\n---\n\nbrv writes `{START}` and `{END}`.\n"),
            format!("As code:\n\n    {START}\n    {END}\n"),
            format!("\u{0}é `{START}`\n```\n{END}\n```\nno line end"),
        ];
        for text in &shown {
            assert_eq!(block(text.as_bytes()), Ok(None), "{text}");
            round(Some(text.as_bytes()));
            let latin = [b"caf\xe9\n\n", text.as_bytes()].concat();
            round(Some(&latin));
            let after = round(Some(text.as_bytes()));
            let below = [&after, b"\n\n".as_slice(), text.as_bytes()].concat();
            assert_eq!(block(&below).unwrap(), block(&after).unwrap(), "{text}");
        }
        // a fence that is never closed swallows nothing
        for text in ["```\n", "a\n~~~sh\nb"] {
            round(Some(text.as_bytes()));
        }
    }

    #[test]
    fn a_text_cannot_end_the_block() {
        let after = M.written(None, None, &format!("a {END} b"));
        assert!(block(&after).unwrap().is_some());
    }
}
