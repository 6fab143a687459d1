//! `brv vc check`: what a change does to the knowledge, and what is wrong with it.
//!
//! Reads; only [`fix`] writes, on request. The rules are in [`brv_text::lint`], the engine that push and sync share in
//! [`brv_engine::vc::check`].

mod compared;
mod fix;
pub mod from_json;
mod outcome;
pub mod plain_clone;
mod provenance;
mod reading;
mod rules;

use brv_base::path::{PathKind, TreePath};
use brv_base::sorting;
use brv_engine::Stop;
use brv_engine::open::context::{Context, Opened};
use brv_engine::open::naming::revisions::{self, behind_dashes};
use brv_engine::read::archive::{self, Malformed};
use brv_engine::read::history::states::TreeState;
use brv_engine::read::stale::{CitedCode, file_of_paths};
use brv_engine::vc::check::CheckFinding;
use brv_engine::vc::check::standards::{self, Standards};
use brv_git::Scope;
use brv_git::pathspec::Pathspecs;
use brv_text::lint::{Rule, Severity};
use bstr::{BStr, ByteSlice as _};
use compared::CheckStates;
use std::path::{Path, PathBuf};

pub use brv_engine::read::history::states::Endpoint;
pub use brv_engine::vc::check::Reported as Finding;
pub use brv_engine::vc::check::links::{BrokenLink, Cited, Consequences};
pub use brv_text::lint::policy::FailOn;
pub use fix::{fix, write_baseline};
pub use outcome::{ChangedLines, EntryCounts, FactCounts, Fixed, FixedFile, Outcome, TokenChange, Verdict};
pub use provenance::{Flagged, RangeCommit};

#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Revisions, then paths, as typed before `--`.
    pub arguments: Vec<String>,
    /// Paths, as typed after `--`.
    pub paths: Vec<String>,
    /// What is checked where no revision is typed.
    pub what: CheckScope,
    /// From which weight on the check fails; `None`: errors. A policy may be stricter.
    pub fail_on: Option<FailOn>,
    /// The folder of the code whose files entries cite; `None`: the code's work tree around the context tree, if there is
    /// one.
    pub code: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CheckScope {
    /// A range of commits; if none is typed, what the next push would bring.
    #[default]
    Range,
    /// What is staged (`--staged`).
    Staged,
    /// The tree as it is on disk (`--all`).
    Everything,
}

/// What a check found, before the worst of it is listed.
struct Inspected {
    /// What was checked.
    after: TreeState,
    /// All but the findings and their numbers.
    outcome: Outcome,
    /// What is wrong, by path and place; without what the baseline has.
    found: Vec<CheckFinding>,
    /// Findings that the baseline has.
    left: Vec<CheckFinding>,
    /// From which weight on the check fails: the stricter of options and policy.
    fail_on: FailOn,
}

impl Inspected {
    fn listed(self) -> Outcome {
        let findings: Vec<Finding> = worst(&self.found).into_iter().map(Finding::from).collect();
        let weighs = |found: &CheckFinding| match self.fail_on {
            FailOn::Never => false,
            FailOn::Error => found.severity == Severity::Error,
            FailOn::Warning => true,
        };
        Outcome {
            verdict: Verdict::of(&self.outcome.told.entries, &self.found),
            cut: self.found.len() - findings.len(),
            findings,
            baselined: self.left.len(),
            fails: self.found.iter().any(weighs),
            ..self.outcome
        }
    }
}

/// So many findings are listed, the worst ones.
const LISTED: usize = 10_000;

/// The findings to list, in their order: all, or secrets first, then other errors.
fn worst(findings: &[CheckFinding]) -> Vec<&CheckFinding> {
    let mut order: Vec<usize> = (0..findings.len()).collect();
    let weight = |at: &usize| (findings[*at].finding.rule == Rule::Secret, findings[*at].severity);
    sorting::sort_by_key(&mut order, |at| std::cmp::Reverse(weight(at)));
    order.truncate(LISTED);
    order.sort_unstable();
    order.into_iter().map(|at| &findings[at]).collect()
}

/// Check a change, or the whole tree.
///
/// # Errors
/// Nothing to compare with, a history that ends too early; what is wrong with the content is part of the outcome.
pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Stop> {
    let plain_clone::PlainCloneTree { opened, code, is_plain_clone } = plain_clone::open(cx)?;
    let code = match is_plain_clone {
        true => code.map(|folder| CitedCode { folder, kept: None }),
        false => sources(&opened),
    };
    let cache = opened.places.cache();
    let inspected = inspect(cx, (&opened.scope, code), (!is_plain_clone).then_some(&*cache), options)?;
    Ok(Outcome { is_plain_clone, ..inspected.listed() })
}

/// The code that the tree is about: that of its project.
fn sources(opened: &Opened) -> Option<CitedCode> {
    let kept = Some(file_of_paths(opened));
    opened.places.in_host().map(|_| CitedCode { folder: opened.places.project.clone(), kept })
}

/// Check a tree; `around` is the code around it, `cache` where what is known of entries is kept.
fn inspect(
    cx: &Context<'_>,
    (scope, around): (&Scope, Option<CitedCode>),
    cache: Option<&Path>,
    options: &Options,
) -> Result<Inspected, Stop> {
    let arguments =
        revisions::sort(scope, &cx.cwd, &options.arguments, &options.paths).map_err(behind_dashes)?;
    let paths = Pathspecs::of(&arguments.paths);
    let mut compared = CheckStates::of(scope, options, &arguments)?;
    let base = standards::at(scope, compared.base);
    let read = |path: &BStr| compared.files.read(scope, path);
    let standards = Standards::of(|path| base(path).map_err(Stop::from), read)?;
    let code = code(cx, around, options)?;
    compared.select(&paths);
    let (mut found, consequences) =
        rules::apply((scope, cache), options, &compared, &standards, code.as_ref())?;
    found.retain(|found| paths.is_empty() || paths.matches(found.finding.path.as_bstr()));
    let left = found.extract_if(.., |found| standards.baseline.has(&found.finding)).collect();
    let (commits, flagged) = match &compared.range {
        Some((tip, known)) => provenance::of(scope, (*tip, known))?,
        None => Default::default(),
    };
    let told = compared.tell(scope)?;
    let mut warnings = standards.warnings;
    warnings.extend(in_conflict(compared.unmerged.len()));
    let outcome = Outcome {
        entries: told.entries.clone(),
        files: told.files.iter().filter_map(ChangedLines::of).collect(),
        flagged,
        consequences,
        commits,
        prefix: if scope.prefix().is_empty() { String::new() } else { format!("{}/", scope.prefix()) },
        told,
        warnings,
        malformed: malformed(scope, options, &compared)?,
        ..Outcome::new(
            Endpoint::new(compared.before, compared.names.before),
            Endpoint::new(compared.after, compared.names.after),
        )
    };
    let fail_on = options.fail_on.max(standards.fail_on).unwrap_or(FailOn::Error);
    Ok(Inspected { after: compared.after, outcome, found, left, fail_on })
}

/// The warning about files in conflict, in a merge that is not finished.
fn in_conflict(count: usize) -> Option<String> {
    let files = if count == 1 { "file is" } else { "files are" };
    (count > 0).then(|| format!("a merge is in progress: {count} {files} in conflict"))
}

/// The items of `archived` in what is checked that are not records.
fn malformed(scope: &Scope, options: &Options, compared: &CheckStates) -> Result<Vec<Malformed>, Stop> {
    let is_everything = options.what == CheckScope::Everything;
    let is_changed =
        |path: &TreePath| compared.changes.iter().any(|change| change.path == path.as_bytes().as_bstr());
    let mut found = Vec::new();
    for path in compared.files.curated().iter().filter(|path| path.kind() == PathKind::NodeOverview) {
        if (is_everything || is_changed(path))
            && let Some(bytes) = compared.files.read(scope, path.as_bytes().as_bstr())?
        {
            found.extend(archive::malformed_in(path, bytes));
        }
    }
    Ok(found)
}

/// The code: as the options say, else the one around.
fn code(cx: &Context<'_>, around: Option<CitedCode>, options: &Options) -> Result<Option<CitedCode>, Stop> {
    match &options.code {
        Some(folder) => {
            let folder = cx.cwd.join(folder);
            if !folder.is_dir() {
                return Err(Stop::usage(format!("`{}` is not a folder", folder.display())));
            }
            // without `..`, to see what it is below
            let real = if cfg!(windows) { None } else { folder.canonicalize().ok() };
            Ok(Some(CitedCode { folder: real.unwrap_or(folder), kept: None }))
        }
        None => Ok(around),
    }
}
