//! Merge one fact in three versions: its statement and its category separately.

use super::hunks::three;
use crate::doc::split_category;

/// The fact with the statement of one side and the category of the other; `None` if one side has both, or both sides
/// changed one of them.
pub(super) fn combined([base, first, second]: [&str; 3]) -> Option<String> {
    let [before, one, other] = [base, first, second].map(apart);
    let category = three(before.1, one.1, other.1)?;
    let stated = stated([before.0, one.0, other.0])?;
    let text = if category.is_empty() { stated.to_owned() } else { format!("{stated} {category}") };
    (text != first.trim_end() && text != second.trim_end()).then_some(text)
}

fn apart(item: &str) -> (&str, &str) {
    let item = item.trim_end();
    let (stated, _) = split_category(item);
    (stated, item[stated.len()..].trim())
}

/// The new statement if at most one side changed it, ignoring line breaks.
fn stated([base, first, second]: [&str; 3]) -> Option<&str> {
    let same = |a: &str, b: &str| a.split_whitespace().eq(b.split_whitespace());
    match (same(base, first), same(base, second)) {
        (true, true) => three(base, first, second),
        (true, false) => Some(second),
        (false, true) => Some(first),
        (false, false) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_of_one_side_takes_the_category_of_the_other() {
        let fact = |rest: &str| format!("- **a**: {rest}");
        let merged = |three: [&str; 3]| {
            let [base, first, second] = three.map(fact);
            combined([&base, &first, &second])
        };
        assert_eq!(merged(["x [team]", "y [team]", "x [project]"]), Some(fact("y [project]")));
        assert_eq!(merged(["x [team]", "x", "y [team]"]), Some(fact("y")));
        assert_eq!(merged(["x", "y", "x [team]"]), Some(fact("y [team]")));
        assert_eq!(merged(["x", "y [team]", "x"]), None, "one side has both");
        assert_eq!(merged(["x", "y [team]", "z"]), None, "two statements");
        assert_eq!(merged(["x [team]", "y [other]", "x [project]"]), None, "two categories");
    }
}
