//! What a written site has besides its pages: its script, the list of its entries, and what it says of itself.

use super::SiteAddresses;
use crate::say::words::many;
use brv_base::escape::escape;
use brv_commands::ui::export::{ExportedEntry, LeftOut};
use brv_text::lint::secrets;
use serde::Serialize;
use std::borrow::Cow;

/// The script of a written site: the filter alone needs it.
pub const SCRIPT: &str = include_str!("still.js");

#[derive(Serialize)]
struct EntryIndex<'e> {
    commit: &'e str,
    entries: Vec<IndexedEntry<'e>>,
}

/// What the filter looks in.
#[derive(Serialize)]
struct IndexedEntry<'e> {
    path: Cow<'e, str>,
    title: Option<String>,
    summary: Option<String>,
    /// The address of its page from that of the list.
    page: String,
}

/// The list of all entries, as JSON in one line.
pub fn index<'e>(addresses: &SiteAddresses, commit: &'e str, entries: &'e [ExportedEntry]) -> String {
    let shown = |text: &Option<String>| text.as_ref().map(|text| escape(text.as_bytes()).into_owned());
    let indexed = |entry: &'e ExportedEntry| IndexedEntry {
        path: secrets::masked(entry.path.as_str()),
        title: shown(&entry.title),
        summary: shown(&entry.summary),
        page: addresses.entry(entry.path.as_str()),
    };
    let index = EntryIndex { commit, entries: entries.iter().map(indexed).collect() };
    serde_json::to_string(&index).unwrap_or_default() + "\n"
}

/// The same as a script: what is opened as a file may fetch nothing.
pub fn index_script(index: &str) -> String {
    format!("globalThis.brvIndex = {};\n", index.trim_end())
}

/// What a site does not show; `None`: nothing.
pub fn left_out(left_out: &LeftOut, earlier: usize) -> Option<String> {
    let mut parts = Vec::new();
    if left_out.pending > 0 {
        parts.push(format!("{} for review", many(left_out.pending, "text waits", "texts wait")));
    }
    if left_out.withheld > 0 {
        parts.push(format!("{} withheld", many(left_out.withheld, "text is", "texts are")));
    }
    if left_out.uncommitted > 0 {
        parts.push(format!(
            "{} not committed",
            many(left_out.uncommitted, "text on disk is", "texts on disk are")
        ));
    }
    let absent = (!parts.is_empty()).then(|| format!("Left out: {}.", parts.join(", ")));
    let text = many(earlier, "text is", "texts are");
    let before = (earlier > 0).then(|| format!("{text} shown as before a change that waits for review."));
    let said: Vec<String> = absent.into_iter().chain(before).collect();
    (!said.is_empty()).then(|| said.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_is_counted() {
        let said = |pending, withheld, uncommitted, earlier| {
            left_out(&LeftOut { pending, withheld, uncommitted }, earlier)
        };
        assert_eq!(said(0, 0, 0, 0), None);
        assert_eq!(
            said(1, 2, 0, 1).unwrap(),
            "Left out: 1 text waits for review, 2 texts are withheld. 1 text is shown as before a change that waits for review."
        );
        assert_eq!(said(0, 0, 1, 0).unwrap(), "Left out: 1 text on disk is not committed.");
    }
}
