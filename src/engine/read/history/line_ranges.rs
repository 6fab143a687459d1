//! Parse line ranges as for `git blame -L`: `10,20`, `10,+5`, `20,-5`, `/start/,/end/`.
//!
//! Typed numbers count from 1, results from 0.

use super::commit_filter;
use crate::Stop;
use brv_base::sorting;
use bstr::BString;
use std::ops::Range;

/// The lines that are chosen, each once, in order; all lines if nothing was typed.
pub fn chosen(typed: &[String], lines: &[BString]) -> Result<Vec<Range<usize>>, Stop> {
    if typed.is_empty() {
        return Ok(if lines.is_empty() { Vec::new() } else { vec![Range { start: 0, end: lines.len() }] });
    }
    let mut ranges: Vec<Range<usize>> = Vec::new();
    let mut behind = 0;
    for text in typed {
        let range = one(text, lines, behind)
            .map_err(|stop| stop.hint("valid ranges: 10,20 or 10,+5 or /START/,/END/"))?;
        behind = range.end;
        ranges.push(range);
    }
    sorting::sort_by_key(&mut ranges, |range| range.start);
    let mut joined: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match joined.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => joined.push(range),
        }
    }
    Ok(joined)
}

/// `behind`: the line where the search for patterns begins.
fn one(text: &str, lines: &[BString], behind: usize) -> Result<Range<usize>, Stop> {
    let unclear = || Stop::usage(format!("`{text}` is not a line range"));
    let (from, rest) = part(text).ok_or_else(unclear)?;
    let to = match rest.strip_prefix(',') {
        None if rest.is_empty() => "",
        Some(to) if part(to).is_some_and(|(_, rest)| rest.is_empty()) => to,
        _ => return Err(unclear()),
    };
    let first = match from {
        "" => 1,
        from if from.starts_with(['/', '^']) => {
            let start = if from.starts_with('^') { 0 } else { behind };
            found(from.trim_start_matches('^'), lines, start)? + 1
        }
        from => from.parse().map_err(|_| unclear())?,
    };
    if first == 0 {
        return Err(unclear());
    }
    if first > lines.len() {
        let count = lines.len();
        return Err(Stop::usage(format!("`{text}` is past the end: the file has {count} lines")));
    }
    let last = match (to, to.chars().next()) {
        ("", _) => lines.len(),
        (to, Some('/')) => found(to, lines, first)? + 1,
        (to, Some('+')) => match to[1..].parse::<usize>() {
            Ok(count) if count > 0 => first.saturating_add(count - 1),
            _ => return Err(unclear()),
        },
        (to, Some('-')) => match to[1..].parse::<usize>() {
            Ok(count) if count > 0 => first.saturating_sub(count - 1).max(1),
            _ => return Err(unclear()),
        },
        (to, _) => to.parse().ok().filter(|last| *last > 0).ok_or_else(unclear)?,
    };
    let (first, last) = (first.min(last), first.max(last).min(lines.len()));
    Ok(first - 1..last)
}

/// Split a number or pattern off the start of a text, and return it with the rest.
fn part(text: &str) -> Option<(&str, &str)> {
    let start = text.strip_prefix('^').unwrap_or(text);
    let Some(pattern) = start.strip_prefix('/') else {
        return Some(text.split_at(text.find(',').unwrap_or(text.len())));
    };
    let mut is_escaped = false;
    let end = pattern.char_indices().find(|(_, sign)| {
        let is_end = *sign == '/' && !is_escaped;
        is_escaped = *sign == '\\' && !is_escaped;
        is_end
    });
    Some(text.split_at(text.len() - pattern.len() + end?.0 + 1))
}

fn found(pattern: &str, lines: &[BString], start: usize) -> Result<usize, Stop> {
    let pattern = pattern.trim_matches('/').replace("\\/", "/");
    let search = commit_filter::basic(&pattern)?;
    let is_match = |line: &BString| search.is_match(&String::from_utf8_lossy(line));
    let found = lines.iter().skip(start).position(is_match);
    let missing = || Stop::usage(format!("no line from {} on matches `{pattern}`", start + 1));
    found.map(|at| at + start).ok_or_else(missing)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_named_as_in_git() {
        let lines: Vec<BString> = ["a", "b", "c/d", "e", "f"].map(BString::from).to_vec();
        let told = |typed: &[&str]| {
            let typed: Vec<String> = typed.iter().map(|text| (*text).to_owned()).collect();
            chosen(&typed, &lines)
        };
        for (typed, expected) in [
            (&["2,3"][..], &[(1, 3)][..]),
            (&["2"], &[(1, 5)]),
            (&[",2"], &[(0, 2)]),
            (&["2,+2"], &[(1, 3)]),
            (&["3,-2"], &[(1, 3)]),
            (&["4,2"], &[(1, 4)]),
            (&["2,99"], &[(1, 5)]),
            (&["/b/,/e/"], &[(1, 4)]),
            (&["/c\\/d/,+1"], &[(2, 3)]),
            (&["4,5", "1,2"], &[(0, 2), (3, 5)]),
            (&["1,3", "3,4"], &[(0, 4)]),
        ] {
            let ranges: Vec<_> = told(typed).unwrap().iter().map(|range| (range.start, range.end)).collect();
            assert_eq!(ranges, expected, "{typed:?}");
        }
        for wrong in ["0", "6", "x", "1,+0", "/z/", "1,2,3", "/a"] {
            assert!(told(&[wrong]).is_err(), "{wrong}");
        }
    }
}
