//! `brv vc check`: what a change does to the knowledge, and what is wrong with it.
//!
//! Reads; only [`fix`] writes, on request. The rules are in [`brv_text::lint`], the engine that push and sync share in
//! [`brv_engine::vc::check`].

mod compared;
mod fix;
pub mod plain_clone;
mod provenance;
mod rules;

use brv_base::path::{Kind, TreePath};
use brv_engine::open::context::{Context, Opened};
use brv_engine::open::naming::{revisions, upstream};
use brv_engine::outcome::cause::{Cause, caused};
use brv_engine::read::archive;
use brv_engine::read::history::knowledge::Told;
use brv_engine::read::history::states::{Names, State};
use brv_engine::read::stale::{Sources, file_of_paths};
use brv_engine::vc::check::Found;
use brv_engine::vc::check::links::Consequences;
use brv_engine::vc::check::standards::{self, Standards};
use brv_engine::write::operation::files_only;
use brv_engine::{Fails, FailureKind};
use brv_git::pathspec::Pathspecs;
use brv_git::{Scope, remotes};
use brv_text::lint::Severity;
use bstr::ByteSlice as _;
use compared::Compared;
use std::path::PathBuf;

pub use brv_engine::read::archive::Malformed;
pub use brv_text::lint::policy::FailOn;
pub use fix::{Fixed, fix, write_baseline};
pub use provenance::{Flagged, Source};

#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Revisions, then paths, as typed before `--`.
    pub arguments: Vec<String>,
    /// Paths, as typed after `--`.
    pub paths: Vec<String>,
    /// What is checked where no revision is typed.
    pub what: What,
    /// From which weight on the check fails; `None`: errors. A policy may be stricter.
    pub fail_on: Option<FailOn>,
    /// The folder of the code whose files entries cite; `None`: the code's work tree around the context tree, if there is
    /// one.
    pub code: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum What {
    /// A range of commits; if none is typed, what the next push would bring.
    #[default]
    Range,
    /// What is staged (`--staged`).
    Staged,
    /// The tree as it is on disk (`--all`).
    Everything,
}

#[derive(Debug)]
pub struct Outcome {
    pub before: State,
    pub after: State,
    pub names: Names,
    /// What is wrong, by path and place; without what the baseline has.
    pub findings: Vec<Found>,
    /// Findings that the baseline has.
    pub left: Vec<Found>,
    /// From which weight on the check fails: the stricter of options and policy.
    pub fail_on: FailOn,
    /// The changes by meaning, without the value of any secret.
    pub told: Told,
    /// What the change does to the links around it.
    pub consequences: Consequences,
    /// The commits of the range, newest first.
    pub sources: Vec<Source>,
    /// Paths that operations of the range marked for review.
    pub flagged: Vec<Flagged>,
    /// What cannot be read of the base's policy and baseline.
    pub warnings: Vec<String>,
    /// Items of the field `archived` that are no records.
    pub malformed: Vec<Malformed>,
    /// How many files are in conflict, in a merge that is not finished.
    pub unmerged: usize,
    /// The tree's folder in its repository: empty, or ends with a slash.
    pub prefix: String,
    /// Whether it is a plain clone, in which only a check works.
    pub is_plain_clone: bool,
}

impl Outcome {
    /// Whether a finding is severe enough to fail the check.
    pub fn fails(&self) -> bool {
        let weighs = |found: &Found| match self.fail_on {
            FailOn::Never => false,
            FailOn::Error => found.severity == Severity::Error,
            FailOn::Warning => true,
        };
        self.findings.iter().any(weighs)
    }
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Cause(Cause),
    #[error(transparent)]
    Arguments(#[from] revisions::Error),
    #[error("a check takes one revision or one range")]
    TooManyRevisions,
    #[error("`--staged` and `--all` take no revision")]
    RevisionsToo,
    #[error("the branch has no commits yet")]
    Unborn,
    #[error("the branch has no upstream, so there is nothing to compare with")]
    NoUpstream,
    #[error("the two revisions have no common ancestor")]
    NoMergeBase,
    #[error("the history here is shallow and ends before the base of the change")]
    Shallow,
    #[error("a plain clone is only read")]
    PlainClone,
    #[error(transparent)]
    Remotes(#[from] remotes::Error),
    #[error(transparent)]
    Rewrite(#[from] files_only::Error),
    /// What is checked is another commit than `HEAD`.
    #[error("`--fix` changes the files on disk, and another commit is checked")]
    NotHere,
    /// A folder for `--code` that does not exist.
    #[error("`{}` is not a folder", .0.display())]
    Code(PathBuf),
}

impl Error {
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::Cause(cause) => cause.kind(),
            Self::Arguments(error) => error.kind(),
            Self::Remotes(error) => FailureKind::of_remotes(error),
            Self::Rewrite(error) => error.kind(),
            Self::TooManyRevisions
            | Self::RevisionsToo
            | Self::NoUpstream
            | Self::NotHere
            | Self::PlainClone
            | Self::Code(_) => FailureKind::Usage,
            Self::Unborn | Self::NoMergeBase | Self::Shallow => FailureKind::Failed,
        }
    }
}

caused!(Error);

impl From<upstream::Error> for Error {
    fn from(error: upstream::Error) -> Self {
        match error {
            upstream::Error::Remotes(error) => Self::Remotes(error),
            upstream::Error::Git(error) => error.into(),
        }
    }
}

/// Check a change, or the whole tree.
///
/// # Errors
/// [`Error`]; what is wrong with the content is part of the outcome.
pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Error> {
    let plain_clone::Found { opened, code, is_plain_clone } = plain_clone::open(cx)?;
    let code = match is_plain_clone {
        true => code.map(|folder| Sources { folder, kept: None }),
        false => sources(&opened),
    };
    let outcome = inspect(cx, (&opened.scope, code), options)?;
    Ok(Outcome { is_plain_clone, ..outcome })
}

/// The code that the tree is about: that of its project.
fn sources(opened: &Opened) -> Option<Sources> {
    let kept = Some(file_of_paths(opened));
    opened.places.in_host().map(|_| Sources { folder: opened.places.project.clone(), kept })
}

/// Check a tree; `around` is the code around it.
fn inspect(
    cx: &Context<'_>,
    (scope, around): (&Scope, Option<Sources>),
    options: &Options,
) -> Result<Outcome, Error> {
    let arguments = revisions::sort(scope, &cx.cwd, &options.arguments, &options.paths)?;
    let paths = Pathspecs::of(&arguments.paths);
    let mut compared = Compared::of(scope, options, &arguments)?;
    let base = standards::at(scope, compared.base);
    let standards =
        Standards::of(|path| base(path).map_err(Cause::from), |path| compared.files.read(scope, path))?;
    let code = code(cx, around, options)?;
    compared.select(&paths);
    let (mut findings, consequences) = rules::apply(scope, options, &compared, &standards, code.as_ref())?;
    findings.retain(|found| paths.is_empty() || paths.matches(found.finding.path.as_bstr()));
    let left = findings.extract_if(.., |found| standards.baseline.has(&found.finding)).collect();
    let (sources, flagged) = match &compared.range {
        Some((tip, known)) => provenance::of(scope, (*tip, known))?,
        None => Default::default(),
    };
    Ok(Outcome {
        malformed: malformed(scope, options, &compared)?,
        left,
        findings,
        fail_on: options.fail_on.max(standards.fail_on).unwrap_or(FailOn::Error),
        told: compared.tell(scope)?,
        before: compared.before,
        after: compared.after,
        names: compared.names,
        consequences,
        sources,
        flagged,
        warnings: standards.warnings,
        unmerged: compared.unmerged.len(),
        prefix: match scope.prefix() {
            "" => String::new(),
            prefix => format!("{prefix}/"),
        },
        is_plain_clone: false,
    })
}

/// The items of `archived` in what is checked that are no records.
fn malformed(scope: &Scope, options: &Options, compared: &Compared) -> Result<Vec<Malformed>, Cause> {
    let is_everything = options.what == What::Everything;
    let is_changed =
        |path: &TreePath| compared.changes.iter().any(|change| change.path == path.as_bytes().as_bstr());
    let mut found = Vec::new();
    for path in compared.files.curated().iter().filter(|path| path.kind() == Kind::NodeOverview) {
        if (is_everything || is_changed(path))
            && let Some(bytes) = compared.files.read(scope, path.as_bytes().as_bstr())?
        {
            found.extend(archive::malformed_in(path, bytes));
        }
    }
    Ok(found)
}

/// The code: as the options say, else the one around.
fn code(cx: &Context<'_>, around: Option<Sources>, options: &Options) -> Result<Option<Sources>, Error> {
    match &options.code {
        Some(folder) => {
            let folder = cx.cwd.join(folder);
            if !folder.is_dir() {
                return Err(Error::Code(folder));
            }
            // without `..`, to see what it is below
            let real = if cfg!(windows) { None } else { folder.canonicalize().ok() };
            Ok(Some(Sources { folder: real.unwrap_or(folder), kept: None }))
        }
        None => Ok(around),
    }
}
