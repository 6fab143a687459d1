//! What is known of entries beside their text: importance and maturity by their use, recency by their last change.

use crate::lifecycle::{self, Maturity};
use crate::ops::context::Opened;
use crate::ops::steps::signals;
use crate::path::{Kind, TreePath};
use crate::search::Standing;

/// Work with what is known of entries at the moment `now`, by their paths and the times of their last changes. Overviews
/// have no signals: they count as entries that nobody used yet. An entry that tells no time counts as old.
pub(super) fn with<T>(
    opened: &Opened,
    now: i64,
    work: impl Fn(&dyn Fn(&str, Option<i64>) -> Option<Standing>) -> T,
) -> T {
    signals::looking(opened, now, &|signal| {
        work(&|path, changed| {
            let path = &TreePath::parse(path.as_bytes()).ok().filter(|path| path.kind().is_curated())?;
            let known = signal(path).filter(|_| path.kind() == Kind::Entry);
            let (importance, maturity) =
                known.map_or((lifecycle::START, Maturity::Draft), |known| (known.importance, known.maturity));
            let recency = changed.map_or(0.0, |time| lifecycle::recency(time, now));
            Some(Standing { importance, recency, boost: maturity.boost() })
        })
    })
}
