//! What the intake of a commit does to an entry beside its facts: items, Files, keywords, summary and dates.

use super::fields;
use crate::curate::Refused;
use crate::curate::operation::{MOST_KEYWORDS, Operation};
use crate::doc::{Concept, Document, EntryBody, instant};
use crate::judge::summary;
use brv_base::clock::format_utc;

/// Bring in what is filed.
///
/// # Errors
/// An item or a field that cannot be written so that it reads back.
pub(super) fn apply(document: &mut Document, operation: &Operation) -> Result<(), Refused> {
    let Some(filing) = &operation.filing else { return Ok(()) };
    let before = summary(&document.items());
    let _ = document.change_items(&filing.items)?;
    if let Some(files) = filing.files.as_ref().filter(|files| **files != document.concept().files) {
        let concept = Concept { files: files.clone(), ..Concept::default() };
        let _ = document.revise(&EntryBody { concept, ..EntryBody::default() })?;
    }
    let mut keywords = document.meta().keywords;
    let known = keywords.len();
    for word in &filing.keywords {
        if keywords.len() < MOST_KEYWORDS && !keywords.contains(word) {
            keywords.push(word.clone());
        }
    }
    if keywords.len() > known {
        fields::set_list(document, "keywords", &keywords)?;
    }
    summarize(document, before.as_deref())
}

/// Write the summary anew, unless a person wrote the one that is there.
fn summarize(document: &mut Document, before: Option<&str>) -> Result<(), Refused> {
    let own = document.meta().summary.unwrap_or_default();
    let after = summary(&document.items());
    if (own.is_empty() || Some(own.as_str()) == before) && after.as_deref().unwrap_or_default() != own {
        let _ = document.set_scalar("summary", after.as_deref().unwrap_or_default())?;
    }
    Ok(())
}

/// Make the entry as old, or as new, as what was filed.
pub(super) fn date(document: &mut Document, written: i64) -> Result<(), Refused> {
    let meta = document.meta();
    let own = |text: Option<&String>| text.and_then(|text| instant(text));
    let stamp = format_utc(written);
    let given = instant(&stamp);
    if own(meta.created_at.as_ref()) > given && meta.created_at.is_some() {
        let _ = document.set_scalar("createdAt", stamp.as_str())?;
    }
    if own(meta.updated_at.as_ref()) < given {
        let _ = document.set_scalar("updatedAt", stamp.as_str())?;
    }
    Ok(())
}
