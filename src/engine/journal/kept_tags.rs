//! Keep the objects of annotated tags that an operation deletes or moves. A snapshot can have only commits as parents,
//! so each tag object has a reference of its own, `refs/brv/tags/<id>`, as long as a logged operation names it.

use super::RefMove;
use super::list::list;
use crate::Stop;
use brv_git as git;
use brv_git::refs::{self, Expected, Move, Target};
use brv_git::{ObjectName, Scope, Signature, tags};
use bstr::BString;
use std::collections::HashSet;

/// The namespace of these references.
const KEPT: &str = "refs/brv/tags/";

fn name(id: ObjectName) -> BString {
    format!("{KEPT}{id}").into()
}

/// Keep the tag objects that these moves would make unreachable.
pub fn keep_tags(scope: &Scope, moves: &[RefMove]) -> Result<(), git::Error> {
    let lost = moves.iter().filter(|one| one.name.starts_with(tags::TAGS.as_bytes()) && one.old != one.new);
    let ids = lost.filter_map(|one| match one.old {
        Some(Target::Object(id)) => Some(id),
        _ => None,
    });
    let kept: Vec<Move> = ids
        .filter(|id| tags::is_annotated(scope, *id))
        .map(|id| Move {
            name: name(id),
            expected: Expected::Anything,
            target: Some(id.into()),
            reason: "".into(),
        })
        .collect();
    if kept.is_empty() {
        return Ok(());
    }
    refs::update(scope, kept, &Signature::anonymous(0))
}

/// Delete the references that no logged operation names any more.
pub(super) fn sweep(scope: &Scope) -> Result<(), Stop> {
    let kept = refs::names(scope, KEPT)?;
    if kept.is_empty() {
        return Ok(());
    }
    let listed = list(scope)?;
    let moves = listed.iter().filter_map(|one| one.record.as_ref().ok()).flat_map(|record| &record.moves);
    let sides = moves.flat_map(|one| [&one.old, &one.new]);
    let named: HashSet<BString> = sides
        .filter_map(|side| match side {
            Some(Target::Object(id)) => Some(name(*id)),
            _ => None,
        })
        .collect();
    let gone = kept.into_iter().filter(|name| !named.contains(name));
    let gone: Vec<Move> = gone
        .map(|name| Move { name, expected: Expected::Anything, target: None, reason: "".into() })
        .collect();
    if !gone.is_empty() {
        refs::update(scope, gone, &Signature::anonymous(0))?;
    }
    Ok(())
}
