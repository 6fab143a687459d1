//! `brv archive list`: lists archived entries.

use crate::cli::ui::{Screen, Style};
use crate::cli::verb::{Answer, Purpose, Verb};
use crate::say::words::many;
use crate::say::{Failure, warnings};
use brv_base::clock::format_utc;
use brv_commands::archive::list::{self, ArchivedState, Inventory, Item};
use brv_engine::Context;
use clap::Args;

/// The arguments of `brv archive list`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv archive list
  brv archive list --json")]
pub struct Arguments {}

impl Verb for Arguments {
    const NAME: &'static str = "archive list";
    const TEXT: Purpose = Purpose::LongAnswer;
    type Outcome = Inventory;

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Inventory>, Failure> {
        let inventory = list::run(cx)?;
        let malformed: Vec<String> = warnings::malformed(&inventory.malformed).collect();
        Ok(Answer::new(inventory).warning(malformed))
    }

    fn text(&self, inventory: &Inventory, screen: &mut Screen) {
        if inventory.items.is_empty() {
            screen.line("Nothing is archived.");
            return;
        }
        inventory.items.iter().for_each(|item| row(screen, item));
        let count = |state| inventory.items.iter().filter(|item| item.state == state).count();
        let mut total = many(inventory.items.len(), "archived entry", "archived entries");
        for (state, what) in
            [(ArchivedState::Missing, "not in this clone"), (ArchivedState::Foreign, "of another tool")]
        {
            match count(state) {
                0 => {}
                number => total.push_str(&format!(", {number} {what}")),
            }
        }
        let taken = inventory.items.iter().filter(|item| item.taken).count();
        if taken > 0 {
            total.push_str(&format!(", {taken} with a taken path"));
        }
        screen.end().line(format!("{total}."));
    }
}

fn row(screen: &mut Screen, item: &Item) {
    let time = item.archived_at.map(format_utc);
    let day = time.as_deref().and_then(|time| time.get(..10)).unwrap_or("          ");
    screen.text(Style::Dim, day).plain("  ").word(Style::Name, item.path.as_str());
    if let Some(importance) = item.importance {
        screen.text(Style::Dim, format!("  importance {importance}"));
    }
    let (style, state) = match item.state {
        ArchivedState::Here => (Style::Plain, ""),
        ArchivedState::Missing => (Style::Bad, "  missing"),
        ArchivedState::Foreign if item.blob.is_some() => (Style::Notable, "  foreign"),
        ArchivedState::Foreign => (Style::Notable, "  foreign, only a stub"),
    };
    screen.text(style, state).text(Style::Notable, if item.taken { "  path taken" } else { "" }).end();
}
