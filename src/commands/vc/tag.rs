//! `brv vc tag`: list, create, move and delete tags.
//!
//! Every change is an operation: what a tag pointed to is kept as long as the operation is in the log, so `undo` can
//! restore it.

use brv_base::sorting;
use brv_engine::journal::{Kind, RefMove, Transition};
use brv_engine::open::context::Context;
use brv_engine::open::naming::branches;
use brv_engine::open::naming::ref_filter::{self, Judge};
use brv_engine::outcome::cause::{Cause, caused};
use brv_engine::write::operation::{Derived, Purpose, Work, WriteOutcome, Writing};
use brv_engine::{Fails, FailureKind};
use brv_git as git;
use brv_git::identity::{self, Overrides};
use brv_git::refs::{self, Target};
use brv_git::revision::{self, RevisionError};
use brv_git::signing;
use brv_git::tags::{self, NewTag, TAGS, Tag};
use brv_git::{ObjectName, Scope, history};
use bstr::{BString, ByteSlice as _};
use std::cmp::Ordering;

pub use brv_engine::open::naming::branches::Existing;
pub use brv_engine::open::naming::ref_filter::Filter;
pub use brv_git::signing::{SigningError, Wish};

#[derive(Debug, Clone)]
pub enum Options {
    List(Listing),
    /// Create a tag, or move it.
    Create {
        name: String,
        /// What to tag; `None`: `HEAD`.
        target: Option<String>,
        existing: Existing,
        form: Form,
    },
    Delete(Vec<String>),
}

/// Which tags are listed, and in which order.
#[derive(Debug, Clone, Default)]
pub struct Listing {
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
pub enum Form {
    /// A plain reference to the tagged object.
    Lightweight,
    /// An object with a message, a tagger and a date.
    Annotated { message: Vec<String>, signing: Wish },
}

#[derive(Debug)]
pub enum Outcome {
    Listed(Vec<Listed>),
    Changed(Box<Changed>),
}

#[derive(Debug, Clone)]
pub struct Listed {
    pub tag: Tag,
    /// The subject of its message; for a lightweight tag, of the commit.
    pub subject: BString,
    /// The date of the tag, or of the commit, in seconds since 1970.
    pub seconds: Option<i64>,
}

#[derive(Debug, Default)]
pub struct Changed {
    /// The tag that was created or moved.
    pub made: Option<Made>,
    pub deleted: Vec<Gone>,
    /// What else was written; there is no operation if the tag already existed unchanged.
    pub written: WriteOutcome,
}

/// A tag that was created or moved.
#[derive(Debug, Clone)]
pub struct Made {
    /// Without `refs/tags/`.
    pub name: String,
    /// The object it points to: the tag object if it is annotated.
    pub id: ObjectName,
    pub target: ObjectName,
    /// What it pointed to before, abbreviated.
    pub was: Option<String>,
}

#[derive(Debug, Clone)]
pub struct Gone {
    /// Without `refs/tags/`.
    pub name: String,
    /// What it pointed to, abbreviated.
    pub was: String,
}

/// Why nothing was done.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Cause(Cause),
    #[error("`{0}` is not a valid tag name")]
    Name(String),
    #[error("tag `{0}` already exists")]
    Exists(String),
    #[error("tag `{other}` exists, so `{name}` cannot be created")]
    Folder { name: String, other: String },
    #[error("there is no tag `{0}`")]
    Absent(String),
    #[error("the tag message is empty")]
    NoMessage,
    #[error(transparent)]
    Revision(#[from] RevisionError),
    #[error(transparent)]
    Filter(#[from] branches::Error),
    #[error(transparent)]
    Identity(#[from] identity::Error),
    #[error(transparent)]
    Signing(#[from] SigningError),
}

impl Error {
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::Cause(cause) => cause.kind(),
            Self::Filter(error) => error.kind(),
            Self::Revision(error) => FailureKind::of_revision(error),
            Self::Identity(_) | Self::Signing(_) => FailureKind::Failed,
            Self::Name(_) | Self::Exists(_) | Self::Folder { .. } | Self::Absent(_) | Self::NoMessage => {
                FailureKind::Usage
            }
        }
    }
}

caused!(Error);

/// List or change tags.
///
/// # Errors
/// [`Error`]; then nothing changed.
pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Error> {
    match options {
        Options::List(listing) => list(&cx.open()?.scope, listing).map(Outcome::Listed),
        Options::Create { name, target, existing, form } => {
            change(cx, |scope| create(cx, scope, (name, target.as_deref()), *existing, form))
        }
        Options::Delete(names) => change(cx, |scope| delete(scope, names)),
    }
}

/// The change, the ref moves that it needs, and the reason in one line.
type Change = (Changed, Vec<RefMove>, String);

fn change(cx: &Context<'_>, plan: impl FnOnce(&Scope) -> Result<Change, Error>) -> Result<Outcome, Error> {
    let opened = cx.open_whole("tag")?;
    let mut writing = Writing::begin(cx.parts(&opened))?;
    let (changed, moves, reason) = plan(&opened.scope)?;
    let transition = Transition { moves, ..Transition::default() };
    writing.carry_out(None, Work::exact(transition), &Purpose::new(Kind::Tag, reason))?;
    Ok(Outcome::Changed(Box::new(Changed { written: writing.finish(Derived::Leave), ..changed })))
}

fn list(scope: &Scope, listing: &Listing) -> Result<Vec<Listed>, Error> {
    let judge = Judge::of(scope, &listing.filters)?;
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
            found.push(listed(scope, tag)?);
        }
    }
    match listing.key {
        SortKey::Name => {}
        SortKey::Version => {
            sorting::sort_by(&mut found, |one, other| by_version(&one.tag.full, &other.tag.full))
        }
        SortKey::Date => sorting::sort_by_key(&mut found, |one| one.seconds),
    }
    if listing.reversed {
        found.reverse();
    }
    Ok(found)
}

fn listed(scope: &Scope, tag: Tag) -> Result<Listed, Error> {
    let commit = tag.commit().map(|commit| history::read(scope, commit)).transpose()?;
    let tagger = tag.annotation.as_ref().and_then(|annotation| annotation.tagger.as_ref());
    let made = tagger.or_else(|| commit.as_ref().map(|commit| &commit.committer));
    let seconds = made.map(|who| who.seconds);
    let subject = match (&tag.annotation, &commit) {
        (Some(annotation), _) => annotation.message.lines().next().unwrap_or_default().into(),
        (None, Some(commit)) => commit.subject().to_owned(),
        (None, None) => BString::default(),
    };
    Ok(Listed { tag, subject, seconds })
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
    form: &Form,
) -> Result<Change, Error> {
    // git's rules are the same for branches and tags
    if !git::is_branch_name(name) {
        return Err(Error::Name(name.to_owned()));
    }
    let full = BString::from(format!("{TAGS}{name}"));
    let old = refs::target(scope, full.as_bstr())?;
    if old.is_some() && existing == Existing::Stays {
        return Err(Error::Exists(name.to_owned()));
    }
    if let Some(other) = branches::clashing(scope, TAGS, full.as_bstr(), None)? {
        return Err(Error::Folder { name: name.to_owned(), other: tags::short(other.as_bstr()) });
    }
    let target = revision::object(scope, target.unwrap_or("HEAD"))?;
    let id = match form {
        Form::Lightweight => target,
        Form::Annotated { message, signing } => write(cx, scope, (name, target), message, signing)?,
    };
    let was = old.as_ref().map(|old| shown(scope, old)).transpose()?;
    let made = Some(Made { name: name.to_owned(), id, target, was });
    let mut moves = vec![RefMove { name: full, old, new: Some(id.into()) }];
    moves.retain(|one| one.old != one.new);
    Ok((Changed { made, ..Changed::default() }, moves, format!("tag {name}")))
}

/// Write the object of an annotated tag.
fn write(
    cx: &Context<'_>,
    scope: &Scope,
    (name, target): (&str, ObjectName),
    message: &[String],
    wish: &Wish,
) -> Result<ObjectName, Error> {
    let text = message.iter().map(|part| part.trim_end()).collect::<Vec<_>>().join("\n\n");
    if text.trim().is_empty() {
        return Err(Error::NoMessage);
    }
    let tagger = identity::identity(scope, &Overrides::default(), cx.clock)?.committer;
    let wish = match wish {
        Wish::Settings if signing::signs_tags(scope)? => Wish::Sign(None),
        Wish::Settings => Wish::Plain,
        said => said.clone(),
    };
    let signer = signing::signer(scope, &wish, &tagger, cx.prompt())?;
    let message = format!("{}\n", text.trim()).into();
    let new = NewTag { target, name: name.to_owned(), tagger, message };
    Ok(tags::write(scope, &new, signer.as_ref())?)
}

fn delete(scope: &Scope, names: &[String]) -> Result<Change, Error> {
    let (mut moves, mut deleted) = (Vec::<RefMove>::new(), Vec::new());
    for name in names {
        let full = BString::from(format!("{TAGS}{name}"));
        let absent = || Error::Absent(name.clone());
        let Ok(Some(old)) = refs::target(scope, full.as_bstr()) else { return Err(absent()) };
        if moves.iter().all(|one| one.name != full) {
            deleted.push(Gone { name: name.clone(), was: shown(scope, &old)? });
            moves.push(RefMove { name: full, old: Some(old), new: None });
        }
    }
    let gone: Vec<&str> = deleted.iter().map(|gone| gone.name.as_str()).collect();
    let reason = format!("delete tag {}", gone.join(", "));
    Ok((Changed { deleted, ..Changed::default() }, moves, reason))
}

/// What a tag points to, abbreviated.
fn shown(scope: &Scope, target: &Target) -> Result<String, Error> {
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
