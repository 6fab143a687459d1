//! `brv op show`: one operation.

use super::diff::failure;
use super::log::short;
use crate::cli::args::Format;
use crate::cli::counts;
use crate::cli::error::Failure;
use crate::cli::exit::Exit;
use crate::cli::patch::File;
use crate::cli::session::{Report, Run, Session};
use crate::cli::transfer;
use crate::cli::ui::{Form, Screen, Style, escape_line};
use crate::cli::words::many;
use crate::ops::op::show::{self, Options, Outcome};
use crate::ops::steps::changes::Detail;
use crate::wire;
use clap::Args;

/// The arguments of `brv op show`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv op show last
  brv op show 1a2b3c4d --json")]
pub struct Arguments {
    /// The operation, as `brv op log` shows it, or `last`
    #[arg(value_name = "ID", default_value = "last")]
    operation: String,
    #[command(flatten)]
    format: Format,
}

impl Run for Arguments {
    const NAME: &'static str = "op show";

    fn form(&self) -> Form {
        self.format.form()
    }

    fn run(self, session: &Session) -> Result<Exit, Failure> {
        let options = Options { operation: self.operation, detail: Detail::Counts };
        let outcome = show::run(&mut session.context(), &options).map_err(|error| failure(&error))?;
        let data = wire::OpShow::new(&outcome, false);
        let report = Report::new(&data).long();
        Ok(session.report(report, |screen| text(screen, &data, &outcome)))
    }
}

fn text(screen: &mut Screen, data: &wire::OpShow, outcome: &Outcome) {
    let known = &data.known;
    screen.text(Style::Notable, format!("operation {}", data.id)).end();
    row(screen, "Command:", known.kind);
    row(screen, "Reason:", &known.reason);
    if !known.actor.is_empty() {
        row(screen, "Actor:", &known.actor);
    }
    if let Some(session) = &known.session {
        row(screen, "Session:", session);
    }
    row(screen, "Date:", &known.time);
    if let Some(undoes) = &known.undoes {
        let part = if undoes.whole { "" } else { ", in part" };
        row(screen, "Undoes:", &format!("{}{part}", short(&undoes.operation)));
    }
    if let Some(by) = &known.undone_by {
        row(screen, "Undone:", &format!("by {}", short(by)));
    }
    for one in &known.moves {
        let place = |place: &Option<String>| match place.as_deref() {
            None => "nowhere".to_owned(),
            Some(name) if name.starts_with("refs/") => transfer::short(name).to_owned(),
            Some(id) => id.chars().take(7).collect(),
        };
        let name = transfer::short(&one.name);
        row(screen, "Moved:", &format!("{name} from {} to {}", place(&one.before), place(&one.after)));
    }
    for one in &known.settings {
        row(screen, "Set:", &setting(one));
    }
    if !data.staged.is_empty() {
        row(screen, "Recorded:", &format!("{} in the index", many(data.staged.len(), "change", "changes")));
    }
    for lost in &data.discarded {
        row(screen, "Gave up:", &format!("{}: {}: {}", lost.path, lost.field, lost.value));
    }
    let files: Vec<File<'_>> = outcome.files.iter().map(File::from).collect();
    if !files.is_empty() {
        screen.end();
        counts::counts(screen, &files, None);
    }
}

/// What is set of a branch, from what to what.
pub(in crate::cli) fn setting(one: &wire::Settings) -> String {
    let side = |side: &[String]| if side.is_empty() { "nothing".to_owned() } else { side.join(" ") };
    format!("branch `{}` from {} to {}", one.branch, side(&one.before), side(&one.after))
}

fn row(screen: &mut Screen, name: &str, value: &str) {
    screen.plain(format!("{name:<10}")).line(escape_line(value.as_bytes()).as_bytes());
}
