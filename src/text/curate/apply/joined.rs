//! Bring another entry into one: the prose of both is kept, facts and lists are joined.

use super::{Draft, Setting, Sides, body, fields, readable, touch};
use crate::curate::operation::Operation;
use crate::curate::{Code, Refused};
use crate::doc::{Document, VERIFIED, Value, is_same_subject, relation};
use crate::merge::{self, Additions, MergePlace, Names, Record, Rules, Settled, Side, Undecided, Versions};
use brv_base::clock::format_utc;
use brv_base::path::{PathKind as FileKind, TreePath};

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
    let mut source = readable(source, &Sides { path: source_path, ..*sides })?;
    let listed = [target.meta().disputed, source.meta().disputed].concat();
    // by block its values would come under other labels
    let concept = source.take_concept(&target)?;
    let source = in_form_of(&source, &target);
    let versions = Versions { base: None, ours: current, theirs: &source };
    let names = Names { base: "empty", ours: sides.path.as_str(), theirs: source_path.as_str() };
    let committed = [setting.now; 2];
    let (undecided, additions) = (Undecided::Both, Additions::OursFirst);
    let outcome =
        merge::merge(&versions, &Rules { names, committed, undecided, additions, ..Rules::default() });
    let is_one_side =
        |record: &&Record| record.place == MergePlace::Whole && matches!(record.settled, Settled::Chosen(_));
    let dropped = outcome.records.iter().find(is_one_side).map(|record| &record.place);
    if let Some(open) = outcome.conflicts.first().map(|conflict| &conflict.place).or(dropped) {
        let message = format!("{} of `{source_path}` does not fit into `{}`", place(open), sides.path);
        return Err(Refused::new(Code::Conflict, message));
    }
    let mut document = Document::parse(outcome.bytes);
    keep_own_fields(&mut document, &target)?;
    let records = keep_own_values(&mut document, &target, outcome.records)?;
    if let Some(concept) = &concept {
        let _ = document.join_concept(concept)?;
    }
    list_subjects_only(&mut document, &listed)?;
    drop_relations(&mut document, [source_path, sides.path])?;
    let _ = document.set_scalar("consolidated_at", format_utc(setting.now).as_str())?;
    let _ = document.add_to_list("consolidated_from", source_path.as_str())?;
    let dropped = fields::set(&mut document, operation, sides.by_title, setting)?;
    body::revise(&mut document, operation)?;
    touch(&mut document, sides, setting)?;
    Ok(Draft { document, dropped, records })
}

/// The source with byte order mark, line endings and final newline of the target, and an empty line before its body:
/// without one it would stand right behind the target's last line.
fn in_form_of(source: &Document, target: &Document) -> Vec<u8> {
    let form = target.attributes();
    let (head, body) = source.text().split_at(source.body_start());
    let mark = if form.byte_order_mark { "\u{feff}" } else { "" };
    let gap = if body.is_empty() || body.starts_with(['\r', '\n']) { "" } else { "\n" };
    let text = [mark, head.trim_start_matches('\u{feff}'), gap, body].concat();
    let newline = form.line_ending.as_str();
    let text = text.replace("\r\n", "\n").replace('\n', newline);
    let end = if form.final_newline { newline } else { "" };
    [text.strip_suffix(newline).unwrap_or(&text), end].concat().into_bytes()
}

/// The entry stays what it is: the fields that name it and its state are its own.
fn keep_own_fields(document: &mut Document, target: &Document) -> Result<(), Refused> {
    for key in ["title", "status", "pinned", VERIFIED] {
        let _ = document.copy_field(key, target)?;
    }
    if target.meta().summary.is_some() {
        let _ = document.copy_field("summary", target)?;
    }
    Ok(())
}

/// The fields that tell times, which are settled by what they mean.
const TIMES: [&str; 3] = ["createdAt", "updatedAt", "consolidated_at"];

/// Where both have a value and only one can stand, it is the entry's own; the record names what the source said.
fn keep_own_values(
    document: &mut Document,
    target: &Document,
    mut records: Vec<Record>,
) -> Result<Vec<Record>, Refused> {
    for record in &mut records {
        let MergePlace::Field { field: name } = &record.place else { continue };
        if record.settled == Settled::Chosen(Side::Theirs) && !TIMES.contains(&name.as_str()) {
            let joined = list(document, name);
            let _ = document.copy_field(name, target)?;
            let own = list(target, name);
            // of two lists that were joined only the comments are the entry's own
            if own.iter().all(|item| joined.contains(item)) {
                for item in joined.iter().filter(|item| !own.contains(item)) {
                    let _ = document.add_to_list(name, item)?;
                }
            }
            record.settled = Settled::Chosen(Side::Ours);
        }
    }
    Ok(records)
}

/// The texts of a list; none of what is not a list of texts.
fn list(document: &Document, name: &str) -> Vec<String> {
    match document.field(name) {
        Some(Value::List(items)) => items.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        _ => Vec::new(),
    }
}

/// Remove from `disputed` the headings that this merge listed: two texts that both stand do not contradict, and no
/// later update would settle it.
fn list_subjects_only(document: &mut Document, listed: &[String]) -> Result<(), Refused> {
    let facts = document.facts();
    let is_about = |subject: &Option<String>, item: &str| {
        subject.as_ref().is_some_and(|subject| is_same_subject(subject, item))
    };
    let stays = |item: &String| {
        listed.iter().any(|known| is_same_subject(known, item))
            || facts.iter().filter(|fact| is_about(&fact.subject, item)).count() > 1
    };
    let gone: Vec<String> = document.meta().disputed.into_iter().filter(|item| !stays(item)).collect();
    for item in &gone {
        let _ = document.remove_from_list("disputed", item)?;
    }
    if !gone.is_empty() && document.meta().disputed.is_empty() {
        let _ = document.remove_field("disputed")?;
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

pub(super) fn place(place: &MergePlace) -> String {
    match place {
        MergePlace::Field { field: name } => format!("the field `{name}`"),
        MergePlace::Fact { subject } => format!("the fact about `{subject}`"),
        MergePlace::Block { headings, starts } if headings.is_empty() => format!("the text `{starts}`"),
        MergePlace::Block { headings, .. } => format!("the section `{}`", headings.join("/")),
        MergePlace::Attribute { .. } => "the form".to_owned(),
        MergePlace::Whole => "the whole".to_owned(),
    }
}
