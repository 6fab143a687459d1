//! `brv vc mv`: moves entries and folders, and updates the links to them.

use crate::cli::ui::{Screen, Style};
use crate::cli::verb::{Answer, Purpose, Verb};
use crate::say::{Failure, warnings};
use brv_base::escape::{escape_line, quote_path};
use brv_commands::vc::mv::{
    self, Immovable, LinkingDocument, Mode, NameClashPolicy, Options, Outcome, RepointedLink, SkippedPath,
};
use brv_engine::Context;
use clap::Args;
use std::collections::BTreeSet;

/// The arguments of `brv vc mv`.
#[derive(Debug, Args)]
#[command(
    before_help = "Examples:
  brv vc mv auth/token.md auth/jwt/token.md
  brv vc mv auth/jwt auth/tokens
  brv vc mv auth/a.md auth/b.md sessions --dry-run",
    after_help = "Links to the moved files are updated in all entries: `related`, `@path` under Relations, and markdown links, each in \
the style it was written in; so are relative links inside the moved files. An updated entry is staged with the move, unless it has \
unstaged edits: then its updated links stay unstaged, too. `brv undo` undoes all of it.

Tracked files that are not entries, such as images, move like any other file. In a folder that moves, new entries move along; \
untracked files that brv does not manage stay where they are, with a warning: the operation log would keep their bytes, and they \
were never added."
)]
pub struct Arguments {
    /// Tracked files and folders, followed by the new name or the destination folder
    #[arg(value_name = "PATH", required = true, num_args = 2..)]
    paths: Vec<String>,
    /// Overwrite an existing file at the new name; the operation keeps its content
    #[arg(short, long)]
    force: bool,
    /// Skip files that cannot be moved
    #[arg(short = 'k')]
    skip: bool,
    /// Write nothing; show what would be moved, and which links would be updated
    #[arg(short = 'n', long)]
    dry_run: bool,
}

impl Verb for Arguments {
    const NAME: &'static str = "vc mv";
    const TEXT: Purpose = Purpose::Account;
    type Outcome = Outcome;

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Outcome>, Failure> {
        let mut sources = self.paths.clone();
        let options = Options {
            target: sources.pop().unwrap_or_default(),
            sources,
            standing: if self.force { NameClashPolicy::GivesWay } else { NameClashPolicy::Refuse },
            immovable: if self.skip { Immovable::Skip } else { Immovable::Refuse },
            mode: if self.dry_run { Mode::DryRun } else { Mode::Write },
        };
        let outcome = mv::run(cx, &options)?;
        let warnings = [stays(&outcome), warnings::written(&outcome.written)].concat();
        Ok(Answer::new(outcome).warning(warnings))
    }

    fn text(&self, outcome: &Outcome, screen: &mut Screen) {
        draw(screen, outcome);
    }
}

fn draw(screen: &mut Screen, data: &Outcome) {
    for route in &data.routes {
        screen.line(format!("{} -> {}", quote_path(&route.from), quote_path(&route.to)));
    }
    for document in &data.links {
        let mut turned = document.links.iter().filter(|link| link.to.is_some()).peekable();
        if turned.peek().is_some() {
            screen.plain("links in ").word(Style::Name, &document.path);
            if !document.staged {
                screen.text(Style::Notable, " (not staged: the file has unstaged edits)");
            }
            screen.end();
        }
        // a line may have the same link twice: print it once
        let mut said = BTreeSet::new();
        for link in turned.filter(|link| said.insert((link.line, &link.from, &link.to))) {
            let to = link.to.as_deref().unwrap_or_default();
            screen.plain("  ").word(Style::Plain, &link.from).plain(" -> ").word(Style::Plain, to);
            screen.text(Style::Dim, line(link)).end();
        }
    }
}

fn line(link: &RepointedLink) -> String {
    link.line.map_or_else(|| " (related)".to_owned(), |line| format!(" (line {line})"))
}

/// The warnings about files and links that stay as they are, and why.
fn stays(data: &Outcome) -> Vec<String> {
    let skipped = data.skipped.iter().map(SkippedPath::sentence);
    let behind = data.left_behind.iter().map(|path| {
        let path = escape_line(path);
        format!("`{path}` is not moved: it is untracked and not managed by brv (add it with `brv vc add -f`)")
    });
    let links = data.links.iter().flat_map(|document| {
        document.links.iter().filter(|link| link.to.is_none()).map(|link| unturned(document, link))
    });
    skipped.chain(behind).chain(links).collect()
}

fn unturned(document: &LinkingDocument, link: &RepointedLink) -> String {
    let (path, from) = (escape_line(&document.path), escape_line(link.from.as_bytes()));
    format!("`{path}` still links to `{from}`{}: the new path cannot be written in this form", line(link))
}
