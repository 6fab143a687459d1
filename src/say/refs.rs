//! Words for references that moved, and the failure for those that a remote rejected.

use super::{Failure, words};
use brv_base::escape::escape_line;
use brv_commands::op::log::{RefMove, Target};
use brv_engine::FailureKind;
use brv_engine::vc::remotes::fetch_options::History;
use brv_engine::vc::remotes::transfer::{Moved, Ref};
use bstr::{BString, ByteSlice as _};

/// The message for a change of the history's depth, if there is one.
pub const fn history(history: History) -> Option<&'static str> {
    match history {
        History::Unchanged => None,
        History::Whole => Some("The history is complete now."),
        History::Deepened => Some("The history is deeper now."),
        History::Limited => Some("The history is shallow now."),
    }
}

pub fn short(name: &str) -> &str {
    let prefixes = ["refs/heads/", "refs/remotes/", "refs/tags/"];
    prefixes.iter().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(name)
}

/// Where a reference of an operation was and is: `main: 1a2b3c4 -> 5d6e7f8`; `gone` is the word for one that was
/// deleted.
pub fn moved(one: &RefMove, gone: &str) -> String {
    let shown = |name: &BString| escape_line(short(&name.to_str_lossy()).as_bytes()).into_owned();
    let place = |target: &Target| match target {
        Target::Object(id) => words::short(id),
        Target::Symbolic(name) => shown(name),
    };
    let name = shown(&one.name);
    match (one.old.as_ref().map(place), one.new.as_ref().map(place)) {
        (Some(before), Some(after)) => format!("{name}: {before} -> {after}"),
        (None, Some(after)) => format!("{name}: new, at {after}"),
        (Some(before), None) => format!("{name}: {gone} (was {before})"),
        (None, None) => format!("{name}: {gone}"),
    }
}

/// The failure for rejected refs: from the guard against lost commits, or from the server.
pub fn rejected(refs: &[Ref], guard: impl Fn(&Ref) -> bool) -> Option<Failure> {
    let rejected: Vec<&Ref> = refs.iter().filter(|moved| moved.status == Moved::Rejected).collect();
    let line = |moved: &&Ref| {
        format!(
            "{} ({})",
            escape_line(short(&moved.remote).as_bytes()),
            moved.reason.as_deref().unwrap_or("rejected")
        )
    };
    if rejected.is_empty() {
        return None;
    }
    let kind =
        if rejected.iter().all(|moved| !guard(moved)) { FailureKind::Remote } else { FailureKind::Refused };
    let refs = words::many(rejected.len(), "ref was", "refs were");
    Some(Failure::new(kind, format!("{refs} rejected")).detailing(rejected.iter().map(line)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::say::Exit;

    #[test]
    fn a_guards_rejection_is_not_the_servers() {
        let is_guard = |moved: &Ref| moved.reason.as_deref() == Some("fetch first");
        let row = |reason: &str| {
            [Ref {
                remote: "refs/heads/main".into(),
                local: None,
                source: None,
                before: None,
                after: None,
                status: Moved::Rejected,
                reason: Some(reason.into()),
                rescue: None,
                address: None,
            }]
        };
        assert_eq!(rejected(&row("fetch first"), is_guard).unwrap().exit, Exit::Refused);
        assert_eq!(rejected(&row("hook declined"), is_guard).unwrap().exit, Exit::Remote);
        assert_eq!(rejected(&[], is_guard), None);
    }
}
