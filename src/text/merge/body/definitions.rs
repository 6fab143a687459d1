//! Merge link reference definitions, one label per line.

use super::Context;
use super::rows::{self, MergeRow, MergedRows, RowLayout};
use crate::doc::definitions;

/// Merge the definitions of both sides; `None` if a line is not a definition, or a label is defined twice.
pub(super) fn merge(versions: [&str; 3], cx: &Context<'_>) -> Option<MergedRows> {
    let [base, first, second] = versions.map(read);
    let (base, first, second) = (base?, first?, second?);
    let way = RowLayout { columns: &[0], fits: [true; 3], row: &|cells| cells.concat() };
    Some(rows::merge([&base, &first, &second], &way, cx))
}

fn read(text: &str) -> Option<Vec<MergeRow<'_>>> {
    let rows: Vec<MergeRow<'_>> = text.lines().map(definition).collect::<Option<_>>()?;
    let mut keys: Vec<&str> = rows.iter().map(|row| row.key.as_str()).collect();
    keys.sort_unstable();
    keys.windows(2).all(|two| two[0] != two[1]).then_some(rows)
}

/// Parse `[label]: where "title"`.
fn definition(line: &str) -> Option<MergeRow<'_>> {
    let text = line.trim();
    let [one] = &definitions(text)[..] else { return None };
    (one.span == (0..text.len())).then(|| MergeRow { key: one.label.clone(), cells: vec![Some(text)], line })
}

#[cfg(test)]
mod tests {
    use super::super::rows::Line;
    use super::*;

    #[test]
    fn labels_of_both_sides_stand_and_one_that_both_changed_is_open() {
        let rules = crate::merge::Rules::default();
        let cx = Context { rules: &rules, swapped: false, depth: 0 };
        let merged = |versions| merge(versions, &cx).map(|rows| rows.lines);
        let text = |text: &str| Line::Text(text.to_owned());
        let found = merged(["[a]: 1", "[a]: 1\n[b]: 2", "[a]: 9\n[c]: 3"]);
        assert_eq!(found, Some(vec![text("[a]: 9"), text("[b]: 2"), text("[c]: 3")]));
        let open = merged(["[a]: 1", "[a]: 2", "[A]: 3"]).unwrap();
        assert!(matches!(&open[..], [Line::Open(_)]));
        assert_eq!(merged(["", "text", "[a]: 1"]), None);
    }
}
