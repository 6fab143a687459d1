//! What is recognised by a pattern: references, footers, output of programs, links.
//!
//! Each is compiled once, when it is first asked for. All match in linear time.

use regex::Regex;
use std::sync::LazyLock;

macro_rules! patterns {
    ($($(#[$doc:meta])* $name:ident = $pattern:expr;)*) => {
        $($(#[$doc])* pub(super) static $name: LazyLock<Regex> = LazyLock::new(|| compiled($pattern));)*
        #[cfg(test)]
        const ALL: &[&LazyLock<Regex>] = &[$(&$name),*];
    };
}

/// A pattern that is compiled when it is first asked for.
pub(super) fn compiled(pattern: &str) -> Regex {
    Regex::new(pattern).expect("every pattern is used by a test")
}

patterns! {
    /// A line that consists of references only: `Fixes #15`, `See https://…`, `Part of a/b#3, #4`.
    REFERENCE = r"(?i)^\W*(?:(?:this )?(?:close|fix|resolve|ref|see|address|part of|related to|towards?|supersede|depend|cc|stacked on|follow[- ]?up|builds? on|relate|split (?:out )?(?:of|from)|extracted from|base[sd]? on|for|issue|pr|fallout|upstream|pulled out|cherry|via)\w*(?: (?:also|to|from|of|on|the|issue|pr|in|up|with|the following))*[:\s]*)?(?:and |or |, |\s|\(|\))*(?:(?:https?://\S+|[\w./-]*#\d+|!\d+|\[[^\]]*\]\(https?://\S+?\)|[A-Z]{2,6}-\d+|gh-\d+|@\w[\w-]*|[0-9a-f]{7,40})[\s,.;&)]*(?:and |or )?)+\W*$";
    /// The value of a reference's key: `Fixes: #15`.
    TARGET = r"(?i)^(?:#|http|gh-|[\w/-]+#)";
    /// What a host or a tool writes below a message.
    FOOTER = r"^(?:\(cherry picked from commit|\(backported from|Generated (?:with|by) |\W*Generated with \[)";
    /// `This reverts commit 1234567.`, with what follows on the line left out.
    REVERTS = r"^(?:This reverts commits?|Reverts?(?: commit)?) (?:[0-9a-f]{7,40}|[\w./-]*#\d+)\b(?:(?:,| and|, and) [0-9a-f]{7,40}\b)*(?: ?\([^)]*\))?(?:, reversing\s*changes made to [0-9a-f]+)?[.,:]?\s*";
    /// A line alone that ends with a colon and may be the title of a form.
    LABEL = r"^[A-Z][\w ]{2,40}:$";
    /// What a program printed, or what was typed into one.
    OUTPUT = r"^(?:\$ |>>> |thread '|error(?:\[E\d+\])?: |warning: |\s*at \S+\(|\d+: 0x|~/|\[\d{4}-)";
    /// What colours the text of a terminal or moves in it: `ESC [`, parameters, a letter.
    SEQUENCE = r"(?:\x1B\[|\x{9B})[ -?]*[@-~]";
    /// An image in a text.
    IMAGE = r"!\[[^\]]*\]\([^)]*\)";
    /// A link in a text.
    LINK = r"\[([^\]]+)\](?:\((?:https?:)?[^)\s]*\)|\[[^\]]*\])";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_compiles() {
        assert!(ALL.iter().all(|pattern| !pattern.as_str().is_empty()));
    }

    #[test]
    fn a_reference_is_a_line_of_nothing_else() {
        for line in [
            "Fixes #15",
            "fixes a/b#3 and #4.",
            "(#12)",
            "See https://a.b/c",
            "Part of #1, #2",
            "[#12](https://a.b)",
            "Closes: JIRA-12",
            "0123456789abcdef",
        ] {
            assert!(REFERENCE.is_match(line), "{line}");
        }
        for line in ["Fixes #15 by a lock", "fixes the lock", "See below", "", "because of #12"] {
            assert!(!REFERENCE.is_match(line), "{line}");
        }
    }
}
