//! `brv vc log`: shows the commit history, newest first.

use crate::cli::differences::DiffFlags;
use crate::cli::graph::Graph;
use crate::cli::ui::{Form, Margin, Screen, Style};
use crate::cli::verb::{Answer, Purpose, Verb};
use crate::say::Failure;
use brv_base::clock::format_git;
use brv_commands::vc::log::{
    self, Case, CommitFilter, Follow, Ids, LogDecoration, LogOrder, LoggedCommit, Merges, Options, Outcome,
    Parents, PatternMatching, Sense, Syntax, Tips,
};
use brv_commands::vc::log::{Name, ShownCommit};
use brv_engine::{Context, Stop};
use bstr::ByteSlice;
use clap::Args;

/// The arguments of `brv vc log`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv vc log
  brv vc log --oneline -n 5 auth
  brv vc log --graph --oneline --all
  brv vc log -p --since 2.weeks.ago --author ada
  brv vc log --grep jwt -i --no-merges origin/main..main
  brv vc log -- auth/jwt/token.md")]
pub struct Arguments {
    /// A..B or REV, then paths
    #[arg(value_name = "REV|PATH")]
    arguments: Vec<String>,
    /// Paths, after --
    #[arg(value_name = "PATH", last = true)]
    paths: Vec<String>,
    /// Show at most N commits, also as -N; a negative number shows all
    #[arg(short = 'n', long = "max-count", value_name = "N", value_parser = number, allow_negative_numbers = true)]
    limit: Option<i64>,
    /// Skip the first N commits
    #[arg(
        long,
        value_name = "N", value_parser = number,
        default_value_t = 0,
        hide_default_value = true,
        allow_negative_numbers = true
    )]
    skip: i64,
    /// Show one line per commit
    #[arg(long)]
    oneline: bool,
    /// Draw the commit graph
    #[arg(long, conflicts_with = "reverse")]
    graph: bool,
    /// Show the oldest commit first
    #[arg(long)]
    reverse: bool,
    /// Show what each commit changes
    #[arg(short, long, short_alias = 'u')]
    patch: bool,
    /// Show only commits made at DATE or later: 2024-11-20, yesterday, 2.weeks.ago
    #[arg(long, value_name = "DATE", visible_alias = "after", overrides_with = "since")]
    since: Option<String>,
    /// Show only commits made at DATE or earlier
    #[arg(long, value_name = "DATE", visible_alias = "before", overrides_with = "until")]
    until: Option<String>,
    /// Show only commits whose author's name or address matches PATTERN; may be repeated
    #[arg(long, value_name = "PATTERN")]
    author: Vec<String>,
    /// Show only commits with a message line that matches PATTERN; may be repeated
    #[arg(long, value_name = "PATTERN")]
    grep: Vec<String>,
    /// Require the message to match every --grep, not only one
    #[arg(long)]
    all_match: bool,
    /// Show commits whose message does not match --grep
    #[arg(long)]
    invert_grep: bool,
    /// Ignore case in patterns
    #[arg(short = 'i', long)]
    regexp_ignore_case: bool,
    /// Patterns are extended regular expressions instead of basic ones
    #[arg(short = 'E', long)]
    extended_regexp: bool,
    /// Patterns are plain text, not regular expressions
    #[arg(short = 'F', long, conflicts_with = "extended_regexp")]
    fixed_strings: bool,
    /// Show only merges
    #[arg(long, conflicts_with = "no_merges")]
    merges: bool,
    /// Leave out merges
    #[arg(long)]
    no_merges: bool,
    /// Follow only the first parent of merges
    #[arg(long)]
    first_parent: bool,
    /// Start from every branch, remote-tracking branch and tag
    #[arg(long)]
    all: bool,
    /// Follow the file also to the one it was copied from; renames of a single file are always followed
    #[arg(long, conflicts_with = "no_follow")]
    follow: bool,
    /// Do not follow a file through renames
    #[arg(long)]
    no_follow: bool,
    #[command(flatten)]
    shape: DiffFlags,
}

impl Verb for Arguments {
    const NAME: &'static str = "vc log";
    const TEXT: Purpose = Purpose::LongAnswer;
    const HAS_OWN_FORMATS: bool = true;
    type Outcome = Outcome;

    fn differences(&mut self) -> Option<&mut DiffFlags> {
        Some(&mut self.shape)
    }

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Outcome>, Failure> {
        if self.shape.is_page() {
            let stop = Stop::usage("`vc log` has no page formats");
            return Err(stop.hint("`brv vc diff A..B --format html` makes a page of the changes").into());
        }
        Ok(Answer::new(log::run(cx, &self.options())?))
    }

    fn text(&self, outcome: &Outcome, screen: &mut Screen) {
        draw(screen, &outcome.commits, &self.shape, self.look());
    }
}

impl Arguments {
    const fn look(&self) -> LogStyle {
        // as in git: names are not shown to programs
        LogStyle {
            is_oneline: self.oneline,
            is_graph: self.graph,
            has_names: self.shape.destination.is_terminal,
        }
    }

    fn options(&self) -> Options {
        let is_named = self.shape.destination.is_terminal || self.shape.destination.form == Form::Json;
        let wants_changes = self.patch || self.shape.is_asked_for();
        Options {
            arguments: self.arguments.clone(),
            paths: self.paths.clone(),
            tips: if self.all { Tips::All } else { Tips::Named },
            wanted: self.wanted(),
            since: self.since.clone(),
            until: self.until.clone(),
            parents: if self.first_parent { Parents::First } else { Parents::All },
            skip: usize::try_from(self.skip).unwrap_or(0),
            // as in git: below zero is not a limit
            limit: self.limit.and_then(|limit| usize::try_from(limit).ok()),
            order: match (self.graph, self.reverse) {
                (true, _) => LogOrder::Picture,
                (_, true) => LogOrder::OldestFirst,
                _ => LogOrder::NewestFirst,
            },
            follow: match (self.follow, self.no_follow) {
                (true, _) => Follow::Copies,
                (_, true) => Follow::Nothing,
                _ => Follow::OneFile,
            },
            detail: wants_changes.then(|| self.shape.detail()),
            with_lines: self.patch && self.shape.shows_lines(),
            names: if is_named { LogDecoration::Pointing } else { LogDecoration::Omitted },
            ids: if self.oneline { Ids::Unambiguous } else { Ids::Cut },
        }
    }

    fn wanted(&self) -> CommitFilter {
        CommitFilter {
            authors: self.author.clone(),
            messages: self.grep.clone(),
            matching: if self.all_match { PatternMatching::All } else { PatternMatching::Any },
            sense: if self.invert_grep { Sense::Lacking } else { Sense::Having },
            syntax: match (self.fixed_strings, self.extended_regexp) {
                (true, _) => Syntax::Fixed,
                (_, true) => Syntax::Extended,
                _ => Syntax::Basic,
            },
            case: if self.regexp_ignore_case { Case::Ignored } else { Case::Sensitive },
            merges: match (self.merges, self.no_merges) {
                (true, _) => Merges::Only,
                (_, true) => Merges::Omitted,
                _ => Merges::Shown,
            },
            until: None,
        }
    }
}

/// How commits are shown.
#[derive(Debug, Clone, Copy)]
struct LogStyle {
    is_oneline: bool,
    is_graph: bool,
    has_names: bool,
}

fn draw(screen: &mut Screen, commits: &[LoggedCommit], shape: &DiffFlags, look: LogStyle) {
    let mut graph = Graph::default();
    for (number, entry) in commits.iter().enumerate() {
        if number > 0 && !look.is_oneline {
            screen.line(graph.between().trim_end());
        }
        if look.is_graph {
            let row = graph.row(entry.id, &entry.below);
            screen.set_margin(Some(Margin::new(row.star, row.link, row.below)));
        }
        commit(screen, entry, look);
        screen.finish_margin();
        if !entry.drawn().is_empty() {
            if !look.is_oneline {
                screen.end();
            }
            let entries = entry.entries.as_deref().unwrap_or_default();
            shape.draw(screen, entry.drawn(), entries);
        }
        screen.set_margin(None);
    }
}

fn commit(screen: &mut Screen, entry: &LoggedCommit, look: LogStyle) {
    if look.is_oneline {
        return line(screen, entry, look.has_names);
    }
    header(screen, &entry.commit, look.has_names);
    let parents: Vec<&str> = entry.commit.parents.iter().map(|id| &id[..7]).collect();
    body(screen, &entry.commit, &parents.join(" "));
}

fn number(text: &str) -> Result<i64, &'static str> {
    text.parse().map_err(|_| "must be a number")
}

/// `1a2b3c4 (HEAD -> main) subject`
fn line(screen: &mut Screen, entry: &LoggedCommit, with_names: bool) {
    screen.text(Style::Notable, &entry.short);
    if with_names {
        names(screen, &entry.commit.names);
    }
    screen.plain(" ").word(Style::Plain, &entry.commit.subject).end();
}

/// `commit 1a2b… (HEAD -> main, origin/main)`
pub(super) fn header(screen: &mut Screen, commit: &ShownCommit, with_names: bool) {
    screen.text(Style::Notable, format!("commit {}", commit.id));
    if with_names {
        names(screen, &commit.names);
    }
    screen.end();
}

fn names(screen: &mut Screen, names: &[Name]) {
    for (number, name) in names.iter().enumerate() {
        screen.text(Style::Notable, if number == 0 { " (" } else { ", " });
        let (prefix, name) = match name.kind {
            "head" => ("HEAD", ""),
            "branch" if name.current => ("HEAD -> ", name.name.as_str()),
            "tag" => ("tag: ", name.name.as_str()),
            _ => ("", name.name.as_str()),
        };
        screen.text(Style::Name, prefix).word(Style::Name, name);
    }
    if !names.is_empty() {
        screen.text(Style::Notable, ")");
    }
}

/// Print author, date and message, as in git's default format.
pub(super) fn body(screen: &mut Screen, commit: &ShownCommit, parents: &str) {
    if parents.contains(' ') {
        screen.line(format!("Merge: {parents}"));
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
