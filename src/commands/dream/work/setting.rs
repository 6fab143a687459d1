//! What the decisions of a dream share, and what each of them says.

use super::ground::Ground;
use super::row::Row;
use brv_engine::open::context::Parts;
use brv_engine::open::signals::Signals;
use brv_text::dream::{Decision, Meant, Plan};
use bstr::BString;
use std::collections::BTreeSet;

/// A decision that fits the plan.
#[derive(Debug, Clone)]
pub struct Decided {
    pub decision: Decision,
    pub meant: Meant,
    /// Why nothing is to be done all the same.
    pub hindrance: Option<String>,
}

/// A decision, or the row that stands in for one.
pub type Item = Result<Decided, Box<Row>>;

/// Who decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decider {
    /// A writer: an agent or a person.
    Writer,
    /// A model that nobody looks over the shoulder of: what it writes waits for review.
    Model,
    /// Nobody: only what is certain is done, so nothing may be lost and nothing disputed.
    Certainty,
}

/// Why a dream ends early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Halt {
    /// Its time is up.
    Time,
    Cancelled,
}

impl Halt {
    pub const fn words(self) -> &'static str {
        match self {
            Self::Time => "the time of the dream was up",
            Self::Cancelled => "the dream was cancelled",
        }
    }
}

/// What all decisions of one dream share.
pub struct DreamContext<'s, 'a> {
    pub parts: Parts<'a>,
    pub plan: &'s Plan,
    pub ground: &'s Ground,
    pub signals: &'s Signals,
    pub decider: Decider,
    /// The files that another program changed while the dream was written.
    pub disturbed: &'s BTreeSet<BString>,
    /// Whether the dream is to end now.
    pub halt: &'s dyn Fn() -> Option<Halt>,
    /// Whether entries that a person did not review yet are marked for it.
    pub reviews: bool,
    /// How many entries may go; `None`: as many as are decided about.
    pub most_removed: Option<RemovalLimits>,
}

/// How many entries a dream may remove.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RemovalLimits {
    /// By itself.
    pub at_once: usize,
    /// With what the dreams of the last 30 days removed.
    pub lately: usize,
}
