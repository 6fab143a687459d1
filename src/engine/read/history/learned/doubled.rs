//! Items that the rules filed twice for one commit of the code: two clones took it in, and a merge or pull brought both.
//!
//! Of two such filings that of the smaller commit id of the tree stays, so that all clones agree. Nothing is removed here.

use super::filings::{Filing, Filings, Writer};
use super::{Today, gained};
use crate::open::context::Opened;
use brv_base::path::TreePath;
use brv_git as git;
use brv_text::doc::Item;
use brv_text::doc::saying::{Form, Saying};
use std::collections::BTreeMap;

/// The items that are to go, with the entries in which they stand: only those that nobody changed or marked.
///
/// # Errors
/// A change of the tree that cannot be read.
pub fn doubled_items(opened: &Opened, filings: &Filings) -> Result<Vec<(TreePath, Item)>, git::Error> {
    let mut by_source: BTreeMap<String, Vec<(String, &Filing)>> = BTreeMap::new();
    for filing in filings.standing().filter(|filing| filing.writer == Writer::Rules) {
        let Some(commit) = filing.commit else { continue };
        by_source.entry(filing.source.commit.to_string()).or_default().push((commit.to_string(), filing));
    }
    by_source.retain(|_, filed| filed.len() > 1);
    let mut today = Today::of(opened);
    let mut found = Vec::new();
    for mut filed in by_source.into_values() {
        filed.sort_by(|(one, _), (other, _)| one.cmp(other));
        let mut standing = Vec::with_capacity(filed.len());
        for (_, filing) in filed {
            standing.push(standing_of(opened, &mut today, filing)?);
        }
        found.extend(doubled(standing));
    }
    Ok(found)
}

/// The items of a filing that stand as they were filed, with where they stand.
fn standing_of(
    opened: &Opened,
    today: &mut Today<'_>,
    filing: &Filing,
) -> Result<Vec<(TreePath, Saying)>, git::Error> {
    let mut standing = Vec::new();
    for (path, gained) in gained(&opened.scope, filing)? {
        for saying in gained.stated.into_iter().filter(|saying| saying.form == Form::Item) {
            let now = today.find(&path, &saying);
            if now.same == Some(None) {
                standing.push((now.path, saying));
            }
        }
    }
    Ok(standing)
}

/// What the first of these filings with anything that stands does not have. They are in the order of their commits.
fn doubled(filed: Vec<Vec<(TreePath, Saying)>>) -> Vec<(TreePath, Item)> {
    let mut filed = filed.into_iter().filter(|standing| !standing.is_empty());
    let Some(kept) = filed.next() else { return Vec::new() };
    let is_kept = |path: &TreePath, saying: &Saying| {
        kept.iter().any(|(own, known)| own == path && known.is_same(saying))
    };
    let mut gone: Vec<(TreePath, Item)> = Vec::new();
    for (path, saying) in filed.flatten().filter(|(path, saying)| !is_kept(path, saying)) {
        let title = saying.title.as_deref().unwrap_or_default();
        let item = Item::read(&format!("- **{title}**: {}", saying.text));
        gone.extend(item.map(|item| (path, item)).filter(|one| !gone.contains(one)));
    }
    gone
}

#[cfg(test)]
mod tests {
    use super::*;
    use brv_text::doc::Document;

    fn filed(path: &str, items: &str) -> Vec<(TreePath, Saying)> {
        let document = Document::parse(format!("## Narrative\n### Highlights\n{items}"));
        let path = TreePath::parse(path.as_bytes()).unwrap();
        document.sayings().into_iter().map(|saying| (path.clone(), saying)).collect()
    }

    fn gone(all: Vec<Vec<(TreePath, Saying)>>) -> Vec<String> {
        let shown = |(path, item): (TreePath, Item)| format!("{path} {}", item.line());
        doubled(all).into_iter().map(shown).collect()
    }

    #[test]
    fn of_two_filings_the_first_that_stands_is_kept() {
        let (one, other) =
            ("- **Retry**: rule: twice (2026-01)\n", "- **Retry again**: rule: twice (2026-01)\n");
        let both = || vec![filed("lib/net.md", one), filed("lib/net.md", other)];
        assert_eq!(gone(both()), [format!("lib/net.md {}", other.trim_end())]);
        let mut all = both();
        all.insert(0, Vec::new());
        assert_eq!(gone(all).len(), 1, "one of which nothing stands keeps nothing");
        assert_eq!(gone(vec![filed("a.md", one), filed("b.md", one)]), [format!("b.md {}", one.trim_end())]);
    }

    #[test]
    fn the_same_item_is_no_double_and_one_filing_has_none() {
        let two = "- **a**: b (2026-01)\n- **c**: d (2026-01)\n";
        assert!(gone(vec![filed("a.md", two), filed("a.md", "- **c**: d (2026-01)\n")]).is_empty());
        assert!(gone(vec![filed("a.md", two)]).is_empty() && gone(Vec::new()).is_empty());
    }
}
