//! `brv review comment`: say something about an entry, or about a change that was marked for review.

use super::foreign;
use brv_base::content::ContentId;
use brv_engine::Stop;
use brv_engine::open::context::{Context, Opened};
use brv_engine::open::naming::resolve::{self, Named};
use brv_engine::open::state::Remark;
use brv_engine::read::history::source::Reading;
use brv_engine::review::{self, CommentPlace, Comments, Flag, ReviewExtent, ReviewStanding};
use bstr::ByteSlice as _;
use schemars::JsonSchema;
use serde::Serialize;

pub use brv_engine::review::{Comment, CommentAnswer, CommentSpot, CommentState};

/// What to say, and where.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The id of a change, or its beginning; or the path of an entry.
    pub id: String,
    pub spot: CommentSpot,
    pub text: String,
    /// The blob of the entry that its writer saw, if another one is to be told.
    pub expect: Option<ContentId>,
}

/// `brv.review.comment/1`
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ReviewCommented")]
pub struct Outcome {
    pub comment: Comment,
}

/// Keep a comment on this clone. The tree does not change.
///
/// # Errors
/// Nothing is called so, or it has no such fact or line; the text is empty, too long, or has a secret; the entry is another
/// one than its writer saw.
pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Stop> {
    let opened = cx.open()?;
    let place = place(cx, &opened, options)?;
    let comment = Comments::add(&opened, place, remark(cx, &opened, &options.text))?;
    Ok(Outcome { comment: shown(cx, comment) })
}

/// What the caller says now.
pub(super) fn remark(cx: &Context<'_>, opened: &Opened, text: &str) -> Remark {
    Remark { text: text.to_owned(), actor: review::decider(&cx.parts(opened)), at: cx.clock.seconds() }
}

/// A comment as the caller may see it: agents get no quote that may steer them.
pub(super) fn shown(cx: &Context<'_>, mut comment: Comment) -> Comment {
    if cx.is_by_agent() && super::may_steer(&comment.quote) {
        "[withheld]".clone_into(&mut comment.quote);
    }
    comment
}

fn place(cx: &Context<'_>, opened: &Opened, options: &Options) -> Result<CommentPlace, Stop> {
    let (scope, typed) = (&opened.scope, options.id.as_str());
    match resolve::resolve(&scope.root(), &cx.cwd, typed)? {
        Some(Named::File(path)) => {
            return CommentPlace::in_entry(opened, &path, options.spot.clone(), options.expect);
        }
        Some(Named::Folder(_)) => {
            return Err(Stop::usage(format!("`{typed}` is a folder: a comment is on one entry")));
        }
        Some(Named::Abstract(_) | Named::Overview(_) | Named::NotKnowledge(_)) => {
            return Err(Stop::usage(format!("`{typed}` is not an entry")));
        }
        None => {}
    }
    let reviewed = foreign::read(opened, ReviewExtent::Everything)?;
    let is_at = |flag: &Flag| flag.path == *typed.trim_end_matches('/').as_bytes().as_bstr();
    let waits =
        |(flag, standing): &&(Flag, ReviewStanding)| *standing == ReviewStanding::Pending && is_at(flag);
    // an entry that a change removed has a path and no file
    let found: Vec<&Flag> = match super::called(&reviewed, typed)? {
        Some(found) => found.into_iter().map(|(flag, _)| flag).collect(),
        None => reviewed.flags.iter().filter(waits).map(|(flag, _)| flag).collect(),
    };
    match found[..] {
        [flag] => CommentPlace::in_change(scope, flag, options.spot.clone()),
        [] if typed.contains(['/', '.']) => {
            Err(resolve::missing(typed, &Reading::open(scope, None)?.curated_paths(opened)?))
        }
        [] => Err(Stop::usage(format!("there is no change and no entry `{typed}`")).hint(super::LIST)),
        _ => {
            let names: Vec<String> =
                found.iter().map(|flag| format!("{} ({})", flag.id, flag.path)).collect();
            let message = format!("`{typed}` has {} changes: name one of {}", found.len(), names.join(", "));
            Err(Stop::usage(message))
        }
    }
}
