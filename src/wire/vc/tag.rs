//! The data of `brv vc tag`.

use super::log::Person;
use crate::git::Kind;
use crate::git::tags::short;
use crate::ops::vc::tag::{self, Changed, Listed};
use crate::wire::text;
use crate::wire::written::Logged;
use bstr::ByteSlice as _;
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.vc.tag/1`: what was asked for, or what changed.
#[derive(Debug, Default, JsonSchema, Serialize)]
pub struct Tags {
    /// The tags, where they were asked for, in the order asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<Tag>>,
    /// The tag that is new or moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub made: Option<MadeTag>,
    /// Tags that are gone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub deleted: Vec<GoneTag>,
    /// The rest.
    #[serde(flatten)]
    pub written: Logged,
}

/// A tag.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Tag {
    /// `v1`
    pub name: String,
    /// `refs/tags/v1`
    #[serde(rename = "ref")]
    pub full: String,
    /// The object that it names: its own where it is annotated.
    pub object: String,
    /// What is tagged.
    pub target: String,
    /// Of what kind that is: `commit`, `tree`, `blob`.
    pub kind: &'static str,
    /// Whether it has an object of its own.
    pub annotated: bool,
    /// The first line of its message; of a lightweight one, of the commit's.
    pub subject: String,
    /// All of its message, without a signature.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Who made it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tagger: Option<Person>,
}

/// A tag that is new or moved.
#[derive(Debug, JsonSchema, Serialize)]
pub struct MadeTag {
    /// `v1`
    pub name: String,
    /// The object that it names: its own where it is annotated.
    pub object: String,
    /// What is tagged.
    pub target: String,
    /// Whether it has an object of its own.
    pub annotated: bool,
    /// What it named before, in short.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub was: Option<String>,
}

/// A tag that is gone.
#[derive(Debug, JsonSchema, Serialize)]
pub struct GoneTag {
    /// `v1`
    pub name: String,
    /// What it named, in short.
    pub was: String,
}

impl From<&tag::Outcome> for Tags {
    fn from(outcome: &tag::Outcome) -> Self {
        match outcome {
            tag::Outcome::Listed(tags) => {
                Self { tags: Some(tags.iter().map(Tag::from).collect()), ..Self::default() }
            }
            tag::Outcome::Changed(changed) => (&**changed).into(),
        }
    }
}

impl From<&Changed> for Tags {
    fn from(changed: &Changed) -> Self {
        let made = |made: &tag::Made| MadeTag {
            name: made.name.clone(),
            object: made.id.to_string(),
            target: made.target.to_string(),
            annotated: made.id != made.target,
            was: made.was.clone(),
        };
        let gone = |gone: &tag::Gone| GoneTag { name: gone.name.clone(), was: gone.was.clone() };
        Self {
            tags: None,
            made: changed.made.as_ref().map(made),
            deleted: changed.deleted.iter().map(gone).collect(),
            written: Logged::from(&changed.written),
        }
    }
}

impl From<&Listed> for Tag {
    fn from(Listed { tag, subject, .. }: &Listed) -> Self {
        Self {
            name: short(tag.full.as_bstr()),
            full: text(&tag.full),
            object: tag.id.to_string(),
            target: tag.target.to_string(),
            kind: match tag.kind {
                Kind::Commit => "commit",
                Kind::Tree => "tree",
                Kind::Blob => "blob",
                Kind::Tag => "tag",
            },
            annotated: tag.annotation.is_some(),
            subject: text(subject),
            message: tag.annotation.as_ref().map(|annotation| text(&annotation.message)),
            tagger: tag
                .annotation
                .as_ref()
                .and_then(|annotation| annotation.tagger.as_ref())
                .map(Person::from),
        }
    }
}
