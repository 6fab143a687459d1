//! JSON of `brv vc tag`.

use super::log::Person;
use brv_commands::vc::tag::{self, Changed, Listed};
use brv_engine::outcome::bytes::text;
use brv_engine::write::written::Logged;
use brv_git::Kind;
use brv_git::tags::short;
use bstr::ByteSlice as _;
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.vc.tag/1`: the requested list, or what changed.
#[derive(Debug, Default, JsonSchema, Serialize)]
pub struct Tags {
    /// The tags, if listed, in the requested order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<Tag>>,
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
pub struct Tag {
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
