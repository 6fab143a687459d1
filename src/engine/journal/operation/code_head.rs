//! The head of the code when knowledge was written, as trailers have it.

use brv_base::content::ContentId;
use brv_git::CommitId;
use bstr::ByteSlice as _;
use std::collections::BTreeSet;
use std::fmt;

/// How many hexadecimal digits an id has.
const DIGITS: usize = 40;

/// `<40 hex digits> [<40 hex digits>]`: the head, and where it left the default branch of the code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CodeHead {
    pub commit: CommitId,
    /// The merge base with the default branch that others see, where that is another commit: a clone that never gets the
    /// head has this one.
    pub base: Option<CommitId>,
}

impl CodeHead {
    /// The name of the trailer.
    pub const TRAILER: &str = "Brv-Code-Head";

    /// Read the value of the trailer; `None` if it has another form.
    pub fn parse(value: &str) -> Option<Self> {
        match value.split_once(' ') {
            None => Some(Self { commit: whole(value)?, base: None }),
            Some((commit, base)) => Some(Self { commit: whole(commit)?, base: Some(whole(base)?) }),
        }
    }
}

fn whole(hex: &str) -> Option<CommitId> {
    CommitId::from_hex(hex).filter(|_| hex.len() == DIGITS)
}

impl fmt::Display for CodeHead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.commit.fmt(f)?;
        self.base.map_or(Ok(()), |base| write!(f, " {base}"))
    }
}

/// A line of an entry by its text, without the blanks around it: a number of the lines or a path would be wrong as soon as
/// another commit takes the lines over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LineMark([u8; LineMark::BYTES]);

impl LineMark {
    const BYTES: usize = 6;

    /// `None` for a blank line.
    pub fn of(line: &[u8]) -> Option<Self> {
        let id = Some(line.trim()).filter(|text| !text.is_empty()).map(ContentId::of)?;
        let mut mark = Self([0; Self::BYTES]);
        mark.0.copy_from_slice(&id.as_bytes()[..Self::BYTES]);
        Some(mark)
    }

    /// Read 12 hexadecimal digits in lower case.
    fn parse(hex: &str) -> Option<Self> {
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if hex.len() != 2 * Self::BYTES || !hex.bytes().all(is_digit) {
            return None;
        }
        let mut mark = Self([0; Self::BYTES]);
        for (at, byte) in mark.0.iter_mut().enumerate() {
            *byte = u8::from_str_radix(hex.get(2 * at..2 * at + 2)?, 16).ok()?;
        }
        Some(mark)
    }
}

impl fmt::Display for LineMark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// The head of the code for lines that were not written when the rest of the commit was: `<head> [<base>] <mark>...`, each mark
/// the first 12 hexadecimal digits of the id that git gives the text of the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinesHead {
    pub head: CodeHead,
    pub marks: BTreeSet<LineMark>,
}

impl LinesHead {
    /// The name of the trailer.
    pub const TRAILER: &str = "Brv-Code-Head-Of";

    /// The most lines that a trailer names.
    pub const MOST: usize = 40;

    /// As many as these lines need.
    pub fn all(head: CodeHead, marks: &BTreeSet<LineMark>) -> Vec<Self> {
        let marks: Vec<LineMark> = marks.iter().copied().collect();
        let part = |part: &[LineMark]| Self { head, marks: part.iter().copied().collect() };
        marks.chunks(Self::MOST).map(part).collect()
    }

    /// Read the value of the trailer; `None` if it has another form.
    pub fn parse(value: &str) -> Option<Self> {
        let (commit, rest) = value.split_once(' ')?;
        let (base, rest) = match rest.split_once(' ') {
            Some((next, behind)) if next.len() == DIGITS => (Some(whole(next)?), behind),
            _ => (None, rest),
        };
        let marks: BTreeSet<LineMark> = rest.split(' ').map(LineMark::parse).collect::<Option<_>>()?;
        let head = CodeHead { commit: whole(commit)?, base };
        (marks.len() <= Self::MOST).then_some(Self { head, marks })
    }
}

impl fmt::Display for LinesHead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.head.fmt(f)?;
        self.marks.iter().try_for_each(|mark| write!(f, " {mark}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_head_reads_back_and_nothing_else_does() {
        let (head, base) = ("1".repeat(40), "a".repeat(40));
        for value in [head.clone(), format!("{head} {base}")] {
            assert_eq!(CodeHead::parse(&value).unwrap().to_string(), value);
        }
        for wrong in
            ["", "1234abc", " ", &format!("{head} "), &format!("{head} x"), &format!("{head} {base} x")]
        {
            assert_eq!(CodeHead::parse(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn the_head_of_lines_reads_back_and_nothing_else_does() {
        let (head, base) = ("1".repeat(40), "a".repeat(40));
        for value in [format!("{head} 0123456789ab"), format!("{head} {base} 0123456789ab ff3456789abc")] {
            assert_eq!(LinesHead::parse(&value).unwrap().to_string(), value);
        }
        let many = (0..41).map(|at| format!("{at:012x}")).collect::<Vec<_>>().join(" ");
        for wrong in
            ["", "0123456789a", "0123456789aB", "0123456789ab  0123456789ab", "3-5 a.md", &base, &many]
        {
            assert_eq!(LinesHead::parse(&format!("{head} {wrong}")), None, "{wrong}");
        }
        assert_eq!(LinesHead::parse(&head), None);
    }

    #[test]
    fn a_line_is_known_by_its_text_wherever_it_stands() {
        let mark = LineMark::of(b"  - a rule \r").unwrap();
        assert_eq!(Some(mark), LineMark::of(b"- a rule"));
        assert_eq!(mark.to_string(), ContentId::of(b"- a rule").to_string()[..12]);
        assert_eq!((LineMark::of(b" \t"), LineMark::parse(&mark.to_string())), (None, Some(mark)));
        let marks: BTreeSet<LineMark> = (0..41).filter_map(|at: u8| LineMark::of(&[b'a', at])).collect();
        let head = CodeHead::parse(&"1".repeat(40)).unwrap();
        let all = LinesHead::all(head, &marks);
        assert_eq!(all.iter().map(|one| one.marks.len()).sum::<usize>(), marks.len());
        assert!(all.iter().all(|one| LinesHead::parse(&one.to_string()).as_ref() == Some(one)));
    }
}
