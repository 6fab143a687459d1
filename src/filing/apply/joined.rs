//! Bring another entry into one: the prose of both is kept, facts and lists are joined.

use super::{Draft, Setting, Sides, body, fields, readable, touch};
use crate::clock::format_utc;
use crate::doc::{Document, relation};
use crate::filing::operation::Operation;
use crate::filing::{Code, Refused};
use crate::merge::{self, Names, Place, Rules, Undecided, Versions};
use crate::path::{Kind as FileKind, TreePath};

pub(super) fn joined(
    operation: &Operation,
    current: &[u8],
    sides: &Sides<'_>,
    setting: &Setting<'_>,
) -> Result<Draft, Refused> {
    let written = operation.source.as_deref().unwrap_or_default();
    let Some((source_path, source)) = sides.source else {
        return Err(Refused::new(Code::NotFound, format!("there is no entry `{written}`")));
    };
    if source_path == sides.path {
        return Err(Refused::invalid(format!("`{source_path}` cannot be merged into itself")));
    }
    if [source_path, sides.path].iter().any(|path| path.kind() != FileKind::Entry) {
        return Err(Refused::invalid("an overview is not merged with an entry"));
    }
    let target = readable(current, sides)?;
    readable(source, &Sides { path: source_path, ..*sides })?;
    let versions = Versions { base: None, ours: current, theirs: source };
    let names = Names { base: "empty", ours: sides.path.as_str(), theirs: source_path.as_str() };
    let committed = [setting.now; 2];
    let outcome =
        merge::merge(&versions, &Rules { names, committed, undecided: Undecided::Both, ..Rules::default() });
    if let Some(conflict) = outcome.conflicts.first() {
        let message =
            format!("{} of `{source_path}` does not fit into `{}`", place(&conflict.place), sides.path);
        return Err(Refused::new(Code::Conflict, message));
    }
    let mut document = Document::parse(outcome.bytes);
    keep_own_fields(&mut document, &target)?;
    drop_relations(&mut document, [source_path, sides.path])?;
    let _ = document.set_scalar("consolidated_at", format_utc(setting.now).as_str())?;
    let _ = document.add_to_list("consolidated_from", source_path.as_str())?;
    let dropped = fields::set(&mut document, operation, sides.by_title, setting)?;
    body::revise(&mut document, operation)?;
    touch(&mut document, sides, setting)?;
    Ok(Draft { document, dropped, records: outcome.records })
}

/// The entry stays what it is: the fields that name it and its state are its own.
fn keep_own_fields(document: &mut Document, target: &Document) -> Result<(), Refused> {
    for key in ["title", "status", "pinned"] {
        let _ = document.copy_field(key, target)?;
    }
    if target.meta().summary.is_some() {
        let _ = document.copy_field("summary", target)?;
    }
    Ok(())
}

/// Remove relations between the two entries, which are one now.
fn drop_relations(document: &mut Document, both: [&TreePath; 2]) -> Result<(), Refused> {
    let related = document.meta().related;
    let leads_to = |written: &str, path: &TreePath| {
        relation(written).is_some_and(|found| {
            found == path.as_str() || Some(found.as_str()) == path.as_str().strip_suffix(".md")
        })
    };
    let kept: Vec<String> =
        related.iter().filter(|one| !both.iter().any(|path| leads_to(one, path))).cloned().collect();
    if kept == related { Ok(()) } else { fields::set_list(document, "related", &kept) }
}

/// A place in words.
pub(super) fn place(place: &Place) -> String {
    match place {
        Place::Field(name) => format!("the field `{name}`"),
        Place::Fact(subject) => format!("the fact about `{subject}`"),
        Place::Block { headings, starts } if headings.is_empty() => format!("the text `{starts}`"),
        Place::Block { headings, .. } => format!("the section `{}`", headings.join("/")),
        Place::Attribute(_) => "the form".to_owned(),
        Place::Whole => "the whole".to_owned(),
    }
}
