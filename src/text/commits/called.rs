//! Whether a commit is the one that another commit names by its subject.

use crate::doc::normal;

/// The shortest start of a subject that names it, in characters.
const SHORTEST: usize = 20;

/// Whether a subject is the one that is named: numbers of issues at its end aside, and cut off with dots perhaps.
pub fn is_called(subject: &str, named: &str) -> bool {
    let (own, named) = (normal(without_numbers(subject)), normal(without_numbers(named)));
    if named.is_empty() {
        return false;
    }
    let cut = named.strip_suffix('…').or_else(|| named.strip_suffix("..."));
    let start = cut.map(str::trim_end).filter(|start| start.chars().count() >= SHORTEST);
    own == named || start.is_some_and(|start| own.starts_with(start))
}

/// A subject without ` (#12)` at its end, however often.
fn without_numbers(subject: &str) -> &str {
    let mut rest = subject.trim();
    loop {
        let number = rest.strip_suffix(')').and_then(|head| head.rsplit_once(" (#"));
        match number.filter(|(_, number)| number.bytes().all(|byte| byte.is_ascii_digit())) {
            Some((head, _)) => rest = head.trim_end(),
            None => return rest,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subject_is_named_with_or_without_the_number_of_its_request() {
        for (subject, named) in [
            ("net: retry twice", "net: retry twice"),
            ("net: retry twice (#12)", "Net: retry  twice"),
            ("net: retry twice", "net: retry twice (#12) (#13)"),
            ("net: retry twice when the server is slow", "net: retry twice when the…"),
            ("Revert \"net: retry\" (#2)", "Revert \"net: retry\""),
        ] {
            assert!(is_called(subject, named), "{subject} ~ {named}");
        }
        for (subject, named) in [
            ("net: retry twice", "retry twice"),
            ("net: retry", "net: r..."),
            ("net: retry twice", ""),
            ("net: retry twice (#a)", "net: retry twice"),
        ] {
            assert!(!is_called(subject, named), "{subject} ~ {named}");
        }
    }
}
