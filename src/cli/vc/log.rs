//! `brv vc log`: the history, newest first.

use crate::cli::args::Format;
use crate::cli::error::Failure;
use crate::cli::exit::Exit;
use crate::cli::session::{Report, Run, Session};
use crate::cli::ui::{Form, Screen, Style};
use crate::clock::format_git;
use crate::ops::steps::names::Name;
use crate::ops::vc::log::{self, Entry, Error, Ids, Names, Options};
use crate::wire;
use bstr::ByteSlice;
use clap::Args;

/// The arguments of `brv vc log`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv vc log
  brv vc log --oneline -n 5 auth
  brv vc log origin/main..main
  brv vc log -- auth/jwt/token.md")]
pub struct Arguments {
    /// A..B or REV, then paths
    #[arg(value_name = "REV|PATH")]
    arguments: Vec<String>,
    /// Paths, behind --
    #[arg(value_name = "PATH", last = true)]
    paths: Vec<String>,
    /// At most N commits; also -N
    #[arg(short = 'n', long = "max-count", value_name = "N", value_parser = count, allow_negative_numbers = true)]
    limit: Option<usize>,
    /// One line for each commit
    #[arg(long)]
    oneline: bool,
    #[command(flatten)]
    format: Format,
}

impl Run for Arguments {
    const NAME: &'static str = "vc log";

    fn form(&self) -> Form {
        self.format.form()
    }

    fn run(self, session: &Session) -> Result<Exit, Failure> {
        // as git: programs that read the text do not see the names
        let names = session.ui.is_terminal();
        let options = Options {
            arguments: self.arguments,
            paths: self.paths,
            limit: self.limit,
            names: if names || session.ui.form() == Form::Json { Names::Pointing } else { Names::Omitted },
            ids: if self.oneline { Ids::Unambiguous } else { Ids::Cut },
        };
        let outcome = log::run(&mut session.context(), &options).map_err(|error| failure(&error))?;
        let report = Report::new(wire::Log::from(&outcome)).long();
        Ok(session.report(report, |screen| {
            for (number, entry) in outcome.entries.iter().enumerate() {
                if self.oneline {
                    line(screen, entry, names);
                    continue;
                }
                if number > 0 {
                    screen.end();
                }
                header(screen, &entry.commit.id.to_string(), if names { &entry.names } else { &[] });
                let parents: Vec<String> = entry.commit.parents.iter().map(|id| id.prefix(7)).collect();
                body(screen, &entry.commit, &parents);
            }
        }))
    }
}

fn count(text: &str) -> Result<usize, &'static str> {
    text.parse().map_err(|_| "a number that is not below zero is needed")
}

fn failure(error: &Error) -> Failure {
    Failure::of(error.kind(), error).hinting(match error {
        Error::Unborn(_) => Some("`brv vc commit -m MSG` makes the first one"),
        Error::Arguments(_) => Some("paths that are gone, or are named like a revision, stand behind `--`"),
        _ => None,
    })
}

/// `1a2b3c4 (HEAD -> main) subject`
fn line(screen: &mut Screen, entry: &Entry, with_names: bool) {
    screen.text(Style::Notable, &entry.short);
    if with_names {
        names(screen, &entry.names);
    }
    screen.plain(" ").word(Style::Plain, entry.commit.subject()).end();
}

/// `commit 1a2b… (HEAD -> main, origin/main)`
pub(super) fn header(screen: &mut Screen, id: &str, pointing: &[Name]) {
    screen.text(Style::Notable, format!("commit {id}"));
    names(screen, pointing);
    screen.end();
}

fn names(screen: &mut Screen, names: &[Name]) {
    for (number, name) in names.iter().enumerate() {
        screen.text(Style::Notable, if number == 0 { " (" } else { ", " });
        let (prefix, name) = match name {
            Name::Head => ("HEAD", ""),
            Name::CurrentBranch(name) => ("HEAD -> ", name.as_str()),
            Name::Branch(name) | Name::RemoteBranch(name) => ("", name.as_str()),
            Name::Tag(name) => ("tag: ", name.as_str()),
        };
        screen.text(Style::Name, prefix).word(Style::Name, name);
    }
    if !names.is_empty() {
        screen.text(Style::Notable, ")");
    }
}

/// Who, when, and the message, as git's default form has them.
pub(super) fn body(screen: &mut Screen, commit: &log::Commit, parents: &[String]) {
    if parents.len() > 1 {
        screen.line(format!("Merge: {}", parents.join(" ")));
    }
    let author = &commit.author;
    screen
        .plain("Author: ")
        .word(Style::Plain, &author.name)
        .plain(" <")
        .word(Style::Plain, &author.email)
        .line(">");
    screen.line(format!("Date:   {}", format_git(author.seconds, author.offset))).end();
    for line in commit.message.trim_end().lines() {
        screen.plain("    ").line(line);
    }
}
