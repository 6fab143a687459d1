//! `brv undo`: take an operation back.

use super::counts;
use super::decisions::settled;
use super::format::Format;
use super::integration::waiting;
use super::knowledge;
use super::op;
use super::patch::File;
use super::session::{Report, Run, Session};
use super::transfer;
use super::ui::{Form, Screen, Style};
use crate::ops::steps::undoing;
use crate::ops::undo::{self, Error, Extent, Manner, Mode, OnConflict, Options, Outcome, Refused};
use crate::say::decisions::{self, Voice};
use crate::say::escape::escape_line;
use crate::say::words::many;
use crate::say::{Exit, Failure, hints, warnings};
use crate::wire;
use bstr::BString;
use clap::{Args, ValueEnum};

/// The arguments of `brv undo`.
#[derive(Debug, Args)]
#[command(
    before_help = "Examples:
  brv undo
  brv undo --dry-run
  brv undo 1a2b3c4d
  brv undo 1a2b3c4d auth/jwt/token.md
  brv undo 1a2b3c4d --on-conflict theirs",
    after_help = "Without ID, `brv undo` takes back the last operation of this session that is not undone yet: each further \
`brv undo` goes one operation back. An undo is itself an operation. To redo, undo it: `brv undo last` right after it, or \
`brv undo ID` with its ID in `brv op log`."
)]
pub struct Arguments {
    /// The operation, as `brv op log` shows it, or `last`; this session's last one when left out
    #[arg(value_name = "ID")]
    operation: Option<String>,
    /// Only these files
    #[arg(value_name = "PATH")]
    paths: Vec<String>,
    /// What to do where a person would have to decide
    #[arg(long, value_name = "HOW", value_enum, default_value_t)]
    on_conflict: How,
    /// Write nothing; say what would be done
    #[arg(short = 'n', long)]
    dry_run: bool,
    #[command(flatten)]
    format: Format,
}

/// What to do where a person would have to decide.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum How {
    /// Write nothing
    #[default]
    Stop,
    /// Write markers, to be decided by `brv vc resolve`
    Mark,
    /// Keep what is there now, also where it stands in the way
    Ours,
    /// Take what was before the operation
    Theirs,
    /// Keep both
    Both,
}

impl Run for Arguments {
    const NAME: &'static str = "undo";

    fn form(&self) -> Form {
        self.format.form()
    }

    fn run(self, session: &Session) -> Result<Exit, Failure> {
        let mode = if self.dry_run { Mode::DryRun } else { Mode::Write };
        let options = Options {
            operation: self.operation,
            paths: self.paths,
            on_conflict: match self.on_conflict {
                How::Stop => OnConflict::Stop,
                How::Mark => OnConflict::Mark,
                How::Ours => OnConflict::Ours,
                How::Theirs => OnConflict::Theirs,
                How::Both => OnConflict::Both,
            },
            mode,
        };
        let outcome = undo::run(&session.context(), &options).map_err(|error| failure(&error))?;
        let data = wire::Undo::from(&outcome);
        let report = Report::new(&data)
            .account()
            .warning(warnings::recovery(wire::Written::from(&outcome.written).rewritten.recovered.as_ref()))
            .warning(passed_over(&outcome))
            .warning(left(&data))
            .warning(reverts_on_remote(&outcome))
            .warning(without_secrets(&data))
            .warning(warnings::files(&wire::Written::from(&outcome.written)))
            .failing(conflicts(&outcome, &data));
        Ok(session.report(report, |screen| text(screen, &outcome, &data, mode)))
    }
}

fn text(screen: &mut Screen, outcome: &Outcome, data: &wire::Undo, mode: Mode) {
    if !outcome.conflicts.is_empty() && outcome.written.operation.is_none() {
        return;
    }
    let undone = &outcome.undone;
    let is_done = mode == Mode::Write || outcome.written.operation.is_some();
    screen.plain(if is_done { "Undid " } else { "Would undo " }).text(Style::Name, kind(outcome));
    screen.plain(" ").text(Style::Notable, undone.id.short());
    match outcome.extent {
        Extent::Whole => screen.plain(": ").word(Style::Plain, &undone.reason).end(),
        Extent::Part => screen.plain(" in part: ").word(Style::Plain, part(outcome, data)).end(),
    };
    for one in &data.moves {
        let gone = if outcome.unborn.as_ref().is_some_and(|name| *name == one.name.as_str()) {
            "unborn"
        } else {
            "deleted"
        };
        screen.line(format!(" {}", transfer::moved(one, gone)));
    }
    for one in &data.settings {
        screen.line(format!(" set: {}", escape_line(op::show::setting(one).as_bytes())));
    }
    match (outcome.manner, outcome.commit) {
        (Manner::Committed, Some(id)) => screen.line(format!(" in the new commit {}", id.prefix(7))),
        (Manner::Committed, None) => screen.line(" in a new commit"),
        (Manner::Restored, _) => screen,
    };
    if outcome.files.is_empty() {
        staged(screen, &data.staged);
    }
    let counted = outcome.files.iter().filter(|file| file.stat.is_some());
    let files: Vec<File<'_>> = counted.map(File::from).collect();
    knowledge::account(screen, &outcome.entries, &outcome.files);
    counts::sums(screen, &files);
    settled(screen, &data.records, Voice::Undo);
}

/// What of it is taken back: the file, or how many.
fn part(outcome: &Outcome, data: &wire::Undo) -> String {
    let mut paths: Vec<String> = outcome.files.iter().map(|file| file.path.to_string()).collect();
    paths.extend(data.staged.iter().cloned());
    paths.sort();
    paths.dedup();
    match &paths[..] {
        [only] => only.clone(),
        several => many(several.len(), "file", "files"),
    }
}

/// The files that are as they were in the index, and nowhere else.
fn staged(screen: &mut Screen, paths: &[String]) {
    const SHOWN: usize = 10;
    for path in paths.iter().take(SHOWN) {
        screen.plain(" in the index: ").word(Style::Name, path).end();
    }
    if paths.len() > SHOWN {
        screen.line(format!(" and {} more", many(paths.len() - SHOWN, "file", "files")));
    }
}

/// That what came last was somebody else's.
fn passed_over(outcome: &Outcome) -> Option<String> {
    let others: Vec<String> = outcome
        .passed_over
        .iter()
        .map(|one| {
            let actor = if one.actor.is_empty() { "nobody known" } else { one.actor.as_str() };
            format!("of {}: {}", escape_line(actor.as_bytes()), one.id.short())
        })
        .collect();
    match &others[..] {
        [] => None,
        [only] => Some(format!("passed over 1 newer operation, {only}")),
        [first, ..] => Some(format!("passed over {} newer operations, the newest {first}", others.len())),
    }
}

/// What is not as before all the same.
fn left(data: &wire::Undo) -> Vec<String> {
    let uncommitted = data.uncommitted.iter().map(|path| {
        format!(
            "`{}` has edits that are not committed: it is brought back, and not part of the commit",
            escape_line(path.as_bytes())
        )
    });
    let kept = data.kept.iter().map(|path| {
        format!("`{}` is not what brv makes under this name, and stays", escape_line(path.as_bytes()))
    });
    uncommitted.chain(kept).collect()
}

/// That a push of the undo changes what others have.
fn reverts_on_remote(outcome: &Outcome) -> Option<String> {
    let reverted = outcome.reverts_on_remote.as_ref()?;
    let named = |verb: &str, paths: &[BString]| {
        const SHOWN: usize = 10;
        let mut names: Vec<String> =
            paths.iter().take(SHOWN).map(|path| format!("`{}`", escape_line(path))).collect();
        if paths.len() > SHOWN {
            names.push(format!("{} more", paths.len() - SHOWN));
        }
        (!names.is_empty()).then(|| format!("{verb} {}", names.join(", ")))
    };
    let parts: Vec<String> = named("removes", &reverted.removed)
        .into_iter()
        .chain(named("changes back", &reverted.changed))
        .collect();
    let redo = outcome
        .written
        .operation
        .as_ref()
        .map(|id| format!("; `brv undo {}` redoes the {}", id.short(), kind(outcome)));
    Some(format!(
        "the next push also {} on {}{}",
        parts.join(" and "),
        escape_line(reverted.upstream.as_bytes()),
        redo.unwrap_or_default()
    ))
}

/// The command that was undone.
fn kind(outcome: &Outcome) -> &'static str {
    outcome.undone.kind.map_or("operation", |kind| kind.word())
}

/// What is on no record, and so does not come back.
fn without_secrets(data: &wire::Undo) -> Vec<String> {
    // all others are tokens and the like
    const ADDRESSES: [&str; 4] = ["url", "pushurl", "remote", "pushremote"];
    let lost = data.without_secrets.iter();
    lost.map(|name| {
        let key = name.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
        let how = match ADDRESSES.contains(&key.as_str()) {
            true => "comes back without its user name or password, which is on no record",
            false => "does not come back: it is secret, and on no record",
        };
        format!("`{}` {how}", escape_line(name.as_bytes()))
    })
    .collect()
}

fn conflicts(outcome: &Outcome, data: &wire::Undo) -> Option<Failure> {
    if data.conflicts.is_empty() {
        return None;
    }
    let files = many(data.conflicts.len(), "file needs", "files need");
    let failure = Failure::new(Exit::Conflict, format!("{files} a decision"));
    Some(failure.detailing(decisions::open(&data.conflicts, Voice::Undo)).hinting(Some(
        match outcome.written.operation {
            Some(_) => "`brv vc resolve --list` shows what is open, `brv vc resolve PATH` decides it",
            None => "nothing was written; `--on-conflict` takes one side, keeps both, or writes markers",
        },
    )))
}

/// Why it cannot be taken back as things stand, and how to go on.
fn refused_by(failure: Failure, refused: &Refused, next: Option<&undo::OperationId>) -> Failure {
    let paths = match refused {
        Refused::InTheWay(paths) | Refused::RecordedAnew(paths) | Refused::NotBrought(paths) => {
            paths.as_slice()
        }
        _ => &[],
    };
    let next = next.map(|id| format!("; `brv undo {}` goes on with the operation before it", id.short()));
    failure.detailing(paths.iter().map(|path| escape_line(path).into_owned())).hinting(Some(format!(
        "{}{}",
        help(refused),
        next.unwrap_or_default()
    )))
}

fn help(refused: &Refused) -> &'static str {
    match refused {
        Refused::OtherBranch { .. } => "nothing was written; it can be undone where HEAD is on that branch",
        Refused::HeadElsewhere { .. } => {
            "nothing was written; `brv vc switch BRANCH` goes to a branch, and `brv vc restore --source refs/brv/ops/ID^1 PATH` restores a file as it was before the operation `ID`"
        }
        Refused::NotBrought(_) => "nothing was written; `brv undo ID PATH` takes back single files",
        Refused::MovedOn(_) => "nothing was written; `brv op log` shows what came after it",
        Refused::SetSince(_) => "nothing was written; `brv op log` and `brv op show ID` show what was set",
        Refused::Followed { .. } => {
            "nothing was written; take that back first, or let the branch follow another: `brv vc branch -u UPSTREAM`"
        }
        Refused::OnIt(_) => "nothing was written; it can be undone where HEAD is on another branch",
        Refused::NothingLeft => "nothing was written; `brv op show ID` shows what it did",
        Refused::AllStays => {
            "nothing was written, and it can be undone still: `--on-conflict theirs` takes what was before it"
        }
        Refused::Cloned => {
            "nothing was written; `brv op log` shows the operations since, which can be undone"
        }
        Refused::MergeEnded => {
            "nothing was written; `brv op log` shows the commit of the merge, which can be undone"
        }
        Refused::RecordedAnew(_) => {
            "nothing was written; take that back first, or `--on-conflict` takes one side or keeps both"
        }
        Refused::CommittedSince => {
            "nothing was written; `brv vc revert COMMIT` takes the commit back, `brv undo ID` one that `brv op log` shows"
        }
        Refused::InTheWay(_) => "nothing was written; move them away, and try again",
        Refused::Merging(keeper) => waiting(*keeper),
    }
}

fn failure(error: &Error) -> Failure {
    let failure = Failure::of(error.kind(), error);
    match error {
        Error::Nothing => failure.hinting(Some("`brv op log` shows what is on record")),
        Error::Others { id, actor } => failure.hinting(Some(match actor.as_str() {
            "" => format!("it is {id}; by its name it can be undone all the same"),
            actor => format!(
                "it is {id} of {}; by its name it can be undone all the same",
                escape_line(actor.as_bytes())
            ),
        })),
        Error::OtherTree { .. } => failure.hinting(Some("take it back there")),
        Error::Already { by, .. } => {
            failure.hinting(Some(format!("undoing {by} brings it back; `brv op log` shows both")))
        }
        Error::Name(error) => hints::named(failure, error),
        Error::Behind { recovered, error } => {
            self::failure(error).detailing(warnings::recovery(Some(&wire::Recovered::from(recovered))))
        }
        Error::Gone(_) => failure.hinting(Some(
            "its commits were squashed or made without its name; `brv vc revert COMMIT` takes back a commit",
        )),
        Error::Scattered { commits, .. } => failure
            .detailing(commits.iter().map(ToString::to_string))
            .hinting(Some("`brv vc revert COMMIT` takes them back one by one")),
        Error::Undoing(undoing::Error::Refused(refused)) => refused_by(failure, refused, None),
        Error::Stuck { refused, next, .. } => refused_by(failure, refused, next.as_ref()),
        Error::Undoing(undoing::Error::Identity(_)) => failure.hinting(Some(
            "a new commit needs an author: `brv vc config user.name NAME` and `brv vc config user.email ADDRESS`",
        )),
        Error::Undoing(undoing::Error::NoMatch(_)) => {
            failure.hinting(Some("nothing was written; `brv op show ID` names its files"))
        }
        Error::Undoing(undoing::Error::Changed(_)) => {
            failure.hinting(Some("nothing was written; try again"))
        }
        _ => failure,
    }
}
