//! Write a new entry, or a new overview with what is given about it.

use super::{Draft, Setting, Sides, body, fields, intake};
use crate::curate::Refused;
use crate::curate::names::is_same_title;
use crate::curate::operation::Operation;
use crate::doc::{Document, Frontmatter, overview, render};
use brv_base::clock::format_utc;
use brv_base::path::PathKind as FileKind;

pub(super) fn created(
    operation: &Operation,
    sides: &Sides<'_>,
    setting: &Setting<'_>,
) -> Result<Draft, Refused> {
    if sides.path.kind() == FileKind::NodeOverview {
        return new_overview(operation, sides, setting);
    }
    let title = operation.title.clone().unwrap_or_else(|| title_of(&operation.path, sides.path.file_name()));
    let mut dropped = Vec::new();
    let related = operation.related.as_deref().unwrap_or_default();
    let written = operation.filing.as_ref().and_then(|filing| filing.written);
    let now = format_utc(written.unwrap_or(setting.now));
    let entry = render::EntryDraft {
        title,
        summary: operation.summary.clone().unwrap_or_default(),
        tags: operation.tags.clone().unwrap_or_default(),
        keywords: operation.keywords.clone().unwrap_or_default(),
        related: fields::related(related, &[], setting, &mut dropped),
        created_at: now.clone(),
        updated_at: now,
        status: operation.status,
        pinned: operation.pinned.unwrap_or(false),
    };
    let body = body::written(&operation.parts)?;
    let mut document = Document::parse(render::entry(&entry, &body));
    intake::apply(&mut document, operation)?;
    match document.frontmatter() {
        Frontmatter::Fields(_) => Ok(Draft { document, dropped, records: Vec::new() }),
        Frontmatter::Absent => Err(Refused::invalid("the frontmatter would be missing")),
        Frontmatter::Opaque { why, .. } => Err(Refused::invalid(format!("the frontmatter {why}"))),
    }
}

/// A title for a file that was named itself: the name as written, if the one in the tree cannot say it, such as `C#.md`.
fn title_of(written: &str, name: &str) -> String {
    let bare = |name: &str| name.strip_suffix(".md").unwrap_or(name).trim().to_owned();
    let written = bare(written.trim().rsplit('/').next().unwrap_or(written));
    if !is_same_title(&written, &bare(name)) {
        return written;
    }
    let words = bare(name).replace(['_', '-'], " ");
    let mut rest = words.chars();
    rest.next().map_or_else(String::new, |first| first.to_uppercase().chain(rest).collect())
}

/// The template with what is given brought into it.
fn new_overview(operation: &Operation, sides: &Sides<'_>, setting: &Setting<'_>) -> Result<Draft, Refused> {
    let template = overview(sides.path.folder(), "").unwrap_or_default();
    let mut document = Document::parse(template);
    let dropped = fields::set(&mut document, operation, true, setting)?;
    if operation.replace {
        let _ = document.replace_body(body::written(&operation.parts)?)?;
    } else {
        body::add(&mut document, &operation.parts)?;
    }
    Ok(Draft { document, dropped, records: Vec::new() })
}
