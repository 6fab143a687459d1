//! `brv vc tag`: list, create, move and delete tags.
//!
//! Every change is an operation: what a tag pointed to is kept as long as the operation is in the log, so `undo` can
//! restore it.

use brv_base::sorting;
use brv_engine::Stop;
use brv_engine::journal::{OperationKind, RefMove, Transition};
use brv_engine::open::context::Context;
use brv_engine::open::naming::branches;
use brv_engine::open::naming::ref_filter::{self, RefMatcher};
use brv_engine::outcome::bytes::text;
use brv_engine::outcome::person::Person;
use brv_engine::write::operation::{Derived, Purpose, Work, Writing};
use brv_engine::write::written::Logged;
use brv_git as git;
use brv_git::identity::{self, Overrides};
use brv_git::refs::{self, Target};
use brv_git::revision;
use brv_git::signing;
use brv_git::tags::{self, NewTag, TAGS};
use brv_git::{ObjectName, Scope, history};
use bstr::{BString, ByteSlice as _};
use schemars::JsonSchema;
use serde::Serialize;
use std::cmp::Ordering;

pub use brv_engine::open::naming::branches::Existing;
pub use brv_engine::open::naming::ref_filter::Filter;
pub use brv_git::signing::Wish;

#[derive(Debug, Clone)]
pub enum Options {
    List(TagListing),
    /// Create a tag, or move it.
    Create {
        name: String,
        /// What to tag; `None`: `HEAD`.
        target: Option<String>,
        existing: Existing,
        form: TagForm,
    },
    Delete(Vec<String>),
}

/// Which tags are listed, and in which order.
#[derive(Debug, Clone, Default)]
pub struct TagListing {
    /// Only names that match one of these patterns (`*`, `?`, `[`); empty: all.
    pub patterns: Vec<String>,
    /// Only tags of commits that match all of these.
    pub filters: Vec<Filter>,
    /// Only tags that point at this object, as typed.
    pub points_at: Option<String>,
    pub key: SortKey,
    pub reversed: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SortKey {
    /// By name, byte by byte.
    #[default]
    Name,
    /// By name, comparing numbers by value: `v1.9` before `v1.10`.
    Version,
    /// By the date of the tag, or of the commit.
    Date,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TagForm {
    /// A plain reference to the tagged object.
    Lightweight,
    /// An object with a message, a tagger and a date.
    Annotated { message: Vec<String>, signing: Wish },
}

/// `brv.vc.tag/1`: the requested list, or what changed.
#[derive(Debug, Default, JsonSchema, Serialize)]
#[schemars(rename = "Tags")]
pub struct Outcome {
    /// The tags, if listed, in the requested order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<ListedTag>>,
    /// The tag that was created or moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub made: Option<MadeTag>,
    /// The tags that were deleted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub deleted: Vec<GoneTag>,
    /// The operation, and a recovered command.
    #[serde(flatten)]
    pub written: Logged,
}

/// A tag.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "Tag")]
pub struct ListedTag {
    /// Its name: `v1`
    pub name: String,
    /// Its full name: `refs/tags/v1`
    #[serde(rename = "ref")]
    pub full: String,
    /// The object that it points to: the tag object if it is annotated.
    pub object: String,
    /// The tagged object.
    pub target: String,
    /// The kind of the tagged object: `commit`, `tree` or `blob`.
    pub kind: &'static str,
    /// Whether it is annotated.
    pub annotated: bool,
    /// The first line of its message; for a lightweight tag, of the commit's message.
    pub subject: String,
    /// Its full message, without a signature.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The tagger.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tagger: Option<Person>,
}

/// A created or moved tag.
#[derive(Debug, JsonSchema, Serialize)]
pub struct MadeTag {
    /// Its name: `v1`
    pub name: String,
    /// The object that it points to: the tag object if it is annotated.
    pub object: String,
    /// The tagged object.
    pub target: String,
    /// Whether it is annotated.
    pub annotated: bool,
    /// The short id of the object that it pointed to before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub was: Option<String>,
}

/// A deleted tag.
#[derive(Debug, JsonSchema, Serialize)]
pub struct GoneTag {
    /// Its name: `v1`
    pub name: String,
    /// The short id of the object that it pointed to.
    pub was: String,
}

/// List or change tags.
///
/// # Errors
/// A name or a message that no tag can have, a tag that exists or does not: nothing changed.
pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Stop> {
    match options {
        Options::List(listing) => {
            let tags = list(&cx.open()?.scope, listing)?;
            Ok(Outcome { tags: Some(tags), ..Outcome::default() })
        }
        Options::Create { name, target, existing, form } => {
            change(cx, |scope| create(cx, scope, (name, target.as_deref()), *existing, form))
        }
        Options::Delete(names) => change(cx, |scope| delete(scope, names)),
    }
}

/// The change, the ref moves that it needs, and the reason in one line.
type TagUpdate = (Outcome, Vec<RefMove>, String);

fn change(cx: &Context<'_>, plan: impl FnOnce(&Scope) -> Result<TagUpdate, Stop>) -> Result<Outcome, Stop> {
    let opened = cx.open_whole("tag")?;
    let mut writing = Writing::begin(cx.parts(&opened))?;
    let (outcome, moves, reason) = plan(&opened.scope)?;
    let transition = Transition { moves, ..Transition::default() };
    writing.carry_out(None, Work::exact(transition), &Purpose::new(OperationKind::Tag, reason))?;
    Ok(Outcome { written: Logged::from(&writing.finish(Derived::Leave)), ..outcome })
}

fn list(scope: &Scope, listing: &TagListing) -> Result<Vec<ListedTag>, Stop> {
    let judge = RefMatcher::of(scope, &listing.filters)?;
    let points_at = listing.points_at.as_deref().map(|typed| revision::object(scope, typed)).transpose()?;
    let mut found = Vec::new();
    for tag in tags::list(scope)? {
        let name = tag.full.strip_prefix(TAGS.as_bytes()).unwrap_or(&tag.full).as_bstr();
        let passes = match tag.commit() {
            Some(commit) => judge.pass(scope, commit)?,
            None => listing.filters.is_empty(),
        };
        let is_at = points_at.is_none_or(|object| [tag.id, tag.target].contains(&object));
        if passes && is_at && ref_filter::fits(&listing.patterns, name) {
            found.push(listed(scope, &tag)?);
        }
    }
    match listing.key {
        SortKey::Name => {}
        SortKey::Version => sorting::sort_by(&mut found, |(_, one), (_, other)| {
            by_version(one.full.as_bytes(), other.full.as_bytes())
        }),
        SortKey::Date => sorting::sort_by_key(&mut found, |(seconds, _)| *seconds),
    }
    if listing.reversed {
        found.reverse();
    }
    Ok(found.into_iter().map(|(_, tag)| tag).collect())
}

/// A tag, and the date of it, or of the commit, in seconds since 1970.
fn listed(scope: &Scope, tag: &tags::Tag) -> Result<(Option<i64>, ListedTag), Stop> {
    let commit = tag.commit().map(|commit| history::read(scope, commit)).transpose()?;
    let tagger = tag.annotation.as_ref().and_then(|annotation| annotation.tagger.as_ref());
    let made = tagger.or_else(|| commit.as_ref().map(|commit| &commit.committer));
    let subject = match (&tag.annotation, &commit) {
        (Some(annotation), _) => annotation.message.lines().next().unwrap_or_default().into(),
        (None, Some(commit)) => commit.subject().to_owned(),
        (None, None) => BString::default(),
    };
    let told = ListedTag {
        name: tags::short(tag.full.as_bstr()),
        full: text(&tag.full),
        object: tag.id.to_string(),
        target: tag.target.to_string(),
        kind: tag.kind.word(),
        annotated: tag.annotation.is_some(),
        subject: text(&subject),
        message: tag.annotation.as_ref().map(|annotation| text(&annotation.message)),
        tagger: tagger.map(Person::from),
    };
    Ok((made.map(|who| who.seconds), told))
}

/// Compare runs of digits by value, everything else byte by byte.
fn by_version(one: &[u8], other: &[u8]) -> Ordering {
    let (mut one, mut other) = (one, other);
    loop {
        let digits = |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (ours, theirs) = (digits(one), digits(other));
        let order = if ours > 0 && theirs > 0 {
            let number = |text: &[u8]| text.trim_start_with(|zero| zero == '0').to_vec();
            let (first, second) = (number(&one[..ours]), number(&other[..theirs]));
            (one, other) = (&one[ours..], &other[theirs..]);
            first.len().cmp(&second.len()).then(first.cmp(&second))
        } else {
            let (Some(first), Some(second)) = (one.first(), other.first()) else {
                return one.len().cmp(&other.len());
            };
            let order = first.cmp(second);
            (one, other) = (&one[1..], &other[1..]);
            order
        };
        if order.is_ne() {
            return order;
        }
    }
}

fn create(
    cx: &Context<'_>,
    scope: &Scope,
    (name, target): (&str, Option<&str>),
    existing: Existing,
    form: &TagForm,
) -> Result<TagUpdate, Stop> {
    // git's rules are the same for branches and tags
    if !git::is_branch_name(name) {
        return Err(Stop::usage(format!("`{name}` is not a valid tag name")));
    }
    let full = BString::from(format!("{TAGS}{name}"));
    let old = refs::target(scope, full.as_bstr())?;
    if old.is_some() && existing == Existing::Stays {
        return Err(Stop::usage(format!("tag `{name}` already exists"))
            .hint("move it with `--force`; `brv vc tag -n` lists the tags"));
    }
    if let Some(other) = branches::clashing(scope, TAGS, full.as_bstr(), None)? {
        let other = tags::short(other.as_bstr());
        return Err(Stop::usage(format!("tag `{other}` exists, so `{name}` cannot be created")));
    }
    let target = revision::object(scope, target.unwrap_or("HEAD"))?;
    let id = match form {
        TagForm::Lightweight => target,
        TagForm::Annotated { message, signing } => write(cx, scope, (name, target), message, signing)?,
    };
    let was = old.as_ref().map(|old| shown(scope, old)).transpose()?;
    let made = MadeTag {
        name: name.to_owned(),
        object: id.to_string(),
        target: target.to_string(),
        annotated: id != target,
        was,
    };
    let mut moves = vec![RefMove { name: full, old, new: Some(id.into()) }];
    moves.retain(|one| one.old != one.new);
    Ok((Outcome { made: Some(made), ..Outcome::default() }, moves, format!("tag {name}")))
}

/// Write the object of an annotated tag.
fn write(
    cx: &Context<'_>,
    scope: &Scope,
    (name, target): (&str, ObjectName),
    message: &[String],
    wish: &Wish,
) -> Result<ObjectName, Stop> {
    let text = message.iter().map(|part| part.trim_end()).collect::<Vec<_>>().join("\n\n");
    if text.trim().is_empty() {
        return Err(
            Stop::usage("the tag message is empty").hint("an annotated tag needs a message: `-m \"…\"`")
        );
    }
    let tagger = identity::identity(scope, &Overrides::default(), cx.clock)?.committer;
    let wish = match wish {
        Wish::Settings if signing::signs_tags(scope)? => Wish::Sign(None),
        Wish::Settings => Wish::Plain,
        said => said.clone(),
    };
    let signer = signing::signer(scope, &wish, &tagger, cx.prompt())
        .map_err(|error| Stop::from(error).hint("create the tag without a signature with `--no-sign`"))?;
    let message = format!("{}\n", text.trim()).into();
    let new = NewTag { target, name: name.to_owned(), tagger, message };
    Ok(tags::write(scope, &new, signer.as_ref())?)
}

fn delete(scope: &Scope, names: &[String]) -> Result<TagUpdate, Stop> {
    let (mut moves, mut deleted) = (Vec::<RefMove>::new(), Vec::new());
    for name in names {
        let full = BString::from(format!("{TAGS}{name}"));
        let absent = || Stop::usage(format!("there is no tag `{name}`")).hint("`brv vc tag` lists the tags");
        let Ok(Some(old)) = refs::target(scope, full.as_bstr()) else { return Err(absent()) };
        if moves.iter().all(|one| one.name != full) {
            deleted.push(GoneTag { name: name.clone(), was: shown(scope, &old)? });
            moves.push(RefMove { name: full, old: Some(old), new: None });
        }
    }
    let gone: Vec<&str> = deleted.iter().map(|gone| gone.name.as_str()).collect();
    let reason = format!("delete tag {}", gone.join(", "));
    Ok((Outcome { deleted, ..Outcome::default() }, moves, reason))
}

/// What a tag points to, abbreviated.
fn shown(scope: &Scope, target: &Target) -> Result<String, Stop> {
    Ok(match target {
        Target::Object(id) => revision::shorten(scope, *id)?,
        Target::Symbolic(name) => name.to_str_lossy().into_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_ordered_by_their_numbers() {
        let mut names = ["v1.10", "v1.9", "v1.9.1", "v10", "v2", "v1.09-rc", "a", "v"];
        names.sort_by(|one, other| by_version(one.as_bytes(), other.as_bytes()));
        assert_eq!(names, ["a", "v", "v1.9", "v1.09-rc", "v1.9.1", "v1.10", "v2", "v10"]);
    }
}
