//! Set the fields of the frontmatter that an operation names.

use super::Setting;
use crate::curate::Refused;
use crate::curate::operation::Operation;
use crate::doc::{Document, edit, relation};

/// Set the fields; the relations that lead to nothing are returned.
pub(super) fn set(
    document: &mut Document,
    operation: &Operation,
    by_title: bool,
    setting: &Setting<'_>,
) -> Result<Vec<String>, Refused> {
    let meta = document.meta();
    // found by its title: the one in the file stays, whatever its case
    let title = operation.title.as_ref().filter(|_| !by_title || document.title().is_none());
    if let Some(title) = title.filter(|title| document.title().as_ref() != Some(*title)) {
        let _ = document.set_scalar("title", title.as_str())?;
    }
    if let Some(summary) =
        operation.summary.as_ref().filter(|new| meta.summary.as_deref().unwrap_or("") != **new)
    {
        let _ = document.set_scalar("summary", summary.as_str())?;
    }
    for (key, wanted, now) in
        [("tags", &operation.tags, &meta.tags), ("keywords", &operation.keywords, &meta.keywords)]
    {
        if let Some(wanted) = wanted.as_ref().filter(|wanted| *wanted != now) {
            set_list(document, key, wanted)?;
        }
    }
    let mut dropped = Vec::new();
    if let Some(wanted) = &operation.related {
        let kept = related(wanted, &meta.related, setting, &mut dropped);
        if kept != meta.related {
            set_list(document, "related", &kept)?;
        }
    }
    if let Some(status) = operation.status.filter(|status| meta.status != Some(*status)) {
        let _ = document.set_scalar("status", status.as_str())?;
    }
    if let Some(pinned) = operation.pinned.filter(|pinned| meta.pinned != *pinned) {
        let _ = document.set_scalar("pinned", pinned)?;
    }
    Ok(dropped)
}

/// The relations that lead to knowledge, those that the entry has already as it spells them.
pub(super) fn related(
    wanted: &[String],
    there: &[String],
    setting: &Setting<'_>,
    dropped: &mut Vec<String>,
) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for written in wanted {
        let path = relation(written).filter(|path| (setting.leads)(path));
        let Some(path) = path else {
            dropped.push(written.clone());
            continue;
        };
        let spelled =
            there.iter().find(|known| relation(known).as_ref() == Some(&path)).cloned().unwrap_or(path);
        if !kept.contains(&spelled) {
            kept.push(spelled);
        }
    }
    kept
}

/// The bytes of an entry without the relations that lead where an earlier one leads, and without those that do not
/// lead; the latter are returned as written.
///
/// # Errors
/// Frontmatter that cannot be edited.
pub fn with_distinct_relations(
    bytes: Vec<u8>,
    leads: &dyn Fn(&str) -> bool,
) -> Result<(Vec<u8>, Vec<String>), Refused> {
    let mut document = Document::parse(bytes);
    let related = document.meta().related;
    let (mut kept, mut dropped, mut ends) = (Vec::new(), Vec::new(), Vec::new());
    for written in &related {
        let path = relation(written);
        let end = path.as_deref().map(|path| path.strip_suffix(".md").unwrap_or(path).to_owned());
        match path.filter(|path| !leads(path)) {
            Some(_) => dropped.push(written.clone()),
            None if end.is_some() && ends.contains(&end) => {}
            None => {
                kept.push(written.clone());
                ends.push(end);
            }
        }
    }
    if kept != related {
        set_list(&mut document, "related", &kept)?;
    }
    Ok((document.into_bytes(), dropped))
}

/// The bytes of an entry with these relations as well; `None` if it has them all.
///
/// # Errors
/// Frontmatter that cannot be edited.
pub fn with_relations(bytes: Vec<u8>, new: &[&str]) -> Result<Option<Vec<u8>>, Refused> {
    let mut document = Document::parse(bytes);
    let mut related = document.meta().related;
    let end =
        |written: &str| relation(written).map(|path| path.strip_suffix(".md").unwrap_or(&path).to_owned());
    let known = related.len();
    for path in new {
        if !related.iter().any(|written| end(written) == end(path)) {
            related.push((*path).to_owned());
        }
    }
    if related.len() == known {
        return Ok(None);
    }
    set_list(&mut document, "related", &related)?;
    Ok(Some(document.into_bytes()))
}

/// Make a field a list of these items, even if it was a single text.
pub(super) fn set_list(document: &mut Document, key: &str, items: &[String]) -> Result<(), Refused> {
    match document.set_list(key, items) {
        Err(edit::Error::NotAList { .. }) => {
            let _ = document.remove_field(key)?;
            let _ = document.set_list(key, items)?;
        }
        done => {
            let _ = done?;
        }
    }
    Ok(())
}
