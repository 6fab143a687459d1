//! `brv model show`: the settings in effect.

use super::{place, row};
use crate::cli::ui::Screen;
use crate::cli::verb::{Answer, Verb};
use crate::say::Failure;
use brv_commands::model::show::{self, Outcome};
use brv_engine::Context;
use clap::Args;

/// The arguments of `brv model show`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv model show
  brv model show --json")]
pub struct Arguments {}

impl Verb for Arguments {
    const NAME: &'static str = "model show";
    type Outcome = Outcome;

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Outcome>, Failure> {
        Ok(Answer::new(show::run(cx)?))
    }

    fn text(&self, outcome: &Outcome, screen: &mut Screen) {
        match outcome.api {
            Some(api) => model(screen, api, outcome),
            None => drop(screen.line("No model is set: `brv help models` shows how.")),
        }
        if let Some(encoder) = &outcome.encoder {
            row(screen, "embed_url", encoder.url.as_deref().unwrap_or_default());
            if let Some(name) = &encoder.name {
                row(screen, "embed_name", name);
            }
            row(screen, "embed_wait", format!("{} s", encoder.wait));
            row(screen, "embed key", key(&encoder.key, encoder.key_set));
        }
    }
}

fn key(source: &str, is_set: Option<bool>) -> String {
    if is_set == Some(false) { format!("{source} (not set)") } else { source.to_owned() }
}

fn model(screen: &mut Screen, api: &str, outcome: &Outcome) {
    let key = key(&outcome.key, outcome.key_set);
    place(screen, api, outcome.url.as_deref(), outcome.name.as_deref(), &key);
    if !outcome.command.is_empty() {
        row(screen, "command", serde_json::json!(outcome.command).to_string());
    }
    if !outcome.params.is_empty() {
        row(screen, "params", serde_json::json!(outcome.params).to_string());
    }
    row(screen, "timeout", format!("{} s", outcome.timeout));
    row(screen, "daily_tokens", outcome.daily_tokens.to_string());
    row(screen, "background", outcome.background.to_string());
}
