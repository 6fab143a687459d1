//! The text of the events of a body, which the walks over it have in common.
//!
//! Marks of form are gone: emphasis, list markers, wrapping. Code spans keep their backticks, and a link has the place
//! that it leads to behind it.

use crate::doc::single_spaced;
use pulldown_cmark::{Event, Tag, TagEnd};
use std::fmt::Write as _;

/// The text since the last piece.
#[derive(Default)]
pub(super) struct EventText {
    pub text: String,
    /// The code block around the place.
    pub code: Option<String>,
    /// Where the links around the place lead, the innermost last.
    links: Vec<String>,
}

impl EventText {
    /// Take in an event that is text; others are handed back. The second part is the target of a link that ends.
    pub fn take<'e>(&mut self, event: Event<'e>) -> (Option<Event<'e>>, Option<String>) {
        match event {
            Event::Text(text) => self.code.as_mut().unwrap_or(&mut self.text).push_str(&text),
            Event::Code(code) => {
                let _ = write!(self.text, "`{code}`");
            }
            Event::Html(html) | Event::InlineHtml(html) => self.text.push_str(&html),
            Event::SoftBreak | Event::HardBreak => self.text.push(' '),
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                self.links.push(dest_url.to_string());
            }
            Event::End(TagEnd::Link | TagEnd::Image) => {
                let target = self.links.pop().unwrap_or_default();
                if !target.is_empty() && !self.text.ends_with(&target) {
                    let _ = write!(self.text, " ({target})");
                }
                return (None, Some(target));
            }
            other => return (Some(other), None),
        }
        (None, None)
    }

    /// The text so far on one line, which begins anew.
    pub fn line(&mut self) -> String {
        let line = single_spaced(&std::mem::take(&mut self.text));
        line.trim_end_matches([' ', '|']).to_owned()
    }

    /// The code block that ends, unless it is blank.
    pub fn end_code(&mut self) -> Option<String> {
        let code = self.code.take().unwrap_or_default().replace("\r\n", "\n");
        let code = code.trim_end().trim_start_matches('\n');
        (!code.trim().is_empty()).then(|| code.to_owned())
    }
}
