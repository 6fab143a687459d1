//! What a commit was filed as, by what its operation wrote: where whoever filed it could not say so any more.

use super::plan::kind_of_fact;
use brv_base::path::TreePath;
use brv_engine::Stop;
use brv_engine::jobs::{Filed, FiledItem};
use brv_engine::open::context::Opened;
use brv_engine::read::history::learned::filings::Filings;
use brv_engine::read::history::learned::{Same, learned};
use brv_git::CommitId;
use brv_text::doc::saying::{Saying, StatementForm};
use brv_text::doc::{Item, split_category};
use brv_text::judge::{self, NoteKind};

/// What the tree got from a commit of the host, without the weight of its sentences.
///
/// # Errors
/// A history that cannot be read.
pub fn recorded(opened: &Opened, commit: CommitId) -> Result<Filed, Stop> {
    let filings = Filings::of(&opened.scope)?;
    let mut same = Same::default();
    same.commits.insert(commit);
    let stated = learned(opened, &filings, &same)?.into_iter();
    let items = stated.map(|one| item(&one.path, one.saying)).collect();
    Ok(Filed { items, ..Filed::default() })
}

fn item(path: &TreePath, saying: Saying) -> FiledItem {
    let title = saying.title.unwrap_or_default();
    let read = || Item::read(&format!("- **{title}**: {}", saying.text));
    let (text, kind, date) = match read().filter(|_| saying.form == StatementForm::Item) {
        Some(item) => {
            let kind = item.prefix.map_or_else(|| judge::note(&item.text).kind, NoteKind::of_prefix);
            (item.text, kind, item.month)
        }
        None => {
            let (text, category) = split_category(&saying.text);
            (text.to_owned(), kind_of_fact(text, category), None)
        }
    };
    FiledItem { path: path.to_string(), title, text, kind: kind.as_str().to_owned(), date }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brv_text::doc::Document;

    #[test]
    fn items_and_facts_are_told_as_when_they_were_filed() {
        let entry = "## Narrative\n### Highlights\n- **Retry**: rule: twice. (2026-01)\n- **Pool**: The server drops it. (2026-02)\n\n## Facts\n- **ttl**: decision: 5 min [project]\n- plain [convention]\n";
        let path = TreePath::parse(b"a/b.md").unwrap();
        let said = Document::parse(entry).sayings().into_iter().map(|one| {
            let FiledItem { title, text, kind, date, .. } = item(&path, one);
            [title, text, kind, date.unwrap_or_default()].join("|")
        });
        let expected = [
            "Retry|twice.|rule|2026-01",
            "Pool|The server drops it.|note|2026-02",
            "ttl|decision: 5 min|decision|",
            "|plain|rule|",
        ];
        assert_eq!(said.collect::<Vec<_>>(), expected);
    }
}
