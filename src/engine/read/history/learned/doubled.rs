//! Items that the rules filed twice for one commit of the code: two clones took it in, and a merge or pull brought both.
//!
//! Of two such filings that of the smaller commit id of the tree stays, so that all clones agree. Nothing is removed here: the
//! next commit of the code that the rules file takes them along.

use super::super::provenance::{SOURCE, Trailers};
use super::filings::{Filing, Filings, Writer};
use super::{DiskEntries, gained};
use crate::open::context::Opened;
use brv_base::path::TreePath;
use brv_git as git;
use brv_git::{CommitId, Scope, history};
use brv_text::doc::Item;
use brv_text::doc::saying::{Saying, StatementForm};
use std::collections::BTreeMap;

/// How many commits are looked at for a merge.
const MOST: usize = 1_000;

/// What stands of a filing, with where it stands.
type StandingSayings = Vec<(TreePath, Saying)>;

/// Whether the tree was merged since something was last filed in it: else nothing new is filed twice. A tree that is a folder
/// of the host has no commits of its own.
///
/// # Errors
/// A history that cannot be read.
pub fn was_merged(scope: &Scope) -> Result<bool, git::Error> {
    let mut next = scope.head()?.commit().filter(|_| scope.prefix().is_empty());
    for _ in 0..MOST {
        let Some(id) = next else { break };
        let commit = history::read(scope, id)?;
        if commit.parents.len() > 1 {
            return Ok(true);
        }
        if Trailers::of(&commit.message).get(SOURCE).is_some() {
            break;
        }
        next = commit.parents.first().copied();
    }
    Ok(false)
}

/// The items that are to go, with the entries in which they stand: only those that nobody changed or marked.
///
/// # Errors
/// A change of the tree that cannot be read.
pub fn doubled_items(opened: &Opened, filings: &Filings) -> Result<Vec<(TreePath, Item)>, git::Error> {
    let mut by_source: BTreeMap<String, Vec<(String, CommitId, &Filing)>> = BTreeMap::new();
    for filing in filings.standing().filter(|filing| filing.writer == Writer::Rules) {
        let Some(commit) = filing.commit else { continue };
        let filed = by_source.entry(filing.source.commit.to_string()).or_default();
        filed.push((commit.to_string(), commit, filing));
    }
    by_source.retain(|_, filed| filed.len() > 1);
    let mut today = DiskEntries::of(opened);
    let mut found = Vec::new();
    for mut filed in by_source.into_values() {
        filed.sort_by(|(one, ..), (other, ..)| one.cmp(other));
        let mut standing = Vec::with_capacity(filed.len());
        for (_, commit, filing) in filed {
            standing.push((commit, standing_of(opened, &mut today, filing)?));
        }
        // what one clone filed in several parts belongs together
        let is_before = |one, other| history::is_ancestor(&opened.scope, one, other);
        found.extend(doubled(standing, |one, other| Ok(is_before(one, other)? || is_before(other, one)?))?);
    }
    Ok(found)
}

/// The items of a filing that stand as they were filed, with where they stand.
fn standing_of(
    opened: &Opened,
    today: &mut DiskEntries<'_>,
    filing: &Filing,
) -> Result<Vec<(TreePath, Saying)>, git::Error> {
    let mut standing = Vec::new();
    for (path, gained) in gained(&opened.scope, filing)? {
        for saying in gained.stated.into_iter().filter(|saying| saying.form == StatementForm::Item) {
            let now = today.find(&path, &saying);
            if now.same == Some(None) {
                standing.push((now.path, saying));
            }
        }
    }
    Ok(standing)
}

/// What those of these filings say that are in another line of the history than the first with anything that stands, and that
/// nothing of its line says. They are in the order of their commits.
fn doubled<E>(
    filed: Vec<(CommitId, StandingSayings)>,
    is_one_line: impl Fn(CommitId, CommitId) -> Result<bool, E>,
) -> Result<Vec<(TreePath, Item)>, E> {
    let mut filed = filed.into_iter().filter(|(_, standing)| !standing.is_empty());
    let Some((first, mut kept)) = filed.next() else { return Ok(Vec::new()) };
    let mut others: StandingSayings = Vec::new();
    for (commit, standing) in filed {
        if is_one_line(first, commit)? { &mut kept } else { &mut others }.extend(standing);
    }
    let is_kept = |(path, saying): &(TreePath, Saying)| {
        kept.iter().any(|(own, known)| own == path && known.is_same(saying))
    };
    others.retain(|one| !is_kept(one));
    others.sort_by(|(one, _), (other, _)| one.cmp(other));
    let mut gone: Vec<(TreePath, Item)> = Vec::new();
    for (path, saying) in others {
        let title = saying.title.as_deref().unwrap_or_default();
        let item = Item::read(&format!("- **{title}**: {}", saying.text));
        gone.extend(item.map(|item| (path, item)).filter(|one| !gone.contains(one)));
    }
    Ok(gone)
}

#[cfg(test)]
mod tests {
    use super::*;
    use brv_text::doc::Document;
    use std::convert::Infallible;

    const ONE: &str = "- **Retry**: rule: twice (2026-01)\n";
    const OTHER: &str = "- **Retry again**: rule: twice (2026-01)\n";

    fn filed(path: &str, items: &str) -> StandingSayings {
        let document = Document::parse(format!("## Narrative\n### Highlights\n{items}"));
        let path = TreePath::parse(path.as_bytes()).unwrap();
        document.sayings().into_iter().map(|saying| (path.clone(), saying)).collect()
    }

    /// What goes of filings, those with a number of `line` in one line of the history.
    fn gone(all: &[StandingSayings], line: &[usize]) -> Vec<String> {
        let id = |at: usize| CommitId::from_hex(&format!("{at:040x}")).unwrap();
        let is_one_line = |one: CommitId, other: CommitId| -> Result<bool, Infallible> {
            Ok([one, other].iter().all(|commit| line.iter().any(|at| id(*at) == *commit)))
        };
        let all = all.iter().enumerate().map(|(at, standing)| (id(at), standing.clone())).collect();
        let shown = |(path, item): (TreePath, Item)| format!("{path} {}", item.line());
        let Ok(found) = doubled(all, is_one_line);
        found.into_iter().map(shown).collect()
    }

    #[test]
    fn of_two_filings_the_first_that_stands_is_kept() {
        let both = [filed("lib/net.md", ONE), filed("lib/net.md", OTHER)];
        assert_eq!(gone(&both, &[]), [format!("lib/net.md {}", OTHER.trim_end())]);
        let [one, other] = both;
        assert_eq!(
            gone(&[Vec::new(), one, other], &[]).len(),
            1,
            "one without any statement left keeps nothing"
        );
        assert_eq!(
            gone(&[filed("a.md", ONE), filed("b.md", ONE)], &[]),
            [format!("b.md {}", ONE.trim_end())]
        );
    }

    #[test]
    fn what_one_clone_filed_in_parts_stays_together() {
        let all = [filed("a.md", ONE), filed("b.md", ONE), filed("a.md", OTHER), filed("b.md", OTHER)];
        let gone_of = |line: &[usize]| gone(&all, line);
        assert_eq!(
            gone_of(&[0, 2]),
            ["b.md", "b.md"]
                .iter()
                .zip([ONE, OTHER])
                .map(|(path, item)| format!("{path} {}", item.trim_end()))
                .collect::<Vec<_>>()
        );
        assert_eq!(gone_of(&[0, 1, 2, 3]), [""; 0]);
        assert_eq!(gone_of(&[1, 3]).len(), 3);
    }

    #[test]
    fn the_same_item_is_no_double_and_one_filing_has_none() {
        let two = "- **a**: b (2026-01)\n- **c**: d (2026-01)\n";
        assert!(gone(&[filed("a.md", two), filed("a.md", "- **c**: d (2026-01)\n")], &[]).is_empty());
        assert!(gone(&[filed("a.md", two)], &[]).is_empty() && gone(&[], &[]).is_empty());
    }
}
