//! `brv vc resolve`: resolves conflicts of a merge, and settles disputed facts.

use super::asking::{ask, list};
use crate::cli::session::Session;
use crate::cli::ui::{Screen, Style};
use crate::cli::verb::{Answer, Purpose, Verb};
use crate::say::words::many;
use crate::say::{Exit, Failure, decisions, warnings};
use brv_base::escape::quote_path;
use brv_commands::vc::resolve::{
    self, Choice, Choices, How, Numbered, Options, Outcome, Pick, ResolveState, Unfit,
};
use brv_engine::{Context, Keeper, Stop};
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
    /// The sides that were chosen at the terminal.
    #[arg(skip)]
    asked: Option<Vec<Pick>>,
}

impl Verb for Arguments {
    const NAME: &'static str = "vc resolve";
    type Outcome = Outcome;

    fn ask(&mut self, session: &Session) -> Result<Option<Exit>, Failure> {
        let is_decided = self.list || self.merge || self.fact.is_some() || !self.pick.is_empty();
        if is_decided || self.side().is_some() {
            return Ok(None);
        }
        let asked = ask(session, &self.paths)?;
        if asked.is_nothing() {
            return Ok(Some(Exit::Conflict));
        }
        self.asked = Some(asked.picks);
        Ok(None)
    }

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Outcome>, Failure> {
        let outcome = resolve::run(cx, &self.options()?)?;
        let (said, next) = (warnings::written(&outcome.written), next(&outcome));
        let failure = if self.list { None } else { failing(&outcome) };
        Ok(Answer::new(outcome).warning(said).next(next).failing(failure))
    }

    fn purpose(&self) -> Purpose {
        if self.list { Purpose::LongAnswer } else { Purpose::Account }
    }

    fn text(&self, outcome: &Outcome, screen: &mut Screen) {
        if self.list { list(screen, outcome) } else { done(screen, outcome) }
    }
}

impl Arguments {
    /// The side of all conflicts.
    fn side(&self) -> Option<Choice> {
        let Self { ours, theirs, both, base, .. } = *self;
        let sides =
            [(ours, Choice::Ours), (theirs, Choice::Theirs), (both, Choice::Both), (base, Choice::Base)];
        sides.into_iter().find(|(is_asked, _)| *is_asked).map(|(_, choice)| choice)
    }

    fn options(&self) -> Result<Options, Stop> {
        let paths = self.paths.clone();
        if self.list {
            return Ok(Options::List(paths));
        }
        if self.merge {
            return Ok(Options::Merge { paths });
        }
        if let Some(subject) = &self.fact {
            return settlement(paths, subject.clone(), &self.keep, self.text.clone());
        }
        let choices = match (self.side(), &self.asked, &self.pick[..]) {
            (Some(choice), ..) => Choices::All(choice),
            (None, Some(picks), _) => Choices::Picks(picks.clone()),
            (None, None, []) => {
                return Err(Stop::usage(
                    "choose a side: --ours, --theirs, --both, --base, --merge, or --pick for one conflict",
                )
                .hint("`brv vc resolve --list` lists the open conflicts"));
            }
            (None, None, picks) => Choices::Picks(picks.to_vec()),
        };
        Ok(Options::Decide { paths, choices })
    }
}

/// Conflicts that are still open.
fn failing(outcome: &Outcome) -> Option<Failure> {
    let open: Vec<&Numbered> =
        outcome.files.iter().flat_map(|file| &file.decisions).filter(|decision| decision.open).collect();
    if open.is_empty() {
        return None;
    }
    let details = open.iter().map(|decision| match &decision.unfit {
        Some(unfit) => format!("{}: {unfit}", quote_path(decision.id.as_bytes())),
        None => quote_path(decision.id.as_bytes()).into_owned(),
    });
    let message = format!("{} still open", many(open.len(), "conflict is", "conflicts are"));
    let is_doubled = open.iter().any(|decision| decision.unfit == Some(Unfit::TwoFrontmatters));
    Some(Failure::from(Stop::conflict(message).detailing(details).hint(match is_doubled {
        true => "`brv vc resolve PATH --merge` merges the versions by meaning, into one entry",
        false => "`brv vc resolve --list` lists the open conflicts",
    })))
}

fn settlement(
    paths: Vec<String>,
    subject: String,
    keep: &[String],
    text: Option<String>,
) -> Result<Options, Stop> {
    let hint = "`brv read PATH` shows the claims with their numbers";
    let Ok([path]) = <[String; 1]>::try_from(paths) else {
        return Err(Stop::usage("--fact needs the path of one file"));
    };
    let number =
        |word: &String| word.trim().parse().map_err(|_| format!("`{word}` is neither a number nor `all`"));
    let how = match (text, keep) {
        (Some(text), _) => How::Text(text),
        (None, []) => {
            return Err(Stop::usage("choose a claim: --keep N, --keep all, or --text STATEMENT").hint(hint));
        }
        (None, [all]) if all == "all" => How::KeepAll,
        (None, numbers) => How::Keep(
            numbers
                .iter()
                .map(number)
                .collect::<Result<_, _>>()
                .map_err(|words| Stop::usage(words).hint(hint))?,
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
fn next(data: &Outcome) -> Vec<String> {
    let is_open = data.files.iter().flat_map(|file| &file.decisions).any(|decision| decision.open);
    let not_recorded = data.written.rewritten.operation.is_some()
        && data.files.iter().any(|file| file.standing == ResolveState::NotRecorded);
    [
        (data.unmerged > 0 && !is_open, "brv vc resolve --list"),
        (data.unmerged == 0 && data.merging == Some(Keeper::Tree), "brv vc merge --continue"),
        (data.unmerged == 0 && data.merging == Some(Keeper::Host), "git merge --continue"),
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
fn done(screen: &mut Screen, data: &Outcome) {
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
            ResolveState::Unmerged => "",
            ResolveState::Recorded => ", staged",
            ResolveState::RecordedGone => ", deleted and staged",
            ResolveState::NotRecorded if taken > 0 => ", not staged yet",
            ResolveState::NotRecorded => "",
        };
        let what = match (file.decisions.len(), file.standing) {
            (left, _) if file.merged => match left {
                0 => "merged by meaning".to_owned(),
                left => format!("merged by meaning, {} left", many(left, "conflict", "conflicts")),
            },
            (0, ResolveState::Recorded) => "resolved by hand".to_owned(),
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
