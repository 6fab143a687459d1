//! Warnings printed beside the data of a command.

mod commands;
mod hooks;

pub use commands::{in_conflict, read, rm, stale, switched, sync, undo};
pub use hooks::{left_undone, shared_hooks};

use super::words::many;
use brv_base::escape::{escape_line, quote_path};
use brv_base::path::TreePath;
use brv_commands::archive::run;
use brv_commands::derive;
use brv_commands::query::Unanswered;
use brv_commands::vc::check::Finding;
use brv_commands::vc::push::Guard;
use brv_engine::journal::{Recovered, Resolution};
use brv_engine::read::archive::Malformed;
use brv_engine::vc::work_tree::staging::Refused;
use brv_engine::write::landing::{NoCommit, Saved, Uncommitted, UncommittedReason};
use brv_engine::write::written::{WithheldFile, WrittenEffects};
use brv_engine::{BrokenRef, BrokenRefs, Inherited, RefFault, StateExtent, Stop};
use bstr::BString;

/// Warnings of a command that writes: files that were left alone, derived files.
pub fn written(written: &WrittenEffects) -> Vec<String> {
    let mut said: Vec<String> = not_written(&written.withheld).collect();
    said.extend(left_alone(&written.left_alone, &written.blocked));
    said.extend(remade(written.rewritten.derived.as_ref(), written.rewritten.outdated.as_deref()));
    said
}

/// Files that an operation wrote and did not commit.
pub fn left(uncommitted: &[Uncommitted]) -> Vec<String> {
    let why = |file: &Uncommitted| match &file.why {
        UncommittedReason::NoCommit(no_commit) => Some(no_commit.clone()),
        UncommittedReason::Dirty => None,
    };
    let dirty = uncommitted.iter().filter(|file| file.why == UncommittedReason::Dirty);
    let mut said: Vec<String> = dirty
        .map(|file| format!("`{}` had uncommitted changes: written, not committed", quote_path(&file.path)))
        .collect();
    let no_identity = uncommitted.iter().rev().find_map(|file| match why(file)? {
        NoCommit::NoIdentity(why) => Some(why),
        NoCommit::Setting | NoCommit::InRepo => None,
    });
    said.extend(no_identity.map(|why| format!("written and staged, not committed: {why}")));
    let staged = uncommitted.iter().filter(|file| why(file) == Some(NoCommit::Setting)).count();
    let files = many(staged, "file is", "files are");
    said.extend((staged > 0).then(|| format!("`commit.auto` is false: {files} staged, not committed")));
    said
}

fn remade(derived: Option<&brv_engine::derive::Outcome>, outdated: Option<&str>) -> Vec<String> {
    let failed = outdated.map(|why| format!("not all derived files were updated: {why}"));
    let kept = derived
        .into_iter()
        .flat_map(|done| &done.kept)
        .map(|file| format!("`{}` is another tool's derived file; left alone", file.path));
    let missing = derived.map(|done| done.missing.as_slice()).unwrap_or_default();
    failed.into_iter().chain(kept).chain(archived_elsewhere(missing)).collect()
}

/// The warning about archived entries whose content is not in this clone.
pub fn archived_elsewhere(missing: &[TreePath]) -> Option<String> {
    let [first, rest @ ..] = missing else { return None };
    let first = escape_line(first.as_bytes());
    let more = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
    Some(format!(
        "the content of archived entries is not in this clone, so they have no stub: `{first}`{more}; \
         `brv vc fetch --unshallow` brings older history"
    ))
}

/// Warnings of `derive`: archived entries without a stub, and items of `archived` that brv cannot read.
pub fn derive(outcome: &derive::Outcome, beside: &derive::DeriveWarnings) -> Vec<String> {
    let missing = outcome.refreshed.as_ref().and_then(|done| archived_elsewhere(&done.missing));
    missing.into_iter().chain(malformed(&beside.malformed)).collect()
}

/// Warnings of a command that saved a draft: files that are not committed, left alone, or derived.
pub fn saved(saved: &Saved) -> Vec<String> {
    [left(&saved.uncommitted), written(&WrittenEffects::from(&saved.written))].concat()
}

/// Files of the code that have changes which are in no commit, where entries that cite them were confirmed.
pub fn uncommitted_code(files: &[BString]) -> Vec<String> {
    let said = |file: &BString| {
        let file = quote_path(file);
        format!("`{file}` has uncommitted changes: the entries are confirmed against its last commit")
    };
    files.iter().map(said).collect()
}

/// Warnings of `archive run`: what was not committed, and entries whose bytes the upstream lacks.
pub fn archived(outcome: &run::Outcome, trouble: Option<&Stop>) -> Vec<String> {
    let mut said = left(&outcome.saved.uncommitted);
    said.extend(outcome.unpublished.iter().map(|path| {
        let path = quote_path(path.as_bytes());
        format!("`{path}`: its bytes are not in the upstream yet; push before this branch is squashed")
    }));
    said.extend(signals(trouble));
    said.extend(written(&WrittenEffects::from(&outcome.saved.written)));
    said
}

/// Warnings about items of `archived` that brv cannot read.
pub fn malformed(items: &[Malformed]) -> impl Iterator<Item = String> {
    items.iter().map(|bad| {
        let (path, item) = (escape_line(bad.path.as_bytes()), escape_line(bad.item.as_bytes()));
        format!("`{path}` has an item in `archived` that brv cannot read, and keeps: `{item}`")
    })
}

/// Warnings about an interrupted command that was recovered first.
pub fn recovery(recovered: Option<&Recovered>) -> Vec<String> {
    let Some(recovered) = recovered else { return Vec::new() };
    let way = match recovered.resolution {
        Resolution::Finished => "was completed".to_owned(),
        Resolution::PutOnRecord => "was not completed, because HEAD has moved since".to_owned(),
        Resolution::Hindered => format!(
            "was not completed, because a reference cannot be moved; `brv op show {}` names it",
            recovered.id
        ),
    };
    let mut words = vec![format!("an interrupted `{}` {way}", recovered.kind)];
    let alone =
        |path: &String| format!("`{}` was edited since then; left alone", escape_line(path.as_bytes()));
    words.extend(recovered.left_alone.iter().map(alone));
    words.extend(recovered.blocked.iter().map(|path| not_there(path.as_bytes())));
    words
}

/// The warning that the state of an earlier brv was taken over.
pub fn inherited(inherited: &Inherited) -> String {
    let aside = inherited.aside.to_string_lossy();
    let what = match inherited.extent {
        StateExtent::Whole => "those of this clone were taken over",
        StateExtent::Untrusted => {
            "`.brv/state.db` may have come with a clone, so its approvals and jobs were left out (`brv review pending`)"
        }
        StateExtent::Nothing => "`.brv/state.db` could not be read and was left out",
    };
    let aside = escape_line(aside.as_bytes());
    format!("approvals, signals and jobs are kept in the git folder now; {what}; the old file is `{aside}`")
}

/// The most broken refs that are named one by one.
const MOST_REFS: usize = 5;

/// The warnings about broken refs that a command passed over or moved aside.
pub fn broken_refs(refs: &BrokenRefs) -> Vec<String> {
    let all = refs.all();
    let told = |(name, broken): &(bstr::BString, BrokenRef)| {
        let name = escape_line(name);
        let reason = match broken.fault {
            RefFault::Content => "its file names no object",
            RefFault::Missing => "its object is missing",
            RefFault::Name => "git does not allow the name",
            RefFault::Kind => "it names no interrupted command of brv",
            RefFault::Aside => {
                return format!(
                    "kept all objects: nobody knows what the broken ref in `{name}` named; delete that file when you \
                     no longer need it"
                );
            }
        };
        match &broken.moved_to {
            Some(to) => format!("moved the broken ref `{name}` to `{}`: {reason}", escape_line(to)),
            None => format!("ignored the broken ref `{name}`: {reason}"),
        }
    };
    let more = all.len().saturating_sub(MOST_REFS);
    let rest = (more > 0).then(|| format!("ignored {} more", many(more, "broken ref", "broken refs")));
    all.iter().take(MOST_REFS).map(told).chain(rest).collect()
}

/// The warning about a file that could not be written.
fn not_there(path: &[u8]) -> String {
    let path = escape_line(path);
    format!("`{path}` was not written: other files are in the way; move them, then run `brv vc restore`")
}

/// A warning for each file that is in the commit but was not written to disk.
pub fn not_written(withheld: &[WithheldFile]) -> impl Iterator<Item = String> {
    withheld.iter().map(|file| {
        format!(
            "`{}` is in the commit, but was not written to disk: it {}",
            escape_line(file.path.as_bytes()),
            file.reason
        )
    })
}

/// A warning for each file that was left alone, or could not be written.
pub fn left_alone<P: AsRef<[u8]>>(saved: &[P], blocked: &[P]) -> impl Iterator<Item = String> {
    let saved = saved.iter().map(|path| {
        format!("`{}` was changed by another program meanwhile; left alone", escape_line(path.as_ref()))
    });
    saved.chain(blocked.iter().map(|path| not_there(path.as_ref())))
}

/// A warning for each file that was rejected.
pub fn refusals(refused: &[Refused]) -> impl Iterator<Item = String> {
    refused.iter().map(|file| format!("`{}`: {}", escape_line(file.path.as_bytes()), file.reason))
}

/// A question began with the name of a folder that has nothing about the rest.
pub fn widened(folder: Option<&str>) -> Option<String> {
    folder.map(|folder| {
        format!("{} does not cover it: the whole tree was searched", quote_path(folder.as_bytes()))
    })
}

/// Nothing has a phrase of the question.
pub fn without_phrases(is_so: bool) -> Option<&'static str> {
    is_so.then_some("the phrase in quotes occurs nowhere; brv searched for its words")
}

/// Passages were given where a model could have answered.
pub fn no_model(is_so: bool) -> Option<&'static str> {
    is_so.then_some("no direct answer: these are the best passages, for your own model")
}

/// A model gave no answer to a question; whether passages are given instead.
pub fn unanswered(why: Option<&Unanswered>, has_passages: bool) -> Option<String> {
    let why = match why? {
        Unanswered::Failed(why) => why.as_str(),
        Unanswered::Nothing => "the model found no answer",
        Unanswered::Uncited => "the model's answer cites no passage and is not shown",
        Unanswered::Withheld => "no model was asked: it would read entries that nobody here has accepted",
    };
    let instead = if has_passages { "; the passages follow instead" } else { "" };
    Some(escape_line(format!("{why}{instead}").as_bytes()).into_owned())
}

/// The search index could not be written.
pub fn unkept(why: Option<&str>) -> Option<String> {
    let text = |why| format!("the search index is not kept, so that each search is slow: {why}");
    why.map(|why| escape_line(text(why).as_bytes()).into_owned())
}

/// Questions expect entries that the tree does not have.
pub fn absent(paths: &[String]) -> Option<String> {
    let first = paths.first()?;
    let more = match paths.len() - 1 {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Some(format!("expected, but not in the tree: {}{more}", quote_path(first.as_bytes())))
}

/// The warning about signals that were not read or changed.
pub fn signals(trouble: Option<&Stop>) -> Option<String> {
    trouble.map(|trouble| escape_line(trouble.message.as_bytes()).into_owned())
}

/// A warning for each allowed secret that was not met.
pub fn unused(guards: &[Guard]) -> impl Iterator<Item = String> {
    guards.iter().map(|guard| format!("`--allow {guard}` was not needed: no file to check has this secret"))
}

/// A warning for each place that would block a push; beyond a limit they are only counted.
pub fn findings(findings: &[Finding]) -> impl Iterator<Item = String> {
    const NAMED: usize = 10;
    let line = |one: &Finding| {
        let (path, message) = (escape_line(one.path.as_bytes()), escape_line(one.message.as_bytes()));
        format!("{path}:{}:{}: {} {message}; blocks a push", one.line, one.column, one.rule)
    };
    let more = findings.len().saturating_sub(NAMED);
    let more = (more > 0).then(|| format!("and {} more that block a push", many(more, "place", "places")));
    findings.iter().take(NAMED).map(line).chain(more)
}

#[cfg(test)]
mod tests {
    use super::*;
    use brv_engine::journal::{OperationId, OperationKind};

    #[test]
    fn a_recovered_command_and_the_files_it_left_are_named() {
        let recovered = Recovered {
            id: OperationId::parse("20261120T161233.123Z-1a2b3c4d").unwrap(),
            kind: OperationKind::Pull,
            resolution: Resolution::Finished,
            left_alone: vec!["a\n.md".into()],
            blocked: vec!["b.md".into()],
        };
        assert_eq!(
            recovery(Some(&recovered)),
            [
                "an interrupted `pull` was completed",
                "`a\\n.md` was edited since then; left alone",
                "`b.md` was not written: other files are in the way; move them, then run `brv vc restore`",
            ]
        );
    }
}
