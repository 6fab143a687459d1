//! In which layer an entry is, and why: layer 3 is decided first, then layer 1; what is left is layer 2.

use super::kind::Kind;

/// What the layer of an entry depends on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Position {
    pub kind: Kind,
    /// Whether it is superseded or deprecated.
    pub is_retired: bool,
    /// Whether it is marked as done.
    pub is_done: bool,
    /// From 1 to 5.
    pub importance: u8,
    /// From 0 to 1.
    pub confidence: f64,
    /// Since its last change.
    pub days: i64,
}

/// The layer, from 1 to 3, and the reason.
pub fn layer(at: &Position) -> (u8, &'static str) {
    if let Some(why) = excluded(at) {
        return (3, why);
    }
    active(at).map_or((2, "stable knowledge"), |why| (1, why))
}

fn excluded(at: &Position) -> Option<&'static str> {
    let Position { kind, is_retired, is_done, importance, confidence, days } = *at;
    Some(match kind {
        _ if is_retired => "superseded or deprecated",
        Kind::CodeMap => "a code map",
        _ if confidence < 0.4 && days > 14 => "confidence below 0.4, and older than 14 days",
        Kind::Implementation if days > 90 && importance < 3 => {
            "implementation older than 90 days, importance below 3"
        }
        Kind::Bug if is_done && days > 60 => "a bug that was done more than 60 days ago",
        _ => return None,
    })
}

fn active(at: &Position) -> Option<&'static str> {
    let Position { kind, is_done, importance, days, .. } = *at;
    Some(match kind {
        _ if days <= 30 && importance >= 3 => "changed within 30 days, importance 3 or more",
        Kind::Decision if days <= 30 => "a decision changed within 30 days",
        Kind::Bug if !is_done && importance >= 4 => "an open bug of importance 4 or more",
        Kind::Bug if !is_done && days <= 7 => "an open bug changed within 7 days",
        Kind::Todo if !is_done => "an open task",
        Kind::Convention if days <= 14 => "a convention changed within 14 days",
        _ if importance >= 4 && days <= 60 => "changed within 60 days, importance 4 or more",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An implementation of low importance, long ago: nothing puts it into layer 1.
    const OLD: Position = Position {
        kind: Kind::Implementation,
        is_retired: false,
        is_done: false,
        importance: 3,
        confidence: 0.7,
        days: 200,
    };

    #[test]
    fn each_criterion_holds_up_to_its_border() {
        use Kind::{Architecture, Bug, CodeMap, Convention, Decision, Implementation, Todo};
        let at = |kind, importance, days| Position { kind, importance, days, ..OLD };
        let done = |position| Position { is_done: true, ..position };
        let retired = |position| Position { is_retired: true, ..position };
        let unsure = |confidence, days| Position { confidence, ..at(Architecture, 2, days) };
        let cases = [
            // layer 3
            (retired(at(Decision, 5, 0)), 3, "superseded"),
            (at(CodeMap, 5, 0), 3, "code map"),
            (unsure(0.39, 15), 3, "confidence"),
            (unsure(0.39, 14), 2, "stable"),
            (unsure(0.4, 15), 2, "stable"),
            (at(Implementation, 2, 91), 3, "90 days"),
            (at(Implementation, 2, 90), 2, "stable"),
            (at(Implementation, 3, 91), 2, "stable"),
            (done(at(Bug, 5, 61)), 3, "done"),
            (done(at(Bug, 5, 60)), 1, "60 days"),
            (done(at(Bug, 3, 60)), 2, "stable"),
            // layer 1
            (at(Architecture, 3, 30), 1, "30 days"),
            (at(Architecture, 3, 31), 2, "stable"),
            (at(Architecture, 2, 30), 2, "stable"),
            (at(Decision, 1, 30), 1, "decision"),
            (at(Decision, 1, 31), 2, "stable"),
            (at(Bug, 4, 900), 1, "open bug"),
            (at(Bug, 3, 900), 2, "stable"),
            (at(Bug, 1, 7), 1, "7 days"),
            (at(Bug, 1, 8), 2, "stable"),
            (done(at(Bug, 1, 7)), 2, "stable"),
            (at(Todo, 1, 900), 1, "open task"),
            (done(at(Todo, 1, 10)), 2, "stable"),
            (at(Convention, 1, 14), 1, "14 days"),
            (at(Convention, 1, 15), 2, "stable"),
            (at(Architecture, 4, 60), 1, "60 days"),
            (at(Architecture, 4, 61), 2, "stable"),
            (at(Architecture, 3, 60), 2, "stable"),
            // an open bug outlives the threshold for implementations
            (at(Bug, 1, 900), 2, "stable"),
        ];
        for (position, expected, part) in cases {
            let (found, why) = layer(&position);
            assert!(found == expected && why.contains(part), "{position:?}: {found}, {why}");
        }
    }
}
