//! `brv vc show`: shows a commit with its changes, a tag, or a file or folder of a revision.

use super::log;
use crate::cli::differences::Shape;
use crate::cli::session::{Report, Run, Session};
use crate::cli::ui::{Destination, Form, Screen, Style};
use crate::say::page::{Front, Page};
use crate::say::{Exit, Failure};
use crate::wire;
use brv_base::escape::quote_path;
use brv_commands::vc::show::{self, Options};
use bstr::ByteSlice;
use clap::Args;

/// The arguments of `brv vc show`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv vc show
  brv vc show HEAD~1 --stat
  brv vc show main:auth/jwt/token.md")]
pub struct Arguments {
    /// Commit, tag or other object, or REV:PATH for a file or folder in it
    #[arg(value_name = "REV|REV:PATH", default_value = "HEAD")]
    object: String,
    #[command(flatten)]
    shape: Shape,
}

impl Run for Arguments {
    const NAME: &'static str = "vc show";
    const HAS_OWN_FORMATS: bool = true;

    fn form(&self) -> Form {
        self.shape.form()
    }

    fn run(self, session: &Session) -> Result<Exit, Failure> {
        self.shape.check()?;
        let options = Options { object: self.object, detail: self.shape.detail(session.ui.destination()) };
        let data = wire::Show::new(show::run(&session.context(), &options)?, self.shape.shows_lines());
        let report = Report::new(&data).long().output(self.shape.output());
        Ok(session.report(report, |screen| draw(screen, &data, &self.shape, session.ui.destination())))
    }
}

fn draw(screen: &mut Screen, data: &wire::Show, shape: &Shape, destination: Destination) {
    match data {
        wire::Show::Commit { commit, parents, told, .. } => {
            let page = || Page::new(Front::of_commit(commit), &told.entries, &told.files, &[]);
            if let Some(page) = shape.page(page) {
                screen.bytes(Style::Plain, page);
                return;
            }
            log::header(screen, commit, destination.is_terminal);
            log::body(screen, commit, &parents.join(" "));
            if !told.files.is_empty() {
                screen.end();
                shape.draw(destination, screen, &told.files, &told.entries);
            }
        }
        wire::Show::Tag { text, target } => {
            tag(screen, text);
            draw(screen, target, shape, destination);
        }
        wire::Show::File { text, .. } => {
            screen.bytes(Style::Plain, text);
        }
        wire::Show::Folder { name, names } => {
            screen.text(Style::Notable, "tree ").word(Style::Notable, name).end().end();
            for name in names {
                screen.line(quote_path(name).as_bytes());
            }
        }
    }
}

/// Print the headers that a reader wants, and the message.
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
