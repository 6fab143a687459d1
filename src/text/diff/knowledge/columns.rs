//! Report added or removed table columns as such: by line, every row of the table would differ.

use super::{How, TableColumn};
use crate::diff::{Hunk, edits};
use std::ops::Range;

/// The columns that differ between two versions of a table, and the lines that differ without them; `None` if no column
/// was added or removed, or if both happened.
pub(super) fn columns(
    before: &str,
    after: &str,
    by_line: impl FnOnce(&str, &str) -> Vec<Hunk>,
) -> Option<(Vec<TableColumn>, Vec<Hunk>)> {
    let (old, new) = (TableCells::of(before)?, TableCells::of(after)?);
    let changes = edits::changes(&old.rows[0], &new.rows[0]);
    let (change, table, places): (_, _, Vec<Range<usize>>) = match changes.first()? {
        change if change.before.is_empty() => {
            (How::Added, &new, changes.iter().map(|change| change.after.clone()).collect())
        }
        _ => (How::Removed, &old, changes.iter().map(|change| change.before.clone()).collect()),
    };
    let is_one_sided = changes.iter().all(|one| match change {
        How::Added => one.before.is_empty(),
        _ => one.after.is_empty(),
    });
    let places: Vec<usize> = places.into_iter().flatten().collect();
    if !is_one_sided || places.len() == table.rows[0].len() {
        return None;
    }
    let column = |place: &usize| TableColumn {
        change,
        name: table.rows[0][*place].clone(),
        cells: table.rows[2..].iter().map(|row| row.get(*place).cloned().unwrap_or_default()).collect(),
    };
    let rest = match change {
        How::Added => by_line(&old.without(&[]), &new.without(&places)),
        _ => by_line(&old.without(&places), &new.without(&[])),
    };
    Some((places.iter().map(column).collect(), rest))
}

/// The cells of a table: its header, the rule below it, its rows.
struct TableCells {
    rows: Vec<Vec<String>>,
}

impl TableCells {
    fn of(text: &str) -> Option<TableCells> {
        let mut rows: Vec<Vec<String>> = text.lines().map(cells).collect();
        rows.get_mut(1)?.iter_mut().for_each(|cell| *cell = dashes(cell));
        Some(TableCells { rows })
    }

    /// Its lines without some columns, padded uniformly.
    fn without(&self, places: &[usize]) -> String {
        let line = |row: &Vec<String>| {
            let kept = row.iter().enumerate().filter(|(place, _)| !places.contains(place));
            let kept: Vec<&str> = kept.map(|(_, cell)| cell.as_str()).collect();
            format!("| {} |", kept.join(" | "))
        };
        self.rows.iter().map(line).collect::<Vec<_>>().join("\n")
    }
}

/// The cells of a line; a `\|` does not separate cells.
fn cells(line: &str) -> Vec<String> {
    let line = line.trim();
    let line = line.strip_prefix('|').unwrap_or(line);
    let (mut cells, mut cell, mut escaped) = (Vec::new(), String::new(), false);
    for c in line.chars() {
        if c == '|' && !escaped {
            cells.push(std::mem::take(&mut cell));
        } else {
            cell.push(c);
        }
        escaped = c == '\\' && !escaped;
    }
    if !cell.trim().is_empty() || !line.ends_with('|') {
        cells.push(cell);
    }
    cells.iter().map(|cell| cell.trim().to_owned()).collect()
}

/// A cell of the rule below the header, with a fixed number of dashes: only the colons have a meaning.
fn dashes(cell: &str) -> String {
    let end = |is_there: bool| if is_there { ":" } else { "" };
    format!("{}---{}", end(cell.starts_with(':')), end(cell.ends_with(':')))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diff::compare;

    fn told(before: &str, after: &str) -> Option<(Vec<String>, usize)> {
        let by_line = |old: &str, new: &str| compare(old.as_bytes(), new.as_bytes(), 0).hunks().to_vec();
        let (columns, rest) = columns(before, after, by_line)?;
        let column =
            |one: &TableColumn| format!("{}{}: {}", one.change.side().sign(), one.name, one.cells.join(","));
        Some((columns.iter().map(column).collect(), rest.len()))
    }

    const TABLE: &str = "| name | port |\n|:-----|-----:|\n| api  | 80   |\n| a \\| b | 1 |";

    #[test]
    fn a_column_that_came_or_went_is_told_and_the_rest_by_line() {
        let wide = "|name|owner|port|\n|:-|-|-:|\n|api|ann|80|\n|a \\| b||1|";
        assert_eq!(told(TABLE, wide), Some((vec!["+owner: ann,".to_owned()], 0)));
        assert_eq!(told(wide, TABLE), Some((vec!["-owner: ann,".to_owned()], 0)));
        assert_eq!(told(TABLE, &wide.replace("80", "81")), Some((vec!["+owner: ann,".to_owned()], 1)));
        assert_eq!(
            told(TABLE, &wide.replace(":-|", "-|")).map(|found| found.1),
            Some(1),
            "another alignment"
        );
        assert_eq!(told(TABLE, &TABLE.replace("port", "door")), None);
        assert_eq!(told(TABLE, &TABLE.replace("80", "81")), None);
        assert_eq!(told(TABLE, "x"), None);
    }
}
