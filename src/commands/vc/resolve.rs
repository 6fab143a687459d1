//! `brv vc resolve`: resolve the conflicts of a merge, and settle disputed facts.
//!
//! Only what is decided changes; the rest of a file stays the same byte for byte. Commits nothing.

use brv_base::clock::format_utc;
use brv_base::fs;
use brv_engine::journal::{Discarded, Kind};
use brv_engine::merge::decisions::{self, OpenFile};
use brv_engine::merge::discarded;
use brv_engine::open::context::{Context, Opened};
use brv_engine::outcome::cause::{Cause, caused};
use brv_engine::write::operation::files_only::{self, Recording, Rewrite};
use brv_engine::write::operation::{self, Derived, Purpose, WriteOutcome, Writing};
use brv_engine::{Fails, FailureKind, Keeper};
use brv_git as git;
use brv_git::Scope;
use brv_text::doc::{self, Document, Settlement, Unsettled};
use brv_text::merge;
use bstr::{BStr, BString, ByteSlice as _};
use std::path::PathBuf;

pub use brv_engine::merge::decisions::{Decision, LeftBy};
pub use brv_text::merge::{Choice, Texts, Unfit};

#[derive(Debug, Clone)]
pub enum Options {
    /// List what is open; no paths: in all unmerged files.
    List(Vec<String>),
    Decide {
        /// As typed; a folder means all unmerged files in it.
        paths: Vec<String>,
        choices: Choices,
    },
    /// Merge unmerged files again, by meaning, from their versions in the index.
    Merge {
        /// As typed; a folder means all unmerged files in it.
        paths: Vec<String>,
    },
    Settle {
        /// The file, as typed.
        path: String,
        subject: String,
        how: How,
    },
}

#[derive(Debug, Clone)]
pub enum Choices {
    /// The same choice for every decision.
    All(Choice),
    /// A choice for each of these decisions; others stay open.
    Picks(Vec<Pick>),
}

#[derive(Debug, Clone)]
pub struct Pick {
    /// The file in the tree; `None`: the only file named.
    pub path: Option<BString>,
    pub number: usize,
    pub choice: Choice,
    /// The texts that the choice was based on, if they may have changed since.
    pub seen: Option<Texts>,
}

/// How a disputed subject is settled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum How {
    /// Keep these claims, counted from 1.
    Keep(Vec<usize>),
    KeepAll,
    /// Replace them with this statement.
    Text(String),
}

#[derive(Debug)]
pub struct Outcome {
    /// Each file that was examined, by path.
    pub files: Vec<File>,
    /// The subject that was settled, with its file.
    pub settled: Option<(BString, String)>,
    /// How many files are still unmerged.
    pub unmerged: usize,
    /// Whose merge is in progress, if any.
    pub merging: Option<Keeper>,
    /// What else was written: operation and derived files.
    pub written: WriteOutcome,
}

#[derive(Debug)]
pub struct File {
    pub path: BString,
    pub decisions: Vec<Decision>,
    /// The decisions that were made: number and choice.
    pub made: Vec<(usize, Choice)>,
    /// The numbers of the decisions still open, with the reason if a choice did not apply.
    pub open: Vec<(usize, Option<Unfit>)>,
    /// Headings that are now listed in `disputed`.
    pub disputed: Vec<String>,
    /// Which tool left its conflict markers.
    pub left_by: LeftBy,
    /// What a merge by meaning settled, if it was requested and done.
    pub merged: Option<Vec<merge::Record>>,
    /// The state of the file in the index.
    pub standing: Standing,
}

/// The state of a file in the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    Unmerged,
    /// It was unmerged; now the version on disk is staged.
    Recorded,
    /// It was unmerged; now its removal is staged.
    RecordedGone,
    /// It was not unmerged; the change on disk is not staged.
    NotRecorded,
}

/// Why nothing was done.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Cause(Cause),
    /// What is open is not known, or a path names nothing.
    #[error(transparent)]
    Decisions(#[from] decisions::Error),
    #[error("there is no open conflict {number} in `{path}`: {}", numbered(open))]
    NoDecision { path: BString, number: usize, open: Vec<usize> },
    #[error("a pick needs the path of one file")]
    WhichFile,
    #[error("`{0}` was changed since it was shown")]
    Changed(BString),
    #[error("`{0}` is in conflict: resolve that first")]
    InConflict(String),
    #[error("`{0}` matches no file")]
    NoMatch(String),
    #[error("`{0}` is not unmerged: the index has only one version of it")]
    NotUnmerged(BString),
    /// What somebody made of it by hand is two versions, one behind the other.
    #[error("`{0}` has two frontmatters: it holds two versions, one after the other")]
    TwoFrontmatters(BString),
    #[error(transparent)]
    Unsettled(#[from] Unsettled),
    #[error(transparent)]
    Rewrite(#[from] files_only::Error),
}

impl Error {
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::Cause(cause) => cause.kind(),
            Self::Decisions(error) => error.kind(),
            Self::Rewrite(error) => error.kind(),
            Self::NoDecision { .. }
            | Self::WhichFile
            | Self::NoMatch(_)
            | Self::NotUnmerged(_)
            | Self::Unsettled(_) => FailureKind::Usage,
            Self::InConflict(_) | Self::TwoFrontmatters(_) => FailureKind::Conflict,
            Self::Changed(_) => FailureKind::Failed,
        }
    }
}

caused!(Error);

/// List, decide or settle.
///
/// # Errors
/// [`Error`]; what stays open is an outcome.
pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Error> {
    operation::settle(Error::kind, |_| once(cx, options))
}

fn once(cx: &Context<'_>, options: &Options) -> Result<Outcome, Error> {
    let opened = cx.open()?;
    match options {
        Options::List(paths) => list(cx, &opened, paths),
        Options::Decide { paths, choices } => decide(cx, &opened, paths, choices),
        Options::Merge { paths } => merge_anew(cx, &opened, paths),
        Options::Settle { path, subject, how } => settle(cx, &opened, path, subject, how),
    }
}

/// The path on disk of a file of the tree that is to be edited by hand.
///
/// # Errors
/// [`Error`] if the path leads out of the tree.
pub fn on_disk(cx: &Context<'_>, path: &BStr) -> Result<PathBuf, Error> {
    Ok(fs::below(&cx.open()?.scope.root(), path)?)
}

fn list(cx: &Context<'_>, opened: &Opened, paths: &[String]) -> Result<Outcome, Error> {
    let scope = &opened.scope;
    let index = git::index::read(scope)?;
    let files = decisions::find(scope, &index, &cx.cwd, paths)?;
    let files = files.into_iter().map(File::looked_at).collect();
    outcome(scope, files)
}

fn decide(cx: &Context<'_>, opened: &Opened, paths: &[String], choices: &Choices) -> Result<Outcome, Error> {
    let scope = &opened.scope;
    let writing = Writing::begin(cx.parts(opened))?;
    let index = git::index::read(scope)?;
    let found = decisions::find(scope, &index, &cx.cwd, paths)?;
    if let Choices::Picks(picks) = choices {
        check(&found, picks)?;
    }
    let (mut files, mut rewrites) = (Vec::new(), Vec::new());
    for file in found {
        let choose = |number| choices.of(&file.path, number);
        let applied = file.apply(&choose);
        let is_decided = applied.open.is_empty() && file.is_unmerged;
        if is_decided && applied.after.as_deref().is_some_and(decisions::has_two_frontmatters) {
            return Err(Error::TwoFrontmatters(file.path));
        }
        let is_made = |number: &usize| !applied.open.iter().any(|(open, _)| open == number);
        let numbers = file.decisions.iter().map(|decision| decision.number).filter(is_made);
        let made = numbers.filter_map(|number| Some((number, choose(number)?))).collect();
        if applied.after != file.disk || is_decided {
            rewrites.push(rewritten(&file, applied.after.clone(), is_decided));
        }
        files.push(File {
            standing: standing(&file, applied.after.is_some(), is_decided),
            left_by: file.left_by,
            path: file.path,
            decisions: file.decisions,
            made,
            open: applied.open,
            disputed: applied.disputed,
            merged: None,
        });
    }
    let count = files.iter().map(|file| file.made.len()).sum::<usize>();
    let decisions = if count == 1 { "conflict resolved" } else { "conflicts resolved" };
    let reason = format!("{count} {decisions} in {}", named(&rewrites));
    let written = carry_out(writing, &rewrites, (reason, Vec::new()))?;
    Ok(Outcome { written, ..outcome(scope, files)? })
}

/// Merge by meaning, replacing what another tool's merge, or a person, left on disk; the operation keeps that.
fn merge_anew(cx: &Context<'_>, opened: &Opened, paths: &[String]) -> Result<Outcome, Error> {
    let scope = &opened.scope;
    let writing = Writing::begin(cx.parts(opened))?;
    let index = git::index::read(scope)?;
    let (mut files, mut rewrites, mut discarded) = (Vec::new(), Vec::new(), Vec::new());
    for file in decisions::find(scope, &index, &cx.cwd, paths)? {
        if !file.is_unmerged {
            return Err(Error::NotUnmerged(file.path));
        }
        let Some((merged, records)) = file.merged_anew() else {
            let open = file.decisions.iter().map(|open| (open.number, Some(Unfit::NothingToMerge))).collect();
            files.push(File { open, ..File::looked_at(file) });
            continue;
        };
        let is_decided = merged.decisions.is_empty();
        rewrites.push(rewritten(&file, merged.disk.clone(), is_decided));
        discarded.extend(discarded::of_file(file.path.as_bstr(), &records));
        let standing = standing(&file, true, is_decided);
        files.push(File { standing, merged: Some(records), ..File::looked_at(merged) });
    }
    let reason = format!("{} merged by meaning", named(&rewrites));
    let written = carry_out(writing, &rewrites, (reason, discarded))?;
    Ok(Outcome { written, ..outcome(scope, files)? })
}

impl File {
    /// The file as it was found, without decisions made.
    fn looked_at(file: OpenFile) -> Self {
        Self {
            open: file.decisions.iter().map(|decision| (decision.number, None)).collect(),
            standing: if file.is_unmerged { Standing::Unmerged } else { Standing::NotRecorded },
            left_by: file.left_by,
            path: file.path,
            decisions: file.decisions,
            made: Vec::new(),
            disputed: Vec::new(),
            merged: None,
        }
    }
}

fn standing(file: &OpenFile, is_there: bool, is_decided: bool) -> Standing {
    match (is_there, is_decided) {
        (_, false) if file.is_unmerged => Standing::Unmerged,
        (_, false) => Standing::NotRecorded,
        (true, true) => Standing::Recorded,
        (false, true) => Standing::RecordedGone,
    }
}

fn rewritten(file: &OpenFile, after: Option<Vec<u8>>, is_decided: bool) -> Rewrite {
    Rewrite {
        path: file.path.clone(),
        before: file.disk.clone(),
        after,
        recording: if is_decided { Recording::Stage } else { Recording::Leave },
    }
}

/// Write the files as one operation, if there are any.
fn carry_out(
    mut writing: Writing<'_>,
    rewrites: &[Rewrite],
    (reason, discarded): (String, Vec<Discarded>),
) -> Result<WriteOutcome, Error> {
    let purpose = Purpose::new(Kind::Resolve, reason).discarding(discarded);
    files_only::carry_out(&mut writing, rewrites, &purpose)?;
    Ok(writing.finish(Derived::Changed))
}

/// `none is open`, `open: 1, 3`
fn numbered(open: &[usize]) -> String {
    match open {
        [] => "none is open".to_owned(),
        open => format!("open: {}", open.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")),
    }
}

/// The files of an operation, in one line.
fn named(rewrites: &[Rewrite]) -> String {
    match rewrites {
        [one] => one.path.to_string(),
        more => format!("{} files", more.len()),
    }
}

impl Choices {
    fn of(&self, path: &BString, number: usize) -> Option<Choice> {
        match self {
            Self::All(choice) => Some(*choice),
            Self::Picks(picks) => picks
                .iter()
                .find(|pick| pick.number == number && pick.path.as_ref().is_none_or(|own| own == path))
                .map(|pick| pick.choice),
        }
    }
}

/// Check that every pick refers to an existing decision, and that its text is unchanged since it was shown.
fn check(found: &[OpenFile], picks: &[Pick]) -> Result<(), Error> {
    for pick in picks {
        let file = match (&pick.path, found) {
            (None, [one]) => one,
            (None, _) => return Err(Error::WhichFile),
            (Some(path), _) => found
                .iter()
                .find(|file| file.path == *path)
                .ok_or_else(|| Error::NoMatch(path.to_string()))?,
        };
        let decision = file.decisions.iter().find(|decision| decision.number == pick.number);
        let as_seen = |decision: &Decision| pick.seen.as_ref().is_none_or(|seen| *seen == decision.texts);
        match decision {
            Some(decision) if as_seen(decision) => {}
            _ if pick.seen.is_some() => return Err(Error::Changed(file.path.clone())),
            _ => {
                let open = file.decisions.iter().map(|decision| decision.number).collect();
                let path = file.path.clone();
                return Err(Error::NoDecision { path, number: pick.number, open });
            }
        }
    }
    Ok(())
}

fn settle(cx: &Context<'_>, opened: &Opened, path: &str, subject: &str, how: &How) -> Result<Outcome, Error> {
    let scope = &opened.scope;
    let writing = Writing::begin(cx.parts(opened))?;
    let index = git::index::read(scope)?;
    let found = decisions::find(scope, &index, &cx.cwd, &[path.to_owned()])?;
    let [file] = found.as_slice() else { return Err(Error::NoMatch(path.to_owned())) };
    let before = file.disk.clone().ok_or_else(|| Error::NoMatch(path.to_owned()))?;
    if file.is_unmerged || !file.decisions.is_empty() {
        return Err(Error::InConflict(path.to_owned()));
    }
    let mut document = Document::parse(before.clone());
    let how = match how {
        How::Keep(numbers) => Settlement::Keep(numbers),
        How::KeepAll => Settlement::KeepAll,
        How::Text(text) => Settlement::Text(text),
    };
    let _ = doc::settle(&mut document, subject, how, &format_utc(cx.clock.seconds()))?;
    let rewrite = Rewrite {
        path: file.path.clone(),
        before: Some(before),
        after: Some(document.into_bytes()),
        recording: Recording::Leave,
    };
    let reason = format!("`{subject}` in {} is settled", file.path.as_bstr());
    let written = carry_out(writing, &[rewrite], (reason, Vec::new()))?;
    let settled = Some((file.path.clone(), subject.split_whitespace().collect::<Vec<_>>().join(" ")));
    Ok(Outcome { settled, written, ..outcome(scope, Vec::new())? })
}

fn outcome(scope: &Scope, files: Vec<File>) -> Result<Outcome, Error> {
    Ok(Outcome {
        files,
        settled: None,
        unmerged: git::index::read(scope)?.unmerged().len(),
        merging: git::merge_state::read(scope)?.map(|_| Keeper::of(scope)),
        written: WriteOutcome::default(),
    })
}
