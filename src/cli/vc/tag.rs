//! `brv vc tag`: lists, creates, moves and deletes tags.

use crate::cli::ui::{Screen, Style, width};
use crate::cli::vc::filtering::Filtering;
use crate::cli::verb::{Answer, Purpose, Verb};
use crate::say::Failure;
use brv_base::escape::escape_line;
use brv_commands::vc::tag::{
    self, Existing, ListedTag, Options, Outcome, SortKey, TagForm, TagListing, Wish,
};
use brv_engine::{Context, Stop};
use clap::Args;

/// The arguments of `brv vc tag`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv vc tag
  brv vc tag -n --sort=-version:refname \"v1.*\"
  brv vc tag reviewed-2026-03
  brv vc tag -a v1.0 -m \"first release of the knowledge base\"
  brv vc tag -d reviewed-2026-03")]
pub struct Arguments {
    /// New tag and the commit to tag, default: HEAD; with -d, tags to delete; with --list, patterns
    #[arg(value_name = "TAG")]
    names: Vec<String>,
    #[command(flatten)]
    listing: TagListFlags,
    #[command(flatten)]
    change: TagChangeFlags,
}

#[derive(Debug, Args)]
struct TagListFlags {
    /// List the tags that match the patterns
    #[arg(short, long)]
    list: bool,
    /// Show the first line of the message, or of the tagged commit's message
    #[arg(short = 'n')]
    lines: bool,
    /// Sort by refname, version:refname or creatordate; a `-` before the key reverses the order
    #[arg(long, value_name = "KEY", allow_hyphen_values = true, value_parser = sort)]
    sort: Option<(SortKey, bool)>,
    /// List only tags of this object
    #[arg(long, value_name = "REV", num_args = 0..=1, default_missing_value = "HEAD")]
    points_at: Option<String>,
    #[command(flatten)]
    filtering: Filtering,
}

#[derive(Debug, Args)]
struct TagChangeFlags {
    /// Create an annotated tag, with a message, the tagger and the date
    #[arg(short, long)]
    annotate: bool,
    /// Message of the tag, which makes it annotated; each further -m adds a paragraph
    #[arg(short, long, value_name = "MSG")]
    message: Vec<String>,
    /// Sign the tag with git's `user.signingKey`
    #[arg(short, long)]
    sign: bool,
    /// Sign the tag with this key
    #[arg(short = 'u', long, value_name = "KEY")]
    local_user: Option<String>,
    /// Do not sign the tag, whatever `tag.gpgSign` says
    #[arg(long, conflicts_with_all = ["sign", "local_user"])]
    no_sign: bool,
    /// Move the tag if it exists
    #[arg(short, long)]
    force: bool,
    /// Delete tags
    #[arg(short, long)]
    delete: bool,
}

/// `-version:refname`: the key, and whether the order is reversed.
fn sort(text: &str) -> Result<(SortKey, bool), String> {
    let (key, reversed) = text.strip_prefix('-').map_or((text, false), |key| (key, true));
    let key = match key {
        "refname" | "name" => SortKey::Name,
        "version:refname" | "v:refname" | "version" => SortKey::Version,
        "creatordate" | "taggerdate" | "date" => SortKey::Date,
        _ => return Err("must be refname, version:refname or creatordate".into()),
    };
    Ok((key, reversed))
}

impl Verb for Arguments {
    const NAME: &'static str = "vc tag";

    type Outcome = Outcome;

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Outcome>, Failure> {
        Ok(Answer::new(tag::run(cx, &self.options()?)?))
    }

    fn purpose(&self) -> Purpose {
        match self.options() {
            Ok(Options::List(_)) => Purpose::LongAnswer,
            _ => Purpose::Account,
        }
    }

    fn text(&self, outcome: &Outcome, screen: &mut Screen) {
        match &outcome.tags {
            Some(tags) => rows(screen, tags, self.listing.lines),
            None => changed(screen, outcome),
        }
    }
}

impl TagListFlags {
    fn is_asked(&self) -> bool {
        self.list
            || self.lines
            || self.sort.is_some()
            || self.points_at.is_some()
            || !self.filtering.filters().is_empty()
    }
}

impl TagChangeFlags {
    fn is_annotated(&self) -> bool {
        self.annotate || self.sign || self.local_user.is_some() || !self.message.is_empty()
    }

    fn form(&self) -> TagForm {
        if !self.is_annotated() {
            return TagForm::Lightweight;
        }
        let signing = match (self.local_user.clone(), self.sign, self.no_sign) {
            (Some(key), ..) => Wish::Sign(Some(key)),
            (None, true, _) => Wish::Sign(None),
            (None, _, true) => Wish::Plain,
            _ => Wish::Settings,
        };
        TagForm::Annotated { message: self.message.clone(), signing }
    }
}

impl Arguments {
    fn options(&self) -> Result<Options, Stop> {
        let Self { names, listing, change, .. } = self;
        let mut names = names.clone();
        let makes = change.is_annotated() || change.force || change.no_sign;
        if [change.delete, listing.is_asked(), makes].iter().filter(|act| **act).count() > 1 {
            return Err(Stop::usage("these flags cannot be combined"));
        }
        if change.delete {
            return match names.is_empty() {
                true => Err(Stop::usage("name the tags to delete")),
                false => Ok(Options::Delete(names)),
            };
        }
        if listing.is_asked() || (names.is_empty() && !makes) {
            let filters = listing.filtering.filters();
            let (key, reversed) = listing.sort.unwrap_or_default();
            let points_at = listing.points_at.clone();
            return Ok(Options::List(TagListing { patterns: names, filters, points_at, key, reversed }));
        }
        if names.len() > 2 {
            return Err(Stop::usage(format!("unexpected name `{}`", names[2])));
        }
        let target = if names.len() == 2 { names.pop() } else { None };
        let name = names.pop().ok_or_else(|| Stop::usage("the name of the new tag is missing"))?;
        let existing = if change.force { Existing::Moves } else { Existing::Stays };
        Ok(Options::Create { name, target, existing, form: change.form() })
    }
}

/// Width of the column of names, as in git.
const COLUMN: usize = 15;

/// Print the tags as git does.
fn rows(screen: &mut Screen, tags: &[ListedTag], lines: bool) {
    for tag in tags {
        let name = escape_line(tag.name.as_bytes());
        screen.text(Style::Name, name.as_bytes());
        if lines {
            let pad = " ".repeat(COLUMN.saturating_sub(width(&name)));
            screen.plain(format!("{pad} ")).word(Style::Plain, &tag.subject);
        }
        screen.end();
    }
}

fn changed(screen: &mut Screen, data: &Outcome) {
    if let Some(made) = &data.made {
        screen.plain("Tag ").word(Style::Name, &made.name).plain(" is at ");
        screen.text(Style::Notable, &made.target[..7]);
        if let Some(was) = &made.was {
            screen.plain(" (was ").word(Style::Notable, was).plain(")");
        }
        screen.line(".");
    }
    for gone in &data.deleted {
        screen.plain("Deleted tag ").word(Style::Name, &gone.name).plain(" (was ");
        screen.word(Style::Notable, &gone.was).line(").");
    }
}
