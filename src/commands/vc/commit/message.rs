//! The message of a commit: as given, from a merge or the amended commit, or written in an editor.
//!
//! Moves no reference; the editor gets git's `COMMIT_EDITMSG`.

use super::notes::Notes;
use super::{Include, Options, Start, heads};
use brv_base::environment::Environment;
use brv_base::fs::{self, Durability};
use brv_base::process;
use brv_base::sorting;
use brv_engine::Stop;
use brv_engine::derive;
use brv_engine::journal::{self, DreamId, OperationId, SourceCommit};
use brv_engine::open::context::{Context, Opened};
use brv_engine::open::naming::paths;
use brv_engine::outcome::change::{PathChange, What};
use brv_engine::read::history::provenance;
use brv_engine::vc::work_tree::state;
use brv_engine::write::landing::note_trailers;
use brv_git as git;
use brv_git::commit::Commit;
use brv_git::pathspec::Pathspecs;
use brv_git::{CommitId, Scope, history, merge_state};
use bstr::{BString, ByteSlice as _, ByteVec as _};
use std::ffi::OsStr;
use std::path::PathBuf;

/// Candidates for the comment character: the first one that begins no line of the message is used.
const MARKS: &str = "#;@!$%^&|:";

/// The commit that a message is about to be written for.
#[derive(Debug)]
pub struct PreparedCommit {
    /// The initial message: of a merge, of a cherry-pick, of a squash, of the amended commit, or empty.
    pub message: String,
    /// The branch, `None` if `HEAD` is detached.
    pub branch: Option<String>,
    /// The changes to commit, by path; with [`Replaces::Head`](super::Replaces::Head) only those added to the amended
    /// commit.
    pub changes: Vec<PathChange>,
    /// The state that the commit would be based on.
    pub basis: Basis,
    file: PathBuf,
}

/// The state that a commit is based on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Basis {
    head: Option<git::CommitId>,
    merging: Vec<git::CommitId>,
}

impl Basis {
    pub(super) fn of(start: &Start) -> Self {
        let merging = start.merging.as_ref().map(|merge| merge.heads.clone()).unwrap_or_default();
        Self { head: start.head.commit(), merging }
    }
}

/// Prepare the commit that a message is written for, without taking a lock or writing anything. `None`: there is
/// nothing to commit.
///
/// # Errors
/// As [`super::run`], as far as they can be detected beforehand.
pub fn prepare(cx: &Context<'_>, options: &Options) -> Result<Option<PreparedCommit>, Stop> {
    let opened = cx.open()?;
    let scope = &opened.scope;
    let start = Start::of(cx, &opened, options)?;
    super::taking::refuse_unmerged(scope, &git::index::read(scope)?)?;
    let changes = changes(cx, &opened, &options.include)?;
    if changes.is_empty() && start.merging.is_none() && start.replaced.is_none() && !options.makes_empty() {
        return Ok(None);
    }
    let mut message = recorded(scope, &start)?;
    if let Some(old) = &start.replaced {
        message = old.message.to_str_lossy().trim_end().to_owned();
    }
    Ok(Some(PreparedCommit {
        message,
        branch: start.head.short_branch(),
        changes,
        basis: Basis::of(&start),
        file: scope.git_dir().join("COMMIT_EDITMSG"),
    }))
}

fn changes(cx: &Context<'_>, opened: &Opened, include: &Include) -> Result<Vec<PathChange>, Stop> {
    let scope = &opened.scope;
    let survey = derive::quick_survey(opened, git::index::read(scope)?)?;
    let mut found = state::staged(scope, &survey)?;
    if *include != Include::Staged {
        for unstaged in state::unstaged(scope, &survey)? {
            match found.iter().position(|staged| staged.path == unstaged.path) {
                None => found.push(unstaged),
                Some(at) if unstaged.change == What::Deleted => {
                    if found.remove(at).change != What::Added {
                        found.push(unstaged);
                    }
                }
                Some(_) => {}
            }
        }
    }
    if let Include::Only(paths) = include {
        let specs = paths::pathspecs(&scope.root(), &cx.cwd, paths)?;
        let specs = Pathspecs::of(&specs);
        found.retain(|change| specs.matches(change.path.as_bstr()));
    }
    sorting::sort_by(&mut found, |a, b| a.path.cmp(&b.path));
    Ok(found)
}

impl PreparedCommit {
    /// Open an editor for the message. `editor` is a command line (`:` does nothing); the file begins with the initial
    /// message, followed by `notes` as comments, and `notes` gets the comment character. The result has no comments; it
    /// is empty if nothing was written.
    pub fn edit(
        &self,
        editor: &OsStr,
        environment: &Environment,
        notes: impl FnOnce(char) -> String,
    ) -> Result<String, Stop> {
        let mark = mark(&self.message);
        let notes = notes(mark);
        let notes: String =
            notes.lines().map(|line| format!("{mark} {line}").trim_end().to_owned() + "\n").collect();
        fs::replace(&self.file, format!("{}\n\n{notes}", self.message).as_bytes(), Durability::Later)?;
        let name = editor.to_string_lossy();
        match process::edit(editor, &self.file, environment) {
            Ok(true) => Ok(cleaned(&String::from_utf8_lossy(&fs::read(&self.file)?), mark)),
            Ok(false) => Err(Stop::failed(format!("the editor `{name}` ended with an error"))),
            Err(why) => Err(Stop::failed(format!("cannot start the editor `{name}`: {why}"))),
        }
    }
}

fn mark(message: &str) -> char {
    MARKS.chars().find(|mark| !message.lines().any(|line| line.starts_with(*mark))).unwrap_or('#')
}

/// Remove comments, trailing blanks, leading and trailing empty lines, and repeated empty lines, as git does.
fn cleaned(text: &str, mark: char) -> String {
    let mut lines: Vec<&str> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with(mark)).map(str::trim_end) {
        if !line.is_empty() || lines.last().is_some_and(|last| !last.is_empty()) {
            lines.push(line);
        }
    }
    lines.join("\n").trim_end().to_owned()
}

pub(super) fn message(scope: &Scope, options: &Options, start: &Start) -> Result<BString, Stop> {
    let given = options.message.iter().map(|part| part.trim_end()).collect::<Vec<_>>().join("\n\n");
    let text = given.trim();
    let recorded = recorded(scope, start)?;
    if text.is_empty() {
        return match (&start.replaced, options.message.is_empty(), recorded.as_str()) {
            // an empty message was given
            (Some(_), false, _) | (None, _, "") => Err(no_message()),
            (Some(old), true, _) if old.message.trim().is_empty() => Err(no_message()),
            (Some(old), true, _) => Ok(old.message.clone()),
            (None, _, text) => Ok(format!("{text}\n").into()),
        };
    }
    // values that a merge discarded belong in its commit message, whoever wrote it
    let is_missing =
        |line: &&str| line.starts_with("Brv-Discarded: ") && !text.lines().any(|own| own == *line);
    let given_up: Vec<&str> = recorded.lines().filter(is_missing).collect();
    let message: BString = match given_up.is_empty() {
        true => format!("{text}\n").into(),
        false => format!("{text}\n\n{}\n", given_up.join("\n")).into(),
    };
    Ok(match start.replaced.as_ref().or(start.picked.as_ref()) {
        Some(old) => with_sources(message, &old.message),
        None => message,
    })
}

fn no_message() -> Stop {
    Stop::usage("the message is empty").hint("pass a message with `-m MSG`")
}

/// The message with what the one of an earlier commit says of the commits of the code that it learned from: other words do not
/// change where its lines come from.
fn with_sources(message: BString, earlier: &BString) -> BString {
    let values = |text: &BString, key: &str| -> Vec<String> {
        let value =
            |line: &[u8]| Some(line.to_str_lossy().strip_prefix(key)?.strip_prefix(": ")?.trim().into());
        text.lines().filter_map(value).collect()
    };
    if !values(&message, provenance::SOURCE).is_empty() || values(earlier, provenance::SOURCE).is_empty() {
        return message;
    }
    let keys = [provenance::SOURCE, provenance::SOURCE_AUTHOR, provenance::SOURCE_SUBJECT, provenance::RULES];
    let kept =
        keys.into_iter().flat_map(|key| values(earlier, key).into_iter().map(move |value| (key, value)));
    provenance::with(message, &kept.collect::<Vec<_>>())
}

/// The commit that a cherry-pick in progress stopped at.
pub(super) fn picked(scope: &Scope) -> Result<Option<Commit>, Stop> {
    let name = merge_state::Mark::Pick.read(scope)?.unwrap_or_default();
    let id = name.to_str().ok().and_then(|name| CommitId::from_hex(name.trim()));
    Ok(id.map(|id| history::read(scope, id)).transpose()?)
}

/// The message that a merge, a cherry-pick or a squash has left, without comments.
fn recorded(scope: &Scope, start: &Start) -> Result<String, fs::Error> {
    let recorded = match &start.merging {
        Some(merge) => Some(merge.message.clone()),
        // in a folder of a bigger repository, the message describes all of the squashed commits
        None if !scope.prefix().is_empty() => None,
        None if start.picked.is_some() => merge_state::Mark::Message.read(scope)?,
        None => merge_state::Mark::Squash.read(scope)?,
    };
    let recorded = recorded.map(|text| text.to_str_lossy().into_owned()).unwrap_or_default();
    let kept: Vec<&str> = recorded.lines().filter(|line| !line.starts_with('#')).collect();
    Ok(kept.join("\n").trim().to_owned())
}

/// Add the operation trailers, by which other clones find the operation, if an actor or session is set, or if earlier
/// operations said something about the paths. A person's plain commit stays as git makes it, unless its message already
/// names an operation or an actor; then the trailers state the real ones.
pub(super) fn named(
    cx: &Context<'_>,
    scope: &Scope,
    (message, start): (BString, &Start),
    said: Notes,
    heads: &[(&'static str, String)],
) -> Result<(Option<OperationId>, BString), Stop> {
    let message = heads::without(message);
    let own = cx.actor.name.is_some() || cx.actor.session.is_some();
    if !own && said.notes.is_empty() && !provenance::is_claimed(&message) {
        return Ok((None, provenance::with(message, heads)));
    }
    let id = journal::reserve(scope, cx.clock, &message.to_str_lossy())?;
    let actor = if own { &cx.actor } else { &said.actor };
    let mut message = match &start.replaced {
        Some(_) => provenance::renamed(message, actor, &id),
        None => provenance::named(message, actor, &id),
    };
    for (key, value) in said.notes.iter().flat_map(note_trailers) {
        message.push_str(format!("{key}: {}\n", journal::one_line(&value)));
    }
    // a commit of the code's branch is its own source
    let is_own =
        scope.prefix().is_empty() && provenance::Trailers::of(&message).get(SourceCommit::TRAILER).is_none();
    if let Some(source) = said.source_commit.filter(|_| is_own) {
        message.push_str(format!("{}: {source}\n", SourceCommit::TRAILER));
    }
    if let Some(dream) = said.dream {
        message.push_str(format!("{}: {dream}\n", DreamId::TRAILER));
    }
    let message = provenance::with(message, heads);
    Ok((Some(id), message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_comes_from_the_editor_as_git_would_take_it() {
        let text = "\n\nsubject  \n# note\n\n\n\nbody\n  kept\n# note\n\n";
        assert_eq!(cleaned(text, '#'), "subject\n\nbody\n  kept");
        assert_eq!(cleaned("# only\n#notes\n \n", '#'), "");
        assert_eq!((mark("plain"), mark("#1\n;x")), ('#', '@'));
        assert_eq!(cleaned("#1 is fixed\n; note\n", mark("#1 is fixed")), "#1 is fixed");
    }
}
