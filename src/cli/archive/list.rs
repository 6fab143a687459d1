//! `brv archive list`: lists archived entries.

use crate::cli::format::Format;
use crate::cli::session::{Report, Run, Session};
use crate::cli::ui::{Form, Screen, Style};
use crate::ops::archive::list;
use crate::say::words::many;
use crate::say::{Exit, Failure, warnings};
use crate::wire::{ArchiveList, ArchivedItem, ArchivedState};
use clap::Args;

/// The arguments of `brv archive list`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv archive list
  brv archive list --json")]
pub struct Arguments {
    #[command(flatten)]
    format: Format,
}

impl Run for Arguments {
    const NAME: &'static str = "archive list";

    fn form(&self) -> Form {
        self.format.form()
    }

    fn run(self, session: &Session) -> Result<Exit, Failure> {
        let data = ArchiveList::from(&list::run(&session.context())?);
        let report = Report::new(&data).long().warning(warnings::malformed(&data.malformed));
        Ok(session.report(report, |screen| text(screen, &data)))
    }
}

fn text(screen: &mut Screen, data: &ArchiveList) {
    if data.archived.is_empty() {
        screen.line("Nothing is archived.");
        return;
    }
    data.archived.iter().for_each(|item| row(screen, item));
    let count = |state| data.archived.iter().filter(|item| item.state == state).count();
    let mut total = many(data.archived.len(), "archived entry", "archived entries");
    for (state, what) in
        [(ArchivedState::Missing, "not in this clone"), (ArchivedState::Foreign, "of another tool")]
    {
        match count(state) {
            0 => {}
            number => total.push_str(&format!(", {number} {what}")),
        }
    }
    screen.end().line(format!("{total}."));
}

fn row(screen: &mut Screen, item: &ArchivedItem) {
    let day = item.archived_at.as_deref().and_then(|time| time.get(..10)).unwrap_or("          ");
    screen.text(Style::Dim, day).plain("  ").word(Style::Name, &item.path);
    if let Some(importance) = item.importance {
        screen.text(Style::Dim, format!("  importance {importance}"));
    }
    match item.state {
        ArchivedState::Here => {}
        ArchivedState::Missing => {
            screen.text(Style::Bad, "  missing");
        }
        ArchivedState::Foreign => {
            screen.text(
                Style::Notable,
                if item.blob.is_some() { "  foreign" } else { "  foreign, only a stub" },
            );
        }
    }
    screen.end();
}
