//! What is known of entries beside their text: importance and maturity by their use, recency by their last change.

use crate::doc::Document;
use crate::lifecycle::{self, Maturity};
use crate::merge;
use crate::ops::context::Opened;
use crate::ops::steps::signals;
use crate::path::{Kind, TreePath};
use crate::search::Standing;

/// Work with what is known of entries at the moment `now`. Overviews have no signals: they count as entries that nobody
/// used yet.
pub(super) fn with<T>(
    opened: &Opened,
    read: &dyn Fn(&TreePath) -> Option<Vec<u8>>,
    now: i64,
    work: impl Fn(&dyn Fn(&str) -> Option<Standing>) -> T,
) -> T {
    signals::looking(opened, now, &|signal| {
        work(&|path: &str| {
            let path = &TreePath::parse(path.as_bytes()).ok().filter(|path| path.kind().is_curated())?;
            let known = signal(path).filter(|_| path.kind() == Kind::Entry);
            let (importance, maturity) =
                known.map_or((lifecycle::START, Maturity::Draft), |known| (known.importance, known.maturity));
            let recency = read(path)
                .and_then(|bytes| changed(&bytes))
                .map_or(0.0, |time| lifecycle::recency(time, now));
            Some(Standing { importance, recency, boost: maturity.boost() })
        })
    })
}

/// The time of the last change that a file tells: its `updatedAt`, else its `createdAt`.
pub(super) fn changed(bytes: &[u8]) -> Option<i64> {
    let meta = Document::parse(bytes).meta();
    let time = |text: Option<String>| text.and_then(|text| merge::instant(&text)).map(|(seconds, _)| seconds);
    time(meta.updated_at).or_else(|| time(meta.created_at))
}
