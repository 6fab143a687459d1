//! `brv vc gc`: packs the repository and removes unreachable objects.

use crate::cli::ui::Screen;
use crate::cli::verb::{Answer, Purpose, Verb};
use crate::say::Failure;
use crate::say::words::many;
use brv_commands::vc::gc::{self, GcMode, Options, Outcome};
use brv_engine::Context;
use clap::Args;

/// The arguments of `brv vc gc`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv vc gc
  brv vc gc --dry-run
  brv vc gc --json")]
pub struct Arguments {
    /// Remove unreachable objects older than DATE: `now`, `never`, or a date such as yesterday; default: two weeks ago
    #[arg(long, value_name = "DATE")]
    prune: Option<String>,
    /// Write nothing; show what would be done
    #[arg(short = 'n', long)]
    dry_run: bool,
}

impl Verb for Arguments {
    const NAME: &'static str = "vc gc";
    const TEXT: Purpose = Purpose::Account;
    type Outcome = Outcome;

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Outcome>, Failure> {
        let extent = if self.dry_run { GcMode::CountOnly } else { GcMode::Everything };
        Ok(Answer::new(gc::run(cx, &Options { prune: self.prune.clone(), extent })?))
    }

    fn text(&self, outcome: &Outcome, screen: &mut Screen) {
        draw(screen, outcome);
    }
}

fn draw(screen: &mut Screen, data: &Outcome) {
    let objects = many(data.done.packed, "object", "objects");
    let (is_packed, packed, pruned, packs, refs) = if data.dry_run {
        (
            "are",
            "would be packed",
            "would be removed",
            "would be replaced by the new pack",
            "would be packed into one file",
        )
    } else {
        ("were", "packed", "removed", "replaced by the new pack", "packed into one file")
    };
    if data.done.was_packed {
        screen.line(format!("{objects}: all {is_packed} in one pack already."));
    } else {
        screen.line(format!("{objects} {packed}."));
    }
    if data.done.packs_removed > 0 {
        screen.line(format!("{} {packs}.", many(data.done.packs_removed, "pack", "packs")));
    }
    if data.done.loose_removed > 0 {
        screen.line(format!("{} {pruned}.", many(data.done.loose_removed, "loose object", "loose objects")));
    }
    if data.done.pruned > 0 {
        let count = many(data.done.pruned, "object", "objects");
        screen.line(format!("{count}, unreachable, {pruned}."));
    }
    if data.done.unreachable > 0 {
        let count = many(data.done.unreachable, "object", "objects");
        screen.line(format!("{count}, unreachable, kept for now."));
    }
    if data.done.refs_packed > 0 {
        screen.line(format!("{} {refs}.", many(data.done.refs_packed, "ref", "refs")));
    }
    if !data.dry_run && data.done.bytes_before != data.done.bytes_after {
        screen.line(format!("{} before, {} now.", size(data.done.bytes_before), size(data.done.bytes_after)));
    }
}

/// `1.5 MiB`
fn size(bytes: u64) -> String {
    let units = ["KiB", "MiB", "GiB", "TiB"];
    if bytes < 1024 {
        return format!("{bytes} bytes");
    }
    let mut amount = bytes as f64 / 1024.0;
    let mut unit = 0;
    while amount >= 1024.0 && unit + 1 < units.len() {
        amount /= 1024.0;
        unit += 1;
    }
    format!("{amount:.1} {}", units[unit])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_told_in_units_of_people() {
        assert_eq!(size(1023), "1023 bytes");
        assert_eq!(size(1536), "1.5 KiB");
        assert_eq!(size(3 << 30), "3.0 GiB");
    }
}
