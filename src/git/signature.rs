//! Signatures: name, address and time of a commit or reflog entry.

use bstr::{BString, ByteSlice};

/// A name, an address and a moment, as commits carry them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    pub name: BString,
    pub email: BString,
    /// Seconds since 1970.
    pub seconds: i64,
    /// Seconds east of UTC.
    pub offset: i32,
}

impl Signature {
    /// For reflogs and snapshots without an identity.
    pub fn anonymous(seconds: i64) -> Self {
        Self { name: "brv".into(), email: "brv@localhost".into(), seconds, offset: 0 }
    }

    /// The same person at another moment.
    pub fn at(&self, seconds: i64) -> Self {
        Self { seconds, offset: 0, ..self.clone() }
    }

    /// Without the brackets and line ends that a malformed commit may have in a name: git drops them, too.
    pub(super) fn to_gix(&self) -> gix::actor::Signature {
        let clean =
            |text: &BString| text.bytes().filter(|byte| !b"<>\n".contains(byte)).collect::<Vec<_>>().into();
        gix::actor::Signature {
            name: clean(&self.name),
            email: clean(&self.email),
            time: gix::date::Time { seconds: self.seconds, offset: self.offset },
        }
    }

    /// Reads the line of a commit or tag as well as it can be read: `name <address> seconds zone`.
    ///
    /// The address is between the first `<` and the next `>`, the time after the last `>`, as in git. Where git gives
    /// up, because a bracket or a part of the time is missing, the rest is still read. The time is 1970 if there is none.
    pub(super) fn parse(line: &[u8]) -> Self {
        let open = line.find_byte(b'<');
        let inside = open.map_or(0, |at| at + 1);
        let close = line[inside..].find_byte(b'>').map(|at| inside + at);
        let (end, seconds, offset) = match close.and(line.rfind_byte(b'>')) {
            Some(last) => moment(&line[last + 1..], TimePosition::Start),
            None => moment(line, TimePosition::End),
        };
        let (name, email) = match (open, close) {
            (Some(open), close) => (&line[..open], &line[inside..close.unwrap_or(end.max(inside))]),
            (None, close) => (&line[..close.unwrap_or(end)], &line[..0]),
        };
        Self { name: name.trim().into(), email: email.trim().into(), seconds, offset }
    }
}

/// Where the time is in a text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TimePosition {
    Start,
    End,
}

/// Finds a time: where it begins, its seconds, and its zone in seconds east of UTC. An unknown zone is UTC.
fn moment(text: &[u8], place: TimePosition) -> (usize, i64, i32) {
    let words = words(text);
    let number = |word: &[u8]| word.to_str().ok()?.parse::<i64>().ok();
    let is_time = |(_, word): &(usize, &[u8])| word.iter().all(u8::is_ascii_digit) && number(word).is_some();
    let at = match place {
        TimePosition::Start => words.first().and_then(|(_, word)| number(word)).map(|_| 0),
        TimePosition::End => words.iter().rposition(is_time),
    };
    let Some(at) = at else { return (text.len(), 0, 0) };
    let (start, word) = words[at];
    let offset = words.get(at + 1).and_then(|(_, word)| zone(word)).unwrap_or(0);
    (start, number(word).unwrap_or(0), offset)
}

/// Splits at white space, and before a sign: `1700000000+0100` is two words.
fn words(text: &[u8]) -> Vec<(usize, &[u8])> {
    let mut words = Vec::new();
    let mut start = 0;
    for at in 0..=text.len() {
        let byte = text.get(at).copied().unwrap_or(b' ');
        if byte.is_ascii_whitespace() || byte == b'+' || byte == b'-' {
            if start < at {
                words.push((start, &text[start..at]));
            }
            start = if byte.is_ascii_whitespace() { at + 1 } else { at };
        }
    }
    words
}

/// `+0130`: hours and minutes. `None`: no zone that a clock can have.
fn zone(word: &[u8]) -> Option<i32> {
    let (sign, digits) = match word.split_first()? {
        (b'+', digits) => (1, digits),
        (b'-', digits) => (-1, digits),
        _ => return None,
    };
    let digits: i32 =
        digits.to_str().ok().filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()))?.parse().ok()?;
    let seconds = (digits / 100 * 60).checked_add(digits % 100)?.checked_mul(60)?;
    (seconds < 24 * 60 * 60).then_some(sign * seconds)
}

impl std::fmt::Display for Signature {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} <{}>", self.name.to_str_lossy(), self.email.to_str_lossy())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_as_well_as_it_can_be() {
        const MOMENT: i64 = 1_700_000_000;
        for (line, name, email, seconds, offset) in [
            ("A U Thor <a@b> 1700000000 +0000", "A U Thor", "a@b", MOMENT, 0),
            ("A U Thor <a@b> 1700000000 -0330", "A U Thor", "a@b", MOMENT, -12_600),
            ("A <a@b> 1700000000+0100", "A", "a@b", MOMENT, 3600),
            ("A <a@b>1700000000 +0100", "A", "a@b", MOMENT, 3600),
            ("A <a@b> <c@d> 1700000000 +0000", "A", "a@b", MOMENT, 0),
            ("A <a@b>> 1700000000 +0000", "A", "a@b", MOMENT, 0),
            ("A (x> y) <a@b> 1700000000 +0000", "A (x> y)", "a@b", MOMENT, 0),
            ("<a@b> 1700000000 +0000", "", "a@b", MOMENT, 0),
            (" <> 12345 -1215", "", "", 12345, -44_100),
            ("A <a@b> -5 +0000", "A", "a@b", -5, 0),
            // git shows 1970 or nothing for these
            ("A 7 <a@b 1700000000 +0100", "A 7", "a@b", MOMENT, 3600),
            ("A 7 1700000000 +0100", "A 7", "", MOMENT, 3600),
            ("A a@b> 1700000000 +0100", "A a@b", "", MOMENT, 3600),
            ("A <a@b> 1700000000", "A", "a@b", MOMENT, 0),
            ("A <a@b> 1700000000 junk", "A", "a@b", MOMENT, 0),
            ("A <a@b> 1700000000 +051800", "A", "a@b", MOMENT, 0),
            ("A <a@b> 1700000000 --700", "A", "a@b", MOMENT, 0),
            ("A <a@b> 99999999999999999999 +0000", "A", "a@b", 0, 0),
            ("A <a@b> Thu Jan 1 2015", "A", "a@b", 0, 0),
            ("A <a@b>", "A", "a@b", 0, 0),
            ("A <a@b", "A", "a@b", 0, 0),
            ("A <", "A", "", 0, 0),
            ("A", "A", "", 0, 0),
            ("", "", "", 0, 0),
            ("<1", "", "1", 0, 0),
        ] {
            let wanted = Signature { name: name.into(), email: email.into(), seconds, offset };
            assert_eq!(Signature::parse(line.as_bytes()), wanted, "{line}");
        }
    }

    #[test]
    fn what_was_read_can_be_written() {
        let mut written = Vec::new();
        Signature::parse(b"A <<b> 1 +0000").to_gix().write_to(&mut written).unwrap();
        assert_eq!(written.as_bstr(), "A <b> 1 +0000");
    }
}
