//! `brv connectors install HOST…`: register brv with coding agents.

use super::{Which, hosts};
use crate::cli::ui::Screen;
use crate::cli::verb::{Answer, Purpose, Verb};
use crate::say::Failure;
use brv_commands::connectors::{Changes, Host, Mode, install};
use brv_engine::Context;
use clap::Args;

/// The arguments of `brv connectors install`.
#[derive(Debug, Args)]
#[command(
    before_help = "Examples:
  brv connectors install claude codex
  brv connectors install gemini --type rules --type skill
  brv connectors install cursor --scope user --dry-run",
    after_help = "Without --type: mcp, and for claude and codex hook, too. Without --scope: project where the host has \
such a file, else user. Only brv's own lines are added; the rest of a file stays byte for byte. Hosts: claude, codex, \
gemini, copilot, opencode, cursor, zed, vscode.

Files of the project and of the user: claude .mcp.json, ~/.claude.json; codex ~/.codex/config.toml; gemini \
.gemini/settings.json, ~/.gemini/settings.json; copilot ~/.copilot/mcp-config.json; opencode \
~/.config/opencode/opencode.jsonc; cursor .cursor/mcp.json, ~/.cursor/mcp.json; zed .zed/settings.json, its settings.json; \
vscode .vscode/mcp.json. rules writes how to use brv into AGENTS.md, skill into a skill."
)]
pub struct Arguments {
    /// The hosts
    #[arg(value_name = "HOST", value_parser = hosts(), required = true, hide_possible_values = true)]
    hosts: Vec<Host>,
    #[command(flatten)]
    which: Which,
    /// Write nothing; show what would change
    #[arg(long)]
    dry_run: bool,
}

impl Verb for Arguments {
    const NAME: &'static str = "connectors install";
    const TEXT: Purpose = Purpose::Account;
    type Outcome = Changes;

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Changes>, Failure> {
        let mode = if self.dry_run { Mode::DryRun } else { Mode::Write };
        let changes = install::run(cx, &self.which.of(&self.hosts), mode)?;
        let next = (!self.dry_run).then_some("brv connectors status");
        Ok(Answer::new(changes).next(next))
    }

    fn text(&self, changes: &Changes, screen: &mut Screen) {
        super::changes(screen, changes);
    }
}
