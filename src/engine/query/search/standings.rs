//! What is known of entries beside their text: importance and maturity by their use, recency by their last change.

use super::recent::Recent;
use crate::open::context::Opened;
use crate::open::signals;
use brv_base::path::{PathKind, TreePath};
use brv_search::EntryStanding;
use brv_text::lifecycle::{self, Maturity};
use std::cell::OnceCell;

/// Work with what is known of entries at the moment `now`, by their paths and the times of their last changes. Overviews
/// have no signals: they count as old entries that nobody used yet. An entry that tells no time changed with its last commit,
/// or now if no commit has it.
pub(super) fn with<T>(
    opened: &Opened,
    now: i64,
    work: impl Fn(&dyn Fn(&str, Option<i64>) -> Option<EntryStanding>) -> T,
) -> T {
    let recent: OnceCell<Recent> = OnceCell::new();
    let committed = |path: &TreePath| recent.get_or_init(|| Recent::read(opened)).of(path).unwrap_or(now);
    signals::with_signals(opened, now, &|signal| {
        work(&|path, changed| {
            let path = &TreePath::parse(path.as_bytes()).ok().filter(|path| path.kind().is_curated())?;
            let known = signal(path).filter(|_| path.kind() == PathKind::Entry);
            let (importance, maturity) =
                known.map_or((lifecycle::START, Maturity::Draft), |known| (known.importance, known.maturity));
            // history is only looked at for entries: most overviews tell no time
            let changed = changed.or_else(|| (path.kind() == PathKind::Entry).then(|| committed(path)));
            let recency = changed.map_or(0.0, |time| lifecycle::recency(time, now));
            Some(EntryStanding { importance, recency, boost: maturity.boost() })
        })
    })
}
