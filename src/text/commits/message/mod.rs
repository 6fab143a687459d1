//! Read the message of a commit: the messages that a squash joined, their trailers, their units of prose, and whether a
//! program wrote them. Does not judge the content.

mod clean;
pub(crate) mod lines;
mod squash;
mod trailers;
mod units;

pub(crate) use clean::plain;
pub(crate) use squash::HEAD;
pub(crate) use trailers::Trailer;
pub(crate) use units::MessageUnit;

/// A message: that of the commit, or one that a squash joined.
#[derive(Debug, Default)]
pub(crate) struct Message {
    /// Empty for that of the commit.
    pub subject: String,
    /// Its body, with `\n` for line endings.
    pub body: String,
    pub trailers: Vec<Trailer>,
    /// Paragraphs and list items that no form has.
    pub units: Vec<MessageUnit>,
}

/// The messages of a body: one, or those of a squash.
pub(crate) fn read(body: &str) -> Vec<Message> {
    squash::messages(&plain(body)).into_iter().map(message).collect()
}

fn message((subject, body): (String, String)) -> Message {
    let (units, trailers) = units::read(&clean::without_markup(&body));
    Message { subject, body, trailers, units }
}
