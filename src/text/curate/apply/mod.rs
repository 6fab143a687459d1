//! Apply one operation to the bytes of its entry.
//!
//! Only what the operation names changes. With `base` the operation is applied to the version that the caller read, and
//! merged by meaning with what came since.

mod body;
mod create;
mod fields;
mod intake;
mod joined;
mod review;
mod sections;
#[cfg(test)]
mod tests;

use super::input::CurateKind;
use super::operation::{Operation, Parts};
use super::{Code, Refused};
use crate::doc::{self, Document, Frontmatter, Unrevised, edit};
use crate::lint::{self, Fault, Rule, secrets};
use crate::merge::{self, Names, Record, Rules, Versions};
use brv_base::content::ContentId;
use brv_base::path::{PathKind as FileKind, TreePath};

pub use fields::{with_distinct_relations, with_relations};
pub use review::Why;
pub use sections::{Fate, SectionOutcome};

/// What every operation of one run shares.
#[derive(Clone, Copy)]
pub struct Setting<'a> {
    /// The time, in seconds since 1970.
    pub now: i64,
    /// Whether a relation (`domain/topic`, `domain/topic/title` or `domain/topic/title.md`) leads to knowledge.
    pub leads: &'a dyn Fn(&str) -> bool,
}

/// The entry that an operation names, and the other versions it asks for.
#[derive(Clone, Copy)]
pub struct Sides<'a> {
    /// Where the entry is, or will be.
    pub path: &'a TreePath,
    /// Whether it was found by its title.
    pub by_title: bool,
    /// Its bytes, if it is there.
    pub current: Option<&'a [u8]>,
    /// The bytes of `base`, if the repository has them.
    pub base: Option<&'a [u8]>,
    /// The source of a MERGE, if it is there.
    pub source: Option<(&'a TreePath, &'a [u8])>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Act {
    Added,
    Updated,
    /// It already said what the operation says.
    Unchanged,
    /// Its source was brought in, which is to be removed.
    Merged,
    Deleted,
}

impl Act {
    /// What became of the entry, in a word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Updated => "updated",
            Self::Unchanged => "unchanged",
            Self::Merged => "merged",
            Self::Deleted => "deleted",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Applied {
    pub act: Act,
    /// Its new bytes; `None` if it was deleted.
    pub bytes: Option<Vec<u8>>,
    /// Relations that were left out since they lead to nothing, as written.
    pub dropped_relations: Vec<String>,
    pub disputed: Vec<String>,
    /// Why a person should look at it.
    pub review: Vec<Why>,
    pub sections: Vec<SectionOutcome>,
    /// What a merge settled, so that a text of one side is not in the entry as it was.
    pub records: Vec<Record>,
    /// Whether a commit only set or took away marks of statements.
    pub only_marks: bool,
}

/// An entry while an operation is applied.
struct Draft {
    document: Document,
    dropped: Vec<String>,
    records: Vec<Record>,
}

/// Apply an operation.
///
/// # Errors
/// [`Refused`]: then nothing is to be written.
pub fn apply(operation: &Operation, sides: &Sides<'_>, setting: &Setting<'_>) -> Result<Applied, Refused> {
    without_secrets(&secrets::faults(operation.written_texts().as_bytes()))?;
    if let Some((path, bytes)) = sides.source {
        // what is committed there already would stand in a second entry
        without_secrets(&secrets::faults(bytes)).map_err(|refused| {
            Refused::new(refused.code, format!("`{path}` has a secret: {}", refused.message))
        })?;
    }
    if let Some(fault) = lint::hidden_faults(&operation.own_texts()).first() {
        return Err(Refused::invalid(format!("{}: {}: not written", fault.rule.id(), fault.message)));
    }
    without_markers(operation)?;
    expected(operation, sides)?;
    let mut applied = by_kind(operation, sides, setting)?;
    if operation.filing.is_some() {
        let [before, after] = [sides.current, applied.bytes.as_deref()].map(Option::unwrap_or_default);
        applied.only_marks = review::only_marks(&Document::parse(before), &Document::parse(after));
        let only_marks = applied.only_marks;
        applied.review.retain(|why| match why {
            Why::BodyRemoved | Why::Deleted => false,
            Why::Pinned => !only_marks,
            _ => true,
        });
    }
    Ok(applied)
}

fn by_kind(operation: &Operation, sides: &Sides<'_>, setting: &Setting<'_>) -> Result<Applied, Refused> {
    match (operation.kind, sides.current) {
        (CurateKind::Add, Some(_)) => {
            let message = format!("`{}` is there already: use UPDATE or UPSERT", sides.path);
            Err(Refused::new(Code::Exists, message))
        }
        (CurateKind::Update | CurateKind::Merge | CurateKind::Delete, None) => {
            Err(Refused::new(Code::NotFound, format!("there is no entry `{}`", sides.path)))
        }
        (CurateKind::Delete, Some(current)) => deleted(operation, current, sides),
        (CurateKind::Merge, Some(current)) => {
            let draft = joined::joined(operation, current, sides, setting)?;
            finished(Act::Merged, sides, draft)
        }
        (CurateKind::Add | CurateKind::Upsert, None) => {
            let draft = match operation.base {
                None => create::created(operation, sides, setting)?,
                // deleted since it was read: as in a merge, the edit stays
                Some(id) => revised(operation, known(id, sides)?, sides, setting)?,
            };
            finished(Act::Added, sides, draft)
        }
        (CurateKind::Update | CurateKind::Upsert, Some(current)) => {
            let draft = updated(operation, current, sides, setting)?;
            let is_same = draft.document.as_bytes() == current;
            finished(if is_same { Act::Unchanged } else { Act::Updated }, sides, draft)
        }
    }
}

fn without_secrets(found: &[Fault]) -> Result<(), Refused> {
    let Some(fault) = found.first() else { return Ok(()) };
    let message = format!("{}: {}: not written", fault.rule.id(), fault.message);
    Err(Refused::new(Code::Blocked, message))
}

/// Refuse a body with conflict markers as it is given: brought into sections, they would be no markers any more, and
/// still no text.
fn without_markers(operation: &Operation) -> Result<(), Refused> {
    let texts = operation.parts.iter().flat_map(|part| match part {
        Parts::Markdown(text) => vec![text.as_str()],
        Parts::Content(content) => content.narrative.parts().into_iter().flatten().collect(),
    });
    for text in texts {
        if let Some(conflict) = Document::parse(text).conflicts().first() {
            let message = format!("the text has conflict markers in line {}: not written", conflict.line);
            return Err(Refused::invalid(message));
        }
    }
    Ok(())
}

/// Check `expect`. An entry that is not there is reported as such where the operation needs it.
fn expected(operation: &Operation, sides: &Sides<'_>) -> Result<(), Refused> {
    let Some(wanted) = operation.expect else { return Ok(()) };
    match sides.current.map(ContentId::of) {
        None if operation.kind != CurateKind::Upsert => Ok(()),
        Some(id) if id == wanted => Ok(()),
        found => {
            let found = found.map_or("not there".to_owned(), |id| id.to_string());
            Err(Refused::new(Code::Changed, format!("`{}` is {found}, not {wanted}", sides.path)))
        }
    }
}

/// The bytes of `base`.
fn known<'a>(id: ContentId, sides: &Sides<'a>) -> Result<&'a [u8], Refused> {
    let missing =
        || Refused::new(Code::Changed, format!("the repository has no version {id} of `{}`", sides.path));
    sides.base.ok_or_else(missing)
}

fn deleted(operation: &Operation, current: &[u8], sides: &Sides<'_>) -> Result<Applied, Refused> {
    if operation.base.is_some_and(|base| base != ContentId::of(current)) {
        let message = format!("`{}` was edited since: read it again before you delete it", sides.path);
        return Err(Refused::new(Code::Conflict, message));
    }
    let review = review::deleted(&Document::parse(current));
    let (dropped_relations, disputed, sections, records) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    Ok(Applied {
        act: Act::Deleted,
        bytes: None,
        dropped_relations,
        disputed,
        review,
        sections,
        records,
        only_marks: false,
    })
}

/// The entry with the operation applied, to the version that was read if one is named.
fn updated(
    operation: &Operation,
    current: &[u8],
    sides: &Sides<'_>,
    setting: &Setting<'_>,
) -> Result<Draft, Refused> {
    let Some(base) = operation.base.filter(|base| *base != ContentId::of(current)) else {
        return revised(operation, current, sides, setting);
    };
    let base = known(base, sides)?;
    readable(current, sides)?;
    let draft = revised(operation, base, sides, setting)?;
    let versions = Versions { base: Some(base), ours: current, theirs: draft.document.as_bytes() };
    let names = Names { base: "read", ours: "current", theirs: "update" };
    let outcome = merge::merge(&versions, &Rules { names, committed: [setting.now; 2], ..Rules::default() });
    if let Some(conflict) = outcome.conflicts.first() {
        let place = joined::place(&conflict.place);
        let message = format!("{place} of `{}` was changed since: read it again", sides.path);
        return Err(Refused::new(Code::Conflict, message));
    }
    Ok(Draft { document: Document::parse(outcome.bytes), records: outcome.records, ..draft })
}

/// A version of the entry with the operation applied.
fn revised(
    operation: &Operation,
    version: &[u8],
    sides: &Sides<'_>,
    setting: &Setting<'_>,
) -> Result<Draft, Refused> {
    let before = match operation.replace {
        // which is how conflict markers in the body are mended
        true => text(version, sides)?,
        false => readable(version, sides)?,
    };
    let mut document = before.clone();
    // the title of an overview is its heading
    let by_title = sides.by_title || sides.path.kind() == FileKind::NodeOverview;
    let dropped = fields::set(&mut document, operation, by_title, setting)?;
    body::revise(&mut document, operation)?;
    intake::apply(&mut document, operation)?;
    for subject in &operation.disputed {
        let _ = document.add_to_list("disputed", subject)?;
    }
    settle(&mut document, &before)?;
    match operation.filing.as_ref().and_then(|filing| filing.written) {
        _ if document == before => {}
        Some(written) => intake::date(&mut document, written)?,
        // marks make nothing younger
        None if operation.filing.is_some() => {}
        None => touch(&mut document, sides, setting)?,
    }
    Ok(Draft { document, dropped, records: Vec::new() })
}

/// The parsed version, if it is a text with frontmatter that can be edited.
fn text(version: &[u8], sides: &Sides<'_>) -> Result<Document, Refused> {
    let document = Document::parse(version);
    if !document.is_utf8() {
        return Err(Refused::invalid(format!("`{}` is not UTF-8", sides.path)));
    }
    if let Frontmatter::Opaque { why, .. } = document.frontmatter() {
        let message = format!("the frontmatter of `{}` {why}: mend it in the file first", sides.path);
        return Err(Refused::invalid(message));
    }
    Ok(document)
}

/// The parsed version, if it can be edited.
fn readable(version: &[u8], sides: &Sides<'_>) -> Result<Document, Refused> {
    let document = text(version, sides)?;
    if !document.conflicts().is_empty() {
        let message = format!("`{}` has unresolved conflict markers", sides.path);
        return Err(Refused::new(Code::Conflict, message));
    }
    Ok(document)
}

/// Remove from `disputed` what is not in dispute any more.
fn settle(document: &mut Document, before: &Document) -> Result<(), Refused> {
    let open = doc::disputes(document);
    let is_open = |subject: &str| open.iter().any(|one| doc::is_same_subject(&one.subject, subject));
    let settled: Vec<String> = doc::disputes(before)
        .into_iter()
        .map(|one| one.subject)
        .filter(|subject| !is_open(subject))
        .collect();
    for item in before.meta().disputed {
        if settled.iter().any(|subject| doc::is_same_subject(subject, &item)) {
            let _ = document.remove_from_list("disputed", &item)?;
        }
    }
    if !settled.is_empty() && document.meta().disputed.is_empty() {
        let _ = document.remove_field("disputed")?;
    }
    Ok(())
}

/// Set `updatedAt`. An overview that has no frontmatter gets none.
fn touch(document: &mut Document, sides: &Sides<'_>, setting: &Setting<'_>) -> Result<(), Refused> {
    let is_plain = document.body_start() == 0 && sides.path.kind() == FileKind::NodeOverview;
    if !is_plain {
        let _ = document.set_scalar("updatedAt", brv_base::clock::format_utc(setting.now).as_str())?;
    }
    Ok(())
}

fn finished(act: Act, sides: &Sides<'_>, draft: Draft) -> Result<Applied, Refused> {
    let Draft { document, dropped, records } = draft;
    // what only shows as a secret once it is written, such as a subject and its statement on one line
    let known: Vec<&[u8]> =
        [sides.current, sides.base, sides.source.map(|(_, bytes)| bytes)].into_iter().flatten().collect();
    // a secret of an older version is not brought back
    without_secrets(&secrets::new_faults(document.as_bytes(), sides.current.as_slice()))?;
    if let Some(conflict) = document.conflicts().first() {
        let message = format!("the entry would have conflict markers in line {}", conflict.line);
        return Err(Refused::invalid(message));
    }
    if let Some(fault) = new_frontmatter_fault(&document, &known) {
        return Err(Refused::invalid(format!("{}: {}: not written", fault.rule.id(), fault.message)));
    }
    let size = document.as_bytes().len();
    if size > lint::MAX_BYTES {
        let message = format!("the entry would have {size} bytes, and the limit is {}", lint::MAX_BYTES);
        return Err(Refused::new(Code::OverLimit, message));
    }
    let before = sides.current.map(Document::parse);
    let review = before.as_ref().map(|before| review::changed(act, before, &document)).unwrap_or_default();
    let sections = before.map(|before| sections::changed(&before, &document)).unwrap_or_default();
    let disputed = doc::disputes(&document).into_iter().map(|one| one.subject).collect();
    let bytes = Some(document.into_bytes());
    let dropped_relations = dropped;
    Ok(Applied { act, bytes, dropped_relations, disputed, review, sections, records, only_marks: false })
}

/// What is wrong with the frontmatter, such as a second one, if it was right in every version before.
fn new_frontmatter_fault(document: &Document, known: &[&[u8]]) -> Option<Fault> {
    let fault = |document: &Document| {
        lint::faults(document, lint::MAX_BYTES).into_iter().find(|fault| fault.rule == Rule::Frontmatter)
    };
    let was_right = |bytes: &&[u8]| fault(&Document::parse(*bytes)).is_none();
    fault(document).filter(|_| known.iter().all(was_right))
}

impl From<edit::Error> for Refused {
    fn from(error: edit::Error) -> Self {
        Self::invalid(error.to_string())
    }
}

impl From<Unrevised> for Refused {
    fn from(error: Unrevised) -> Self {
        let is_missing = matches!(error, Unrevised::NoSection(_) | Unrevised::NoFact(_));
        Self::new(if is_missing { Code::NotFound } else { Code::Invalid }, error.to_string())
    }
}
