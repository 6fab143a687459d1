//! `brv help`: the long help of a command, or a topic that is about no single command.
//!
//! Knows how help is found and shown; the words of topics are in [`topics`] and [`variables`].

mod plain;
pub mod topics;
pub mod variables;
pub mod version;

pub use topics::Topic;

use super::session::Catalog;
use super::ui::Screen;
use super::verb::{Answer, Purpose, Verb};
use crate::say::Failure;
use brv_base::nearest::nearest;
use brv_engine::Context;
use brv_engine::outcome::json::shown;
use clap::Args;
use clap::builder::StyledStr;
use schemars::JsonSchema;
use serde::Serialize;

/// The arguments of `brv help`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv help start
  brv help all
  brv help vc push
  brv help topics
  brv help exit-codes")]
pub struct Arguments {
    /// A command, or a topic; `brv help topics` lists the topics
    #[arg(value_name = "COMMAND|TOPIC")]
    words: Vec<String>,
    /// The text that the words name.
    #[arg(skip)]
    found: Option<Result<StyledStr, Failure>>,
}

/// `brv.help/1`
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "Help")]
pub struct Outcome {
    /// The command or topic; `brv` for the program itself.
    name: String,
    /// The full text, without colours.
    #[serde(serialize_with = "shown")]
    #[schemars(with = "String")]
    text: StyledStr,
}

impl Verb for Arguments {
    const NAME: &'static str = "help";
    const TEXT: Purpose = Purpose::LongAnswer;
    type Outcome = Outcome;

    fn prepare(&mut self, _cx: &Context<'_>, all: Catalog) {
        self.found = Some(found(&all, &self.words));
    }

    fn run<'a>(&self, _cx: &'a Context<'_>) -> Result<Answer<'a, Outcome>, Failure> {
        let text = self.found.clone().unwrap_or_else(|| Ok(StyledStr::new()))?;
        let name = if self.words.is_empty() { "brv".into() } else { self.words.join(" ") };
        Ok(Answer::new(Outcome { name, text }))
    }

    fn text(&self, outcome: &Outcome, screen: &mut Screen) {
        screen.ours(&outcome.text.to_string(), &outcome.text.ansi().to_string());
    }
}

/// The help that `words` name.
fn found(catalog: &Catalog, words: &[String]) -> Result<StyledStr, Failure> {
    if words.is_empty() || words == ["all"] {
        return Ok((catalog.help)().render_help());
    }
    if let [word] = words
        && let Some(topic) = Topic::ALL.into_iter().find(|topic| topic.name() == word)
    {
        return Ok(topic.text().into());
    }
    let mut root = (catalog.parser)();
    let all = commands(&root);
    let mut command = &mut root;
    for (at, word) in words.iter().enumerate() {
        // as elsewhere `vc` may be left out before a verb
        let below = match command.find_subcommand(word) {
            Some(_) => command.find_subcommand_mut(word),
            None if at == 0 => command.find_subcommand_mut("vc").and_then(|vc| vc.find_subcommand_mut(word)),
            None => None,
        };
        match below {
            Some(below) => command = below,
            None => return Err(unknown(all, &words[..=at])),
        }
    }
    // as `--help` does
    let is_long = command.get_long_about().is_some()
        || command.get_arguments().any(|arg| arg.get_long_help().is_some());
    Ok(if is_long { command.render_long_help() } else { command.render_help() })
}

/// Every command below `root` by its words: `vc`, `vc push`, …; hidden ones are left out.
pub fn commands(root: &clap::Command) -> Vec<String> {
    fn collect(command: &clap::Command, words: &str, found: &mut Vec<String>) {
        for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
            let words = format!("{words} {}", below.get_name());
            found.push(words.trim_start().to_owned());
            collect(below, &words, found);
        }
    }
    let mut found = Vec::new();
    collect(root, "", &mut found);
    found
}

fn unknown(commands: Vec<String>, words: &[String]) -> Failure {
    let typed = words.join(" ");
    let failure = Failure::usage(format!("there is no help on `{typed}`"));
    let topics = Topic::ALL.into_iter().map(|topic| topic.name().to_owned());
    let all: Vec<String> = commands.into_iter().chain(topics).collect();
    let near = nearest(&typed, all.iter().map(String::as_str))
        .or_else(|| nearest(&format!("vc {typed}"), all.iter().map(String::as_str)));
    let hint = near.map_or_else(
        || "`brv help` lists the commands, `brv help topics` the topics".to_owned(),
        |near| format!("did you mean `brv help {near}`?"),
    );
    failure.hinting(Some(hint))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Result<String, Failure> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        found(&crate::cli::table::CATALOG, &words).map(|text| text.to_string())
    }

    #[test]
    fn help_is_found_by_command_verb_and_topic() {
        assert!(of("").unwrap().contains("Usage: brv "));
        assert_eq!(of("all").unwrap(), of("").unwrap());
        assert!(of("vc push").unwrap().contains("Usage: brv vc push"));
        assert!(of("push").unwrap().contains("Usage: brv vc push"));
        assert!(of("vc remote add").unwrap().contains("Usage: brv vc remote add"));
        assert!(of("safety").unwrap().starts_with("Safety"));
    }

    #[test]
    fn a_slip_is_answered_with_what_is_near() {
        let hint = |line: &str| of(line).unwrap_err().stop.hint.unwrap();
        assert_eq!(hint("vc psuh"), "did you mean `brv help vc push`?");
        assert_eq!(hint("psuh"), "did you mean `brv help vc push`?");
        assert_eq!(hint("exit-code"), "did you mean `brv help exit-codes`?");
        assert!(hint("zebra").contains("brv help topics"));
    }
}
