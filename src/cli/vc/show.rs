//! `brv vc show`: a commit with its changes, a tag, a file or a folder of a revision.

use super::log;
use crate::cli::differences::Shape;
use crate::cli::session::{Report, Run, Session};
use crate::cli::ui::{Form, Screen, Style, Ui};
use crate::ops::vc::show::{self, Options, Outcome, ShownCommit};
use crate::say::escape::quote_path;
use crate::say::page::{Front, Page};
use crate::say::{Exit, Failure};
use crate::wire;
use bstr::ByteSlice;
use clap::Args;

/// The arguments of `brv vc show`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv vc show
  brv vc show HEAD~1 --stat
  brv vc show main:auth/jwt/token.md")]
pub struct Arguments {
    /// A commit, tag or other object, or REV:PATH for a file or folder in it
    #[arg(value_name = "REV|REV:PATH", default_value = "HEAD")]
    object: String,
    #[command(flatten)]
    shape: Shape,
}

impl Run for Arguments {
    const NAME: &'static str = "vc show";

    fn form(&self) -> Form {
        self.shape.form()
    }

    fn run(self, session: &Session) -> Result<Exit, Failure> {
        self.shape.check()?;
        let options = Options { object: self.object, detail: self.shape.detail(&session.ui) };
        let outcome = show::run(&session.context(), &options)?;
        let report = Report::new(wire::Show::new(&outcome, self.shape.shows_lines()))
            .long()
            .output(self.shape.output());
        Ok(session.report(report, |screen| draw(screen, &outcome, &self.shape, &session.ui)))
    }
}

fn draw(screen: &mut Screen, outcome: &Outcome, shape: &Shape, ui: &Ui) {
    match outcome {
        Outcome::Commit(shown) => commit(screen, shown, shape, ui),
        Outcome::Tag { text, target } => {
            tag(screen, text);
            draw(screen, target, shape, ui);
        }
        Outcome::File { bytes } => {
            screen.bytes(Style::Plain, bytes);
        }
        Outcome::Folder { name, names } => {
            screen.text(Style::Notable, "tree ").word(Style::Notable, name).end().end();
            for name in names {
                screen.line(quote_path(name).as_bytes());
            }
        }
    }
}

fn commit(screen: &mut Screen, shown: &ShownCommit, shape: &Shape, ui: &Ui) {
    let page = || Page::new(Front::of_commit(shown), &shown.entries, &shown.files, &[]);
    if let Some(page) = shape.page(page) {
        screen.bytes(Style::Plain, page);
        return;
    }
    log::header(screen, &shown.commit.id.to_string(), if ui.is_terminal() { &shown.names } else { &[] });
    log::body(screen, &shown.commit, &shown.parents);
    if !shown.files.is_empty() {
        screen.end();
        shape.draw(ui, screen, &shown.files, &shown.entries);
    }
}

/// The headers that a reader wants, and the message.
fn tag(screen: &mut Screen, text: &[u8]) {
    let (headers, message) = text.split_once_str("\n\n").unwrap_or((text, b""));
    for header in headers.lines() {
        if let Some(name) = header.strip_prefix(b"tag ") {
            screen.text(Style::Notable, "tag ").word(Style::Notable, name).end();
        } else if let Some(tagger) = header.strip_prefix(b"tagger ") {
            let person = tagger.rfind_byte(b'>').map_or(tagger, |end| &tagger[..=end]);
            screen.plain("Tagger: ").word(Style::Plain, person).end();
        }
    }
    screen.end();
    for line in message.trim_end().lines() {
        screen.line(line);
    }
    screen.end();
}
