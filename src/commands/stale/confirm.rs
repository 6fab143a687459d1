//! `brv stale confirm`: record that entries still hold for the code as it is committed.

use brv_base::clock;
use brv_base::path::TreePath;
use brv_engine::derive;
use brv_engine::journal::OperationKind;
use brv_engine::open::context::{Context, Opened};
use brv_engine::open::hosting::Host;
use brv_engine::open::naming::subjects;
use brv_engine::read::stale;
use brv_engine::write::landing::{self, Draft, Item, Note, Saved};
use brv_engine::write::operation::files_only::Rewrite;
use brv_engine::{FailureKind, Stop};
use brv_git as git;
use brv_git::{CommitId, history, status};
use brv_text::doc::{Document, Frontmatter, VERIFIED, Verified};
use brv_text::stale::cited_paths;
use bstr::{BStr, BString, ByteSlice as _};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;

/// `brv.stale.confirm/1`; paths are relative to the tree.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "StaleConfirm")]
pub struct Outcome {
    /// The entries that are confirmed now, and were not before.
    pub confirmed: Vec<TreePath>,
    /// What their field `verified` says: the commit of the code, and when it was made.
    pub verified: String,
    /// What was written.
    #[serde(flatten)]
    pub saved: Saved,
}

/// Confirm the entries that these names stand for. Beside the outcome: files that they cite and that have changes which
/// are in no commit of the code.
///
/// # Errors
/// A name that is not an entry; no commit of the code; frontmatter that cannot be edited. Then nothing was written.
pub fn run(
    cx: &Context<'_>,
    names: &[String],
    reason: Option<&str>,
) -> Result<(Outcome, Vec<BString>), Stop> {
    let opened = cx.open()?;
    let (host, verified) = code(cx, &opened)?;
    let written = written(&verified);
    let below = stale::project_below(&host.scope.root(), &opened.places.project);
    let reason = reason.map_or_else(|| against(&verified), str::to_owned);
    let (saved, (confirmed, cited)) = landing::settled(cx.parts(&opened), || {
        let entries = entries(cx, &opened, names)?;
        let (mut item, mut confirmed, mut cited) = (Item::default(), Vec::new(), BTreeSet::new());
        for path in entries {
            let file = Rewrite::edit(&opened.scope, &path, |before| {
                let document = Document::parse(before.unwrap_or_default());
                cited.extend(cited_files(&document, &below));
                before.map(|_| edited(document, &path, (&verified, &written))).transpose()
            })?;
            if file.before != file.after {
                item.files.push(file);
                confirmed.push(path);
            }
        }
        let note =
            |path: &TreePath| Note { path: path.as_str().into(), reason: reason.clone(), review: None };
        let words = |paths: &BTreeSet<&BStr>| words(&verified, paths);
        let notes = confirmed.iter().map(note).collect();
        let draft = Draft { notes, ..Draft::new(vec![item], &words) };
        Ok((landing::save(cx.parts(&opened), OperationKind::Confirm, &draft)?, (confirmed, cited)))
    })?;
    let uncommitted = uncommitted(&host, &cited)?;
    Ok((Outcome { confirmed, verified: written, saved: saved.complete()? }, uncommitted))
}

/// The host, and its commit that entries are confirmed against.
fn code(cx: &Context<'_>, opened: &Opened) -> Result<(Host, Verified), Stop> {
    let refused = |message: &str| Stop::new(FailureKind::Refused, message);
    let host = Host::of(opened, &cx.cwd)?;
    let host = host
        .ok_or_else(|| refused("the project is in no git repository: there is no code to confirm against"))?;
    let head = host.scope.head()?.commit();
    let head: CommitId = head.ok_or_else(|| refused("the repository of the code has no commits yet"))?;
    let seconds = history::read(&host.scope, head)?.committer.seconds;
    Ok((host, Verified { commit: head.to_string(), seconds: Some(seconds) }))
}

/// The value of the field.
fn written(verified: &Verified) -> String {
    let time = verified.seconds.map(|seconds| format!(" {}", clock::format_utc(seconds))).unwrap_or_default();
    format!("{}{time}", verified.commit)
}

/// `confirmed against 3f2a91c`
fn against(verified: &Verified) -> String {
    format!("confirmed against {}", &verified.commit[..7])
}

/// Subject and body of the commit.
fn words(verified: &Verified, paths: &BTreeSet<&BStr>) -> (String, Vec<String>) {
    let what = match paths.iter().collect::<Vec<_>>()[..] {
        [only] => only.to_string(),
        ref more => format!("{} entries", more.len()),
    };
    let lines =
        if paths.len() > 1 { paths.iter().map(|path| format!("- {path}")).collect() } else { Vec::new() };
    (format!("confirm {what} against {}", &verified.commit[..7]), lines)
}

fn entries(cx: &Context<'_>, opened: &Opened, names: &[String]) -> Result<Vec<TreePath>, Stop> {
    let survey = derive::quick_survey(opened, git::index::read(&opened.scope)?)?;
    let curated = derive::curated_paths(&opened.scope, &survey)?;
    let found = subjects::entries((&opened.scope.root(), &cx.cwd), &curated, names)?;
    Ok(found.into_iter().cloned().collect())
}

/// The entry with the field; as it is where it names this commit already.
fn edited(
    mut document: Document,
    path: &TreePath,
    (verified, written): (&Verified, &str),
) -> Result<Vec<u8>, Stop> {
    if document.meta().verified.is_some_and(|known| known.commit == verified.commit) {
        return Ok(document.into_bytes());
    }
    if let Frontmatter::Opaque { why, .. } = document.frontmatter() {
        let message = format!("the frontmatter of `{path}` {why}");
        return Err(Stop::new(FailureKind::Failed, message).hint("correct it in the file first"));
    }
    let set = document.set_scalar(VERIFIED, written);
    set.map_err(|error| Stop::new(FailureKind::Failed, format!("`{path}` cannot be confirmed: {error}")))?;
    Ok(document.into_bytes())
}

/// The files that an entry may cite: from the root of the repository, or from the project `below` it.
fn cited_files(document: &Document, below: &str) -> Vec<String> {
    cited_paths(document).iter().flat_map(|path| stale::meanings(below, path)).collect()
}

/// The cited files that are on disk, or in the index, in another version than in the last commit.
fn uncommitted(host: &Host, cited: &BTreeSet<String>) -> Result<Vec<BString>, Stop> {
    let scope = &host.scope;
    if cited.is_empty() {
        return Ok(Vec::new());
    }
    let index = git::index::read(scope)?;
    let head = scope.head()?.commit().map(|commit| scope.tree_of(commit)).transpose()?;
    let paths: Vec<&BStr> = cited.iter().map(|path| path.as_str().into()).collect();
    let on_disk = status::work_tree_at(scope, &index, &paths)?;
    let mut changed: BTreeSet<BString> = on_disk.changed.into_iter().map(|changed| changed.path).collect();
    changed.extend(on_disk.unexpected.into_iter().map(|file| file.path));
    if let Some(head) = head {
        let staged = git::trees::diff_index(scope, head, &index, git::trees::Renames::Ignore)?;
        changed.extend(staged.into_iter().map(|change| change.path));
    }
    changed.retain(|path| path.to_str().is_ok_and(|path| cited.contains(path)));
    Ok(changed.into_iter().collect())
}
