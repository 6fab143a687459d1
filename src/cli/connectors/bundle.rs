//! `brv connectors bundle`: writes packages that hosts install by themselves.

use crate::cli::format::choice;
use crate::cli::ui::{Screen, Style};
use crate::cli::verb::{Answer, Purpose, Verb};
use crate::say::Failure;
use brv_commands::connectors::bundle::{self, Outcome, Package};
use brv_engine::Context;
use clap::Args;
use std::path::PathBuf;

/// The arguments of `brv connectors bundle`.
#[derive(Debug, Args)]
#[command(
    before_help = "Examples:
  brv connectors bundle --output dist
  brv connectors bundle --output dist --target claude",
    after_help = "claude: a plugin with the MCP server, the hooks and the skill. gemini: an extension with the MCP \
server and the rules. mcpb: the folder of an MCP bundle, which `mcpb pack` packs. All of them start the brv that is installed."
)]
pub struct Arguments {
    /// Write a folder for each target into this folder
    #[arg(long, value_name = "DIR")]
    output: PathBuf,
    /// Only this one: claude, gemini or mcpb; may be repeated
    #[arg(long, value_name = "TARGET", value_parser = choice(Package::ALL.map(|one| (one, one.word(), ""))), hide_possible_values = true)]
    target: Vec<Package>,
}

impl Verb for Arguments {
    const NAME: &'static str = "connectors bundle";
    const TEXT: Purpose = Purpose::Account;
    type Outcome = Outcome;

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Outcome>, Failure> {
        let is_asked = |package: &Package| self.target.is_empty() || self.target.contains(package);
        let packages: Vec<Package> = Package::ALL.into_iter().filter(is_asked).collect();
        Ok(Answer::new(bundle::run(cx, &self.output, &packages)?))
    }

    fn text(&self, outcome: &Outcome, screen: &mut Screen) {
        for file in &outcome.files {
            screen.text(Style::Good, "written  ").word(Style::Plain, file).end();
        }
    }
}
