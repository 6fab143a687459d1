//! The head of the code when knowledge was written, as trailers have it.

use brv_git::CommitId;
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

/// The head of the code for lines of a file that were not written when the rest of the commit was: those that an amend
/// changed. `<head> <lines> <path>`, the lines as in `3-5,9`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinesHead {
    pub head: CodeHead,
    /// Counted from 1, in the version of the commit.
    pub lines: BTreeSet<usize>,
    /// Within the tree.
    pub path: String,
}

impl LinesHead {
    /// The name of the trailer.
    pub const TRAILER: &str = "Brv-Code-Head-Of";

    /// The most lines that a trailer may name.
    const MOST: usize = 100_000;

    /// Read the value of the trailer; `None` if it has another form.
    pub fn parse(value: &str) -> Option<Self> {
        let (commit, rest) = value.split_once(' ')?;
        let (next, behind) = rest.split_once(' ')?;
        let (base, (lines, path)) = match whole(next) {
            Some(base) => (Some(base), behind.split_once(' ')?),
            None => (None, (next, behind)),
        };
        let head = CodeHead { commit: whole(commit)?, base };
        Some(Self { head, lines: numbers(lines, Self::MOST)?, path: path.to_owned() })
    }
}

impl fmt::Display for LinesHead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.head, runs(&self.lines), self.path)
    }
}

fn numbers(text: &str, most: usize) -> Option<BTreeSet<usize>> {
    let mut all = BTreeSet::new();
    for run in text.split(',') {
        let (first, last) = run.split_once('-').unwrap_or((run, run));
        let (first, last): (usize, usize) = (first.parse().ok()?, last.parse().ok()?);
        if first == 0 || last < first || last - first >= most || all.len() >= most {
            return None;
        }
        all.extend(first..=last);
    }
    Some(all)
}

fn runs(lines: &BTreeSet<usize>) -> String {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for line in lines {
        match runs.last_mut().filter(|(_, last)| last + 1 == *line) {
            Some((_, last)) => *last = *line,
            None => runs.push((*line, *line)),
        }
    }
    let written = |(first, last): (usize, usize)| match first == last {
        true => first.to_string(),
        false => format!("{first}-{last}"),
    };
    runs.into_iter().map(written).collect::<Vec<_>>().join(",")
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
        for value in [format!("{head} 3-5,9 a/my notes.md"), format!("{head} {base} 1 b.md")] {
            assert_eq!(LinesHead::parse(&value).unwrap().to_string(), value);
        }
        assert_eq!(LinesHead::parse(&format!("{head} 3-5,9 a.md")).unwrap().lines, [3, 4, 5, 9].into());
        for wrong in ["0 a.md", "5-3 a.md", "1-9999999999 a.md", "x a.md", "3", "1,,2 a.md"] {
            assert_eq!(LinesHead::parse(&format!("{head} {wrong}")), None, "{wrong}");
        }
    }
}
