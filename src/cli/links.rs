//! `brv links`: shows the links from and to an entry or folder, and the broken links of the tree.

use super::ui::{Screen, Style};
use super::verb::{Answer, Purpose, Verb};
use crate::say::Failure;
use crate::say::words::many;
use brv_commands::links::{self, Link, LinkSelection, LinkTargetState, Outcome};
use brv_engine::Context;
use brv_engine::outcome::stop::perhaps;
use clap::Args;

/// The arguments of `brv links`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv links auth/sessions/token_lifetime
  brv links auth
  brv links --broken
  brv links auth --at HEAD~5")]
pub struct Arguments {
    /// An entry or a folder, with or without .md, relative to the current folder or to the tree
    #[arg(value_name = "PATH", required_unless_present = "broken", conflicts_with = "broken")]
    path: Option<String>,
    /// List every broken link of the tree
    #[arg(long)]
    broken: bool,
    /// Read from the commit REV, not from disk
    #[arg(long, value_name = "REV")]
    at: Option<String>,
}

impl Verb for Arguments {
    const NAME: &'static str = "links";
    const TEXT: Purpose = Purpose::LongAnswer;
    type Outcome = Outcome;

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Outcome>, Failure> {
        let what = self.path.clone().map_or(LinkSelection::Broken, LinkSelection::Of);
        Ok(Answer::new(links::run(cx, &what, self.at.as_deref())?))
    }

    fn text(&self, outcome: &Outcome, screen: &mut Screen) {
        match outcome {
            Outcome::Of { path, title, disputed, outgoing, incoming, inside, .. } => {
                let about = LinksSubject { path, title: title.as_deref(), disputed, inside: *inside };
                of(screen, &about, outgoing, incoming);
            }
            Outcome::Broken { links, files, .. } => broken(screen, links, *files),
        }
    }
}

/// The entry or folder whose links are shown.
struct LinksSubject<'a> {
    path: &'a str,
    title: Option<&'a str>,
    disputed: &'a [String],
    /// Number of links between its own files, for a folder.
    inside: Option<usize>,
}

fn of(screen: &mut Screen, about: &LinksSubject<'_>, outgoing: &[Link], incoming: &[Link]) {
    let slash = if about.inside.is_some() { "/" } else { "" };
    screen.word(Style::Strong, format!("{}{slash}", about.path));
    if let Some(title) = about.title {
        screen.plain("  ").word(Style::Dim, title);
    }
    if !about.disputed.is_empty() {
        screen.plain("  ").word(Style::Notable, format!("disputed: {}", about.disputed.join(", ")));
    }
    let (to, from) = match about.inside {
        Some(1..) => ("No links to the outside.", "No links from the outside."),
        _ => ("No links to other files.", "No links from other files."),
    };
    screen.end().end().line(if outgoing.is_empty() { to } else { "Links to:" });
    for group in
        groups(outgoing, about, |link| (&link.to, link.state, link.to.is_none().then_some(&link.written)))
    {
        screen.plain("  ");
        target(screen, group[0], &from_where(&group, about));
        screen.end();
    }
    screen.end().line(if incoming.is_empty() { from } else { "Linked from:" });
    groups(incoming, about, |link| &link.from).iter().for_each(|group| linking(screen, group));
    if let Some(inside @ 1..) = about.inside {
        screen.end().line(format!("{} inside the folder.", many(inside, "link", "links")));
    }
}

/// For a folder, group links with the same key, in the order of their first; for an entry, keep each on its own.
fn groups<'a, K: PartialEq>(
    found: &'a [Link],
    about: &LinksSubject<'_>,
    key: impl Fn(&'a Link) -> K,
) -> Vec<Vec<&'a Link>> {
    let mut groups: Vec<Vec<&Link>> = Vec::new();
    for link in found {
        let same = |group: &&mut Vec<&'a Link>| about.inside.is_some() && key(group[0]) == key(link);
        match groups.iter_mut().find(same) {
            Some(group) => group.push(link),
            None => groups.push(vec![link]),
        }
    }
    groups
}

/// Where the links to one target are: the line, the file, or how many there are.
fn from_where(group: &[&Link], about: &LinksSubject<'_>) -> String {
    let in_folder = |path: &str| about.inside.is_some() && *path != context_of(about.path);
    match group {
        [link] if in_folder(link.from.as_str()) => format!(" (from {})", link.from),
        [link] => line(link),
        _ => {
            let mut files: Vec<&str> = group.iter().map(|link| link.from.as_str()).collect();
            files.dedup();
            format!(" ({} from {})", many(group.len(), "link", "links"), many(files.len(), "file", "files"))
        }
    }
}

fn context_of(folder: &str) -> String {
    if folder.is_empty() { "context.md".to_owned() } else { format!("{folder}/context.md") }
}

fn linking(screen: &mut Screen, group: &[&Link]) {
    let link = group[0];
    let place = match group {
        [_] => line(link),
        _ => format!(" ({} links)", group.len()),
    };
    screen.plain("  ").word(Style::Name, link.from.as_str()).text(Style::Dim, place);
    if let Some(title) = &link.title {
        screen.plain("  ").word(Style::Dim, title);
    }
    disputed(screen, link.disputed);
    screen.end();
}

fn disputed(screen: &mut Screen, is_disputed: bool) {
    if is_disputed {
        screen.text(Style::Notable, "  disputed");
    }
}

/// Print the target of a link, and what is wrong with it.
fn target(screen: &mut Screen, link: &Link, place: &str) {
    let to = link.to.as_deref().unwrap_or_default();
    let (path, fault) = match link.state {
        LinkTargetState::Entry | LinkTargetState::Other => (to.to_owned(), ""),
        LinkTargetState::Folder => (format!("{to}/"), ""),
        LinkTargetState::Derived => (link.written.clone(), "derived: may be missing elsewhere"),
        LinkTargetState::Archived => (to.to_owned(), "archived"),
        LinkTargetState::Missing => (to.to_owned(), "missing"),
        LinkTargetState::Outside => (link.written.clone(), "outside the tree"),
    };
    let is_broken = matches!(link.state, LinkTargetState::Missing | LinkTargetState::Outside);
    screen.word(if is_broken { Style::Bad } else { Style::Name }, path).text(Style::Dim, place);
    if !fault.is_empty() {
        screen.text(Style::Notable, format!("  {fault}"));
    }
    disputed(screen, link.disputed);
    if !link.nearest.is_empty() {
        screen.plain("; ").word(Style::Plain, perhaps(&link.nearest));
    }
}

fn line(link: &Link) -> String {
    link.line.map_or_else(|| " (related)".to_owned(), |line| format!(" (line {line})"))
}

fn broken(screen: &mut Screen, links: &[Link], files: usize) {
    if links.is_empty() {
        screen.line(format!("No broken links ({}).", many(files, "file", "files")));
        return;
    }
    for group in links.chunk_by(|one, other| one.from == other.from) {
        screen.word(Style::Strong, group[0].from.as_str()).end();
        for link in group {
            screen.plain("  ");
            target(screen, link, &line(link));
            screen.end();
        }
    }
    let count = many(links.len(), "broken link.", "broken links.");
    screen.end().line(count);
}
