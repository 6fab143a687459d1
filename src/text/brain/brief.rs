//! Layer 0: the project in five lines, made of entries of the other layers.

use super::kind::Kind;
use super::shelf::{Part, Shelf};

/// Entries of this age, in days, show what is worked on.
const RECENT: i64 = 14;

const TITLE: &str = "## Brief\n\n";

/// The brief within so many characters.
pub(super) fn brief(shelf: &Shelf<'_>, room: usize) -> Part {
    let of = |kind: Kind| shelf.own().filter(move |at| shelf.placed[*at].entry.kind == kind);
    let by_score = |mut found: Vec<usize>| {
        found.sort_by(|one, other| shelf.placed[*other].score.total_cmp(&shelf.placed[*one].score));
        found
    };
    let mut decisions = by_score(of(Kind::Decision).collect());
    decisions.sort_by_key(|at| std::cmp::Reverse(shelf.placed[*at].importance));
    let recent = of(Kind::Implementation).filter(|at| shelf.placed[*at].days <= RECENT);
    let lines = [
        ("Stack", by_score(of(Kind::Architecture).collect()), 3),
        ("Key decisions", decisions, 3),
        ("Conventions", by_score(of(Kind::Convention).collect()), 5),
        ("Active areas", by_score(recent.collect()), 5),
    ];
    let open = |kind| of(kind).filter(|at| !shelf.placed[*at].entry.is_done()).count();
    let last = format!("- **Open issues**: {}\n", issues(open(Kind::Bug), open(Kind::Todo)));
    let mut part = Part::default();
    let fixed = TITLE.chars().count() + last.chars().count();
    let Some(mut left) = room.checked_sub(fixed) else { return part };
    part.text.push_str(TITLE);
    for (label, found, most) in lines {
        let line = line(shelf, &format!("- **{label}**: "), &found[..found.len().min(most)], left, &mut part);
        left -= line.chars().count();
        part.text.push_str(&line);
    }
    part.text.push_str(&last);
    part
}

/// A label with the entries that fit behind it; empty if none does.
fn line(shelf: &Shelf<'_>, label: &str, found: &[usize], left: usize, part: &mut Part) -> String {
    let mut line = label.to_owned();
    // the line end
    let mut used = label.chars().count() + 1;
    for at in found {
        let Some(piece) = shelf.piece(*at) else { continue };
        let piece = if line.len() > label.len() { format!("; {piece}") } else { piece };
        let cost = piece.chars().count();
        if used + cost > left {
            part.cut += 1;
            continue;
        }
        used += cost;
        line.push_str(&piece);
        part.shown.push(*at);
    }
    if line.len() > label.len() { line + "\n" } else { String::new() }
}

fn issues(bugs: usize, todos: usize) -> String {
    let many = |count: usize, one: &str| match count {
        1 => format!("1 {one}"),
        count => format!("{count} {one}s"),
    };
    match (bugs, todos) {
        (0, 0) => "none".to_owned(),
        (bugs, 0) => many(bugs, "bug"),
        (0, todos) => many(todos, "task"),
        (bugs, todos) => format!("{}, {}", many(bugs, "bug"), many(todos, "task")),
    }
}
