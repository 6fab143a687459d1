//! Merge tables row by row and cell by cell.
//!
//! A row is identified by its first cell, a column by its heading. If one side changed how the table is written, the
//! rows of the other side are written that way, too.

use super::super::order::{Stretch, order};
use super::Context;
use super::part::PartPairing;
use super::rows::{self, Line, MergeRow, MergedRows, RowLayout};
use crate::doc::normal;
use std::collections::{HashMap, HashSet};

/// Merge a table; `None` if the result is unclear: both sides changed a heading or a column, two tables without a base
/// have different headings, or some lines are not rows.
pub(super) fn merge(versions: [&str; 3], cx: &Context<'_>) -> Option<MergedRows> {
    let [base, first, second] = versions;
    let (first, second) = (Table::of(first)?, Table::of(second)?);
    let base = if base.is_empty() { first.head() } else { Table::of(base)? };
    if versions[0].is_empty() && !base.names().eq(second.names()) {
        return None;
    }
    let tables = [&base, &first, &second];
    let pairing = columns(tables);
    let columns = kept(tables, &pairing)?;
    let numbered = |version: usize| tables[version].numbered(&pairing, version);
    let rows = [0, 1, 2].map(numbered);
    let headings = three([0, 1, 2].map(|version| tables[version].cells_in(&pairing, version, &columns, 0)))?;
    let rules = [0, 1, 2].map(|version| tables[version].cells_in(&pairing, version, &columns, 1));
    let rules = rules[1].iter().zip(&rules[2]).zip(&rules[0]);
    let rules: Vec<&str> = rules.map(|((first, second), base)| either([*base, *first, *second])).collect();
    let style = TableStyle::of(tables, &pairing, &columns);
    let way = RowLayout { columns: &columns, fits: style.fits, row: &|cells| style.row(cells) };
    let mut merged = MergedRows {
        lines: vec![style.line(tables, 0, &headings), style.line(tables, 1, &rules)],
        ..MergedRows::default()
    };
    let body = rows::merge(rows.each_ref().map(Vec::as_slice), &way, cx);
    merged.lines.extend(body.lines);
    merged.settled = body.settled;
    let heads = |at: usize| Some(tables[at].lines[..2].join("\n"));
    let is_lost = |at: usize| {
        let lines = tables[at].lines[..2].iter().zip(&merged.lines).zip(&tables[0].lines);
        lines.into_iter().any(|((own, line), base)| own != base && *line != Line::Text((*own).to_owned()))
    };
    if is_lost(1) || is_lost(2) {
        merged.settled.insert(0, (super::Settled::Combined, [0, 1, 2].map(heads)));
    }
    Some(merged)
}

struct Table<'a> {
    lines: Vec<&'a str>,
    cells: Vec<Vec<&'a str>>,
}

impl<'a> Table<'a> {
    /// `None` if a line has more cells than there are headings, or two headings are equal.
    fn of(text: &'a str) -> Option<Table<'a>> {
        let lines: Vec<&str> = text.lines().collect();
        let cells: Vec<Vec<&str>> = lines.iter().map(|line| cells(line)).collect();
        let table = Table { lines, cells };
        let is_rule = |cell: &&str| {
            let dashes = cell.strip_prefix(':').unwrap_or(cell);
            let dashes = dashes.strip_suffix(':').unwrap_or(dashes);
            !dashes.is_empty() && dashes.bytes().all(|byte| byte == b'-')
        };
        let width = table.cells.first()?.len();
        let is_whole = table.cells.get(1)?.iter().all(is_rule)
            && table.cells[1].len() == width
            && table.cells.iter().all(|cells| cells.len() <= width);
        let mut names = HashSet::new();
        (is_whole && table.names().all(|name| names.insert(name))).then_some(table)
    }

    fn head(&self) -> Table<'a> {
        Table { lines: self.lines[..2].to_vec(), cells: self.cells[..2].to_vec() }
    }

    fn names(&self) -> impl Iterator<Item = String> {
        self.cells[0].iter().map(|cell| normal(cell))
    }

    /// The cells of a line in these columns; a cell the table does not have is empty.
    fn cells_in(
        &self,
        pairing: &PartPairing,
        version: usize,
        columns: &[usize],
        line: usize,
    ) -> Vec<Option<&'a str>> {
        let cell = |column: &usize| {
            let at = pairing.at[*column][version]?;
            Some(self.cells[line].get(at).copied().unwrap_or_default())
        };
        columns.iter().map(cell).collect()
    }

    fn numbered(&self, pairing: &PartPairing, version: usize) -> Vec<MergeRow<'a>> {
        let all: Vec<usize> = (0..pairing.len()).collect();
        let row = |line: usize| MergeRow {
            key: self.cells[line].first().map(|cell| normal(cell)).unwrap_or_default(),
            cells: self.cells_in(pairing, version, &all, line),
            line: self.lines[line],
        };
        (2..self.lines.len()).map(row).collect()
    }

    /// Whether all lines are as wide as the first: its cells are padded with blanks.
    fn is_aligned(&self) -> bool {
        let width = |line: &&str| line.trim_end().chars().count();
        self.lines.iter().all(|line| width(line) == width(&self.lines[0]))
    }
}

/// The cells of a line; an escaped bar does not separate cells.
fn cells(line: &str) -> Vec<&str> {
    let line = line.trim();
    let line = line.strip_prefix('|').unwrap_or(line);
    let line = match line.strip_suffix('|') {
        Some(rest) if !rest.ends_with('\\') => rest,
        _ => line,
    };
    let mut found = Vec::new();
    let mut start = 0;
    for (at, _) in line.match_indices('|').filter(|(at, _)| !line[..*at].ends_with('\\')) {
        found.push(line[start..at].trim());
        start = at + 1;
    }
    found.push(line[start..].trim());
    found
}

/// Number the columns: by heading, and if equally many are left on both sides, by place; those were renamed.
fn columns(tables: [&Table<'_>; 3]) -> PartPairing {
    let names = tables.map(|table| table.names().collect::<Vec<_>>());
    let pair = |from: &[String], side: &[String], by_place: bool| -> Vec<Option<usize>> {
        let known: HashMap<&String, usize> = from.iter().enumerate().map(|(at, name)| (name, at)).collect();
        let mut found: Vec<Option<usize>> = side.iter().map(|name| known.get(name).copied()).collect();
        if by_place && from.len() == side.len() {
            let left: Vec<usize> = (0..from.len()).filter(|at| !found.contains(&Some(*at))).collect();
            let free = found.iter_mut().filter(|at| at.is_none());
            free.zip(left).for_each(|(at, before)| *at = Some(before));
        }
        found
    };
    let to_base = [pair(&names[0], &names[1], true), pair(&names[0], &names[2], true)];
    let mut new = pair(&names[1], &names[2], false);
    new.iter_mut().for_each(|at| *at = at.filter(|at| to_base[0][*at].is_none()));
    PartPairing::new(names[0].len(), [&to_base[0], &to_base[1]], &new)
}

/// The columns of the result, in order; `None` if one side removed a column in which the other changed a cell.
fn kept(tables: [&Table<'_>; 3], pairing: &PartPairing) -> Option<Vec<usize>> {
    let of = &pairing.of;
    let mut kept = Vec::new();
    for stretch in order(&of[0], [&of[1], &of[2]]) {
        match stretch {
            Stretch::Common(number) => kept.push(number),
            Stretch::New(mut runs) => {
                let name = |number: &usize| {
                    let version = if pairing.at[*number][1].is_some() { 1 } else { 2 };
                    pairing.at[*number][version].map(|at| tables[version].cells[0][at])
                };
                runs.sort_by(|a, b| a.iter().map(name).cmp(b.iter().map(name)));
                kept.extend(runs.concat());
            }
        }
    }
    let is_removed = |number: &usize| {
        let [base, first, second] = pairing.at[*number];
        base.is_some() && (first.is_none() || second.is_none())
    };
    let column = |number: usize, version: usize| -> Option<Vec<&str>> {
        let at = pairing.at[number][version]?;
        Some(tables[version].cells.iter().map(|cells| cells.get(at).copied().unwrap_or_default()).collect())
    };
    for number in kept.iter().copied().filter(is_removed) {
        let before = column(number, 0);
        if (1..3).any(|version| column(number, version).is_some_and(|own| Some(own) != before)) {
            return None;
        }
    }
    kept.retain(|number| !is_removed(number));
    (!kept.is_empty()).then_some(kept)
}

/// Merge cells, each changed by at most one side; `None` if both sides changed one.
fn three<'a>([base, first, second]: [Vec<Option<&'a str>>; 3]) -> Option<Vec<&'a str>> {
    let cells = base.into_iter().zip(first).zip(second);
    let cell = |((base, first), second): ((Option<&'a str>, Option<&'a str>), Option<&'a str>)| match (
        first, second,
    ) {
        (Some(first), Some(second)) if first == second || base == Some(second) => Some(first),
        (Some(first), Some(second)) => (base == Some(first)).then_some(second),
        (one, other) => one.or(other),
    };
    cells.map(cell).collect()
}

/// The rule below a heading: if both sides changed it, the one with the greater bytes.
fn either([base, first, second]: [Option<&str>; 3]) -> &str {
    match (first, second) {
        (Some(first), Some(second)) if base == Some(first) => second,
        (Some(first), Some(second)) if base == Some(second) => first,
        (first, second) => first.max(second).unwrap_or("---"),
    }
}

/// How the result is written.
struct TableStyle {
    /// Which versions have lines that can be kept as written.
    fits: [bool; 3],
    /// The width of each column if cells are padded, and whether the text is on the left.
    widths: Option<Vec<(usize, bool)>>,
}

impl TableStyle {
    /// A version with the columns of the result fits, unless only the other side changed how the lines look.
    fn of(tables: [&Table<'_>; 3], pairing: &PartPairing, columns: &[usize]) -> TableStyle {
        let has_columns = |version: &usize| pairing.of[*version] == columns;
        let is_restyled = |version: usize| tables[version].is_aligned() != tables[0].is_aligned();
        let restyled =
            (1..3).filter(|version| is_restyled(*version) && has_columns(version)).collect::<Vec<_>>();
        let fits = [0, 1, 2]
            .map(|version| has_columns(&version) && (restyled.is_empty() || restyled.contains(&version)));
        let model = (restyled.iter().copied())
            .chain([1, 2, 0])
            .find(|version| fits[*version] && tables[*version].is_aligned());
        let widths = model.map(|version| {
            let rule = tables[version].lines[1].trim().trim_matches('|');
            let width = |cell: &str| {
                let marks = cell.trim();
                (cell.chars().count().saturating_sub(2), marks.ends_with(':') && !marks.starts_with(':'))
            };
            rule.split('|').map(width).collect()
        });
        TableStyle { fits, widths }
    }

    /// A line of the head (0: the headings, 1: the rule) with these cells.
    fn line(&self, tables: [&Table<'_>; 3], line: usize, cells: &[&str]) -> Line {
        let as_is = |version: usize| {
            Some(tables[version].lines[line])
                .filter(|_| self.fits[version] && tables[version].cells[line] == cells)
        };
        let base = tables[0].lines[line];
        let text = match (as_is(1), as_is(2)) {
            (Some(first), Some(second)) if first == base => Some(second),
            (Some(first), Some(second)) if second == base => Some(first),
            (first, second) => first.max(second),
        };
        Line::Text(text.map_or_else(|| self.row(cells), str::to_owned))
    }

    fn row(&self, cells: &[&str]) -> String {
        let filled = |(at, cell): (usize, &&str)| {
            let (width, on_left) =
                self.widths.as_ref().and_then(|widths| widths.get(at).copied()).unwrap_or_default();
            let blanks = " ".repeat(width.saturating_sub(cell.chars().count()));
            if on_left { format!("{blanks}{cell}") } else { format!("{cell}{blanks}") }
        };
        format!("| {} |", cells.iter().enumerate().map(filled).collect::<Vec<_>>().join(" | "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merged(versions: [&str; 3]) -> Option<Vec<String>> {
        let rules = crate::merge::Rules::default();
        let rows = merge(versions, &Context { rules: &rules, swapped: false, depth: 0 })?;
        let line = |line: &Line| match line {
            Line::Text(text) => text.clone(),
            Line::Open([_, first, second]) => format!("{first:?} or {second:?}"),
        };
        Some(rows.lines[2..].iter().map(line).collect())
    }

    #[test]
    fn rows_of_both_stand_behind_what_precedes_them() {
        let head = "| a |\n|---|\n| 1 |\n| 2 |";
        let found = merged([head, "| a |\n|---|\n| 1 |\n| x |\n| 2 |", "| a |\n|---|\n| 1 |\n| 2 |\n| 3 |"]);
        assert_eq!(found.unwrap(), ["| 1 |", "| x |", "| 2 |", "| 3 |"]);
        assert_eq!(merged(["", "| a |\n|---|\n| 1 |", "| b |\n|---|\n| 2 |"]), None);
        assert_eq!(merged(["", "| a |\n|---|\n| 1 |", "| a |\n|---|\n| 2 |"]).unwrap(), ["| 1 |", "| 2 |"]);
    }

    #[test]
    fn cells_of_one_row_are_merged_and_one_that_both_changed_is_open() {
        let table = |rows: &str| format!("| k | v | w |\n|---|---|---|\n{rows}");
        let [base, ours, theirs] =
            ["| a | 1 | 2 |\n| b | 1 | 2 |", "| a | 3 | 2 |\n| b | 5 | 2 |", "| a | 1 | 4 |\n| b | 6 | 2 |"]
                .map(table);
        assert_eq!(
            merged([&base, &ours, &theirs]).unwrap(),
            ["| a | 3 | 4 |", "Some(\"| b | 5 | 2 |\") or Some(\"| b | 6 | 2 |\")"]
        );
    }

    #[test]
    fn a_row_whose_key_changed_is_known_by_its_place() {
        let table = |rows: &str| format!("| k | v |\n|---|---|\n{rows}");
        let [base, ours, theirs] =
            ["| a | 1 |\n| b | 2 |", "| a new | 1 |\n| b | 2 |", "| a | 1 |\n| b | 3 |\n| c | 4 |"]
                .map(table);
        assert_eq!(merged([&base, &ours, &theirs]).unwrap(), ["| a new | 1 |", "| b | 3 |", "| c | 4 |"]);
    }

    #[test]
    fn a_new_column_and_a_changed_cell_are_both_taken() {
        let base = "| k | v |\n|---|---|\n| a | 1 |\n| b | 2 |";
        let ours = "| k | w | v |\n|---|---|---|\n| a | x | 1 |\n| b | y | 2 |";
        let theirs = "| k | v |\n|---|---|\n| a | 9 |\n| b | 2 |\n| c \\| d | 3 |";
        assert_eq!(
            merged([base, ours, theirs]).unwrap(),
            ["| a | x | 9 |", "| b | y | 2 |", "| c \\| d |   | 3 |"]
        );
        assert_eq!(merged([base, "| k |\n|---|\n| a |\n| b |", theirs]), None, "a cell of a removed column");
    }
}
