//! In which layer an entry is, and why: layer 3 is left out of the list of entries, layer 2 is that list. Layers 0 and 1 are
//! made of statements.

use super::kind::EntryKind;

/// What the layer of an entry depends on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LayerFactors {
    pub kind: EntryKind,
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

/// The layer, 2 or 3, and the reason.
pub fn layer(at: &LayerFactors) -> (u8, &'static str) {
    excluded(at).map_or((2, "an entry of the tree"), |why| (3, why))
}

fn excluded(at: &LayerFactors) -> Option<&'static str> {
    let LayerFactors { kind, is_retired, is_done, importance, confidence, days } = *at;
    Some(match kind {
        _ if is_retired => "superseded or deprecated",
        EntryKind::CodeMap => "a code map",
        _ if confidence < 0.4 && days > 14 => "confidence below 0.4, and older than 14 days",
        EntryKind::Implementation if days > 90 && importance < 3 => {
            "implementation older than 90 days, importance below 3"
        }
        EntryKind::Bug if is_done && days > 60 => "a bug that was done more than 60 days ago",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_criterion_holds_up_to_its_border() {
        use EntryKind::{Architecture, Bug, CodeMap, Decision, Implementation};
        let at = |kind, importance, days| LayerFactors {
            kind,
            is_retired: false,
            is_done: false,
            importance,
            confidence: 0.7,
            days,
        };
        let done = |position| LayerFactors { is_done: true, ..position };
        let retired = |position| LayerFactors { is_retired: true, ..position };
        let unsure = |confidence, days| LayerFactors { confidence, ..at(Architecture, 2, days) };
        let cases = [
            (retired(at(Decision, 5, 0)), 3, "superseded"),
            (at(CodeMap, 5, 0), 3, "code map"),
            (unsure(0.39, 15), 3, "confidence"),
            (unsure(0.39, 14), 2, "tree"),
            (unsure(0.4, 15), 2, "tree"),
            (at(Implementation, 2, 91), 3, "90 days"),
            (at(Implementation, 2, 90), 2, "tree"),
            (at(Implementation, 3, 91), 2, "tree"),
            (done(at(Bug, 5, 61)), 3, "done"),
            (done(at(Bug, 5, 60)), 2, "tree"),
            (at(Bug, 1, 900), 2, "tree"),
        ];
        for (position, expected, part) in cases {
            let (found, why) = layer(&position);
            assert!(found == expected && why.contains(part), "{position:?}: {found}, {why}");
        }
    }
}
