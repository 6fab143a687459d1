//! Tables that both sides only added rows to.

use super::super::order::united;
use std::collections::HashSet;

/// The table with the rows of both, if neither changed or removed a line of the base, or the two headers are one and
/// there is no base.
pub(super) fn merge([base, first, second]: [&str; 3]) -> Option<String> {
    fn header<'a>(table: &[&'a str]) -> Option<[&'a str; 2]> {
        table.first_chunk().copied()
    }
    let [base, first, second] = [base, first, second].map(|text| text.lines().collect::<Vec<_>>());
    let common = if base.is_empty() {
        header(&first).filter(|own| header(&second).as_ref() == Some(own))?.to_vec()
    } else {
        base
    };
    let only_added = |side: &[&str]| {
        let mut rows = side.iter();
        common.iter().all(|row| rows.any(|own| own == row))
    };
    let is_set = |side: &[&str]| {
        let mut seen = HashSet::with_capacity(side.len());
        side.iter().all(|row| seen.insert(*row))
    };
    let fits = |side: &[&str]| only_added(side) && is_set(side) && header(side) == header(&common);
    (fits(&first) && fits(&second)).then(|| united([&common, &first, &second]).join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_both_stand_behind_what_precedes_them() {
        let head = "| a |\n|---|\n| 1 |\n| 2 |";
        let merged = merge([head, "| a |\n|---|\n| 1 |\n| x |\n| 2 |", "| a |\n|---|\n| 1 |\n| 2 |\n| 3 |"]);
        assert_eq!(merged.as_deref(), Some("| a |\n|---|\n| 1 |\n| x |\n| 2 |\n| 3 |"));
        assert_eq!(merge([head, "| a |\n|---|\n| 1 |\n| two |", "| a |\n|---|\n| 1 |\n| 2 |\n| 3 |"]), None);
        assert_eq!(merge(["", "| a |\n|---|\n| 1 |", "| b |\n|---|\n| 2 |"]), None);
        assert_eq!(
            merge(["", "| a |\n|---|\n| 1 |", "| a |\n|---|\n| 2 |"]).as_deref(),
            Some("| a |\n|---|\n| 1 |\n| 2 |")
        );
    }
}
