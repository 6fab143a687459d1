//! Lists that decide otherwise than by weight: what a program wrote, what is a form, what a name is of.

mod generated;
mod paths;

use super::scanner::{Border, List, Scanner};
use brv_base::english::list::lines;
use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

pub use generated::{bot, generated_text, is_generated_subject};
pub use paths::{is_prose, is_side, is_tests};

/// Whether the heading of a section, without its marks, is that of a form: what is below it is not text.
pub fn is_form(heading: &str) -> bool {
    static FORMS: OnceLock<Scanner> = OnceLock::new();
    let forms = FORMS.get_or_init(|| anchored(include_str!("forms.txt")));
    let heading = heading.strip_suffix(':').unwrap_or(heading);
    is_whole(forms, heading.trim_end_matches(super::characters::is_space))
}

/// The name that a scope or the first part of a path is called by, if it is one of housekeeping: `ci` for `workflows`.
/// Names are in lower case, with `_` for any other mark.
pub fn housekeeping(name: &str) -> Option<&'static str> {
    static NAMES: OnceLock<HashMap<&str, &str>> = OnceLock::new();
    let names = NAMES.get_or_init(|| {
        let rows = lines(include_str!("housekeeping.txt")).filter_map(|line| line.split_once(": "));
        rows.flat_map(|(called, names)| names.split(' ').map(move |name| (name, called))).collect()
    });
    names.get(name).copied()
}

/// Whether a part of a path, in lower case, is never a topic.
pub fn is_generic(part: &str) -> bool {
    static PARTS: OnceLock<HashSet<&str>> = OnceLock::new();
    PARTS.get_or_init(|| lines(include_str!("generic.txt")).collect()).contains(part)
}

/// Whether the text before the colon of a subject, in lower case, is a type of conventional commits, not a scope.
pub fn is_type(word: &str) -> bool {
    static TYPES: OnceLock<HashSet<&str>> = OnceLock::new();
    TYPES.get_or_init(|| lines(include_str!("types.txt")).collect()).contains(word)
}

/// Whether a type, in lower case, is a scope in a project whose subjects begin with scopes.
pub fn is_topical_type(word: &str) -> bool {
    lines(include_str!("topical_types.txt")).any(|own| own == word)
}

/// Whether the text before the colon of a subject, in lower case, is neither a type nor a scope: `note`.
pub fn is_label(word: &str) -> bool {
    lines(include_str!("labels.txt")).any(|own| own == word)
}

/// A list for the start of a text.
fn anchored(text: &'static str) -> Scanner {
    Scanner::new([List::new(0, Border::Free, text)])
}

/// Whether a pattern of a list is all of a text.
fn is_whole(list: &Scanner, text: &str) -> bool {
    list.at(text, 0).iter().any(|(_, end)| *end == text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_of_forms_are_whole() {
        for heading in
            ["Test plan", "Tests:", "How was this tested? By hand", "Changelog", "to do", "Follow-ups :"]
        {
            assert!(is_form(heading), "{heading}");
        }
        for heading in ["Tests of it", "Summary", "Test plans", "", "The test plan", "Howto reproduce"] {
            assert!(!is_form(heading), "{heading}");
        }
    }

    #[test]
    fn names_are_looked_up_whole() {
        assert_eq!(housekeeping("workflows"), Some("ci"));
        assert_eq!(housekeeping("bench"), Some("bench"));
        assert_eq!([housekeeping("ci"), housekeeping("actions")], [Some("ci"); 2]);
        assert_eq!([housekeeping("work"), housekeeping("")], [None; 2]);
        assert!(is_generic("src") && is_generic("__init__") && !is_generic("cli") && !is_generic(""));
        assert!(is_type("feat") && is_type("!") && !is_type("net") && !is_type(""));
        assert!(is_topical_type("docs") && !is_topical_type("feat"));
        assert!(is_label("note") && !is_label("net"));
    }
}
