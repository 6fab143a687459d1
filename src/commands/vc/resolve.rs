//! `brv vc resolve`: resolve the conflicts of a merge, and settle disputed facts.
//!
//! Only what is decided changes; the rest of a file stays the same byte for byte. Commits nothing.

use brv_base::clock::format_utc;
use brv_base::fs;
use brv_engine::journal::{Discarded, OperationKind};
use brv_engine::merge::decisions::{self, OpenFile};
use brv_engine::merge::discarded;
use brv_engine::merge::reconcile::Record;
use brv_engine::open::context::{Context, Opened};
use brv_engine::outcome::bytes::{Bytes, text};
use brv_engine::outcome::json;
use brv_engine::write::operation::files_only::{self, Recording, Rewrite};
use brv_engine::write::operation::{self, Derived, Purpose, Writing};
use brv_engine::write::written::{self, Rewritten, WrittenEffects};
use brv_engine::{FailureKind, Keeper, Stop};
use brv_git as git;
use brv_git::Scope;
use brv_text::doc::{self, Document, Settlement};
use brv_text::merge::{MergePlace, Reason};
use bstr::{BStr, BString, ByteSlice as _};
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt::Display;
use std::path::PathBuf;

use brv_engine::merge::decisions::{Decision, LeftBy};
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

/// `brv.vc.resolve/1`
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "Resolve")]
pub struct Outcome {
    /// The files, by path.
    pub files: Vec<ResolvedFile>,
    /// The disputed subject that was settled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settled: Option<Settled>,
    /// Number of unmerged files in the tree now.
    pub unmerged: usize,
    /// Whether a merge is in progress.
    #[serde(serialize_with = "json::is_some")]
    #[schemars(with = "bool")]
    pub merging: Option<Keeper>,
    /// The operation and the derived files.
    #[serde(flatten, serialize_with = "written::rewritten")]
    #[schemars(with = "Rewritten")]
    pub written: WrittenEffects,
}

/// A subject that is no longer disputed.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Settled {
    /// The path of the file; the change is not staged.
    pub path: String,
    /// The subject.
    pub subject: String,
}

/// A file with its conflicts.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "ResolvedFile")]
pub struct ResolvedFile {
    /// Its path in the tree.
    pub path: Bytes,
    /// Its state in the index.
    pub standing: ResolveState,
    /// Its conflicts; those with `open` are not resolved yet.
    pub decisions: Vec<Numbered>,
    /// Whether its markers are from another tool's merge, around more than the real conflicts: `--merge` may leave
    /// fewer conflicts.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub mergeable: bool,
    /// Whether `--merge` merged its versions by meaning.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub merged: bool,
    /// Differences that `--merge` settled automatically.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub records: Vec<Record>,
    /// Headings that are now listed in `disputed`, because both versions below them were kept.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub disputed: Vec<String>,
}

/// The state of a file in the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize)]
#[schemars(rename = "Standing")]
#[serde(rename_all = "snake_case")]
pub enum ResolveState {
    /// In conflict.
    Unmerged,
    /// Was in conflict; the version on disk is staged now.
    Recorded,
    /// Was in conflict; its deletion is staged now.
    RecordedGone,
    /// Not in conflict in the index; the change on disk is not staged.
    NotRecorded,
}

/// A conflict, with the number that `--pick` takes.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Numbered {
    /// The path and the number: `auth/a.md#1`
    pub id: String,
    /// Its number for `--pick`, from 1 within the file. It does not change when other conflicts are resolved.
    pub number: usize,
    /// The line of its markers, from 1; absent if it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// Its place in the file.
    pub place: MergePlace,
    /// The reason of the conflict.
    pub reason: Reason,
    /// The base version; `null` if it is unknown or there was none.
    pub base: Option<String>,
    /// Our version.
    pub ours: Option<String>,
    /// Their version.
    pub theirs: Option<String>,
    /// The side that was taken: `ours`, `theirs`, `both` or `base`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<&str>")]
    pub taken: Option<Choice>,
    /// Whether it is not resolved yet.
    pub open: bool,
    /// Why the requested side could not be taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub unfit: Option<Unfit>,
}

/// Where the open conflicts are listed with their numbers.
const NUMBERS: &str = "`brv vc resolve --list` lists the open conflicts with their numbers";

/// List, decide or settle.
///
/// # Errors
/// A path, a number or a subject names nothing; what stays open is an outcome.
pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Stop> {
    operation::settle(Stop::kind, |_| once(cx, options))
}

fn once(cx: &Context<'_>, options: &Options) -> Result<Outcome, Stop> {
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
/// The path leads out of the tree.
pub fn on_disk(cx: &Context<'_>, path: &BStr) -> Result<PathBuf, Stop> {
    Ok(fs::below(&cx.open()?.scope.root(), path)?)
}

fn list(cx: &Context<'_>, opened: &Opened, paths: &[String]) -> Result<Outcome, Stop> {
    let scope = &opened.scope;
    let index = git::index::read(scope)?;
    let files = decisions::find(scope, &index, &cx.cwd, paths)?;
    let files = files.iter().map(|file| ResolvedFile::looked_at(file, None)).collect();
    outcome(scope, files)
}

fn decide(cx: &Context<'_>, opened: &Opened, paths: &[String], choices: &Choices) -> Result<Outcome, Stop> {
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
            let path = &file.path;
            let message =
                format!("`{path}` has two frontmatters: it holds two versions, one after the other");
            return Err(Stop::conflict(message).hint(
                "merge the versions by meaning with `brv vc resolve PATH --merge`; or remove all but one frontmatter and try again",
            ));
        }
        if applied.after != file.disk || is_decided {
            rewrites.push(rewritten(&file, applied.after.clone(), is_decided));
        }
        let standing = standing(&file, applied.after.is_some(), is_decided);
        let told = ResolvedFile::of(&file, standing, &applied.open, &choose);
        files.push(ResolvedFile { disputed: applied.disputed, ..told });
    }
    let decisions = files.iter().flat_map(|file| &file.decisions);
    let count = decisions.filter(|decision| decision.taken.is_some()).count();
    let decisions = if count == 1 { "conflict resolved" } else { "conflicts resolved" };
    let reason = format!("{count} {decisions} in {}", named(&rewrites));
    let written = carry_out(writing, &rewrites, (reason, Vec::new()))?;
    Ok(Outcome { written, ..outcome(scope, files)? })
}

/// Merge by meaning, replacing what another tool's merge, or a person, left on disk; the operation keeps that.
fn merge_anew(cx: &Context<'_>, opened: &Opened, paths: &[String]) -> Result<Outcome, Stop> {
    let scope = &opened.scope;
    let writing = Writing::begin(cx.parts(opened))?;
    let index = git::index::read(scope)?;
    let (mut files, mut rewrites, mut discarded) = (Vec::new(), Vec::new(), Vec::new());
    for file in decisions::find(scope, &index, &cx.cwd, paths)? {
        if !file.is_unmerged {
            let message = format!("`{}` is not unmerged: the index has only one version of it", file.path);
            return Err(Stop::usage(message).hint(
                "`brv vc resolve --list` lists the unmerged files; `brv vc repair` redoes a merge that another tool committed",
            ));
        }
        let Some((merged, records)) = file.merged_anew() else {
            files.push(ResolvedFile::looked_at(&file, Some(Unfit::NothingToMerge)));
            continue;
        };
        let is_decided = merged.decisions.is_empty();
        rewrites.push(rewritten(&file, merged.disk.clone(), is_decided));
        discarded.extend(discarded::of_file(file.path.as_bstr(), &records));
        let standing = standing(&file, true, is_decided);
        let records = records.iter().map(|record| Record::inside(&file.path, record)).collect();
        files.push(ResolvedFile {
            standing,
            merged: true,
            records,
            ..ResolvedFile::looked_at(&merged, None)
        });
    }
    let reason = format!("{} merged by meaning", named(&rewrites));
    let written = carry_out(writing, &rewrites, (reason, discarded))?;
    Ok(Outcome { written, ..outcome(scope, files)? })
}

impl ResolvedFile {
    /// The file, with the decisions still open, each with the reason if a choice did not apply, and the choices for the others.
    fn of(
        file: &OpenFile,
        standing: ResolveState,
        open: &[(usize, Option<Unfit>)],
        choose: &dyn Fn(usize) -> Option<Choice>,
    ) -> Self {
        let numbered = |decision: &Decision| {
            let number = decision.number;
            let unfit = open.iter().find(|(open, _)| *open == number).map(|(_, unfit)| *unfit);
            let Texts { base, ours, theirs } = decision.texts.clone();
            Numbered {
                id: format!("{}#{number}", text(&file.path)),
                number,
                line: decision.line,
                place: decision.place.clone(),
                reason: decision.why,
                base,
                ours,
                theirs,
                taken: if unfit.is_none() { choose(number) } else { None },
                open: unfit.is_some(),
                unfit: unfit.flatten(),
            }
        };
        Self {
            path: Bytes::from(&file.path),
            standing,
            decisions: file.decisions.iter().map(numbered).collect(),
            mergeable: file.left_by == LeftBy::AnotherTool && !open.is_empty(),
            merged: false,
            records: Vec::new(),
            disputed: Vec::new(),
        }
    }

    /// The file as it was found, without decisions made.
    fn looked_at(file: &OpenFile, unfit: Option<Unfit>) -> Self {
        let open: Vec<_> = file.decisions.iter().map(|decision| (decision.number, unfit)).collect();
        let standing = if file.is_unmerged { ResolveState::Unmerged } else { ResolveState::NotRecorded };
        Self::of(file, standing, &open, &|_| None)
    }
}

fn standing(file: &OpenFile, is_there: bool, is_decided: bool) -> ResolveState {
    match (is_there, is_decided) {
        (_, false) if file.is_unmerged => ResolveState::Unmerged,
        (_, false) => ResolveState::NotRecorded,
        (true, true) => ResolveState::Recorded,
        (false, true) => ResolveState::RecordedGone,
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
) -> Result<WrittenEffects, Stop> {
    let purpose = Purpose::new(OperationKind::Resolve, reason).discarding(discarded);
    files_only::carry_out(&mut writing, rewrites, &purpose)?;
    Ok(WrittenEffects::from(&writing.finish(Derived::Changed)))
}

fn no_match(path: impl Display) -> Stop {
    Stop::usage(format!("`{path}` matches no file"))
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
fn check(found: &[OpenFile], picks: &[Pick]) -> Result<(), Stop> {
    for pick in picks {
        let file = match (&pick.path, found) {
            (None, [one]) => one,
            (None, _) => return Err(Stop::usage("a pick needs the path of one file").hint(NUMBERS)),
            (Some(path), _) => found.iter().find(|file| file.path == *path).ok_or_else(|| no_match(path))?,
        };
        let decision = file.decisions.iter().find(|decision| decision.number == pick.number);
        let as_seen = |decision: &Decision| pick.seen.as_ref().is_none_or(|seen| *seen == decision.texts);
        match decision {
            Some(decision) if as_seen(decision) => {}
            _ if pick.seen.is_some() => {
                let message = format!("`{}` was changed since it was shown", file.path);
                return Err(Stop::failed(message).hint(NUMBERS));
            }
            _ => {
                let open: Vec<usize> = file.decisions.iter().map(|decision| decision.number).collect();
                let (number, path, open) = (pick.number, &file.path, numbered(&open));
                return Err(Stop::usage(format!("there is no open conflict {number} in `{path}`: {open}"))
                    .hint(NUMBERS));
            }
        }
    }
    Ok(())
}

fn settle(cx: &Context<'_>, opened: &Opened, path: &str, subject: &str, how: &How) -> Result<Outcome, Stop> {
    let scope = &opened.scope;
    let writing = Writing::begin(cx.parts(opened))?;
    let index = git::index::read(scope)?;
    let found = decisions::find(scope, &index, &cx.cwd, &[path.to_owned()])?;
    let [file] = found.as_slice() else { return Err(no_match(path)) };
    let before = file.disk.clone().ok_or_else(|| no_match(path))?;
    if file.is_unmerged || !file.decisions.is_empty() {
        return Err(Stop::conflict(format!("`{path}` is in conflict: resolve that first"))
            .hint("`brv vc resolve --list` lists the open conflicts"));
    }
    let mut document = Document::parse(before.clone());
    let how = match how {
        How::Keep(numbers) => Settlement::Keep(numbers),
        How::KeepAll => Settlement::KeepAll,
        How::Text(text) => Settlement::Text(text),
    };
    let settled = doc::settle(&mut document, subject, how, &format_utc(cx.clock.seconds()));
    let _ = settled.map_err(|error| {
        Stop::because(FailureKind::Usage, &error)
            .hint("`brv read PATH` shows the disputed subjects with their claims")
    })?;
    let rewrite = Rewrite {
        path: file.path.clone(),
        before: Some(before),
        after: Some(document.into_bytes()),
        recording: Recording::Leave,
    };
    let reason = format!("`{subject}` in {} is settled", file.path.as_bstr());
    let written = carry_out(writing, &[rewrite], (reason, Vec::new()))?;
    let subject = subject.split_whitespace().collect::<Vec<_>>().join(" ");
    let settled = Some(Settled { path: text(&file.path), subject });
    Ok(Outcome { settled, written, ..outcome(scope, Vec::new())? })
}

fn outcome(scope: &Scope, files: Vec<ResolvedFile>) -> Result<Outcome, Stop> {
    Ok(Outcome {
        files,
        settled: None,
        unmerged: git::index::read(scope)?.unmerged().len(),
        merging: git::merge_state::read(scope)?.map(|_| Keeper::of(scope)),
        written: WrittenEffects::default(),
    })
}
