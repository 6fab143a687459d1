//! Text styles and their colours.

/// The meaning of a piece of text, shown as a colour if colours are on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    Plain,
    /// Less important than the rest.
    Dim,
    /// A heading, or the lines that name a file in a diff.
    Strong,
    /// An added line, a staged path, a success.
    Good,
    /// A removed line, an unstaged path.
    Bad,
    /// The new words inside an added line.
    GoodWord,
    /// The removed words inside a removed line.
    BadWord,
    /// Text of the other side of a merge.
    Other,
    /// The words that only the other side has.
    OtherWord,
    Place,
    /// A commit's id, a warning.
    Notable,
    /// The name of a branch, tag or remote.
    Name,
}

impl Style {
    /// The parameters of the terminal's SGR (select graphic rendition) sequence, empty for plain text.
    const fn sgr(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Dim => "2",
            Self::Strong => "1",
            Self::Good => "32",
            Self::Bad => "31",
            Self::GoodWord => "1;32;7",
            Self::BadWord => "1;31;7",
            Self::Other => "35",
            Self::OtherWord => "1;35;7",
            Self::Place => "36",
            Self::Notable => "33",
            Self::Name => "1;36",
        }
    }

    /// Append `text` to `out` in this style. `text` is already safe to print.
    pub(super) fn paint(self, out: &mut Vec<u8>, text: &[u8]) {
        if self.sgr().is_empty() || text.is_empty() {
            return out.extend_from_slice(text);
        }
        out.extend_from_slice(b"\x1b[");
        out.extend_from_slice(self.sgr().as_bytes());
        out.push(b'm');
        out.extend_from_slice(text);
        out.extend_from_slice(b"\x1b[m");
    }
}
