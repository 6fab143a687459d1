//! `brv vc resolve`: resolves conflicts of a merge, and settles disputed facts.

use super::asking::{ask, list};
use crate::cli::session::{Report, Run, Session};
use crate::cli::ui::{Form, Screen, Style};
use crate::say::words::many;
use crate::say::{Exit, Failure, decisions, failing, warnings};
use crate::wire::{self, Standing};
use brv_base::escape::quote_path;
use brv_commands::vc::resolve::{self, Choice, Choices, How, Options, Pick};
use brv_engine::Keeper;
use clap::{ArgGroup, Args};

/// The arguments of `brv vc resolve`.
#[derive(Debug, Args)]
#[command(
    group = ArgGroup::new("way").args(["ours", "theirs", "both", "base", "merge", "pick", "list", "fact"]),
    before_help = "Examples:
  brv vc resolve --list
  brv vc resolve auth/jwt/token.md --ours
  brv vc resolve auth/jwt/token.md --merge
  brv vc resolve auth/jwt/token.md --pick 1=theirs --pick 2=both
  brv vc resolve auth/jwt/token.md --fact \"access token\" --keep 2
  brv vc resolve auth/jwt/token.md --fact \"access token\" --text \"lives 10 minutes\""
)]
pub struct Arguments {
    /// Files, or folders for all unmerged files in them; default: all unmerged files, listed or asked about one by one
    #[arg(value_name = "PATH", required_if_eq_any([("ours", "true"), ("theirs", "true"), ("both", "true"), ("base", "true"), ("merge", "true")]))]
    paths: Vec<String>,
    /// Take our side of all open conflicts
    #[arg(long)]
    ours: bool,
    /// Take their side of all open conflicts
    #[arg(long)]
    theirs: bool,
    /// Keep both sides, ours first; the heading above is listed in `disputed`
    #[arg(long)]
    both: bool,
    /// Take the base that both sides started from
    #[arg(long)]
    base: bool,
    /// Merge the three versions by meaning, replacing what another tool's merge left in the file
    #[arg(long)]
    merge: bool,
    /// Resolve one conflict: its number in --list, and ours, theirs, both or base; may be repeated
    #[arg(long, value_name = "N=SIDE", value_parser = pick)]
    pick: Vec<Pick>,
    /// List open conflicts, with base, ours and theirs; change nothing
    #[arg(short, long)]
    list: bool,
    /// Settle a subject listed in `disputed` in PATH
    #[arg(long, value_name = "SUBJECT")]
    fact: Option<String>,
    /// Claims to keep, by their numbers in `brv read` and `brv status`, or `all`; requires --fact
    #[arg(long, value_name = "N", requires = "fact", conflicts_with = "text", value_delimiter = ',')]
    keep: Vec<String>,
    /// Statement that replaces all claims; requires --fact
    #[arg(long, value_name = "STATEMENT", requires = "fact")]
    text: Option<String>,
}

impl Run for Arguments {
    const NAME: &'static str = "vc resolve";

    fn run(self, session: &Session) -> Result<Exit, Failure> {
        let is_list = self.list;
        let options = match self.options(session)? {
            Some(options) => options,
            // the user was asked, and resolved nothing
            None => return Ok(Exit::Conflict),
        };
        let data = wire::Resolve::from(&resolve::run(&session.context(), &options)?);
        let report = Report::new(&data).warning(warnings::written(&data.written)).next(next(&data));
        if is_list {
            return Ok(session.report(report.long(), |screen| list(screen, &data)));
        }
        let report = report.account().failing(failing::resolve(&data));
        Ok(session.report(report, |screen| done(screen, &data)))
    }
}

impl Arguments {
    /// `None`: the user was asked, and resolved nothing.
    fn options(self, session: &Session) -> Result<Option<Options>, Failure> {
        let Self { paths, ours, theirs, both, base, merge, pick, list, fact, keep, text, .. } = self;
        if list {
            return Ok(Some(Options::List(paths)));
        }
        if merge {
            return Ok(Some(Options::Merge { paths }));
        }
        if let Some(subject) = fact {
            return settlement(paths, subject, &keep, text).map(Some);
        }
        let sides =
            [(ours, Choice::Ours), (theirs, Choice::Theirs), (both, Choice::Both), (base, Choice::Base)];
        let choices = match sides.into_iter().find(|(is_asked, _)| *is_asked) {
            Some((_, choice)) => Choices::All(choice),
            None if !pick.is_empty() => Choices::Picks(pick),
            None if session.ui.is_interactive() && session.ui.form() == Form::Text => {
                let asked = ask(session, &paths)?;
                if asked.is_nothing() {
                    return Ok(None);
                }
                Choices::Picks(asked.picks)
            }
            None => {
                let failure = Failure::usage(
                    "choose a side: --ours, --theirs, --both, --base, --merge, or --pick for one conflict",
                );
                return Err(failure.hinting(Some("`brv vc resolve --list` lists the open conflicts")));
            }
        };
        Ok(Some(Options::Decide { paths, choices }))
    }
}

fn settlement(
    paths: Vec<String>,
    subject: String,
    keep: &[String],
    text: Option<String>,
) -> Result<Options, Failure> {
    let hint = Some("`brv read PATH` shows the claims with their numbers");
    let Ok([path]) = <[String; 1]>::try_from(paths) else {
        return Err(Failure::usage("--fact needs the path of one file"));
    };
    let number =
        |word: &String| word.trim().parse().map_err(|_| format!("`{word}` is neither a number nor `all`"));
    let how = match (text, keep) {
        (Some(text), _) => How::Text(text),
        (None, []) => {
            return Err(
                Failure::usage("choose a claim: --keep N, --keep all, or --text STATEMENT").hinting(hint)
            );
        }
        (None, [all]) if all == "all" => How::KeepAll,
        (None, numbers) => How::Keep(
            numbers
                .iter()
                .map(number)
                .collect::<Result<_, _>>()
                .map_err(|words| Failure::usage(words).hinting(hint))?,
        ),
    };
    Ok(Options::Settle { path, subject, how })
}

/// `2=theirs`
fn pick(text: &str) -> Result<Pick, String> {
    let wanted = || format!("`{text}` is not of the form `2=theirs`");
    let (number, side) = text.split_once('=').ok_or_else(wanted)?;
    let number = number.trim().parse().map_err(|_| wanted())?;
    let choice = match side.trim() {
        "ours" => Choice::Ours,
        "theirs" => Choice::Theirs,
        "both" => Choice::Both,
        "base" => Choice::Base,
        _ => return Err(wanted()),
    };
    Ok(Pick { path: None, number, choice, seen: None })
}

/// The commands to run next, once no conflicts are open.
fn next(data: &wire::Resolve) -> Vec<String> {
    let is_open = data.files.iter().flat_map(|file| &file.decisions).any(|decision| decision.open);
    let not_recorded = data.written.rewritten.operation.is_some()
        && data.files.iter().any(|file| file.standing == Standing::NotRecorded);
    [
        (data.unmerged > 0 && !is_open, "brv vc resolve --list"),
        (data.unmerged == 0 && data.keeper == Some(Keeper::Tree), "brv vc merge --continue"),
        (data.unmerged == 0 && data.keeper == Some(Keeper::Host), "git merge --continue"),
        (data.settled.is_some() || not_recorded, "brv vc commit -a -m MSG"),
    ]
    .into_iter()
    .filter(|(applies, _)| *applies)
    .map(|(_, command)| command.to_owned())
    // for the first file with markers of another tool: may leave fewer conflicts
    .chain(
        data.files
            .iter()
            .find(|file| file.mergeable)
            .map(|file| format!("brv vc resolve {} --merge", quote_path(&file.path))),
    )
    .collect()
}

/// `auth/a.md: 2 conflicts resolved, staged`
fn done(screen: &mut Screen, data: &wire::Resolve) {
    if let Some(settled) = &data.settled {
        let path = quote_path(settled.path.as_bytes());
        screen.line(format!("{path}: `{}` is settled; the change is not staged yet", settled.subject));
        return;
    }
    if data.files.is_empty() {
        screen.line("No conflicts.");
    }
    for file in &data.files {
        let taken = file.decisions.iter().filter(|decision| decision.taken.is_some()).count();
        let standing = match file.standing {
            Standing::Unmerged => "",
            Standing::Recorded => ", staged",
            Standing::RecordedGone => ", deleted and staged",
            Standing::NotRecorded if taken > 0 => ", not staged yet",
            Standing::NotRecorded => "",
        };
        let what = match (file.decisions.len(), file.standing) {
            (left, _) if file.merged => match left {
                0 => "merged by meaning".to_owned(),
                left => format!("merged by meaning, {} left", many(left, "conflict", "conflicts")),
            },
            (0, Standing::Recorded) => "resolved by hand".to_owned(),
            (0, _) => "no conflicts".to_owned(),
            _ => format!("{} resolved", many(taken, "conflict", "conflicts")),
        };
        screen.line(format!("{}: {what}{standing}", quote_path(&file.path)));
        for record in &file.records {
            screen.plain("  ").word(Style::Plain, decisions::line(record)).end();
        }
        for heading in &file.disputed {
            screen.line(format!("  kept both versions below `{heading}`, and listed it in `disputed`"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pick_is_a_number_and_a_side() {
        let read = |text: &str| pick(text).map(|pick| (pick.number, pick.choice));
        assert_eq!(read("2=theirs"), Ok((2, Choice::Theirs)));
        for wrong in ["2", "theirs", "x=ours", "2=mine", "-1=ours"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
