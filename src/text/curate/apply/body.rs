//! Change the body of an entry as an operation says.

use crate::curate::Refused;
use crate::curate::operation::{Operation, Parts};
use crate::doc::{Document, LineEnding, render};

/// Remove what is to be removed, then replace or revise the body.
pub(super) fn revise(document: &mut Document, operation: &Operation) -> Result<(), Refused> {
    if !operation.remove.facts.is_empty() {
        let _ = document.remove_facts(&operation.remove.facts)?;
    }
    if !operation.remove.sections.is_empty() {
        let _ = document.remove_sections(&operation.remove.sections)?;
    }
    match operation.replace {
        true if operation.parts.is_empty() => Ok(()),
        true => replace(document, &written(&operation.parts)?),
        false => add(document, &operation.parts),
    }
}

pub(super) fn add(document: &mut Document, parts: &[Parts]) -> Result<(), Refused> {
    for part in parts {
        let _ = match part {
            Parts::Markdown(text) => document.revise_markdown(text)?,
            Parts::Content(content) => document.revise(content)?,
        };
    }
    Ok(())
}

/// A whole body with these parts, with `\n` as line ending; empty without parts.
pub(super) fn written(parts: &[Parts]) -> Result<String, Refused> {
    let Some((first, rest)) = parts.split_first() else { return Ok(String::new()) };
    let body = match first {
        Parts::Markdown(text) => {
            let start = text.len() - text.trim_start_matches('\n').len();
            format!("{}\n", text[start..].trim_end())
        }
        Parts::Content(content) => {
            render::body(content).map_err(|error| Refused::invalid(error.to_string()))?
        }
    };
    if rest.is_empty() {
        return Ok(body);
    }
    let mut document = Document::parse(body);
    add(&mut document, rest)?;
    Ok(document.body().to_owned())
}

/// Replace the whole body, unless it says the same already.
fn replace(document: &mut Document, body: &str) -> Result<(), Refused> {
    let old = document.body().replace("\r\n", "\n");
    if old.trim() == body.trim() {
        return Ok(());
    }
    let lead = if document.body_start() > 0 && !body.starts_with('\n') { "\n" } else { "" };
    let body = format!("{lead}{body}");
    let body = match document.attributes().line_ending {
        LineEnding::CrLf => body.replace('\n', "\r\n"),
        LineEnding::Lf | LineEnding::Mixed => body,
    };
    let _ = document.replace_body(body)?;
    Ok(())
}
