//! What stands in the tree and whose commit of the code is gone, or was reverted after somebody edited the statement.

use brv_base::fs;
use brv_base::path::TreePath;
use brv_engine::Stop;
use brv_engine::jobs::{Filed, Store};
use brv_engine::open::context::Opened;
use brv_engine::open::hosting::Host;
use brv_engine::outcome::json;
use brv_engine::read::history::learned::unmerged::Unmerged;
use brv_engine::read::stale::JudgedEntry;
use brv_git::CommitId;
use brv_text::doc::{Document, VERIFIED, Verified, is_same_subject};
use brv_text::lint::secrets;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A statement whose commit no branch, tag or work tree of the code has, and for which no other commit stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LeftBehind {
    /// The entry.
    #[serde(deserialize_with = "json::tree_path")]
    pub path: TreePath,
    /// Its subject or title; secrets are shown as `****`.
    pub title: String,
    /// The commit.
    pub commit: String,
    /// The branch that it was made on; `null` if that is not known.
    pub branch: Option<String>,
}

/// A statement of a commit that was reverted: it was edited since, so it has no mark.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RevertedEdited {
    /// The entry.
    #[serde(deserialize_with = "json::tree_path")]
    pub path: TreePath,
    /// Its subject or title; secrets are shown as `****`.
    pub title: String,
    /// The commit that reverts what it came from.
    pub commit: String,
}

fn masked(text: &str) -> String {
    secrets::masked(text).into_owned()
}

/// Such statements of these entries.
///
/// # Errors
/// A history or an operation log that cannot be read.
pub fn unmerged(
    opened: &Opened,
    host: &Host,
    now: i64,
    entries: &[JudgedEntry],
) -> Result<Vec<LeftBehind>, Stop> {
    let unmerged = Unmerged::of(opened, host, now)?;
    let mut rows = Vec::new();
    for (path, title, left) in unmerged.iter() {
        if let Some(entry) = entries.iter().find(|entry| entry.path.as_str() == path) {
            let (commit, branch) = (left.commit.clone(), left.branch.clone());
            rows.push(LeftBehind { path: entry.path.clone(), title: masked(title), commit, branch });
        }
    }
    Ok(rows)
}

/// Statements of these entries that the jobs of this clone could not mark, and that were not confirmed for the code since.
///
/// # Errors
/// Jobs that cannot be read.
pub fn reverted_edited(
    opened: &Opened,
    host: Option<&Host>,
    entries: &[JudgedEntry],
) -> Result<Vec<RevertedEdited>, Stop> {
    let jobs = Store::of(opened)?.read(|state| state.ended_jobs(usize::MAX))?;
    let mut told: Vec<(String, String, i64)> = Vec::new();
    for job in jobs {
        let filed = Filed::of(job.end.filed.as_deref());
        if filed.reverts_edited.is_empty() {
            continue;
        }
        let commit = job.new.commit.unwrap_or_default();
        let made = host.zip(CommitId::from_hex(&commit));
        let made = made.and_then(|(host, id)| brv_git::commit::read(&host.scope, id).ok());
        let seconds = made.map_or(job.end.at, |made| made.committer.seconds);
        told.extend(filed.reverts_edited.into_iter().map(|title| (title, commit.clone(), seconds)));
    }
    if told.is_empty() {
        return Ok(Vec::new());
    }
    let root = opened.scope.root();
    let mut rows = Vec::new();
    for JudgedEntry { path, .. } in entries {
        let bytes = fs::read_below(&root, &path.on_disk(&root))?;
        rows.extend(bytes.into_iter().flat_map(|bytes| edited(&told, path, &Document::parse(bytes))));
    }
    Ok(rows)
}

/// The statements of an entry that have these titles, each with the commit that reverts what it came from, and when that was made.
fn edited(told: &[(String, String, i64)], path: &TreePath, document: &Document) -> Vec<RevertedEdited> {
    let verified = document.field(VERIFIED).and_then(|value| value.as_str()).and_then(Verified::parse);
    let confirmed = verified.and_then(|verified| verified.seconds);
    let mut rows = Vec::new();
    for saying in document.sayings().into_iter().filter(|one| one.mark.is_none()) {
        let Some(title) = saying.title else { continue };
        let is_meant = |(own, _, at): &&(String, String, i64)| {
            is_same_subject(own, &title) && confirmed.is_none_or(|confirmed| confirmed < *at)
        };
        if let Some((_, commit, _)) = told.iter().find(is_meant) {
            let (path, title) = (path.clone(), masked(&title));
            rows.push(RevertedEdited { path, title, commit: commit.clone() });
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_edited_is_told_until_it_is_marked_or_confirmed() {
        let path = TreePath::parse(b"code/net.md").unwrap();
        let told = vec![("Retry".to_owned(), "1".repeat(40), 1_000)];
        let rows = |text: &str| {
            let found = edited(&told, &path, &Document::parse(text));
            found.into_iter().map(|row| row.title).collect::<Vec<_>>()
        };
        assert_eq!(rows("## Facts\n- **retry**: twice\n- **x**: y\n"), ["retry"]);
        assert_eq!(rows("## Facts\n- **retry**: reverted 2026-02-04: twice\n"), Vec::<String>::new());
        let confirmed = |time: &str| {
            let commit = "2".repeat(40);
            rows(&format!("---\nverified: {commit} {time}\n---\n## Facts\n- **retry**: twice\n"))
        };
        assert_eq!(confirmed("1970-01-01T00:20:00Z"), Vec::<String>::new());
        assert_eq!(confirmed("1970-01-01T00:10:00Z"), ["retry"]);
    }
}
