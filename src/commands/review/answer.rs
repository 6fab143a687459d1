//! `brv review answer`: answer a comment.

use super::comment::{remark, shown};
use brv_engine::Stop;
use brv_engine::open::context::Context;
use brv_engine::review::{Comment, Comments};
use schemars::JsonSchema;
use serde::Serialize;

/// What to answer.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The id of a comment, or its beginning.
    pub id: String,
    pub text: String,
}

/// `brv.review.answer/1`
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ReviewAnswered")]
pub struct Outcome {
    /// The comment, with its answer.
    pub comment: Comment,
}

/// Keep the answer on this clone. The tree does not change.
///
/// # Errors
/// No comment is called so, or several are; it has another answer; the text is empty, too long, or has a secret.
pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Stop> {
    let opened = cx.open()?;
    let comment = Comments::answer(&opened, &options.id, remark(cx, &opened, &options.text))?;
    Ok(Outcome { comment: shown(cx, comment) })
}
