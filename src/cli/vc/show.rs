//! `brv vc show`: shows a commit with its changes, a tag, or a file or folder of a revision.

use super::log;
use crate::cli::differences::DiffFlags;
use crate::cli::ui::{Screen, Style};
use crate::cli::verb::{Answer, Purpose, Verb};
use crate::say::Failure;
use crate::say::page::{Page, PageFront};
use brv_base::escape::quote_path;
use brv_commands::vc::show::{self, Options, Outcome};
use brv_engine::Context;
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
    shape: DiffFlags,
}

impl Verb for Arguments {
    const NAME: &'static str = "vc show";
    const TEXT: Purpose = Purpose::LongAnswer;
    const HAS_OWN_FORMATS: bool = true;
    type Outcome = Outcome;

    fn differences(&mut self) -> Option<&mut DiffFlags> {
        Some(&mut self.shape)
    }

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Outcome>, Failure> {
        self.shape.check()?;
        let (detail, with_lines) = (self.shape.detail(), self.shape.shows_lines());
        let options = Options { object: self.object.clone(), detail, with_lines, is_masked: false };
        Ok(Answer::new(show::run(cx, &options)?))
    }

    fn text(&self, outcome: &Outcome, screen: &mut Screen) {
        draw(screen, outcome, &self.shape);
    }
}

fn draw(screen: &mut Screen, data: &Outcome, shape: &DiffFlags) {
    match data {
        Outcome::Commit { commit, parents, entries, files } => {
            let changed = &files.drawn;
            let entries = entries.as_deref().unwrap_or_default();
            let page = || Page::new(PageFront::of_commit(commit), entries, changed, &[]);
            if let Some(page) = shape.page(page) {
                screen.bytes(Style::Plain, page);
                return;
            }
            log::header(screen, commit, shape.destination.is_terminal);
            log::body(screen, commit, &parents.join(" "));
            if !changed.is_empty() {
                screen.end();
                shape.draw(screen, changed, entries);
            }
        }
        Outcome::Tag { text, target } => {
            tag(screen, text);
            draw(screen, target, shape);
        }
        Outcome::File { text, .. } => {
            screen.bytes(Style::Plain, text);
        }
        Outcome::Folder { name, names } => {
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
