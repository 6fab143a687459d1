//! Fits a part of the comment into the room that it has.

use crate::say::knowledge::{Ends, elided};

/// A part: its rows are left out from the end if there is too little room for all.
#[derive(Debug, Default)]
pub(in crate::say::review) struct CommentPart {
    pub(in crate::say::review) open: String,
    pub(in crate::say::review) rows: Vec<String>,
    pub(in crate::say::review) close: String,
}

#[derive(Debug, Default)]
pub(in crate::say::review) struct Fitted {
    /// Empty if the part has no rows.
    pub(in crate::say::review) text: String,
    /// Number of rows that are left out.
    pub(in crate::say::review) cut: usize,
}

impl CommentPart {
    /// The first rows, in at most `room` UTF-16 units.
    pub(in crate::say::review) fn fit(self, room: usize) -> Fitted {
        let mut left = room.saturating_sub(length(&self.open) + length(&self.close));
        let fits = |row: &&String| match left.checked_sub(length(row)) {
            Some(rest) => {
                left = rest;
                true
            }
            None => false,
        };
        let shown: Vec<&String> = self.rows.iter().take_while(fits).collect();
        let cut = self.rows.len() - shown.len();
        if shown.is_empty() {
            return Fitted { text: String::new(), cut };
        }
        let rows: String = shown.into_iter().map(String::as_str).collect();
        Fitted { text: format!("{}{rows}{}", self.open, self.close), cut }
    }
}

/// The length in UTF-16 units: the most that anybody counts as characters.
pub(in crate::say::review) fn length(text: &str) -> usize {
    text.encode_utf16().count()
}

/// A text with more characters is cut to half as many, so that one row does not take the room of many.
const LONG: usize = 400;

pub(in crate::say::review) fn brief(text: &str) -> String {
    elided(text, LONG, Ends::Last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(rows: &[&str]) -> CommentPart {
        let rows = rows.iter().map(ToString::to_string).collect();
        CommentPart { open: "<".into(), rows, close: ">".into() }
    }

    #[test]
    fn rows_are_left_out_from_the_end() {
        let fitted = part(&["aa", "bb", "cc"]).fit(6);
        assert_eq!((fitted.text.as_str(), fitted.cut), ("<aabb>", 1));
        assert_eq!(part(&["aa", "bb"]).fit(100).text, "<aabb>");
        // a short row after a long one is not taken either: what is shown is the beginning
        assert_eq!(part(&["aa", "bbbb", "c"]).fit(6).cut, 2);
    }

    #[test]
    fn a_part_without_rows_is_nothing() {
        let fitted = part(&["aaaa"]).fit(3);
        assert_eq!((fitted.text.as_str(), fitted.cut), ("", 1));
        assert_eq!(part(&[]).fit(100).text, "");
    }

    #[test]
    fn a_character_outside_of_the_basic_plane_counts_twice() {
        assert_eq!((length("a令"), length("👩")), (2, 2));
        assert_eq!(part(&["👩"]).fit(3).cut, 1);
    }
}
