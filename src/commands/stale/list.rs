//! `brv stale`: entries that name something which the code has changed or removed, now or by a range of its commits.

use super::findings;
use super::left::{self, LeftBehind, RevertedEdited};
use brv_base::fs;
use brv_base::path::TreePath;
use brv_base::sorting;
use brv_engine::derive;
use brv_engine::open::context::{Context, Opened};
use brv_engine::open::hosting::Host;
use brv_engine::open::naming::revisions::{self, Revision};
use brv_engine::open::naming::subjects;
use brv_engine::outcome::json;
use brv_engine::read::stale::{self, Judged, JudgedEntry, Span};
use brv_engine::vc::check::Reported;
use brv_engine::{FailureKind, Stop};
use brv_git as git;
use brv_git::history;
use brv_text::doc::Document;
use brv_text::lint::policy::{self, Policy};
use brv_text::lint::secrets;
use brv_text::stale::{Freshness, NameChange, State};
use bstr::ByteSlice as _;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// What to look at.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// A range of the code's history, entries and folders, in any order.
    pub arguments: Vec<String>,
    /// Entries and folders.
    pub paths: Vec<String>,
    /// The folder of the code, instead of the repository around the tree.
    pub code: Option<PathBuf>,
}

/// `brv.stale/1`; paths are relative to the tree.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Stale")]
pub struct Outcome {
    /// The entries that are `gone` or `changed`, `gone` first, then by path.
    pub entries: Vec<StaleEntry>,
    /// A finding for each name of each of them, placed in the code: its path is relative to the repository of the code.
    pub findings: Vec<Reported>,
    /// How many entries are in each state.
    pub counts: StaleCounts,
    /// Statements whose commit no branch, tag or work tree of the code has, and for which no other commit stands.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Option<Vec<LeftBehind>>")]
    pub unmerged: Vec<LeftBehind>,
    /// Statements of reverted commits that have no mark, since somebody edited them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Option<Vec<RevertedEdited>>")]
    pub reverts_edited: Vec<RevertedEdited>,
}

/// An entry that somebody should look at again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "StaleEntry")]
pub struct StaleEntry {
    /// Its path.
    #[serde(deserialize_with = "json::tree_path")]
    pub path: TreePath,
    /// Its title.
    pub title: Option<String>,
    /// What became of the code that it cites.
    pub freshness: Freshness,
    /// Its lines that are in doubt, in their order.
    pub facts: Vec<StaleFact>,
}

/// A line of an entry that is in doubt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "StaleFact")]
pub struct StaleFact {
    /// Its number, from 1.
    pub line: usize,
    /// The line; secrets are shown as `****`.
    pub text: String,
    /// What became of what it names: a name of the code, or a file that is gone.
    #[serde(flatten)]
    pub change: NameChange,
}

/// How many entries are in each state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "StaleCounts")]
pub struct StaleCounts {
    /// No file that they cite differs.
    pub fresh: usize,
    /// A file differs, and nothing that they name in it.
    pub touched: usize,
    /// A name is gone, or the line that defines it changed.
    pub changed: usize,
    /// A file is gone.
    pub gone: usize,
    /// The earlier code is not known here.
    pub unknown: usize,
    /// They cite no file of the code.
    pub uncited: usize,
}

impl StaleCounts {
    pub(super) fn count(&mut self, freshness: Option<&Freshness>) {
        *match freshness.map(|freshness| freshness.state) {
            None => &mut self.uncited,
            Some(State::Fresh) => &mut self.fresh,
            Some(State::Touched) => &mut self.touched,
            Some(State::Changed) => &mut self.changed,
            Some(State::Gone) => &mut self.gone,
            Some(State::Unknown) => &mut self.unknown,
        } += 1;
    }
}

/// Find stale entries.
///
/// # Errors
/// A name that is not an entry, a range that is none, no repository of the code for it; the disk or git.
pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Stop> {
    let opened = cx.open()?;
    let (ranges, mut names): (Vec<String>, Vec<String>) =
        options.arguments.iter().cloned().partition(|text| is_range(text));
    names.extend(options.paths.iter().cloned());
    let code = options.code.as_deref().map(|folder| folder_of(cx, folder)).transpose()?;
    let span = match &ranges[..] {
        [] => Span::Now,
        [range] => span(cx, &opened, (range, code.as_deref()))?,
        [..] => return Err(Stop::usage("give one range of the code's history")),
    };
    let survey = derive::quick_survey(&opened, git::index::read(&opened.scope)?)?;
    let curated = derive::curated_paths(&opened.scope, &survey)?;
    let root = opened.scope.root();
    let wanted = subjects::entries((&root, &cx.cwd), &curated, &names)?;
    let judged = stale::judge(&opened, (&cx.cwd, code.as_deref()), span, &wanted)?;
    let severity = policy_of(&root)?.severity_of(findings::RULE);
    let (mut unmerged, mut reverts_edited) = Default::default();
    if span == Span::Now {
        let host = match code.as_deref() {
            Some(folder) => Some(Host::at(&opened, folder)?),
            None => Host::of(&opened, &cx.cwd)?,
        };
        if let Some(host) = &host {
            unmerged = left::unmerged(&opened, host, cx.clock.seconds(), &judged)?;
        }
        reverts_edited = left::reverted_edited(&opened, host.as_ref(), &judged)?;
    }
    Ok(Outcome { unmerged, reverts_edited, ..outcome(judged, severity) })
}

fn outcome(judged: Vec<JudgedEntry>, severity: brv_text::lint::Severity) -> Outcome {
    let mut outcome = Outcome::default();
    for JudgedEntry { path, judged: Judged { freshness, facts }, bytes } in judged {
        outcome.counts.count(freshness.as_ref());
        let Some(freshness) = freshness.filter(|freshness| freshness.state.is_stale()) else { continue };
        outcome.findings.extend(findings::of(&path, &facts, severity));
        let title = Document::parse(bytes).title();
        let mut facts: Vec<StaleFact> = facts.into_iter().map(fact).collect();
        // a name in two files is doubtful once
        facts.dedup_by(|next, known| (next.line, &next.change.name) == (known.line, &known.change.name));
        let title = title.as_deref().map(masked);
        outcome.entries.push(StaleEntry { path, title, freshness, facts });
    }
    outcome.sort();
    outcome
}

fn masked(text: &str) -> String {
    secrets::masked(text).into_owned()
}

fn fact(found: stale::Fact) -> StaleFact {
    let name = masked(&found.change.name);
    StaleFact {
        line: found.line,
        text: masked(found.text.trim()),
        change: NameChange { name, ..found.change },
    }
}

impl Outcome {
    /// The entries as they are listed, and the findings by path and place.
    pub(super) fn sort(&mut self) {
        let worst_first =
            |one: &StaleEntry, other: &StaleEntry| other.freshness.state.cmp(&one.freshness.state);
        sorting::sort_by(&mut self.entries, |one, other| {
            worst_first(one, other).then_with(|| one.path.cmp(&other.path))
        });
        sorting::sort_by(&mut self.findings, |one, other| {
            let place = |found: &Reported| (found.line, found.fingerprint.clone());
            one.path.cmp(&other.path).then_with(|| place(one).cmp(&place(other)))
        });
    }
}

/// Whether an argument is a range of the code's history, and no path that begins in the folder above.
fn is_range(text: &str) -> bool {
    text.contains("..") && !text.split('/').any(|part| part == "..")
}

fn folder_of(cx: &Context<'_>, folder: &Path) -> Result<PathBuf, Stop> {
    let found = cx.cwd.join(folder);
    match found.is_dir() {
        true => Ok(found),
        false => Err(Stop::usage(format!("`{}` is not a folder", folder.display()))),
    }
}

/// The commits that a range of the code's history goes from and to.
fn span(cx: &Context<'_>, opened: &Opened, (range, code): (&str, Option<&Path>)) -> Result<Span, Stop> {
    let refused = |message: &str| Stop::new(FailureKind::Refused, message);
    let host = match code {
        Some(folder) => Some(Host::at(opened, folder)?),
        None => Host::of(opened, &cx.cwd)?,
    };
    let host = host.ok_or_else(|| refused("the code is in no git repository, so it has no history"))?;
    let revision = revisions::parse(&host.scope, range).map_err(|error| {
        Stop::usage(format!(
            "`{range}` is not a range of the code's history: {}",
            brv_engine::outcome::stop::message(&error)
        ))
    })?;
    match revision {
        Revision::Range(from, to) => Ok(Span::Range { from, to }),
        Revision::Symmetric(left, to) => {
            let bases = history::merge_bases(&host.scope, left, to)?;
            let from = *bases.first().ok_or_else(|| match git::is_shallow(&host.scope) {
                Ok(true) => refused("the history of the code is shallow and ends before the range begins"),
                _ => Stop::usage(format!("the two sides of `{range}` have no common ancestor")),
            })?;
            Ok(Span::Range { from, to })
        }
        Revision::Single(_) | Revision::Without(_) => Err(Stop::usage(format!("`{range}` is not a range"))),
    }
}

/// The team's policy, as it is on disk; what cannot be read of it is left to `brv vc check`.
fn policy_of(root: &Path) -> Result<Policy, Stop> {
    let bytes = fs::read_below(root, &root.join(policy::FILE))?;
    Ok(bytes.map(|bytes| Policy::parse(&bytes.to_str_lossy()).0).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_dots_make_a_range_unless_they_are_a_folder() {
        assert!(["a..b", "a...b", "..b", "origin/main...HEAD"].iter().all(|text| is_range(text)));
        assert!(["../auth", "..", "a/../b", "a/b", "auth/.."].iter().all(|text| !is_range(text)));
    }
}
