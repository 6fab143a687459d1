//! `brv links`: where an entry or folder points, what points to it, and which links of the tree lead nowhere.

use super::format::Format;
use super::session::{Report, Run, Session};
use super::ui::{Form, Screen, Style};
use crate::ops::links::{self, Found, Incoming, Links, Options, Outgoing, What};
use crate::ops::steps::references::{Reference, Target};
use crate::say::Exit;
use crate::say::Failure;
use crate::say::words::many;
use crate::say::words::perhaps;
use crate::wire;
use clap::Args;

/// The arguments of `brv links`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv links auth/sessions/token_lifetime
  brv links auth
  brv links --broken
  brv links auth --at HEAD~5")]
pub struct Arguments {
    /// An entry or a folder, with or without .md, from here or from the root of the tree
    #[arg(value_name = "PATH", required_unless_present = "broken", conflicts_with = "broken")]
    path: Option<String>,
    /// Every link of the tree that leads nowhere
    #[arg(long)]
    broken: bool,
    /// As REV has it, not as it is on disk
    #[arg(long, value_name = "REV")]
    at: Option<String>,
    #[command(flatten)]
    format: Format,
}

impl Run for Arguments {
    const NAME: &'static str = "links";

    fn form(&self) -> Form {
        self.format.form()
    }

    fn run(self, session: &Session) -> Result<Exit, Failure> {
        let options = Options { what: self.path.map_or(What::Broken, What::Of), at: self.at };
        let outcome = links::run(&mut session.context(), &options)?;
        let report = Report::new(wire::Links::from(&outcome)).long();
        Ok(session.report(report, |screen| match &outcome.found {
            Found::Of(links) => of(screen, links),
            Found::Broken { links, files } => broken(screen, links, *files),
        }))
    }
}

fn of(screen: &mut Screen, links: &Links) {
    let path = match &links.subject {
        Target::Folder(path) => format!("{path}/"),
        other => other.path().unwrap_or_default().to_owned(),
    };
    screen.word(Style::Strong, path);
    if let Some(title) = &links.title {
        screen.plain("  ").word(Style::Dim, title);
    }
    if !links.disputed.is_empty() {
        screen.plain("  ").word(Style::Notable, format!("disputed: {}", links.disputed.join(", ")));
    }
    let (to, from) = match links.inside {
        Some(1..) => ("Links to nothing outside.", "Linked from nowhere outside."),
        _ => ("Links to nothing.", "Linked from nowhere."),
    };
    screen.end().end().line(if links.outgoing.is_empty() { to } else { "Links to:" });
    for group in groups(&links.outgoing, links, |link| {
        (&link.reference.target, link.reference.target.path().is_none().then_some(&link.reference.written))
    }) {
        screen.plain("  ");
        target(screen, group[0], &from_where(&group, &links.subject));
        screen.end();
    }
    screen.end().line(if links.incoming.is_empty() { from } else { "Linked from:" });
    groups(&links.incoming, links, |link| &link.path).iter().for_each(|group| incoming(screen, group));
    if let Some(inside @ 1..) = links.inside {
        screen.end().line(format!("{} inside the folder.", many(inside, "link", "links")));
    }
}

/// Of a folder the links with the same key together, in the order of the first of each; of an entry each alone.
fn groups<'a, L, K: PartialEq>(found: &'a [L], links: &Links, key: impl Fn(&'a L) -> K) -> Vec<Vec<&'a L>> {
    let mut groups: Vec<Vec<&L>> = Vec::new();
    for link in found {
        let same = |group: &&mut Vec<&'a L>| links.inside.is_some() && key(group[0]) == key(link);
        match groups.iter_mut().find(same) {
            Some(group) => group.push(link),
            None => groups.push(vec![link]),
        }
    }
    groups
}

/// Where links with one target stand: the line, the file, or how many there are.
fn from_where(group: &[&Outgoing], subject: &Target) -> String {
    let in_folder = |path: &str| matches!(subject, Target::Folder(folder) if *path != context_of(folder));
    match group {
        [link] if in_folder(&link.path) => format!(" (from {})", link.path),
        [link] => line(&link.reference),
        _ => {
            let mut files: Vec<&str> = group.iter().map(|link| link.path.as_str()).collect();
            files.dedup();
            format!(" ({} from {})", many(group.len(), "link", "links"), many(files.len(), "file", "files"))
        }
    }
}

fn context_of(folder: &str) -> String {
    if folder.is_empty() { "context.md".to_owned() } else { format!("{folder}/context.md") }
}

fn incoming(screen: &mut Screen, group: &[&Incoming]) {
    let link = group[0];
    let place = match group {
        [_] => line(&link.reference),
        _ => format!(" ({} links)", group.len()),
    };
    screen.plain("  ").word(Style::Name, &link.path).text(Style::Dim, place);
    if let Some(title) = &link.title {
        screen.plain("  ").word(Style::Dim, title);
    }
    disputed(screen, link.is_disputed);
    screen.end();
}

fn disputed(screen: &mut Screen, is_disputed: bool) {
    if is_disputed {
        screen.text(Style::Notable, "  disputed");
    }
}

/// Where a link leads, and what is wrong with that.
fn target(screen: &mut Screen, link: &Outgoing, place: &str) {
    let reference = &link.reference;
    let (path, fault) = match &reference.target {
        Target::Entry(path) | Target::Other(path) => (path.clone(), ""),
        Target::Folder(path) => (format!("{path}/"), ""),
        Target::Derived(_) => (reference.written.clone(), "derived: others may not have it"),
        Target::Missing(path) => (path.clone(), "missing"),
        Target::Outside => (reference.written.clone(), "out of the tree"),
    };
    let style = if reference.target.is_broken() { Style::Bad } else { Style::Name };
    screen.word(style, path).text(Style::Dim, place);
    if !fault.is_empty() {
        screen.text(Style::Notable, format!("  {fault}"));
    }
    disputed(screen, link.is_disputed);
    if !link.nearest.is_empty() {
        screen.plain("; ").word(Style::Plain, perhaps(&link.nearest));
    }
}

fn line(reference: &Reference) -> String {
    reference.line.map_or_else(|| " (related)".to_owned(), |line| format!(" (line {line})"))
}

fn broken(screen: &mut Screen, links: &[Outgoing], files: usize) {
    if links.is_empty() {
        screen.line(format!("No link of {} leads nowhere.", many(files, "file", "files")));
        return;
    }
    for group in links.chunk_by(|one, other| one.path == other.path) {
        screen.word(Style::Strong, &group[0].path).end();
        for link in group {
            screen.plain("  ");
            target(screen, link, &line(&link.reference));
            screen.end();
        }
    }
    let count = many(links.len(), "link leads nowhere.", "links lead nowhere.");
    screen.end().line(count);
}
